"""The jobs export and rollout: write a plan, or the steps from one plan to another, as broker configuration files. They
do not need Spark.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from topicweave.deploy.bridges import deployment
from topicweave.deploy.graphs import FORMATS, graph_lines
from topicweave.deploy.inventory import read_inventory
from topicweave.deploy.loop_checker import find_cycle, find_cycle_between
from topicweave.deploy.mosquitto import FILE, INSIDE, SIDECAR, mosquitto_files
from topicweave.deploy.waves import waves
from topicweave.errors import Argument, ParameterError, VerificationError
from topicweave.parameters import check_choice
from topicweave.pipeline.plan.manifest import describe_files, new_manifest, write_manifest
from topicweave.pipeline.plan.reader import keep_trees, plan_trees, plans_trees, read_plan
from topicweave.pipeline.plan.requirements import read_requirements
from topicweave.pipeline.plan.target import Target
from topicweave.pipeline.spark.progress import Stages
from topicweave.trees.failures import standby_facts
from topicweave.wording import counted

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from topicweave.deploy.inventory import Inventory
    from topicweave.deploy.waves import Wave
    from topicweave.pipeline.spark.progress import Observer

    Place = str | os.PathLike[str]

MOSQUITTO = "mosquitto"
TARGETS = (MOSQUITTO, *FORMATS)
# seconds allowed for a restart: bridges reconnect in 0.05 s in tests, but brokers with many clients take longer
SECONDS_PER_RESTART = 1
README = "README.md"
STANDBY = "standby.json"
MOST_STANDBY = 1000  # with more brokers, trying every failure would take longer than everything else


def export(
    plan: Place,
    *,
    out: Place,
    to: str = MOSQUITTO,
    inventory: Place | Inventory | None = None,
    layout: str = INSIDE,
    objective: str | None = None,
    prefixes: bool = True,
    overwrite: bool = False,
    dry_run: bool = False,
    progress: Observer | None = None,
) -> dict[str, Any]:
    """Write a plan as broker configuration files or for graph tools; returns the manifest of the new folder.

    If the plan requires that topics stay connected when nodes fail, and has at most 1,000 brokers, the links that no
    tree uses are written to ``standby.json`` beside the brokers' folders, with the changes of the trees for every
    single failure.

    Parameters
    ----------
    plan
        A plan folder.
    out, overwrite
        The folder to write, and whether an existing one may be replaced.
    to
        ``"mosquitto"``, or a graph format: ``"graphml"``, ``"gexf"``, ``"dot"``, ``"json"``.
    inventory
        For broker files: the addresses of the brokers.
    layout
        ``"inside"`` the brokers, or in a ``"sidecar"`` beside each.
    objective
        Objective of the trees; by default the trees written with the plan are used, or new ones by depth. If the plan
        has no trees, they are added to its folder as ``trees.parquet``, so that every later command uses the same ones.
    prefixes
        Whether ``plant/7/#`` may stand for all topics below ``plant/7`` if they share a tree.
    dry_run
        Check everything and write nothing.
    progress
        Who is told what is going on.
    """
    check_choice("target", to, TARGETS, parameter="to")
    # bad input is refused before any work
    listed = _inventory(inventory) if to == MOSQUITTO else None
    stages = Stages(progress)
    with stages.stage("read plan"):
        stored = read_plan(plan)
        if listed is not None:
            listed.check_covers(stored.interest.nodes)
    with stages.stage("trees"):
        found = plan_trees(stored, objective)
        stages.say(f"{found!r}")
    about: dict[str, Any] = {"to": to, "layout": layout, "trees": found.figures()}
    if listed is None:
        file, lines = graph_lines(found, to)
        with stages.stage("write"):
            return _published(
                out, overwrite, dry_run, "export", about, stored.folder, lambda at: _write(at / file, lines)
            )
    with stages.stage("bridges"):
        planned = deployment(found, listed, prefixes=prefixes)
        files = mosquitto_files(planned, listed, layout)
        stages.say(f"{counted(len(planned.bridges), 'bridge')} in {counted(len(files), 'file')}")
    with stages.stage("look for cycles"):
        _check(files, _addresses(listed, layout))
    about["bridges"] = len(planned.bridges)
    required = read_requirements(stored.folder)
    spare: dict[str, Any] | None = None
    if required is not None and required.connectivity > 1 and len(stored.interest.nodes) <= MOST_STANDBY:
        with stages.stage("standby links"):
            spare = standby_facts(found)
            about["standby"] = len(spare["links"])
            stages.say(f"{counted(about['standby'], 'link')} for when a broker or a link fails")

    def write(at: Path) -> None:
        _write_files(at, files)
        if spare is not None:
            (at / STANDBY).write_text(json.dumps(spare, indent=1) + "\n", encoding="utf-8")
        keep_trees(found, stored.folder)

    with stages.stage("write"):
        return _published(out, overwrite, dry_run, "export", about, stored.folder, write)


def rollout(
    old: Place,
    new: Place,
    *,
    out: Place,
    inventory: Place | Inventory,
    layout: str = INSIDE,
    hold: bool = False,
    prefixes: bool = True,
    overwrite: bool = False,
    dry_run: bool = False,
    progress: Observer | None = None,
) -> dict[str, Any]:
    """Write the steps from one plan to another as numbered waves; returns the manifest of the new folder.

    Every wave is a folder with the files that change, the files to go back to in ``back/``, and instructions in
    ``README.md``. Before anything is written, every state, and every mixture of files within a wave, is checked by
    :mod:`topicweave.deploy.loop_checker`, which knows nothing of how the waves were planned.

    Parameters
    ----------
    old, new
        Plan folders.
    out, overwrite, dry_run, layout, prefixes, progress
        As for :func:`export`.
    inventory
        The brokers of both plans.
    hold
        With sidecars: use two more waves in which the brokers concerned hold back their messages while trees are not
        connected, so that none is lost.
    """
    if hold and layout != SIDECAR:
        raise ParameterError(
            "Only sidecars can hold messages back, and {layout} is {value!r}; take 'sidecar' or leave out {hold}.",
            layout=Argument("layout"), value=layout, hold=Argument("hold"),
        )  # fmt: skip
    listed = _inventory(inventory)
    stages = Stages(progress)
    with stages.stage("read plans"):
        stored = [read_plan(folder) for folder in (old, new)]
        nodes = [set(each.interest.nodes) for each in stored]
        listed.check_covers(nodes[0] | nodes[1])
    with stages.stage("trees"):
        found = plans_trees(*stored)
    with stages.stage("waves"):
        before, after = (deployment(each, listed, prefixes=prefixes, others=nodes[0] | nodes[1]) for each in found)
        steps = waves(before, after, nodes[0], nodes[1], hold=hold)
        stages.say(counted(len(steps), "wave"))
    present, addresses = nodes[0], _addresses(listed, layout)
    states = [mosquitto_files(before, listed, layout, present)]
    for number, step in enumerate(steps, 1):
        with stages.stage(f"look at wave {number}"):
            present = (present | {*step.started}) - {*step.stopped}
            states.append(mosquitto_files(step.deployment, listed, layout, present))
            _check(states[-1], addresses)
            _check_between(states[-2], states[-1], addresses)
            stages.say("no message can go round, in whatever order its files change")
    told = [_told(number, step, layout) for number, step in enumerate(steps, 1)]

    def write(at: Path) -> None:
        for number, step in enumerate(steps, 1):
            wave = at / f"wave-{number}"
            touched = (*step.changed, *step.started)
            _write_files(wave, {name: states[number][name] for name in touched})
            back = {name: states[number - 1][name] for name in (*step.changed, *step.stopped)}
            _write_files(wave / "back", back)
            (wave / README).write_text(_instructions(number, len(steps), step, layout), encoding="utf-8")
        (at / "waves.json").write_text(json.dumps(told, indent=2) + "\n", encoding="utf-8")
        keep_trees(found[1], stored[1].folder)

    about = {"to": MOSQUITTO, "layout": layout, "waves": told, "old": str(old)}
    with stages.stage("write"):
        return _published(out, overwrite, dry_run, "rollout", about, stored[1].folder, write)


def _inventory(given: Place | Inventory | None) -> Inventory:
    if given is None:
        raise ParameterError("Files for brokers need {needed}; give it.", needed=Argument("inventory"))
    return read_inventory(given)


def _addresses(inventory: Inventory, layout: str) -> dict[str, str]:
    return {
        broker.name: f"{broker.host}:{broker.sidecar_port if layout == SIDECAR else broker.port}"
        for broker in inventory
    }


def _check(files: Mapping[str, str], addresses: Mapping[str, str]) -> None:
    topic = find_cycle(files, addresses)
    if topic is not None:
        raise VerificationError(
            f"The files would let messages on {topic!r} loop; nothing was written, please report this."
        )


def _check_between(before: Mapping[str, str], after: Mapping[str, str], addresses: Mapping[str, str]) -> None:
    topic = find_cycle_between(before, after, addresses)
    if topic is not None:
        raise VerificationError(
            f"While the files change, messages on {topic!r} could loop; nothing was written, please report this."
        )


def _told(number: int, step: Wave, layout: str) -> dict[str, Any]:
    return {
        "wave": number,
        "restart": list(step.changed), "start": list(step.started), "stop": list(step.stopped),
        "restarts": "sidecars" if layout == SIDECAR else "brokers",
        "dropped": [{"topic": topic, "link": list(link)} for topic, link in step.dropped],
        "added": [{"topic": topic, "link": list(link)} for topic, link in step.added],
        "interrupted": list(step.interrupted), "held": list(step.held),
        "seconds": SECONDS_PER_RESTART * max(len(step.changed), 1),
    }  # fmt: skip


def _instructions(number: int, of: int, step: Wave, layout: str) -> str:
    what = "sidecar" if layout == SIDECAR else "broker"
    lines = [f"# Wave {number} of {of}", ""]
    lines += [f"- Start the {what} of {name} with the file in `{name}/`." for name in step.started]
    lines += [f"- Stop the {what} of {name}." for name in step.stopped]
    lines += [f"- Replace the file of {name} by the one in `{name}/` and restart its {what}." for name in step.changed]
    lines += ["", "The order within this wave does not matter. Finish it before the next one begins.", ""]
    if layout == SIDECAR:
        lines.append(
            "Topics whose tree does not change lose nothing while a sidecar restarts: messages wait in its store."
        )
    else:
        lines.append("A broker that restarts disconnects its clients for about a second; its bridges reconnect.")
    if step.interrupted:
        lines += ["", f"Until wave {number + 1} is finished, messages on these may not reach every subscriber:", ""]
        lines += [f"- `{topic}`" for topic in step.interrupted]
    if step.held:
        lines += [
            "",
            f"Until wave {of} is finished these brokers hold their messages back, on all topics; nothing is lost if",
        ]
        lines += ["each may keep that many for a session (`max_queued_messages`):", ""]
        lines += [f"- {name}" for name in step.held]
        lines += ["", "Wait a moment before the next wave begins, until messages in flight have arrived."]
    lines += ["", "To go back: restore the files in `back/` and restart the same brokers.", ""]
    return "\n".join(lines)


def _write(path: Path, lines: Any) -> None:
    with open(path, "w", encoding="utf-8") as file:
        file.writelines(f"{line}\n" for line in lines)


def _write_files(at: Path, files: Mapping[str, str]) -> None:
    for name, text in files.items():
        (at / name).mkdir(parents=True)
        (at / name / FILE).write_text(text, encoding="utf-8")


def _published(
    out: Place,
    overwrite: bool,
    dry_run: bool,
    kind: str,
    about: Mapping[str, Any],
    plan: Path,
    write: Callable[[Path], None],
) -> dict[str, Any]:
    manifest = new_manifest(
        kind, inputs=[describe_files("plan", [plan / "manifest.json"])], rows={}, parameters={}, seed=0, counts={},
        seconds={}, **about,
    )  # fmt: skip
    if dry_run:
        return manifest
    with Target(out, overwrite) as target:
        with target.writing():
            write(target.folder)
            write_manifest(target.folder, manifest, {})
        manifest["folder"] = str(target.publish())
    return manifest


def in_words(manifest: Mapping[str, Any]) -> str:
    """A sentence that says what was, or would be, written."""
    where = f" written to {manifest['folder']}" if "folder" in manifest else " would be written (dry run)"
    if manifest["kind"] == "rollout":
        restarts = sum(len(wave["restart"]) for wave in manifest["waves"])
        return f"{counted(len(manifest['waves']), 'wave')}, {counted(restarts, 'restart')}{where}."
    if "bridges" in manifest:
        spare = f", {counted(manifest['standby'], 'link')} on standby" if manifest.get("standby") else ""
        return f"{counted(manifest['bridges'], 'bridge')} along {manifest['trees']['trees']} trees{spare}{where}."
    return f"The overlay as {manifest['to']}{where}."

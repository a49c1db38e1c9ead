"""Ctrl-C while a plan becomes files: the command stops, and nothing is half-written."""

import signal
import subprocess
import sys
import time

import pytest

import topicweave as tw
from tests.deploy.conftest import inventory_of
from tests.deploy.plans import write_inventory, write_plan
from tests.pipeline.plan.checkpoints.test_store import Killer
from topicweave import pipeline

STAGES = {
    "export": ("read plan", "trees", "bridges", "look for cycles", "write"),
    "rollout": ("read plans", "trees", "waves", "look at wave 1", "write"),
}
SECONDS = 3  # one is enough, but for a busy machine


def two_plans(folder, num_nodes):
    """Two plans and their inventory; a chain for each topic is quickly designed and gives many links."""
    interest = tw.workloads.synthetic(num_nodes, max(10, num_nodes // 10), subscriptions=10, seed=0)
    write_plan(folder / "old", interest, "chain")
    write_plan(folder / "new", interest.remove(interest.nodes[3:5]), "chain")
    write_inventory(folder / "brokers.csv", inventory_of(interest.nodes))
    return folder


def everything_in(folder):
    return {path: path.stat().st_mtime_ns for path in folder.rglob("*")}


@pytest.mark.parametrize(("name", "stage"), [(name, stage) for name in STAGES for stage in STAGES[name]])
def test_an_interruption_in_any_stage_leaves_nothing(tmp_path, name, stage):
    place = two_plans(tmp_path, 20)
    before = everything_in(place)
    plans = [place / "old", place / "new"][: 1 + (name == "rollout")]
    given = {"inventory": place / "brokers.csv", "layout": "sidecar", "out": place / "out"}
    with pytest.raises(KeyboardInterrupt):
        getattr(pipeline, name)(*plans, **given, progress=Killer(stage, KeyboardInterrupt))
    assert everything_in(place) == before
    getattr(pipeline, name)(*plans, **given)
    assert (place / "out" / "manifest.json").is_file()


def test_an_interruption_while_files_are_written_leaves_none(tmp_path, monkeypatch):
    """In the middle of the third file; the plan may have got its trees by then, whole."""
    place, written = two_plans(tmp_path, 20), []

    def write(path, text, **options):
        written.append(path)
        if len(written) == 3:
            raise KeyboardInterrupt
        return len(text)

    monkeypatch.setattr("pathlib.Path.write_text", write)
    with pytest.raises(KeyboardInterrupt):
        pipeline.export(place / "old", inventory=place / "brokers.csv", out=place / "out")
    assert len(written) == 3
    assert sorted(path.name for path in place.iterdir()) == ["brokers.csv", "new", "old"]


@pytest.fixture(scope="module")
def large(tmp_path_factory):
    return two_plans(tmp_path_factory.mktemp("large"), 20_000)


@pytest.mark.slow
@pytest.mark.parametrize("share", [0.1, 0.3, 0.5, 0.7, 0.9])
@pytest.mark.parametrize("name", ["export", "graph", "rollout", "diff", "trees", "standby"])
def test_a_command_on_20_000_brokers_stops_at_once(start, large, name, share):
    """Wherever it is: reading, making trees, comparing, writing."""
    out = ["--inventory", large / "brokers.csv", "--out", large / "out"]
    command = {
        "export": ["export", large / "old", *out],
        "graph": ["export", large / "old", "--to", "graphml", "--out", large / "out"],
        "rollout": ["rollout", large / "old", large / "new", "--layout", "sidecar", *out],
        "diff": ["diff", large / "old", large / "new", "--html", large / "page.html"],
        "trees": ["trees", large / "old", "--json"],
        "standby": ["trees", large / "old", "--standby"],
    }[name]
    before = set(large.rglob("*"))
    begun = time.monotonic()
    run = start(*command, "--dry-run") if name in ("export", "rollout") else start("trees", large / "old")
    run.communicate()
    whole = time.monotonic() - begun
    run = start(*command)
    time.sleep(whole * share)
    begun = time.monotonic()
    run.send_signal(signal.SIGINT)
    _, said = run.communicate()
    assert (run.returncode, b"Traceback" in said) == (130, False), said
    assert time.monotonic() - begun < SECONDS
    assert set(large.rglob("*")) == before


LOST = """
import sys, time
import click
from topicweave.cli.main import main

class Closing:
    def __del__(self):
        raise KeyboardInterrupt

@click.command()
def waits():
    Closing()
    time.sleep(30)
    print("went on")

main([], command=waits)
"""


def test_an_interruption_that_python_can_only_report_ends_the_command():
    """Ctrl-C inside a callback or a finaliser is swallowed by Python; the command must not go on to its end."""
    ended = subprocess.run([sys.executable, "-c", LOST], capture_output=True, text=True, timeout=25)
    assert ended.returncode == 130 and "went on" not in ended.stdout and "Traceback" not in ended.stderr

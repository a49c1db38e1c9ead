"""``python -m demo``: a dozen real brokers with sidecars, from the design to a network repaired after a failure.

Every step is printed and written to ``demo-out/index.html``. It ends by itself, and no process is left behind.
``--dry-run`` says what would be started, and starts nothing.
"""

from __future__ import annotations

import argparse
import os
import shutil
import signal
import tempfile
import time
from html import escape
from pathlib import Path

import topicweave as tw
from demo.cluster import CHECKOUT, HOST, Cluster, free_ports
from topicweave.deploy.bridges import Deployment, deployment
from topicweave.deploy.inventory import Broker, Inventory
from topicweave.deploy.mosquitto import SIDECAR, mosquitto_files
from topicweave.deploy.probe import plan_probe, probe
from topicweave.deploy.status import status
from topicweave.deploy.waves import waves
from topicweave.reports.drawing import draw

OUT = CHECKOUT / "demo-out"
NUM_BROKERS = 12
STYLE = "td:nth-child(-n + 2) { white-space: nowrap } .overlay text { font-size: 24px }"


class Page:
    """Records the steps of the demo: each is printed at once, and all of them become a page at the end."""

    def __init__(self) -> None:
        self._rows: list[str] = []
        self._pictures: list[str] = []
        self._begun = time.monotonic()
        look = (CHECKOUT / "topicweave/reports/templates/style.css").read_text(encoding="utf-8")
        self._head = (
            "<!doctype html><html lang='en'><meta charset='utf-8'><title>topicweave demo</title>"
            f"<style>{look}{STYLE}</style>"
            "<main><h1>A network of brokers, from its design to its repair</h1><section><table class='texts'>"
            "<tr><th>step</th><th>after</th><th>what happened</th></tr>"
        )

    def say(self, step: str, detail: str) -> None:
        seconds = f"{time.monotonic() - self._begun:.1f} s"
        print(f"{step:<12}{seconds:>7}  {detail}", flush=True)
        self._rows.append(f"<tr><td>{escape(step)}</td><td>{seconds}</td><td>{escape(detail)}</td></tr>")
        self._write()

    def show(self, title: str, interest: tw.Interest, overlay: tw.Overlay) -> None:
        """Add a drawing of the network below the steps."""
        self._pictures.append(f"<section><h2>{escape(title)}</h2>{draw(interest, overlay).svg}</section>")
        self._write()

    def _write(self) -> None:
        OUT.mkdir(exist_ok=True)
        pictures = f"<div class='pair'>{''.join(self._pictures)}</div>"
        page = f"{self._head}{''.join(self._rows)}</table></section>{pictures}</main></html>"
        (OUT / "index.html").write_text(page, encoding="utf-8")


def end_at_once(cluster: Cluster | None = None) -> None:
    """From now on, let an interruption end the demo and all its brokers immediately.

    An exception would not do: one that is raised while a process is being started is lost.
    """

    def end(*_: object) -> None:
        if cluster is not None:
            cluster.kill()
            shutil.rmtree(cluster.folder, ignore_errors=True)
        os._exit(130)

    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, end)


def example() -> tw.Interest:
    """The first brokers of the example."""
    rows = [tuple(line.split(",")) for line in (CHECKOUT / "examples/brokers.csv").read_text().split()[1:]]
    chosen = sorted({node for node, _ in rows})[:NUM_BROKERS]
    return tw.Interest.from_pairs([row for row in rows if row[0] in chosen])


def wait_for_bridges(planned: Deployment, inventory: Inventory, seconds: float = 60.0) -> None:
    limit = time.monotonic() + seconds
    while True:
        seen = status(planned, inventory, SIDECAR)
        if not (seen.down or seen.missing or seen.unreachable):
            return
        if time.monotonic() > limit:
            raise RuntimeError(f"the bridges did not come up: {seen}")
        time.sleep(0.5)


def run_probe(page: Page, found: tw.deploy.Trees, inventory: Inventory) -> None:
    report = probe(found, inventory, plan_probe(found))
    page.say(
        "probe",
        f"{report.num_published} messages, {report.num_expected} deliveries expected, {report.num_once} exactly once, "
        f"{len(report.lost)} lost, {len(report.duplicate)} doubled, {len(report.stray)} stray",
    )
    if not report.is_good:
        raise SystemExit(1)


def main() -> None:
    """Run the demo."""
    parser = argparse.ArgumentParser(prog="python -m demo", description=__doc__)
    parser.add_argument("--dry-run", action="store_true", help="say what would be started, and start nothing")
    is_dry = parser.parse_args().dry_run
    end_at_once()
    interest = example()
    if is_dry:
        print(f"{2 * interest.num_nodes} processes of mosquitto would be started on {HOST}, and end with the demo:")
        print(
            f"a broker and a sidecar for each of {', '.join(interest.nodes)}; the page would be {OUT / 'index.html'}."
        )
        return
    shutil.rmtree(OUT, ignore_errors=True)
    page = Page()
    ports = free_ports(2 * interest.num_nodes)
    inventory = Inventory(Broker(name, HOST, ports[2 * i], ports[2 * i + 1]) for i, name in enumerate(interest.nodes))
    maintainer = tw.churn.Shadow(interest, seed=0)
    maintainer.follow_trees()
    before = maintainer.trees
    assert before is not None
    page.say(
        "design",
        f"{interest.num_nodes} brokers and {interest.num_topics} topics: {maintainer.num_edges} links instead of "
        f"{interest.num_nodes * (interest.num_nodes - 1) // 2}; one tree for each topic, at most "
        f"{before.figures()['most_hops']} hops between two brokers",
    )
    page.show("As designed", interest, maintainer.overlay)
    old = deployment(before, inventory)
    files = mosquitto_files(old, inventory, SIDECAR)
    page.say("export", f"{len(files)} files with {len(old.bridges)} bridges; each bridge is in one file only")
    with tempfile.TemporaryDirectory(prefix="topicweave-demo-") as folder, Cluster(Path(folder)) as cluster:
        end_at_once(cluster)
        for broker in inventory:
            cluster.start_broker(broker.name, broker.port)
            cluster.start_sidecar(broker.name, broker.sidecar_port or 0, files[broker.name])
        cluster.wait()
        wait_for_bridges(old, inventory)
        page.say("start", f"{interest.num_nodes} brokers and {interest.num_nodes} sidecars of mosquitto are up")
        run_probe(page, before, inventory)

        failed = max(interest.nodes, key=lambda name: before.relayed[interest.node_numbers[name]])
        cluster.stop(failed, hard=True)
        cluster.stop(f"{failed}.sidecar", hard=True)
        page.say("failure", f"{failed}, which relays most, was killed")
        change = maintainer.leave(failed)
        after = maintainer.trees
        assert after is not None
        page.say(
            "repair",
            f"{len(change.added)} links added, {len(change.removed)} removed; the trees of "
            f"{len({each.topic for each in change.trees})} topics change",
        )
        page.show(f"Without {failed}", maintainer.interest, maintainer.overlay)
        left = Inventory(broker for broker in inventory if broker.name != failed)
        new = deployment(after, left)
        for number, wave in enumerate(waves(old, new, interest.nodes, after.interest.nodes), 1):
            files = mosquitto_files(wave.deployment, left, SIDECAR)
            for name in wave.changed:
                cluster.stop(f"{name}.sidecar")
                cluster.start_sidecar(name, left[name].sidecar_port or 0, files[name])
            cluster.wait([f"{name}.sidecar" for name in wave.changed])
            wait_for_bridges(wave.deployment, left)
            page.say(
                "rollout", f"wave {number}: {len(wave.changed)} sidecars restarted; no broker, so no client noticed"
            )
        seen = status(new, left, SIDECAR)
        page.say("status", f"{len(seen.up)} bridges are up, as planned, counting those between brokers and sidecars")
        if not seen.is_as_planned:
            raise SystemExit(1)
        run_probe(page, after, left)
    page.say("end", f"every process has ended; this page is {OUT / 'index.html'}")


if __name__ == "__main__":
    main()

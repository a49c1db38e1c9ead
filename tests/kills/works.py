"""What is killed, without Spark: a stream of event files, a design and a content plan that replace the one before."""

import gzip
import json
import random

import numpy as np
import pyarrow.parquet as pq

import topicweave as tw
from tests.pipeline.churn.logs import draw_log, found_in, micro_batch, nobody, present
from topicweave.churn.event_store import EventStore
from topicweave.content import Channels, assign, evaluation_instance
from topicweave.files import sha256
from topicweave.pipeline.churn.intake import Intake
from topicweave.pipeline.job import open_job
from topicweave.pipeline.plan.checkpoints import files as saved
from topicweave.pipeline.plan.checkpoints.store import Checkpoints
from topicweave.pipeline.plan.content_plan import (
    content_sections,
    write_content_report,
    write_content_tables,
    write_network,
)
from topicweave.pipeline.plan.manifest import new_manifest, read_manifest, write_manifest
from topicweave.pipeline.plan.plan import edges_table, nodes_table, write_subscriptions
from topicweave.pipeline.quality.reasons import Counts
from topicweave.pipeline.sources.traffic import Traffic


def look_at_plan(folder, known, made):
    """A plan is complete, every file with its checksum and nothing else, and was made by a run that may have ended."""
    if not folder.exists():
        assert not known, "the plan that was there has gone"
        return
    manifest = read_manifest(folder)
    there = {file.relative_to(folder).as_posix(): sha256(file) for file in folder.rglob("*") if file.is_file()}
    del there["manifest.json"]
    assert there == {entry["path"]: entry["sha256"] for entry in manifest["outputs"]}
    assert manifest["seed"] in {*known, made}


class StreamWork:
    """Micro-batches of a drawn log; after a kill all of them come again, as when Spark's own checkpoint is lost."""

    def __init__(self, folder, seed):
        self.folder, self.state = folder, folder / "state"
        rng = random.Random(seed)
        self.log = draw_log(rng, 40)
        order = rng.sample(self.log, len(self.log)) if seed % 2 else self.log
        self.batches = [micro_batch(rng, folder, at, order[at : at + 8]) for at in range(0, len(order), 8)]

    def run(self):
        intake = Intake(EventStore(self.state, nobody))
        for found, stamps in self.batches:
            intake.take(found, stamps)

    def check(self):
        """Every event once and in order, every row that is none in the quarantine once, the table of links as is."""
        store = EventStore(self.state, nobody)
        assert store.last == len(self.log)
        assert found_in(self.state) == present(self.log)[0]
        rows = [row for row in store.changes() if row["action"] != "drain" or row["refused"] or not row["added"]]
        numbers = [row["sequence"] for row in rows if row["sequence"] <= len(self.log)]
        assert sorted(set(numbers)) == [event.sequence for event in self.log]
        assert sum(row["refused"] is not None for row in rows) == present(self.log)[1]
        links = pq.read_table(self.state / "edges.parquet").to_pylist()
        assert {(row["source"], row["target"]) for row in links} == set(store.maintainer.overlay.pairs())
        assert not list(self.state.rglob(".*")), "leftovers"
        aside = (self.state / "quarantine").glob("*")
        lines = [json.loads(line) for file in aside for line in gzip.decompress(file.read_bytes()).splitlines()]
        expected = sum(len(found.bad) + _num_before(found) for found, _ in self.batches)
        assert sum(entry["reason"] != "sequence used twice for different events" for entry in lines) == expected

    def advance(self):
        """The whole log comes again."""

    def look(self):
        """Just after a kill: the snapshot, if there is one, can be read, and is that of a part of the log."""
        if (self.state / "snapshot").exists():
            store = EventStore(self.state, nobody)
            assert found_in(self.state) == present(self.log[: store.last or 0])[0]


def _num_before(found):
    return sum(row.event.sequence < 1 for row in found.events)


class PlanWork:
    """A plan that replaces another one, again and again; there is always a whole one under its name."""

    def __init__(self, folder, seed):
        self.folder, self.out = folder, folder / "plan"
        self.made = seed
        self.known = set()

    def run(self):
        folder = self.out
        with open_job(folder, overwrite=True) as job:
            kept = job.target.checkpoints / "stage.npz"
            found = saved.load(kept) if kept.exists() else None
            if found is None:
                kept.parent.mkdir(exist_ok=True)
                saved.save(kept, {"made": self.made}, {"numbers": np.arange(100)})
            else:
                assert found[1]["numbers"].tolist() == list(range(100)), "a stage is whole or not there"
            with job.writing():
                sections = self.write(job.folder)
                empty = {"rows": {}, "parameters": {}, "counts": {}, "seconds": {}}
                manifest = new_manifest("design", inputs=[], seed=self.made, spark=None, **empty, **sections)
                write_manifest(job.folder, manifest, {})
            Checkpoints(job.target).clear()
            job.publish()

    def write(self, folder):
        interest = tw.workloads.synthetic(20, 8, subscriptions=3, seed=self.made)
        planned = tw.design(interest, "gm")
        pq.write_table(edges_table(planned), folder / "edges.parquet")
        write_subscriptions(interest, folder)
        pq.write_table(nodes_table(interest, planned.overlay), folder / "nodes.parquet")
        (folder / "quarantine").mkdir()
        return {}

    def look(self):
        """Whole: every file is there with its checksum, and nothing else is."""
        look_at_plan(self.out, self.known, self.made)

    def check(self):
        self.look()
        assert read_manifest(self.out)["seed"] == self.made
        assert [entry.name for entry in self.folder.iterdir()] == ["plan"], "leftovers"

    def advance(self):
        """The next plan replaces this one."""
        self.known = {self.made}
        self.made += 1


class ContentWork(PlanWork):
    """The same for users and brokers."""

    def write(self, folder):
        instance = evaluation_instance(12, 3, 5, seed=self.made)
        assignment = assign(instance, "random", seed=self.made)
        users, subscribe = instance.users, np.asarray(instance.subscribe, dtype=bool)
        channels = Channels({"x": tuple(range(instance.num_channels + 1))})
        assert channels.num_channels == instance.num_channels
        traffic = Traffic(users, channels, np.asarray(instance.publish), subscribe, (), (Counts(0, {}, {}),), 1.0)
        write_content_tables(assignment, traffic, folder)
        write_network(assignment, traffic, 0.0, folder)
        write_content_report(assignment, 0.0, folder)
        return content_sections(assignment, traffic, 0.0)


WORKS = {"stream": StreamWork, "design": PlanWork, "content": ContentWork}

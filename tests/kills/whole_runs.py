"""Kill whole runs with their Spark: ``python -m tests.kills.whole_runs --count 15`` kills each kind that often.

Each is a real process of the command line, killed with its JVM at a random moment. After a kill, what must always hold
is looked at; then the same command is given again. When two or three kills have hit a run it is let go to its end, what
it has made is checked against something that was not made by it, and the next one replaces it.
"""

import argparse
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

import pyarrow.parquet as pq

import topicweave as tw
from tests.kills.works import look_at_plan
from tests.pipeline.churn.logs import present
from topicweave.churn import Event
from topicweave.churn.event_store import EventStore
from topicweave.pipeline.plan.manifest import read_manifest

PATIENCE = 600
LATE = 0.8  # the share of kills that fall into the later part of a run: before, Spark starts and nothing is written


class DesignRun:
    """A plan that is replaced by one with other links; large enough for its stages to be kept."""

    def __init__(self, folder, seed):
        self.folder, self.out, self.made = folder, folder / "out" / "plan", seed
        self.out.parent.mkdir()
        self.known = set()
        self.interest = tw.workloads.synthetic(3000, 300, subscriptions=40, seed=seed)
        self.input = folder / "in.csv"
        lines = (f"{node},{topic}\n" for node, topic in self.interest.pairs())
        self.input.write_text("node,topic\n" + "".join(lines))

    def command(self, last):
        return ("design", self.input, "--algorithm", "gm", "--ties", "random", "--seed", self.made, "--out", self.out,
                "--overwrite")  # fmt: skip

    def look(self):
        """Whole: every file is there with its checksum, and nothing else is; or there has been no plan yet."""
        look_at_plan(self.out, self.known, self.made)

    def check(self):
        self.look()
        assert read_manifest(self.out)["seed"] == self.made
        assert [entry.name for entry in self.out.parent.iterdir()] == ["plan"], "leftovers"
        self.compare()
        self.known, self.made = {self.made}, self.made + 1

    def compare(self):
        """The links are those of a design in this process."""
        links = pq.read_table(self.out / "edges.parquet")
        found = list(zip(links["source"].to_pylist(), links["target"].to_pylist(), strict=True))
        expected = tw.design(self.interest, "gm", ties="random", seed=self.made).overlay
        assert len(found) == len(set(found)) and tw.Overlay.from_pairs(found, expected.labels) == expected


class ContentRun(DesignRun):
    """A placement of users at brokers that is replaced by another one."""

    USERS, PLACES = 60, 8

    def __init__(self, folder, seed):
        self.folder, self.out, self.made = folder, folder / "out" / "plan", seed
        self.out.parent.mkdir()
        self.known = set()
        rng = random.Random(seed)
        self.wanted = {f"u{user}": sorted(rng.sample(range(101), 2)) for user in range(self.USERS)}
        self.published = {user: rng.randint(20, 60) for user in self.wanted}
        self.inputs = {
            "log.csv": "user,value\n" + "".join(
                f"{user},{rng.randint(0, 100)}\n" for user, times in self.published.items() for _ in range(times)
            ),
            "wishes.csv": "user,attribute,low,high\n" + "".join(
                f"{user},value,{low},{high}\n" for user, (low, high) in self.wanted.items()
            ),
            "places.csv": "user,place\n" + "".join(f"{user},p{rng.randrange(self.PLACES)}\n" for user in self.wanted),
            "prices.csv": self._prices(rng),
        }  # fmt: skip
        for name, text in self.inputs.items():
            (folder / name).write_text(text)

    def _prices(self, rng):
        names = [f"p{place}" for place in range(self.PLACES)]
        price = {frozenset(pair): rng.randint(1, 9) for pair in ((a, b) for a in names for b in names if a < b)}
        rows = (",".join([a, *("0" if a == b else str(price[frozenset((a, b))]) for b in names)]) for a in names)
        return "\n".join([",".join(["", *names]), *rows]) + "\n"

    def command(self, last):
        files = (self.folder / name for name in ("log.csv", "wishes.csv", "prices.csv"))
        return ("content", "assign", *files, "--places", self.folder / "places.csv", "--method", "greedy_packing",
                "--channels", 10, "--seed", self.made, "--out", self.out, "--overwrite")  # fmt: skip

    def compare(self):
        """Every user once, at a broker there is; and all that was published has been counted."""
        seats = pq.read_table(self.out / "assignment.parquet").to_pylist()
        assert sorted(row["user"] for row in seats) == sorted(self.wanted)
        assert {row["broker"] for row in seats} <= {f"p{place}" for place in range(self.PLACES)}
        rows = read_manifest(self.out)["rows"]["inputs"]
        assert rows["publications"]["valid"] == sum(self.published.values())
        assert rows["subscriptions"]["valid"] == len(self.wanted)


class FollowRun:
    """A stream of event files, one in each micro-batch, with rows that come again in the next file."""

    def __init__(self, folder, seed):
        self.folder, self.files, self.state = folder, folder / "events", folder / "state"
        self.files.mkdir()
        self.rng = random.Random(seed)
        self.log = []
        self._add()

    def _add(self):
        """The next part of the log; each second file comes before the one it should follow."""
        rng, first = self.rng, len(self.log)
        actions = ["join", "join", "join", "leave", "drain", "subscribe", "unsubscribe", "resubscribe"]
        for number in range(first + 1, first + 61):
            topics = frozenset(rng.sample("pqrstuvwxyz", rng.randint(1, 3)))
            self.log.append(Event(rng.choice(actions), f"n{rng.randrange(25)}", topics, number))
        for file, at in enumerate(range(first, len(self.log), 15)):
            rows = self.log[max(0, at - 2) : at + 15]
            partial = self.files / f".{at}"
            partial.write_text("".join(json.dumps(event.to_record()) + "\n" for event in rows) + "{\n")
            arrival = 1_000_000 + first + 10 * (file ^ 1)
            os.utime(partial, (arrival, arrival))
            partial.rename(self.files / f"part-{at:05}.jsonl")

    def command(self, last):
        how = ("--once",) if last else ("--interval", 0.05)
        return ("churn", "--follow", self.files, "--state", self.state, "--empty", "--files-at-once", 1, *how)

    def look(self):
        """The snapshot, if there is one, can be read, and is that of a part of the log."""
        if (self.state / "snapshot").exists():
            store = EventStore(self.state, None)
            self._compare(store, self.log[: store.last or 0])

    def _compare(self, store, log):
        maintainer = store.maintainer
        assert tw.verify(maintainer.interest, maintainer.overlay).topic_connected
        found = {node: set(maintainer.topics_of(node)) for node in maintainer.interest.nodes}
        assert found == present(log)[0]

    def check(self):
        """Every event once and in order, every row that is none in the quarantine once."""
        store = EventStore(self.state, None)
        assert store.last == len(self.log)
        self._compare(store, self.log)
        rows = store.changes()
        times = Counter(row["sequence"] for row in rows)
        assert list(times) == [event.sequence for event in self.log]
        assert all(times[event.sequence] <= (2 if event.action == "drain" else 1) for event in self.log)
        assert sum(row["refused"] is not None for row in rows) == present(self.log)[1]
        links = pq.read_table(self.state / "edges.parquet").to_pylist()
        assert {(row["source"], row["target"]) for row in links} == set(store.maintainer.overlay.pairs())
        assert not [file for file in self.state.rglob(".*") if "checkpoint" not in file.parts], "leftovers"
        self._add()


RUNS = {"design": DesignRun, "content": ContentRun, "follow": FollowRun}


def start(run, last):
    """The command in a process group of its own, with the JVM that it will start."""
    command = [sys.executable, "-m", "topicweave", *map(str, run.command(last)), "--quiet", "--master", "local[1]"]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, start_new_session=True)


def finish(process):
    said, _ = process.communicate(timeout=PATIENCE)
    assert process.returncode == 0, said.decode()


def kill(process, seconds):
    """Whether it was still running after so many seconds; it and all it has started are gone afterwards."""
    time.sleep(seconds)
    was_running = process.poll() is None
    if was_running:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    said = process.stdout.read().decode()
    process.stdout.close()
    assert was_running or process.returncode == 0, said
    return was_running


def kill_many(name, count, seed, tell=lambda kills: None):
    """Returns how many kills there were, by how long after its start the run was killed, in seconds."""
    rng, kills = random.Random(seed), Counter()
    with tempfile.TemporaryDirectory() as folder:
        run = RUNS[name](Path(folder), seed)
        begun = time.perf_counter()
        finish(start(run, True))
        longest = time.perf_counter() - begun
        run.check()
        while kills.total() < count:
            for _ in range(rng.randint(1, 3)):
                share = rng.uniform(0.5, 1.0) if rng.random() < LATE else rng.uniform(0.0, 0.5)
                if not kill(start(run, False), share * longest):
                    break
                kills[int(share * longest)] += 1
                run.look()
                tell(kills)
            finish(start(run, True))
            run.check()
    return kills


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--count", type=int, default=15, help="how many kills of each kind")
    parser.add_argument("--seed", type=int, default=0, help="of inputs and moments")
    parser.add_argument("--run", choices=RUNS, action="append", help="what is killed; all by default")
    options = parser.parse_args()
    for name in options.run or RUNS:
        kills = kill_many(name, options.count, options.seed)
        when = ", ".join(f"{times} in second {second}" for second, times in sorted(kills.items()))
        print(f"{name}: {kills.total()} kills: {when}; nothing lost, doubled or half written", flush=True)

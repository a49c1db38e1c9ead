"""The stream: every event once, whatever Spark's micro-batches and ``kill -9`` do."""

from __future__ import annotations

import gzip
import json
import os
import signal
import subprocess
import sys
import time

import pytest

import topicweave as tw
from topicweave import pipeline
from topicweave.churn import Event, Shadow
from topicweave.churn.event_store import EventStore
from topicweave.churn.state_folder import lock_state
from topicweave.errors import ParameterError, ReadError, TargetError
from topicweave.workloads import random_churn


@pytest.fixture(scope="module")
def rows():
    """Forty nodes join, then nodes come and go."""
    interest = tw.workloads.synthetic(40, 20, subscriptions=(2, 8), seed=2)
    newcomers = tw.workloads.synthetic(40, 20, subscriptions=(2, 8), seed=3)
    joins = [
        {"sequence": number, "node": node, "action": "join", "topic": sorted(topics)}
        for number, (node, topics) in enumerate(interest.to_sets().items(), 1)
    ]
    events = random_churn(interest, newcomers, 60, seed=1)
    return joins + [{**row, "sequence": row["sequence"] + len(joins)} for row in events]


def write_events(folder, rows, size, swapped=False):
    """Event files that appear whole, with some rows repeated in the next file; swapped: each second one too early."""
    folder.mkdir(exist_ok=True)
    for number, first in enumerate(range(0, len(rows), size)):
        text = "".join(json.dumps(row) + "\n" for row in rows[max(0, first - 2) : first + size])
        (folder / f".part-{first:05}").write_text(text)
        arrival = 1_000_000 + 10 * (number ^ 1 if swapped else number)
        os.utime(folder / f".part-{first:05}", (arrival, arrival))
        (folder / f".part-{first:05}").rename(folder / f"part-{first:05}.jsonl")


def write_file(folder, name, rows):
    folder.mkdir(exist_ok=True)
    (folder / f".{name}").write_text("".join((row if isinstance(row, str) else json.dumps(row)) + "\n" for row in rows))
    (folder / f".{name}").rename(folder / name)


def outcome(folder):
    found = EventStore(folder, lambda: pytest.fail("the state is there"))
    return found.last, found.maintainer.interest, found.maintainer.overlay, found.changes()


def kept_aside(folder):
    files = sorted((folder / "quarantine").iterdir())
    found = [json.loads(line) for file in files for line in gzip.decompress(file.read_bytes()).splitlines()]
    return [(entry["reason"], entry["line"]) for entry in found]


class Batches(pipeline.Observer):
    """Keeps what was said about each micro-batch."""

    def __init__(self):
        self.said, self.looked = [], []

    def on_stage_done(self, name, seconds, detail):
        if name == "apply events":
            self.said.append(detail)
        if name == "look at files":
            self.looked.append(detail)


def test_a_number_that_comes_again_is_known_or_put_aside(spark, tmp_path):
    """Over two runs: repeats are counted, other content and rows that are not events are in the quarantine."""
    join = {"sequence": 1, "node": "a", "action": "join", "topic": ["t"]}
    other = {"sequence": 1, "node": "a", "action": "join", "topic": ["u"]}
    write_file(tmp_path / "events", "1.jsonl", [join, "nothing", {"sequence": 2**63, "node": "a", "action": "leave"}])
    first = pipeline.follow(tmp_path / "events", state=tmp_path / "state", empty=True, once=True, spark=spark)
    assert (first.num_applied, first.num_known, first.num_bad, first.last) == (1, 0, 2, 1)
    write_file(tmp_path / "events", "2.jsonl", [join, other, {"sequence": 2, "node": "a", "action": "drain"}])
    listener = Batches()
    second = pipeline.follow(tmp_path / "events", state=tmp_path / "state", once=True, spark=spark, progress=listener)
    assert (second.num_applied, second.num_known, second.num_bad, second.last) == (1, 1, 1, 2)
    assert sorted(kept_aside(tmp_path / "state")) == [
        ("malformed JSON", "nothing"),
        ("sequence is not a whole number", '{"sequence": 9223372036854775808, "node": "a", "action": "leave"}'),
        ("sequence used twice for different events", json.dumps(other)),
    ]
    assert listener.said == ["1 event, now at 2: Shadow(0 nodes, 0 links); 1 row put aside in quarantine/"]
    assert second.to_dict()["known_before"] == 1
    assert "1 applied, 1 event known before, 1 row put aside in quarantine/." in second.summary()


def test_an_event_with_an_empty_label_does_not_stop_the_stream(spark, tmp_path):
    """It goes to the quarantine like in every other source; what waits is read back at the next start."""
    waiting = {"sequence": 3, "node": "a", "action": "subscribe", "topic": ['["p","q"]']}
    blank = {"sequence": 2, "node": "a", "action": "subscribe", "topic": [""]}
    write_file(tmp_path / "events", "1.jsonl", [blank, waiting])
    found = pipeline.follow(tmp_path / "events", state=tmp_path / "state", empty=True, once=True, spark=spark)
    assert (found.num_applied, found.num_bad, found.gap.number) == (0, 1, 1)
    rest = [
        {"sequence": 1, "node": "a", "action": "join", "topic": []},
        {"sequence": 2, "node": "a", "action": "resubscribe", "topic": ["t"]},
    ]
    write_file(tmp_path / "events", "2.jsonl", rest)
    found = pipeline.follow(tmp_path / "events", state=tmp_path / "state", empty=True, once=True, spark=spark)
    assert (found.num_applied, found.gap) == (3, None)
    assert found.maintainer.topics_of("a") == {"t", '["p","q"]'}


def test_a_plan_to_begin_with(spark, tmp_path):
    """The plan's own subscriptions are used; parameters are those of the maintainer."""
    (tmp_path / "subscriptions.csv").write_text("node,topic\na,t\nb,t\nc,t\n")
    pipeline.design(str(tmp_path / "subscriptions.csv"), out=tmp_path / "plan", spark=spark)
    write_file(tmp_path / "events", "1.jsonl", [{"sequence": 1, "node": "d", "action": "join", "topic": "t"}])
    found = pipeline.follow(
        tmp_path / "events",
        "naive",
        state=tmp_path / "state",
        plan=tmp_path / "plan",
        once=True,
        trim=True,
        spark=spark,
    )
    assert found.maintainer.num_nodes == 4
    assert (found.maintainer.name, found.maintainer.parameters["trim"]) == ("naive", True)


def follow(tmp_path, spark, **given):
    given = {"state": tmp_path / "state", "once": True, "spark": spark, **given}
    return pipeline.follow(tmp_path / "events", **given)


JOINS = [{"sequence": number, "node": f"n{number}", "action": "join", "topic": ["t"]} for number in range(1, 5)]


def test_a_stream_goes_on_after_the_log_of_its_plan(spark, tmp_path):
    """What maintain has applied is known before; the first number is the one after the plan's last."""
    (tmp_path / "subscriptions.csv").write_text("node,topic\na,t\nb,t\n")
    pipeline.design(str(tmp_path / "subscriptions.csv"), out=tmp_path / "plan", spark=spark)
    write_file(tmp_path, "log.jsonl", JOINS[:2])
    pipeline.maintain(tmp_path / "plan", tmp_path / "log.jsonl", out=tmp_path / "after", spark=spark)
    write_file(tmp_path / "events", "1.jsonl", JOINS)
    with pytest.raises(
        ParameterError, match="contains the events up to 2, so that the next is 3, not 1; leave first= out"
    ):
        follow(tmp_path, spark, plan=tmp_path / "after", first=1, state=tmp_path / "other")
    found = follow(tmp_path, spark, plan=tmp_path / "after")
    assert (found.num_known, found.num_applied, found.num_refused, found.maintainer.num_nodes) == (2, 2, 0, 6)


def test_what_the_log_of_the_plan_has_left_out_is_late(spark, tmp_path):
    """It was never applied, so it must not count as known."""
    (tmp_path / "subscriptions.csv").write_text("node,topic\na,t\nb,t\n")
    pipeline.design(str(tmp_path / "subscriptions.csv"), out=tmp_path / "plan", spark=spark)
    write_file(tmp_path, "log.jsonl", [JOINS[0], JOINS[3]])
    pipeline.maintain(tmp_path / "plan", tmp_path / "log.jsonl", out=tmp_path / "after", spark=spark)
    write_file(tmp_path / "events", "1.jsonl", JOINS)
    found = follow(tmp_path, spark, plan=tmp_path / "after")
    assert (found.last, found.num_known, found.num_late, found.num_applied) == (4, 2, 2, 0)
    refused = [row["refused"] for row in EventStore(tmp_path / "state", None).changes()]
    assert refused == [f"Event {number} arrived when it was the turn of 5; it was not applied." for number in (2, 3)]


def test_a_new_state_needs_to_be_told_what_to_begin_with(tmp_path, monkeypatch):
    """A mistyped path, or a process killed before its first snapshot, must not silently start without nodes."""
    monkeypatch.setattr("topicweave.pipeline.job.Job.start", lambda *_, **__: pytest.fail("Spark was started"))
    (tmp_path / "events").mkdir()
    (tmp_path / "killed" / "changes").mkdir(parents=True)
    (tmp_path / "killed" / ".snapshot.17").write_bytes(b"half")
    for name in ("mistyped", "killed"):
        with pytest.raises(ParameterError, match=r"There is no state in .* yet, and nothing to start from was given"):
            follow(tmp_path, None, state=tmp_path / name)
    assert not (tmp_path / "mistyped").exists()
    (tmp_path / "killed" / "checkpoint" / "offsets").mkdir(parents=True)
    with pytest.raises(ReadError, match="has lost its snapshot: there is none, but checkpoint/ is not empty"):
        follow(tmp_path, None, state=tmp_path / "killed", empty=True)


def test_what_differs_from_the_state_is_named_and_refused(spark, tmp_path):
    """Or taken by reconfigure=; what is not said stays as it is, and so do the links."""
    write_file(tmp_path / "events", "1.jsonl", JOINS[:3])
    begun = follow(tmp_path, spark, empty=True, coverage=2)
    for given in ({}, {"maintainer": "shadow", "coverage": 2, "k": 3, "seed": 0, "first": 1}, {"reconfigure": True}):
        found = follow(tmp_path, spark, **given)
        assert (found.maintainer.name, found.maintainer.parameters) == ("shadow", begun.maintainer.parameters)
    says = (
        r"The state in .*state is another: maintainer= is 'shadow' there and 'naive' here, trim= is False there and "
        r"True here, seed= is 0 there and 7 here; leave them out, or change them by reconfigure="
    )
    asked = {"maintainer": "naive", "trim": True, "seed": 7}
    with pytest.raises(ParameterError, match=says):
        follow(tmp_path, spark, **asked)
    for fixed in ({"first": 0}, {"plan": tmp_path / "events"}):
        (name,) = fixed
        subscriptions = {"subscriptions": tmp_path / "events"} if name == "plan" else {}
        with pytest.raises(ParameterError, match=f"{name}= is .* it was started with"):
            follow(tmp_path, spark, reconfigure=True, **fixed, **subscriptions)
    write_file(tmp_path / "events", "2.jsonl", JOINS[3:])
    found = follow(tmp_path, spark, reconfigure=True, **asked)
    assert (found.maintainer.name, found.maintainer.parameters["trim"]) == ("naive", True)
    assert (found.maintainer.num_nodes, found.num_applied) == (4, 1)
    assert set(begun.maintainer.overlay.pairs()) <= set(found.maintainer.overlay.pairs())
    assert follow(tmp_path, spark).maintainer.name == "naive"


def test_a_file_mended_under_its_name_is_named(spark, tmp_path):
    """It is not read again; the same rows under a new name are."""
    write_file(tmp_path / "events", "1.jsonl", [JOINS[0], "nothing"])
    assert follow(tmp_path, spark, empty=True).changed_files == ()
    write_file(tmp_path / "events", "1.jsonl", JOINS[:2])
    listener = Batches()
    found = follow(tmp_path, spark, progress=listener)
    assert found.changed_files == (str(tmp_path / "events" / "1.jsonl"),)
    assert (found.num_applied, found.num_known) == (0, 0)
    assert "Changed since they were read" in found.summary() and "1.jsonl" in found.summary()
    assert listener.looked and "1.jsonl" in listener.looked[0]
    write_file(tmp_path / "events", "2.jsonl", JOINS[:2])
    found = follow(tmp_path, spark)
    assert (found.num_applied, found.num_known) == (1, 1)


def test_a_log_that_begins_with_0_says_so(spark, tmp_path):
    """Otherwise its first event is quarantined, whatever the order of files, and the message says why."""
    rows = [{**row, "sequence": row["sequence"] - 1} for row in JOINS]
    for name, row in zip("bacd", rows, strict=True):
        write_file(tmp_path / "events", f"{name}.jsonl", [row])
    listener = Batches()
    found = follow(tmp_path, spark, empty=True, progress=listener)
    assert (found.num_applied, found.num_bad, found.last) == (3, 1, 3)
    assert kept_aside(tmp_path / "state") == [("sequence is below the first of the log, 1", json.dumps(rows[0]))]
    assert listener.said[0].endswith("1 row put aside in quarantine/, 1 of them below the first number, 1")
    found = follow(tmp_path, spark, state=tmp_path / "told", empty=True, first=0, files_at_once=1)
    assert (found.num_applied, found.num_bad, found.last) == (4, 0, 3)


def test_what_waits_goes_on_without_the_missing_number_when_told_so(spark, tmp_path):
    """That is the remedy which the command names; it must not need another file to come."""
    write_file(tmp_path / "events", "1.jsonl", [JOINS[0], *JOINS[2:]])
    found = follow(tmp_path, spark, empty=True)
    assert (found.last, found.gap.number, found.gap.num_waiting) == (1, 2, 2)
    assert follow(tmp_path, spark).gap.number == 2
    found = follow(tmp_path, spark, gaps="pass")
    assert (found.last, found.num_applied, found.gap) == (4, 2, None)
    write_file(tmp_path / "events", "2.jsonl", JOINS[1:2])
    found = follow(tmp_path, spark)
    assert (found.last, found.num_applied, found.num_late) == (4, 0, 1)


@pytest.mark.parametrize("number", [2**63 - 1, -(2**63)])
def test_a_row_with_a_number_far_away_stops_nothing(spark, tmp_path, number):
    """Where numbers may be missing, it neither begins the log nor makes what comes later late."""
    far = {"sequence": number, "node": "far", "action": "join", "topic": ["t"]}
    for name, rows in zip("abcde", ([far], JOINS[:1], [far], JOINS[1:3], JOINS[3:]), strict=True):
        write_file(tmp_path / "events", f"{name}.jsonl", rows)
        found = follow(tmp_path, spark, gaps="pass", empty=name == "a")
        assert found.num_late == (name == "c" and number < 0)
    assert (found.last, found.gap and found.gap.lowest) == (4, number if number > 0 else None)
    if number > 0:
        assert found.gap.sentence("--gaps pass", "--max-gap {}").endswith(f"continue by --max-gap {number - 5}.")


def test_a_damaged_checkpoint_is_set_aside(spark, tmp_path):
    """Everything is read again, and known before: nothing is lost or doubled."""
    write_file(tmp_path / "events", "1.jsonl", JOINS[:2])
    follow(tmp_path, spark, empty=True)
    write_file(tmp_path / "events", "2.jsonl", JOINS[2:])
    (tmp_path / "state" / "checkpoint" / "offsets" / "0").write_bytes(b"\x00\x00")
    found = follow(tmp_path, spark)
    assert (found.num_applied, found.num_known, found.last) == (2, 2, 4)
    assert (tmp_path / "state" / "checkpoint.damaged-1").is_dir()


@pytest.mark.slow
def test_where_micro_batches_are_cut_changes_nothing(spark, tmp_path, rows):
    write_events(tmp_path / "events", rows, 20)
    for name, files in (("one", 1), ("all", None)):
        pipeline.follow(
            tmp_path / "events", state=tmp_path / name, empty=True, once=True, files_at_once=files, spark=spark
        )
    direct = Shadow(tw.Interest.from_sets({}))
    for row in rows:
        direct.apply([Event.from_record(row)])
    one = outcome(tmp_path / "one")
    assert one == outcome(tmp_path / "all")
    assert one[0] == 100
    assert one[2] == direct.overlay
    # every second file comes too early and waits for the one before it
    write_events(tmp_path / "swapped", rows, 20, swapped=True)
    listener = Batches()
    pipeline.follow(
        tmp_path / "swapped",
        state=tmp_path / "turned",
        empty=True,
        once=True,
        files_at_once=1,
        spark=spark,
        progress=listener,
    )
    assert [said.split(",")[0] for said in listener.said] == ["0 events", "40 events"] * 2 + ["20 events"]
    assert ["waiting for event" in said for said in listener.said] == [True, False] * 2 + [False]
    assert outcome(tmp_path / "turned")[2:] == one[2:]
    # the same files again, and one with nothing new
    write_events(tmp_path / "events", rows[:5], 5)
    pipeline.follow(tmp_path / "events", state=tmp_path / "one", once=True, spark=spark)
    assert outcome(tmp_path / "one") == one


def command(*arguments):
    return [sys.executable, "-m", "topicweave", "churn", *map(str, arguments)]


@pytest.mark.slow
@pytest.mark.parametrize("files_before_death", [0, 2])
def test_killed_at_any_moment_it_ends_the_same(tmp_path, rows, files_before_death):
    """A real process, kill -9, started again: same state and changes as one that was never killed."""
    write_events(tmp_path / "events", rows, 8, swapped=True)  # 13 files; what waits must survive too
    arguments = ("--follow", tmp_path / "events", "--files-at-once", 1, "--master", "local[1]", "--empty")
    subprocess.run(command(*arguments, "--state", tmp_path / "whole", "--once"), check=True, timeout=300)
    changes = tmp_path / "killed" / "changes"
    victim = subprocess.Popen(
        command(*arguments, "--state", tmp_path / "killed", "--interval", 0.01), start_new_session=True
    )
    try:
        deadline = time.monotonic() + 240
        while not changes.exists() or len(list(changes.glob("*.parquet"))) < files_before_death:
            assert time.monotonic() < deadline, "nothing was written"
            assert victim.poll() is None, "it ended by itself"
            time.sleep(0.005)
    finally:
        os.killpg(victim.pid, signal.SIGKILL)
        victim.wait()
    subprocess.run(command(*arguments, "--state", tmp_path / "killed", "--once"), check=True, timeout=300)
    assert outcome(tmp_path / "killed") == outcome(tmp_path / "whole")
    assert outcome(tmp_path / "whole")[0] == 100


def test_two_processes_cannot_use_one_state(tmp_path):
    """The second is refused before Spark starts."""
    (tmp_path / "events").mkdir()
    with lock_state(tmp_path / "state"), pytest.raises(TargetError, match="Another process is using the state"):
        pipeline.follow(tmp_path / "events", state=tmp_path / "state", empty=True, once=True)


@pytest.mark.parametrize("given", [{"gaps": "jump"}, {"interval": 0}, {"files_at_once": 0}, {"maintainer": "nobody"},
                                   {"first": 2**63}, {"batch": 0}, {"reoptimise": -1}, {"seed": -1},
                                   {"max_gap": 3}, {"gaps": "pass", "max_gap": 0}])  # fmt: skip
def test_parameters_out_of_range(tmp_path, given):
    """Each wrong value is refused before there is a state."""
    with pytest.raises(ParameterError):
        pipeline.follow(tmp_path, **{"state": tmp_path / "state", "empty": True, **given})
    assert not (tmp_path / "state").exists()

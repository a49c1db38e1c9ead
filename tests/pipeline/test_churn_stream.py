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
from topicweave.pipeline.churn_stream import follow, maintain, read_events, read_plan

import topicweave as tw
from topicweave.churn import Event, Shadow, load
from topicweave.churn.event_store import EventStore
from topicweave.errors import BadRowsError
from topicweave.pipeline import Table
from topicweave.workloads import random_churn


@pytest.fixture(scope="module")
def interest():
    return tw.workloads.synthetic(40, 20, subscriptions=(2, 8), seed=2)


@pytest.fixture(scope="module")
def rows(interest):
    newcomers = tw.workloads.synthetic(40, 20, subscriptions=(2, 8), seed=3)
    return random_churn(interest, newcomers, 60, seed=1)


def write_events(folder, rows, size, swapped=False):
    """Event files that appear whole, with some rows repeated in the next file; swapped: each second one too early."""
    folder.mkdir(exist_ok=True)
    for number, first in enumerate(range(0, len(rows), size)):
        text = "".join(json.dumps(row) + "\n" for row in rows[max(0, first - 2) : first + size])
        (folder / f".part-{first:05}").write_text(text)
        arrival = 1_000_000 + 10 * (number ^ 1 if swapped else number)
        os.utime(folder / f".part-{first:05}", (arrival, arrival))
        (folder / f".part-{first:05}").rename(folder / f"part-{first:05}.jsonl")


def outcome(folder):
    found = EventStore(folder, lambda: pytest.fail("the state is there"))
    return found.last, found.maintainer.interest, found.maintainer.overlay, found.changes()


def test_read_events_in_any_format(spark, tmp_path, rows):
    (tmp_path / "log.jsonl").write_text("".join(json.dumps(row) + "\n" for row in reversed(rows)) + "not json\n")
    events, bad = read_events(spark, Table(str(tmp_path / "log.jsonl")))
    assert [row.event for row in events] == [Event.from_record(row) for row in rows]
    assert [(entry["reason"], entry["line"]) for entry in bad] == [("malformed JSON", "not json")]
    (tmp_path / "log.csv").write_text(
        'number,node,action,topic\n1,a,join,"[""x"", ""y""]"\n\n2,a,unsubscribe,x\n3,a,dance,x\n'
    )
    events, bad = read_events(spark, Table(str(tmp_path / "log.csv"), columns={"sequence": "number"}))
    assert [(row.event.action, set(row.event.topics)) for row in events] == [
        ("join", {"x", "y"}),
        ("unsubscribe", {"x"}),
    ]
    assert [entry["line"] for entry in bad] == ["3,a,dance,x"]
    assert bad[0]["reason"] == "unknown action" and bad[0]["file"] == str(tmp_path / "log.csv")


def kept_aside(folder):
    files = sorted((folder / "quarantine").iterdir())
    return [json.loads(line)["line"] for file in files for line in gzip.decompress(file.read_bytes()).splitlines()]


def test_rows_that_are_no_events_are_kept_aside(spark, tmp_path, interest):
    good = '{"sequence": 1, "node": "new", "action": "join", "topic": ["topic-01"]}\n'
    (tmp_path / "log.jsonl").write_text(good + "nothing\n")
    maintained = maintain(spark, Shadow(interest), Table(str(tmp_path / "log.jsonl")), tmp_path / "out")
    assert kept_aside(tmp_path / "out") == ["nothing"]
    assert maintained.summary().startswith("1 event applied, 1 row kept aside in quarantine/\n")
    (tmp_path / "events").mkdir()
    (tmp_path / "log.jsonl").rename(tmp_path / "events" / "log.jsonl")
    follow(spark, tmp_path / "events", EventStore(tmp_path / "state", lambda: Shadow(interest)), once=True)
    assert kept_aside(tmp_path / "state") == ["nothing"]


def test_a_log_without_any_event_is_refused(spark, tmp_path, interest):
    (tmp_path / "log.csv").write_text("sequence,node,action,topic\n1,a,dance,x\n2,,join,x\n")
    with pytest.raises(
        BadRowsError, match=r"None of the 2 rows in .*log.csv is an event: '1,a,dance,x' is not, because"
    ):
        maintain(spark, Shadow(interest), Table(str(tmp_path / "log.csv")), tmp_path / "out")
    assert not (tmp_path / "out").exists()
    _, bad = read_events(spark, Table(str(tmp_path / "log.csv")))
    assert [entry["reason"] for entry in bad][1] == "node is missing"


@pytest.mark.slow
def test_where_micro_batches_are_cut_changes_nothing(spark, tmp_path, interest, rows):
    write_events(tmp_path / "events", rows, 12)
    for name, files in (("one", 1), ("all", None)):
        follow(
            spark,
            tmp_path / "events",
            EventStore(tmp_path / name, lambda: Shadow(interest)),
            once=True,
            files_at_once=files,
        )
    direct = Shadow(interest)
    for row in rows:
        direct.apply([Event.from_record(row)])
    one = outcome(tmp_path / "one")
    assert one == outcome(tmp_path / "all")
    assert one[0] == 60
    assert one[2] == direct.overlay
    # every second file comes too early and waits for the one before it
    write_events(tmp_path / "swapped", rows, 12, swapped=True)
    turned = EventStore(tmp_path / "turned", lambda: Shadow(interest))
    seen = []
    follow(
        spark, tmp_path / "swapped", turned, once=True, files_at_once=1,
        tell=lambda done, _: seen.append((done.num_applied, turned.gap() is None)),
    )  # fmt: skip
    assert seen == [(0, False), (24, True), (0, False), (24, True), (12, True)]
    assert outcome(tmp_path / "turned")[2:] == one[2:]
    # the same files again, and one with nothing new
    write_events(tmp_path / "events", rows[:5], 5)
    follow(spark, tmp_path / "events", EventStore(tmp_path / "one", lambda: pytest.fail("there")), once=True)
    assert outcome(tmp_path / "one") == one


def test_a_plan_and_a_log_in_one_go(spark, tmp_path, interest, rows):
    pairs = "".join(f"{node},{topic}\n" for node, topic in interest.pairs())
    (tmp_path / "subscriptions.csv").write_text("node,topic\n" + pairs)
    (tmp_path / "log.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    overlay = tw.design(interest, "low", k=3).overlay
    links = "".join(f"{a},{b}\n" for a, b in overlay.pairs())
    (tmp_path / "links.csv").write_text("source,target\n" + links)
    found, found_overlay = read_plan(spark, tmp_path / "links.csv", str(tmp_path / "subscriptions.csv"))
    assert found.to_sets() == interest.to_sets()
    done = maintain(spark, Shadow(found, found_overlay), Table(str(tmp_path / "log.jsonl")), tmp_path / "out")
    assert len(done.replay.actions) == 60
    assert tw.verify(done.maintainer.interest, done.maintainer.overlay).topic_connected
    page = (tmp_path / "out" / "report.html").read_text()
    assert page.count("<svg") == 4
    assert "http" not in page.replace("http://www.w3.org", "").replace("http://purl.org", "").replace(
        "http://creativecommons.org", ""
    )
    assert load(tmp_path / "out" / "snapshot").overlay == done.maintainer.overlay
    # what was written is a plan to go on from
    again, again_overlay = read_plan(spark, tmp_path / "out")
    assert again.to_sets() == {v: t for v, t in done.maintainer.interest.to_sets().items() if t}
    assert sorted(again_overlay.pairs()) == sorted(done.maintainer.overlay.pairs())


def command(*arguments):
    return [sys.executable, "-m", "topicweave.cli.main", "churn", *map(str, arguments)]


@pytest.mark.slow
@pytest.mark.parametrize("files_before_death", [0, 2])
def test_killed_at_any_moment_it_ends_the_same(tmp_path, rows, files_before_death):
    """A real process, kill -9, started again: same state and changes as one that was never killed."""
    joins = [{"sequence": 1, "node": "hub", "action": "join", "topic": [f"topic-{t:02}" for t in range(20)]}]
    log = joins + [{**row, "sequence": row["sequence"] + 1} for row in rows]
    write_events(tmp_path / "events", log, 5, swapped=True)  # 13 files; what waits must survive too
    arguments = ("--follow", tmp_path / "events", "--files-at-once", 1, "--master", "local[1]")
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
    assert outcome(tmp_path / "whole")[0] == 61


def test_command_says_what_is_missing(tmp_path):
    found = subprocess.run(command("--follow", tmp_path), capture_output=True, text=True, check=False, timeout=120)
    assert found.returncode == 2
    assert "--follow needs --state" in found.stderr

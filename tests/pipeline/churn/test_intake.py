"""Intake: hostile events and damaged state folders, without Spark: nothing stops it, nothing valid is lost."""

import random

import pytest

import topicweave as tw
from tests.pipeline.churn.hostile_state import copied, harm
from topicweave.churn import Event, Shadow
from topicweave.churn.event_store import EventStore
from topicweave.churn.snapshot import load
from topicweave.errors import ReadError
from topicweave.model.event_schema import GREATEST_SEQUENCE, LEAST_SEQUENCE
from topicweave.pipeline.churn.event_files import EventFiles
from topicweave.pipeline.churn.intake import Intake
from topicweave.pipeline.churn.seen_files import Stamp
from topicweave.pipeline.sources.event_rows import EventRow

LABELS = ["a", "b", "ä", "", " ", "[", '["p","q"]', "null", "\0", "line\nbreak", "x" * 3000]
QUICK, ALL = 8, 150


def nobody():
    return Shadow(tw.Interest.from_sets({}))


def draw_log(rng, count):
    """Events with the numbers from 1 on; many are impossible when it is their turn."""
    actions = ["join", "join", "leave", "drain", "subscribe", "unsubscribe", "resubscribe"]
    return [
        Event(rng.choice(actions), rng.choice([*LABELS, *"cdefghij"]), frozenset(rng.sample(LABELS, 2)), number)
        for number in range(1, count + 1)
    ]


def present(log):
    """Who is there with which topics after a log, by the words of docs/churn.md alone, and how many were impossible."""
    there, refused = {}, 0
    for event in log:
        if (event.node in there) == (event.action == "join"):
            refused += 1
        elif event.action in ("join", "resubscribe"):
            there[event.node] = set(event.topics)
        elif event.action in ("leave", "drain"):
            del there[event.node]
        elif event.action == "subscribe":
            there[event.node] |= event.topics
        else:
            there[event.node] -= event.topics
    return there, refused


def found_in(folder):
    """What the state holds, every topic of which is connected."""
    maintainer = load(folder / "snapshot")
    assert tw.verify(maintainer.interest, maintainer.overlay).topic_connected
    return {node: set(maintainer.topics_of(node)) for node in maintainer.interest.nodes}


def micro_batch(rng, folder, number, rows):
    """Some rows of one file, and some that are none of the log's: other content, numbers beyond the end or before."""
    file = str(folder / f"{number}.jsonl")
    intruders = [
        Event("join", "intruder", frozenset(["t"]), rng.choice([0, -7, LEAST_SEQUENCE, GREATEST_SEQUENCE, 2**62]))
        for _ in range(rng.randint(0, 2))
    ]
    bad = [{"reason": "malformed JSON", "file": file, "line": "{"}] * rng.randint(0, 2)
    events = [*rows, *intruders]
    rng.shuffle(events)
    return EventFiles([EventRow(event, file, "") for event in events], bad), [(file, Stamp(1, number))]


def run(folder, seed):
    """A log in random pieces, with rows repeated, over restarts, with damage to the folder between them."""
    rng = random.Random(seed)
    log = draw_log(rng, rng.randint(5, 40))
    order = rng.sample(log, len(log)) if rng.random() < 0.5 else log
    harmed, at = [], 0
    while at < len(order):
        store = EventStore(folder, nobody)
        intake = Intake(store)
        for number in range(rng.randint(1, 3)):
            until = at + rng.randint(0, 12)
            rows = order[at:until] + rng.sample(order[:until], min(until, rng.randint(0, 3)))
            intake.take(*micro_batch(rng, folder, seed * 1000 + at + number, rows))
            at = until
        harmed += [harm(folder, rng) for _ in range(rng.randint(0, 2))]
    store = EventStore(folder, nobody)
    there, num_refused = present(log)
    assert store.last == len(log), harmed
    assert set(store.waiting) <= {GREATEST_SEQUENCE, 2**62}
    assert found_in(folder) == there, harmed
    return num_refused


@pytest.mark.parametrize("seed", range(QUICK))
def test_hostile_events_and_damage_beside_the_snapshot_lose_nothing(tmp_path, seed):
    run(tmp_path / "state", seed)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(QUICK, ALL))
def test_much_damage_loses_nothing(tmp_path, seed):
    run(tmp_path / "state", seed)


def test_a_damaged_snapshot_is_refused_in_a_sentence_and_nothing_is_touched(tmp_path):
    """The stream stops there, for without the snapshot nobody knows what was applied; a copy of it goes on."""
    rng = random.Random(1)
    log = draw_log(rng, 30)
    EventStore(tmp_path / "state", nobody).apply(log[:20])
    whole = (tmp_path / "state" / "snapshot").read_bytes()
    for _ in range(60):
        place = rng.randrange(len(whole))
        damaged = rng.choice([whole[:place], whole[:place] + rng.randbytes(3) + whole[place + 3 :], b""])
        if damaged == whole:
            continue
        folder = copied(tmp_path / "state", tmp_path / "damaged")
        (folder / "snapshot").write_bytes(damaged)
        before = {file.name: file.read_bytes() for file in folder.rglob("*") if file.is_file()}
        with pytest.raises(ReadError):
            EventStore(folder, nobody)
        assert before == {file.name: file.read_bytes() for file in folder.rglob("*") if file.is_file()}
        (folder / "snapshot").write_bytes(whole)
        EventStore(folder, nobody).apply(log)
        assert found_in(folder) == present(log)[0]

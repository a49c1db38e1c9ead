"""Intake: hostile events and damaged state folders, without Spark: nothing stops it, nothing valid is lost."""

import random

import pytest

from tests.pipeline.churn.hostile_state import copied, harm
from tests.pipeline.churn.logs import draw_log, found_in, micro_batch, nobody, present
from topicweave.churn.event_store import EventStore
from topicweave.errors import ReadError
from topicweave.model.event_schema import GREATEST_SEQUENCE
from topicweave.pipeline.churn.intake import Intake

QUICK, ALL = 8, 150


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
    there, _ = present(log)
    assert store.last == len(log), harmed
    assert set(store.waiting) <= {GREATEST_SEQUENCE, 2**62}
    assert found_in(folder) == there, harmed


@pytest.mark.parametrize("seed", range(QUICK))
def test_hostile_events_and_damage_beside_the_snapshot_lose_nothing(tmp_path, seed):
    run(tmp_path / "state", seed)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(QUICK, ALL))
def test_much_damage_loses_nothing(tmp_path, seed):
    """Files cut, duplicated and mixed: every event is applied once, everything else is quarantined."""
    run(tmp_path / "state", seed)


def test_a_damaged_snapshot_is_refused_in_a_sentence_and_nothing_is_touched(tmp_path):
    """The stream stops, because without the snapshot it is unknown what was applied; a copy of it continues."""
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

"""Backups over time: as many as requested in every topic, and chosen when there is time for it."""

from __future__ import annotations

import random

import pytest

import topicweave as tw
from tests.reference_churn import check_backups
from topicweave.churn import Event, Shadow, load, replay, save


def backups(shadow):
    return {node: shadow.backups_of(node) for node in shadow.interest.nodes}


@pytest.mark.parametrize("rule", ["primal_dual", "greedy"])
def test_every_topic_keeps_its_backups_when_topics_change(rule):
    """There are λ of them if there are enough other subscribers, after each of many resubscriptions."""
    interest = tw.workloads.synthetic(40, 12, popularity="zipf", alpha=1.0, subscriptions=(1, 5), seed=2)
    shadow = Shadow(interest, coverage=3, backups=rule)
    dice = random.Random(4)
    for _ in range(120):
        shadow.resubscribe(dice.choice(interest.nodes), dice.sample(interest.topics, dice.randint(0, 5)))
        topics_of = shadow.interest.to_sets()
        primaries = {node: shadow.primaries_of(node) for node in topics_of}
        check_backups(topics_of, backups(shadow), primaries, 3)


def test_a_new_subscriber_of_a_rare_topic_becomes_a_backup():
    """Three subscribers have two backups each; with a fourth there can be three, so all of them choose again."""
    shadow = Shadow(tw.Interest.from_sets({v: ["rare"] for v in "abc"}), coverage=3)
    shadow.join("d", ["rare"])
    assert backups(shadow) == {v: set("abcd") - {v} for v in "abcd"}


def deferred_and_not(**options):
    interest = tw.workloads.synthetic(60, 20, popularity="uniform", subscriptions=(2, 8), seed=1)
    rows = tw.workloads.random_churn(interest, interest, 80, seed=2)
    events = [Event.from_record(row) for row in rows]
    return Shadow(interest, **options), Shadow(interest, defer_backups=True, **options), events


@pytest.mark.parametrize("levelling", [0, 2])
def test_deferred_backups_end_in_the_same_overlay(levelling):
    """Event by event the same links, and the same backups at the end."""
    at_once, deferred, events = deferred_and_not(levelling=levelling)
    for event in events:
        one, other = at_once.apply([event]), deferred.apply([event])
        assert (one.added, one.removed) == (other.added, other.removed)
    assert backups(at_once) == backups(deferred)


def test_a_leave_returns_before_backups_are_chosen_again():
    """Those whose backup left lack it until settle() or the next event."""
    at_once, deferred, _ = deferred_and_not()
    leaver = max(at_once.interest.nodes, key=lambda node: len(at_once.primaries_of(node)))
    bereft = at_once.primaries_of(leaver)
    at_once.leave(leaver)
    deferred.leave(leaver)
    slots = [deferred.state.nodes.number[node] for node in sorted(bereft)]
    assert deferred.backups.due == sorted(slots)
    before = [deferred.backups.of(slot).tolist() for slot in slots]
    deferred.settle()
    assert deferred.backups.due == []
    assert before != [deferred.backups.of(slot).tolist() for slot in slots]
    assert backups(at_once) == backups(deferred)


def test_a_snapshot_holds_no_backups_that_are_due(tmp_path):
    """Backups are chosen before the snapshot is written, so that it continues as if there had been no snapshot."""
    _, deferred, events = deferred_and_not()
    replay(deferred, events[:40])
    save(deferred, tmp_path / "snapshot")
    other = load(tmp_path / "snapshot")
    replay(deferred, events[40:])
    replay(other, events[40:])
    assert deferred.overlay == other.overlay
    assert backups(deferred) == backups(other)

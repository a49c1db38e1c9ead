"""exact: the optimum of small instances, as enumeration finds it."""

from __future__ import annotations

import pytest

import topicweave as tw
from tests import reference, reference_optimise
from topicweave.errors import TooLargeError
from topicweave.optimise.bound import lower_bound
from topicweave.optimise.exact import CutProgram


def test_it_finds_and_proves_the_optimum(small_interests):
    for interest in small_interests[:40]:
        made = tw.design(interest, "exact", seconds=20)
        best = reference_optimise.fewest_links(reference.topics_by_number(interest))
        assert made.overlay.num_edges == best
        assert made.notes == (f"Proved: no overlay has fewer than {best:,} links.",)


def test_the_program_alone_finds_the_optimum(small_interests):
    """Without a good overlay to begin with, cuts lead HiGHS to a connected one."""
    for interest in small_interests[40:80]:
        topics_of = reference.topics_by_number(interest)
        best = reference_optimise.fewest_links(topics_of)
        weak = lower_bound(interest, rounds=0)
        links, least = CutProgram(interest, weak, best + 3).solve(float("inf"), 0)
        assert least == best == len(links)
        assert reference_optimise.is_connected(topics_of, [tuple(link) for link in links.tolist()])


def test_out_of_time_it_says_what_is_known():
    interest = tw.workloads.synthetic(num_nodes=80, num_topics=60, subscriptions=(6, 20), seed=3)
    made = tw.design(interest, "exact", seconds=0)
    assert tw.verify(interest, made.overlay).topic_connected
    assert made.notes[0].startswith("Not proved in time: the fewest links are ")


def test_large_instances_are_refused():
    """An optimum that would take for ever is refused before it is begun."""
    interest = tw.Interest.from_pairs([(f"n{i}", "news") for i in range(1001)])
    with pytest.raises(TooLargeError, match="optimum"):
        tw.design(interest, "exact")

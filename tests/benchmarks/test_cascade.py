"""python -m benchmarks.cascade: where a redesign departs from the links it prefers."""

from __future__ import annotations

import topicweave as tw
from benchmarks.cascade import LATER, MORE, OTHER, Made, cascade, cascades, links_made, main, reason
from benchmarks.redesign import redesigns

INTEREST = tw.workloads.synthetic(60, 15, subscriptions=(2, 8), seed=1)


def test_links_say_what_delta_was():
    design = tw.design(INTEREST, "low", k=3)
    made = links_made(design)
    assert [one.pair for one in made] == design.overlay.pairs()
    assert made[0].raises and made[-1].delta == design.overlay.maximum_degree
    assert sum(one.raises for one in made) == design.overlay.maximum_degree


def test_links_changed_are_those_that_the_other_benchmark_counts():
    leavers = INTEREST.nodes[::10]
    options = {"k": 3, "seed": 0}
    counted = [one.changed for one in redesigns(INTEREST, leavers, "low", options, keeps="prefer")]
    found = list(cascades(INTEREST, leavers, 0))
    assert [one.changed for one in found] == counted and max(counted) > 0
    assert all((one.changed == 0) <= (not one.new) for one in found)


def test_a_departure_by_hand():
    """x leaves; c-d comes instead of b-c, and contributes more."""
    ab, ax = Made(("a", "b"), 3, 1, True), Made(("a", "x"), 2, 2, True)
    bc, cd = Made(("b", "c"), 1, 2, False), Made(("c", "d"), 2, 1, False)
    found = cascade([ab, ax, bc], [ab, cd], "x", 4)
    assert (found.topics, found.links, found.after, found.why, found.changed) == (4, 1, 1, MORE, 2)
    assert found.new == {1: 1}
    assert cascade([ab, ax], [ab], "x", 4).why == ""


def test_reasons():
    """The old link would raise Δ, or another one contributes more, or neither: each case has its own word."""
    rises, more, equal = Made(("a", "b"), 9, 4, True), Made(("a", "c"), 4, 3, False), Made(("b", "c"), 4, 3, False)
    assert (reason(rises, more), reason(equal, more), reason(more, rises)) == (LATER, OTHER, MORE)


def test_the_command_prints_a_line_for_each_leaver(capsys):
    assert main(["--nodes", "80", "--topics", "100", "--leavers", "3"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].endswith("3 leavers, each on its own") and lines[1].startswith("topics links")
    changed = [int(line.split()[3].replace(",", "")) for line in lines[2:5]]
    assert changed == sorted(changed)

"""A repeated design keeps what it can: ties are broken by labels, and links can be preferred."""

from __future__ import annotations

import numba
import numpy as np
import pytest

import topicweave as tw
from tests import instances
from topicweave.algorithms.registry import ALGORITHMS

RULES = [("gm", {}), ("minmax", {}), ("low", {"k": 3.0}), ("gpa", {"m": 500}), ("gpm", {"d": 4})]
CANDIDATES = ("all", "near")


def crowd() -> tw.Interest:
    if numba.config.DISABLE_JIT:
        pytest.skip("too slow when kernels are interpreted")
    return tw.workloads.synthetic(300, 60, popularity="uniform", subscriptions=(4, 25), seed=3)


def changed(one: tw.Overlay, other: tw.Overlay, leaver: str) -> int:
    return len({pair for pair in one.pairs() if leaver not in pair} ^ set(other.pairs()))


@pytest.mark.parametrize("ties", ["balanced", "random", "lexicographic"])
@pytest.mark.parametrize("candidates", CANDIDATES)
def test_who_shares_no_topic_changes_nothing(ties, candidates):
    """When an unrelated node leaves, all node numbers shift, but neither labels nor links change."""
    interest = crowd()
    sets = {node: set(interest.topics_of(node)) for node in interest.nodes}
    options = {"ties": ties, "candidates": candidates, "seed": 5}
    alone = tw.design(interest, **options).overlay
    joined = tw.design(tw.Interest.from_sets({"a first": {"a topic"}, **sets}), **options).overlay
    assert joined.pairs() == alone.pairs()


@pytest.mark.parametrize(("rule", "parameters"), RULES)
def test_the_same_interest_gives_the_same_links_whatever_else_is_asked(rule, parameters):
    """All links of the last design are preferred, so other ties and another seed change nothing, nor their order."""
    interest = crowd()
    before = tw.design(interest, rule, seed=1, **parameters)
    again = tw.design(interest, rule, prefer=before.overlay, seed=2, ties="random", **parameters)
    assert again.overlay.pairs() == before.overlay.pairs()
    assert (again.trace.contribution == before.trace.contribution).all()


@pytest.mark.parametrize(("rule", "parameters"), RULES)
def test_near_candidates_keep_nearly_all_links_of_the_same_interest(rule, parameters):
    """All links of the last design are candidates from the beginning, also those that its first rounds had not found:
    `gm` and `gpa` choose the same links again, and rules that respect Δ, which search less often, at least nine in ten.
    """
    interest = crowd()
    options = {"candidates": "near", "seed": 1, **parameters}
    before = tw.design(interest, rule, **options).overlay
    again = tw.design(interest, rule, prefer=before, **options).overlay
    different = set(before.pairs()) ^ set(again.pairs())
    assert len(different) <= (0 if rule in ("gm", "gpa") else 0.1 * before.num_edges)


@pytest.mark.parametrize(("rule", "parameters"), [("minmax", {}), ("gpm", {"d": 4})])
@pytest.mark.parametrize("ties", ["balanced", "random", "lexicographic"])
def test_links_that_connect_nothing_are_kept_as_well(rule, parameters, ties):
    """Phases are filled with links of the earlier design before any other link of contribution 0."""
    interest = tw.workloads.synthetic(60, 20, subscriptions=(2, 6), seed=2)
    before = tw.design(interest, rule, fill=True, seed=1, **parameters)
    again = tw.design(interest, rule, fill=True, seed=2, ties=ties, prefer=before.overlay, **parameters)
    assert (before.trace.contribution == 0).sum() > 1
    assert again.overlay.pairs() == before.overlay.pairs()


@pytest.mark.parametrize("candidates", CANDIDATES)
def test_preferred_links_survive_a_leave(candidates):
    """When each of ten nodes leaves in turn, far fewer links change than without ``prefer``, and no more links are
    needed.
    """
    interest = crowd()
    before = tw.design(interest, "gm", candidates=candidates).overlay
    plain, preferring = [], []
    for leaver in interest.nodes[::30]:
        rest = interest.restrict(nodes=[node for node in interest.nodes if node != leaver])
        fresh = tw.design(rest, "gm", candidates=candidates).overlay
        kept = tw.design(rest, "gm", candidates=candidates, prefer=before).overlay
        assert tw.verify(rest, kept).topic_connected
        assert kept.num_edges <= 1.02 * fresh.num_edges
        plain.append(changed(before, fresh, leaver))
        preferring.append(changed(before, kept, leaver))
    assert np.mean(preferring) < 0.5 * np.mean(plain)


def test_near_candidates_include_preferred_pairs():
    """With one candidate per node, only a few of these links would be found without preferring them."""
    interest = crowd()
    before = tw.design(interest, "gm", candidates="all").overlay
    options = {"candidates": "near", "num_candidates": 1}
    share = [
        len(set(tw.design(interest, "gm", prefer=prefer, **options).overlay.pairs()) & set(before.pairs()))
        for prefer in (None, before)
    ]
    assert share[1] > 0.8 * before.num_edges > 1.5 * share[0]


def test_links_of_unknown_nodes_are_passed_over():
    prefer = tw.Overlay.from_pairs([("gone", "a"), ("c", "b"), ("b", "gone")])
    interest = tw.Interest.from_sets({node: ["t"] for node in "abc"})
    made = tw.design(interest, "gm", ties="lexicographic", prefer=prefer)
    assert made.overlay.pairs() == [("b", "c"), ("a", "b")]


@pytest.mark.parametrize("name", [name for name, entry in ALGORITHMS.items() if not entry.goes_on][:2])
def test_only_the_greedy_family_prefers(name):
    interest = instances.four_brokers()
    with pytest.raises(tw.errors.ParameterError, match="does not take prefer"):
        tw.design(interest, name, prefer=tw.Overlay.empty(interest.nodes))


def test_a_design_is_not_an_overlay():
    interest = instances.four_brokers()
    with pytest.raises(tw.errors.OverlayError, match=r"prefer= needs an Overlay, but got a Design; give its \.overlay"):
        tw.design(interest, "gm", prefer=tw.design(interest, "gm"))

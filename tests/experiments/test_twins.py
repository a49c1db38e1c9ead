"""Where a claim does not hold for us, our code is not the reason: plain versions of the papers' listings agree."""

from itertools import combinations

import numpy as np
import pytest

import topicweave as tw
from experiments.content.assigning import unicast_core
from experiments.low import figures_3_4
from experiments.low.figure_5 import uniform
from experiments.low.plain_stars import plain_stars
from experiments.shadow.new_links import connect_by_new_degrees
from experiments.shadow.plain_backups import plain_backups
from experiments.shadow.plain_shadow import PlainlyReplayed
from experiments.shadow.replaying import Replayed
from experiments.workload import Workload, interest_of
from tests import reference


@pytest.mark.parametrize("size", [10, *(pytest.param(size, marks=pytest.mark.slow) for size in (20, 50))])
@pytest.mark.parametrize("algorithm", ["cd", "cd1", "cd2"])
def test_stars_of_figure_5_are_the_plain_ones(algorithm, size):
    """LOW-5: on the very instances of the claim, links and all."""
    interest = interest_of(uniform(size), 0, str)
    ours = {tuple(pair) for pair in tw.design(interest, algorithm).overlay.edges.tolist()}
    twin = getattr(reference, algorithm)(reference.topics_by_number(interest))
    assert ours == {tuple(sorted(pair)) for pair in twin.edges}


def test_greedy_backups_are_as_many_as_the_plain_ones():
    """SHADOW-2,3: sets of the same size and as even, though ties differ."""
    interest = interest_of(Workload(300, 60, "uniform", (5, 25)), 0, str)
    overlay = tw.design(interest, "low", k=3).overlay
    shadow = tw.churn.Shadow(interest, overlay, backups="greedy")
    ours = np.array([len(shadow.backups_of(node)) for node in interest.nodes])
    plain, primaries = plain_backups(interest, overlay, "greedy", 3, renewed=True, seed=0)
    assert ours.mean() == pytest.approx(plain.mean(), rel=0.03)
    assert plain.sum() == primaries.sum()
    _, frozen = plain_backups(interest, overlay, "greedy", 3, renewed=False, seed=0)
    assert frozen.max() > 3 * primaries.max()


@pytest.mark.parametrize("rule", ["greedy", "primal_dual"])
def test_plain_backups_cover_every_topic_so_many_times(rule, four_brokers):
    """Two nodes per topic at most: one cover is all there is, and a topic without another subscriber is skipped."""
    overlay = tw.design(four_brokers, "gm").overlay
    backups, primaries = plain_backups(four_brokers, overlay, rule, 3, renewed=True, seed=0)
    assert backups.sum() == primaries.sum() > 0
    assert backups.max() < four_brokers.num_nodes


def test_copies_over_the_core_by_hand():
    """User 0 publishes 2 on a channel that two users of the other broker want: 2 copies of 2 over a link of price 3."""
    two = tw.content.Instance(
        [[2], [0], [0]], [[0], [1], [1]], access_price=np.ones((3, 2)), core_price=[[0, 3], [3, 0]], capacity=99
    )
    assert unicast_core(two, np.array([0, 1, 1])) == 12
    assert unicast_core(two, np.array([0, 0, 1])) == 6
    assert tw.content.cost(two, [0, 1, 1]).core == 6


@pytest.mark.parametrize("k", [1, 2, 3])
def test_low_by_the_text_of_the_paper_is_the_plain_one(k):
    """LOW-3: the link that spares Δ only if it contributes more than the k-th part."""

    def allowed(weights, overlay):
        if not weights:
            return set()
        calm = reference.raising_least(weights, overlay)
        return reference.heaviest(calm if k * max(calm.values()) > max(weights.values()) else weights)

    interest = interest_of(Workload(24, 12, "zipf", 5, 0.5), 0, str)
    asked = figures_3_4.low(k, "lexicographic", by_text=True)
    ours = tw.design(interest, asked.algorithm, ties=asked.ties, **dict(asked.parameters)).overlay
    twin = reference.greedy(reference.topics_by_number(interest), allowed)
    assert [tuple(pair) for pair in ours.edges.tolist()] == twin.edges


@pytest.mark.parametrize("draws", ["distinct", "independent"])
@pytest.mark.parametrize("algorithm", ["cd", "cd2"])
def test_centres_looked_at_are_those_of_the_design(algorithm, draws):
    """LOW-5: the plain version that tells centre from centre makes as many links."""
    interest = interest_of(uniform(25, draws), 0, str)
    stars = plain_stars(interest, algorithm)
    assert sum(star.links for star in stars) == tw.design(interest, algorithm).overlay.num_edges
    assert len({star.centre for star in stars}) == len(stars)


def test_plain_shadow_keeps_the_overlay_connected_and_ends_near_ours():
    """SHADOW-4: the plain version with weights renewed does what tw.churn.Shadow does with greedy backups."""
    small = Workload(120, 30, "uniform", (4, 12))
    plain = PlainlyReplayed("renewed", events=40).measure(small, 0, str)
    ours = Replayed(backups="greedy", events=40).measure(small, 0, str)
    assert plain["topic_connected"] and ours["topic_connected"]
    assert plain["maximum_degree"][0] == ours["maximum_degree"][0]
    assert plain["average_degree_last"] == pytest.approx(ours["average_degree_last"], rel=0.05)
    never = PlainlyReplayed("never", events=40).measure(small, 0, str)
    assert never["topic_connected"] and never["primaries_most"] > plain["primaries_most"]
    for rule in ("greedy", "primal_dual"):
        new = PlainlyReplayed("never", events=40, rule=rule, degrees="new").measure(small, 0, str)
        assert new["topic_connected"] and new["average_degree_last"] > 0


@pytest.mark.parametrize("seed", range(4))
def test_degrees_of_new_links_alone_are_all_degrees_where_nothing_is_linked_yet(seed):
    """SHADOW-4: from no links and with all pairs, the links are what Low-ODA may take, in this order."""
    interest = tw.workloads.synthetic(14, 9, subscriptions=(2, 5), seed=seed)
    pairs, topics = np.array(list(combinations(range(14), 2))), np.arange(9)
    wants = interest.to_scipy().toarray().astype(bool)
    made = connect_by_new_degrees(wants, np.empty((0, 2), np.int64), pairs, topics, 3.0, np.random.default_rng(seed))
    reference.replay(reference.topics_by_number(interest), [tuple(pair) for pair in made.tolist()], "low", k=3.0)

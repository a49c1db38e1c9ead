"""SpiderCast and SpiderCastM: link by link, and by what must hold in the end."""

from __future__ import annotations

import time
from collections import Counter

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests import instances, reference
from topicweave import Interest, Overlay, design, verify
from topicweave.algorithms.spidercast import check_work, spidercast, spidercast_max
from topicweave.errors import TooLargeError
from topicweave.kernels import spider_groups
from topicweave.workloads import synthetic

TARGETS = st.integers(0, 4)


def crowded_interest(num_nodes: int = 60, seed: int = 0) -> Interest:
    """90 topics, the first ones popular, the last ones wanted by two or three nodes only."""
    rng = np.random.default_rng(seed)
    drawn = (90 * rng.random((num_nodes, 12)) ** 3).astype(int)
    return instances.interest_of({v: set(row) for v, row in enumerate(drawn.tolist())})


@given(interest=instances.interests(), k_greedy=TARGETS, k_random=TARGETS, seed=st.integers(0, 99), d=st.integers(0, 6))
@example(interest=instances.interest_of({}), k_greedy=3, k_random=1, seed=0, d=2)
@example(interest=instances.interest_of({0: {0}}), k_greedy=3, k_random=1, seed=0, d=2)
@example(interest=instances.loners(), k_greedy=3, k_random=1, seed=0, d=2)
@example(interest=crowded_interest(), k_greedy=3, k_random=0, seed=1, d=4)
@example(interest=crowded_interest(), k_greedy=1, k_random=3, seed=2, d=50)
def test_every_link_is_one_its_node_could_choose(
    interest: Interest, k_greedy: int, k_random: int, seed: int, d: int
) -> None:
    """Greedy choices equal those of the twin, random ones are among those it allows, and all come in its order."""
    topics_of = reference.topics_by_number(interest)
    order = np.random.default_rng(seed).permutation(interest.num_nodes).tolist()
    targets = {"k_greedy": k_greedy, "k_random": k_random}
    edges = spidercast(interest, **targets, seed=seed)
    assert edges.dtype == np.int64
    assert edges.shape == (len(edges), 2)
    reference.replay_spidercast(topics_of, edges, order, **targets)
    reference.replay_spidercast(topics_of, spidercast_max(interest, d=d, **targets, seed=seed), order, **targets, d=d)


@given(interest=instances.interests(), k_greedy=TARGETS, k_random=TARGETS, d=st.integers(0, 6), seed=st.integers(0, 99))
@example(interest=crowded_interest(20), k_greedy=1, k_random=3, d=5, seed=0)
def test_coverage_and_bounds(interest: Interest, k_greedy: int, k_random: int, d: int, seed: int) -> None:
    """Every topic is covered as often as requested, or the degree bound is kept and no node that could be linked is
    left.
    """
    topics_of = reference.topics_by_number(interest)
    targets = {"k_greedy": k_greedy, "k_random": k_random, "seed": seed}
    reference.check_spidercast(topics_of, spidercast(interest, **targets), k_greedy, k_random)
    reference.check_spidercast_max(topics_of, spidercast_max(interest, d=d, **targets), d)


def test_random_links_come_on_top_of_greedy_ones() -> None:
    """Greedy coverage alone leaves topics in pieces; one random link for each topic joins nearly all of them."""
    interest = synthetic(1000, 100, seed=0)
    greedy, both = (spidercast(interest, k_greedy=1, k_random=k_random) for k_random in (0, 1))
    assert len(both) > 2 * len(greedy)
    share = [verify(interest, Overlay(interest.nodes, links)).support for links in (greedy, both)]
    assert share[0] < 0.8
    assert share[1] > 0.999


def test_no_budget_no_links(single_topic: Interest) -> None:
    """With a degree of 0, or nothing to cover, no node chooses any."""
    assert spidercast_max(single_topic, d=0).shape == (0, 2)
    assert spidercast(single_topic, k_greedy=0, k_random=0).shape == (0, 2)


@pytest.mark.parametrize("targets", [{"k_greedy": 3, "k_random": 1}, {"k_greedy": 0, "k_random": 2}])
def test_seed_decides(targets: dict[str, int]) -> None:
    """The same seed gives the same links, another seed gives others."""
    interest = crowded_interest()
    for choose in (
        lambda seed: spidercast(interest, seed=seed, **targets),
        lambda seed: spidercast_max(interest, d=5, seed=seed, **targets),
    ):
        assert np.array_equal(choose(3), choose(3))
        assert not np.array_equal(choose(3), choose(4))


def test_random_choice_is_even() -> None:
    """The node that chooses first takes each of the four others equally often."""
    interest = instances.single_topic(5)
    firsts = Counter()
    for seed in range(400):
        chooser = np.random.default_rng(seed).permutation(5)[0]
        first = spidercast(interest, k_greedy=0, k_random=1, seed=seed)[0]
        firsts[(first.sum() - 2 * chooser) % 5] += 1  # how many places after the chooser
    assert set(firsts) == {1, 2, 3, 4}
    assert sum((number - 100) ** 2 / 100 for number in firsts.values()) < 16.3  # exceeded once in 1,000 if even


def crowd(num_nodes):
    """All nodes want the same topic."""
    names = tuple(f"{number:07d}" for number in range(num_nodes))
    return Interest.from_csr(names, ("t",), np.arange(num_nodes + 1), np.zeros(num_nodes, dtype=np.int64))


def paired_crowd(num_nodes):
    """All nodes want the same topic, and one of twenty others, so that no trees are made for groups."""
    names, topics = (tuple(f"{number:07d}" for number in range(count)) for count in (num_nodes, 21))
    wanted = np.stack([np.zeros(num_nodes, dtype=np.int64), 1 + np.arange(num_nodes) % 20], axis=1)
    return Interest.from_csr(names, topics, 2 * np.arange(num_nodes + 1), wanted.ravel())


@pytest.mark.parametrize(("algorithm", "parameters"), [("spidercast", {}), ("spidercast_max", {"d": 5})])
def test_what_would_take_minutes_is_refused_with_an_estimate(algorithm, parameters):
    """A node with a popular topic looks at every node: 200,000 such nodes at forty billion pairs."""
    with pytest.raises(TooLargeError, match=r"would look at 4e\+10 pairs .* for roughly 7 minutes; .*'ring'"):
        design(paired_crowd(200_000), algorithm, **parameters)
    check_work(paired_crowd(70_000))


@given(wants=st.lists(st.sets(st.integers(0, 2)), min_size=1, max_size=25), k_greedy=TARGETS, k_random=TARGETS,
       seed=st.integers(0, 99), d=st.integers(1, 6))  # fmt: skip
def test_trees_for_groups_change_no_link(wants, k_greedy, k_random, seed, d):
    """With few kinds of subscriptions the links are the same, in the same order, as when every node is looked at."""
    interest = instances.interest_of(dict(enumerate(wants)))
    targets = {"k_greedy": k_greedy, "k_random": k_random, "seed": seed}

    def links():
        return [spidercast(interest, **targets).tolist(), spidercast_max(interest, d=d, **targets).tolist()]

    by_tree = links()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(spider_groups, "MOST_GROUPS", 0)
        assert by_tree == links()


@pytest.mark.parametrize(("algorithm", "parameters"), [("spidercast", {}), ("spidercast_max", {"d": 5})])
def test_one_topic_for_everybody_takes_hardly_more_than_linear_time(algorithm, parameters):
    """100,000 nodes take a second or two and report progress; looking at every node for each took minutes."""
    told = []
    before = time.process_time()
    made = design(crowd(100_000), algorithm, progress=told.append, **parameters)
    assert time.process_time() - before < 30
    assert made.overlay.num_edges >= 200_000
    assert {step.phase for step in told} == {"choosing"}
    assert told[-1].support > told[0].support == 0


def test_rare_topics_are_no_reason_to_refuse():
    """A million nodes in groups of four: every node looks at three."""
    num = 1_000_000
    nodes, topics = (tuple(f"{number:07d}" for number in range(count)) for count in (num, num // 4))
    check_work(Interest.from_csr(nodes, topics, np.arange(num + 1), np.arange(num) // 4))


def test_more_links_than_memory_holds_are_refused():
    """One topic with a huge limit asks for nearly all pairs."""
    with pytest.raises(TooLargeError, match="fewer links of a node"):
        design(crowd(200_000), "spidercast_max", d=100_000)

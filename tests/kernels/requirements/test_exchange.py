"""Exchange takes the best of all replacements, keeps every topic as required, and drops needless links."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.kernels.requirements.cases import NODES, PAIRS, interests, labelled, link_sets, network_of, numbered
from tests.reference_requirements import best_exchange, is_met, length
from topicweave.kernels.requirements.exchange import MOST_BROKEN, Aim, exchange_for, length_of
from topicweave.kernels.requirements.permission import weight_of


def made(topics_of, order, forbidden, **requirements):
    """A network without forbidden links and without needless ones; None if it does not meet the requirements."""
    pairs = [pair for pair in order if pair not in forbidden]
    network = network_of(topics_of, pairs, forbidden=forbidden, **requirements)
    gone = network.delete(numbered(pairs))
    links = [pair for pair, is_gone in zip(sorted(pairs), gone, strict=True) if not is_gone]
    return (network, links) if network.met().all() else (None, links)


@settings(max_examples=60, deadline=None)
@given(interests, st.permutations(PAIRS), link_sets, st.sampled_from([1, 2]), st.booleans(), st.integers(2, 7))
def test_the_best_replacement_of_all_is_taken(topics_of, order, forbidden, connectivity, has_costs, limit):
    """Links one after the other: the value of the overlay becomes that of the naive twin, which tries all pairs."""
    cost = {node: (i * i % 5 + 1.0, i % 3) for i, node in enumerate(NODES)} if has_costs else None
    network, links = made(topics_of, order, set(list(forbidden)[:6]), connectivity=connectivity, link_cost=cost)
    if network is None:
        return
    limit = max(limit, int(network.degree.max(initial=0)))
    topics = set().union(*topics_of.values())

    def value(some):
        if has_costs:
            return sum(weight_of(network.permission, *numbered([tuple(sorted(one))])[0]) for one in some)
        return sum(length(topics_of, some, topic) for topic in topics)

    aim = Aim(limit, 1.0, 0.0, 0.0) if has_costs else Aim(limit, 0.0, 1.0, 0.0)
    work = exchange_for(len(NODES), len(network.interest.topics), 0)
    for link in sorted(links):
        before = [set(one) for one in links]
        best = best_exchange(
            topics_of, before, link, lambda u, v: bool(network.resolved.permits(numbered([(u, v)]))[0]),
            dict.fromkeys(NODES, limit), value, 0, connectivity,
        )  # fmt: skip
        now = labelled(network.exchange(numbered([link]), work, aim))
        links = [one for one in links if one != link] + now
        assert value([set(one) for one in links]) == pytest.approx(best)
        assert network.met().all() and not work.near.any() and not work.far.any() and not work.is_counted.any()


@settings(max_examples=40, deadline=None)
@given(interests, st.permutations(PAIRS), st.sampled_from([None, 2, 3]), st.sampled_from([1, 2, 3]), st.integers(0, 9))
def test_whatever_the_temperature_everything_stays_met(topics_of, order, limit, connectivity, seed):
    """Hop limits and failures, by the naive definitions; and there are never more links, nor busier nodes."""
    network, links = made(topics_of, order, set(), max_hops=limit, connectivity=connectivity)
    busiest = int(network.degree.max(initial=0))
    work = exchange_for(len(NODES), len(network.interest.topics), seed)
    for temperature in (2.0, 0.5, 0.0):
        left = network.exchange(numbered(links), work, Aim(busiest, 0.0, 1.0, temperature))
        assert len(left) <= len(links)
        links = sorted(labelled(left))
        pairs = [set(one) for one in links]
        assert all(is_met(topics_of, pairs, topic, limit or 0, connectivity) for topic in network.interest.topics)
    assert network.degree.max(initial=0) <= busiest
    assert np.array_equal(network.degree, np.bincount(numbered(links).ravel(), minlength=len(NODES)))


@settings(max_examples=40)
@given(interests, link_sets)
def test_lengths_are_diameters_and_mean_distances(topics_of, links):
    """Of connected topics; others count as nothing."""
    network = network_of(topics_of, links)
    pairs = [set(one) for one in links]
    for t, topic in enumerate(network.interest.topics):
        expected = length(topics_of, pairs, topic) if is_met(topics_of, pairs, topic) else 0
        assert length_of(network.members, network.links, network._graph, t) == pytest.approx(expected)


def test_links_that_very_many_topics_need_stay():
    """There are as many bits as topics can be looked at together."""
    topics = {f"t{i:02}" for i in range(MOST_BROKEN + 1)}
    topics_of = {node: topics if node in "abc" else set() for node in NODES}
    network = network_of(topics_of, [("a", "b"), ("b", "c")])
    work = exchange_for(len(NODES), len(topics), 0)
    left = network.exchange(numbered([("a", "b")]), work, Aim(7, 0.0, 1.0, 5.0))
    assert labelled(left) == [("a", "b")]

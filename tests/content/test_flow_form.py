"""The linear form of CONTENT §II-B: links, trees and the price of a placement."""

import networkx as nx
import numpy as np
import pytest

from tests.content.cases import broken
from tests.reference_optimum import placements, tree_tables
from topicweave.content import CORES, Instance, cost
from topicweave.content.flow_form import FlowForm


def pinned(instance, core, broker):
    """The programme with every user at its broker, and its solution."""
    model = FlowForm(instance, core)
    for i, j in enumerate(broker.tolist()):
        model.row([(model.x(i, j), 1.0)], 1, 1)
    return model, model.solve(60, np.inf)


def least_core(instance, core, broker):
    """Every message by the cheapest of all sets of links; with one tree, by the best tree for all of them."""
    _, _, messages = placements(instance)
    totals = []
    for table in tree_tables(instance.core_price.tolist(), instance.num_brokers, core):
        stops = [{int(broker[k]) for k in (i, *receivers)} for i, _, _, receivers in messages]
        totals.append(
            sum(rate * table[sum(1 << b for b in at)] for at, (_, _, rate, _) in zip(stops, messages, strict=True))
        )
    return min(totals)


@pytest.mark.parametrize("core", CORES)
@pytest.mark.parametrize("seed", range(12))
def test_a_fixed_placement_costs_what_its_messages_cost(seed, core):
    """With links missing in half of them; the one tree joins all brokers by real links."""
    instance = broken(seed, most_users=5).replace(capacity=np.inf)
    rng = np.random.default_rng(seed)
    broker = np.array([rng.choice(np.flatnonzero(row)) for row in np.isfinite(instance.access_price)])
    model, found = pinned(instance, core, broker)
    access = cost(instance, broker, core).access
    assert found.mip_dual_bound - access == pytest.approx(least_core(instance, core, broker), abs=1e-6)
    tree = model.tree(found.x)
    if core != "tree":
        assert tree is None
    elif instance.num_brokers > 1:
        assert nx.is_tree(nx.Graph(tree.tolist())) and len(nx.Graph(tree.tolist())) == instance.num_brokers
        assert np.isfinite(instance.core_price[tree[:, 0], tree[:, 1]]).all()
        assert cost(instance, broker, core, tree=tree).total == pytest.approx(found.mip_dual_bound, abs=1e-6)


@pytest.mark.parametrize("core", CORES)
def test_arcs_are_the_links_there_are_in_both_directions(core):
    """Under spanning trees, paths stand for links, so every two brokers have one."""
    far = [[0, 1, np.inf], [1, 0, 2], [np.inf, 2, 0]]
    model = FlowForm(Instance([[1], [0]], [[0], [1]], np.ones((2, 3)), far, 9), core)
    assert model.links == ([(0, 1), (0, 2), (1, 2)] if core == "multicast" else [(0, 1), (1, 2)])
    assert model.arcs[len(model.links) :] == [(b, a) for a, b in model.links]
    assert model.price.tolist() == 2 * ([1, 3, 2] if core == "multicast" else [1, 2])

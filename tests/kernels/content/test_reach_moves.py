"""A pass of migration under Steiner trees and under one tree, and how far brokers are, against plain evaluations."""

import networkx as nx
import numpy as np
import pytest

from tests import reference_content as twin
from tests.content.cases import smooth
from tests.kernels.content.passes import by_definition, by_kernel, check_same
from topicweave.content.core import core_pricing, spanning_tree
from topicweave.kernels.content.reach import new_span
from topicweave.kernels.content.reach_moves import reach_all, reach_pass


def drawn(seed, core):
    """An instance, its prices for a kernel, and the links of the one tree."""
    instance = smooth(seed, 9, 4, 4, spare=1.3 if seed % 2 else 4.0)
    whole = spanning_tree(instance) if core == "tree" else None
    links = [] if whole is None else [tuple(sorted(link)) for link in whole.tolist()]
    return instance, core_pricing(instance, core, whole), links


@pytest.mark.parametrize("core", ["steiner", "tree"])
@pytest.mark.parametrize("seed", range(20))
def test_a_pass_makes_the_best_move_of_every_user(seed, core):
    """Brokers that a bound rules out are not tried, and none of them would have been better."""
    instance, pricing, links = drawn(seed, core)
    start = np.argsort(np.random.default_rng(seed).random(9)) % 4
    found = by_kernel(reach_pass, pricing, instance, start)
    check_same(found, by_definition(instance, start.tolist(), core, links))


@pytest.mark.parametrize("core", ["steiner", "tree"])
@pytest.mark.parametrize("seed", range(20))
def test_reach_is_the_weight_of_the_tree_with_one_more_broker(seed, core):
    """From the brokers inside to every broker; 0 if no broker is inside."""
    instance, pricing, links = drawn(seed, core)
    plain = twin.Plain(instance)
    inside = np.random.default_rng(seed).random(4) < 0.4
    reach = np.empty(4)
    reach_all(pricing, inside, new_span(4), reach)
    for v in range(4):
        stops = {v, *np.flatnonzero(inside).tolist()}
        if core == "steiner":
            used = twin.steiner(plain, stops)
        else:
            used = {link for stop in stops for link in twin.path_links(links, v, stop)}
            assert not used or stops <= set(nx.Graph(list(used)))
        price = plain.q if core == "steiner" else plain.links
        expected = sum(price[a][b] for a, b in used) if inside.any() else 0.0
        assert reach[v] == pytest.approx(expected)

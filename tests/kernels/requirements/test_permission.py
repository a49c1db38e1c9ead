"""Permission and weight of single pairs, against the vectorised answers of resolved requirements."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.kernels.requirements.cases import NODES, PAIRS, link_sets, network_of, numbered
from topicweave.kernels.requirements.permission import is_permitted, is_preferred, load_of, rank_of, weight_of

EVERYBODY = {node: {"t"} for node in NODES}
EVERY_PAIR = numbered(PAIRS)
REGIONS = {node: "eu" if node < "d" else "us" for node in NODES[:-1]}


@given(st.none() | link_sets, link_sets, st.sampled_from([(), (("eu", "us"),), (("us", "us"), ("h", "eu"))]))
def test_permitted_pairs_are_those_of_the_requirements(allowed, forbidden, regions):
    """For single pairs and regions."""
    network = network_of(EVERYBODY, allowed=allowed, forbidden=[*forbidden, *regions], regions=REGIONS)
    found = [is_permitted(network.permission, u, v) for u, v in EVERY_PAIR[:, ::-1]]
    assert found == network.resolved.permits(EVERY_PAIR).tolist()


@pytest.mark.parametrize(
    "cost",
    [{"a": (1, 2), **{node: (ord(node), 0) for node in NODES[1:]}}, {("eu", "us"): 5, ("us", "h"): 2, ("eu", "h"): 1}],
)
@pytest.mark.parametrize("weight", [0.3, 1.0])
def test_weights_are_those_of_the_requirements(cost, weight):
    """From coordinates and from a table of regions; links that cost nothing weigh a little."""
    network = network_of(EVERYBODY, link_cost=cost, cost_weight=weight, regions=REGIONS)
    found = np.array([weight_of(network.permission, u, v) for u, v in EVERY_PAIR])
    assert np.allclose(found, np.maximum(network.resolved.weights(EVERY_PAIR), 1e-9)) and (found > 0).all()


def test_ties_are_broken_by_labels():
    """Ranks are the same in both directions and differ between pairs; loads count under ``balanced`` only."""
    for ties, load in (("balanced", 3), ("random", 0), ("lexicographic", 0)):
        network = network_of(EVERYBODY, [("a", "b"), ("a", "c")], ties=ties, prefer=[("b", "c")])
        permission = network.permission
        ranks = [rank_of(permission, u, v) for u, v in EVERY_PAIR]
        assert ranks == [rank_of(permission, v, u) for u, v in EVERY_PAIR] and len(set(ranks)) == len(PAIRS)
        assert (ranks == sorted(ranks)) == (ties == "lexicographic")
        assert load_of(permission, network.degree, 0, 1) == load
        assert [pair for pair in PAIRS if is_preferred(permission, *numbered([pair])[0])] == [("b", "c")]

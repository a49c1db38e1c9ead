"""One design of a trade-off: made, measured, and told if it cannot be."""

import pytest

import topicweave as tw
from topicweave.pipeline.workers.designs import Wish, make, measured

INTEREST = tw.workloads.synthetic(40, 12, subscriptions=4, seed=2)


def test_a_design_is_measured():
    """The figures are those of the same design made here."""
    made = tw.design(INTEREST, "gm", seed=3)
    point = make(INTEREST, Wish("none", None, "gm", None), 3)
    diameters = tw.metrics.topic_diameters(INTEREST, made.overlay)
    assert (point.outcome, point.links, point.maximum_degree) == (
        "met", made.overlay.num_edges, made.overlay.maximum_degree,
    )  # fmt: skip
    assert (point.largest_hops, point.cost) == (diameters.max(), None)


def test_costs_are_summed_over_the_links():
    """With a distance of one between neighbours in a row, the cost is the sum of the differences."""
    nodes = INTEREST.nodes
    requirements = tw.Requirements(link_cost={node: (float(v),) for v, node in enumerate(nodes)})
    overlay = tw.design(INTEREST, "gm").overlay
    cost = measured(INTEREST, overlay, requirements)["cost"]
    assert cost == pytest.approx(float(abs(overlay.edges[:, 0] - overlay.edges[:, 1]).sum()))


def test_what_cannot_be_is_told():
    """A node that may have no link, but shares topics, makes every overlay impossible."""
    node = INTEREST.nodes[0]
    point = make(INTEREST, Wish("degree", 0, "low", tw.Requirements(max_degree={node: 0})), 1)
    assert (point.outcome, point.links) == ("impossible", None)
    assert node in point.words

"""Where nodes are drawn."""

import numpy as np
import pytest

from topicweave.reports.layout import force_layout


def test_layout_keeps_neighbours_near_and_is_repeatable():
    """On a ring, linked nodes end nearer than others; the same seed gives the same places."""
    edges = np.array([(node, (node + 1) % 40) for node in range(40)])
    place = force_layout(edges, 40, seed=1)
    assert np.array_equal(place, force_layout(edges, 40, seed=1))
    assert place.min() >= 0 and place.max() <= 1
    linked = np.hypot(*(place[edges[:, 0]] - place[edges[:, 1]]).T)
    opposite = np.hypot(*(place - place[(np.arange(40) + 20) % 40]).T)
    assert linked.mean() < opposite.mean() / 3


def test_layout_shows_communities_and_keeps_nodes_apart():
    """Two crowds with a single link between them stand apart, and no two nodes lie on the same spot."""
    rng = np.random.default_rng(0)
    crowds = [np.unique(np.sort(rng.integers(0, 150, (600, 2)), axis=1), axis=0) + base for base in (0, 150)]
    edges = np.concatenate([*crowds, [(0, 150)]])
    place = force_layout(edges[edges[:, 0] != edges[:, 1]], 300)
    middles = place[:150].mean(axis=0), place[150:].mean(axis=0)
    spread = max(np.hypot(*(place[:150] - middles[0]).T).mean(), np.hypot(*(place[150:] - middles[1]).T).mean())
    assert np.hypot(*(middles[0] - middles[1])) > 1.5 * spread
    apart = np.hypot(*(place[:, None] - place[None]).transpose(2, 0, 1)) + np.eye(300)
    assert apart.min() > 0.1 / np.sqrt(300)


@pytest.mark.parametrize("size", [0, 1, 2, 12])
def test_layout_of_little(size):
    """Nothing, one node, and nodes without links have places too."""
    place = force_layout(np.empty((0, 2), dtype=np.int64), size)
    assert place.shape == (size, 2) and np.isfinite(place).all()

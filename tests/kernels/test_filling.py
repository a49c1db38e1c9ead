"""Links of contribution 0, against loops over sets."""

from itertools import combinations

import numpy as np
import pytest

from topicweave.kernels.filling import fill_phase, links_that_fit


@pytest.mark.parametrize("seed", range(5))
def test_wanted_links_are_made_in_order_while_both_ends_have_room(seed):
    """What one link takes of a node's room, a later one does not find."""
    rng = np.random.default_rng(seed)
    links = np.array(list(combinations(range(8), 2)), dtype=np.int64)[rng.permutation(28)[:15]]
    before = rng.integers(0, 3, 8)
    degree, expected = before.tolist(), []
    for u, v in links.tolist():
        expected.append(max(degree[u], degree[v]) < 3)
        for end in (u, v):
            degree[end] += expected[-1]
    after = before.copy()
    assert links_that_fit(links, after, 3).tolist() == expected
    assert after.tolist() == degree


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("delta", [1, 3, 20])
def test_a_phase_ends_when_no_further_link_fits(seed, delta):
    """Each node in its turn is linked to later ones; links that are there already are not made twice."""
    rng = np.random.default_rng(seed)
    pairs = np.array(list(combinations(range(9), 2)), dtype=np.int64)
    there = pairs[rng.permutation(len(pairs))[:6]]
    order = rng.permutation(9)
    before = np.bincount(there.ravel(), minlength=9)
    room = {v: delta - count for v, count in enumerate(before.tolist())}
    used, expected = {tuple(pair) for pair in there.tolist()}, []
    for u, v in combinations(order.tolist(), 2):
        pair = (min(u, v), max(u, v))
        if pair not in used and room[u] > 0 and room[v] > 0:
            expected.append(pair)
            room[u] -= 1
            room[v] -= 1
    degree = before.copy()
    made = fill_phase(order, degree, delta, np.sort(there[:, 0] * 9 + there[:, 1]))
    assert [tuple(pair) for pair in made.tolist()] == expected
    assert degree.tolist() == [delta - room[v] for v in range(9)]

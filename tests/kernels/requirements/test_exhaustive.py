"""The search through all overlays finds one as light as plain enumeration does."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.reference_requirements import is_met, lightest
from topicweave.kernels.requirements.exhaustive import lightest_overlay

NODES = "abcd"
PAIRS = [(u, v) for u in NODES for v in NODES if u < v]


@settings(max_examples=25)
@given(
    st.fixed_dictionaries({node: st.sets(st.sampled_from("xy"), min_size=1) for node in NODES}),
    st.sets(st.sampled_from(PAIRS)),
    st.lists(st.integers(0, 3), min_size=4, max_size=4),
    st.sampled_from([0, 2, 3]),
    st.sampled_from([1, 2, 3]),
)
def test_the_lightest_overlay_is_found(topics_of, permitted, caps, limit, connectivity):
    """Among all that keep to permitted pairs, caps, the hop limit and the connectivity."""
    pairs = sorted(permitted)
    weights = {pair: 1 + 0.1 * i for i, pair in enumerate(pairs)}
    topics = [sum(1 << i for i, v in enumerate(NODES) if topic in topics_of[v]) for topic in "xy"]
    topics = np.array([bits for bits in topics if bits & (bits - 1)], dtype=np.int64)
    expected = lightest(
        topics_of, pairs, lambda u, v: weights[u, v], dict(zip(NODES, caps, strict=True)), (), limit, connectivity
    )
    if not len(topics):
        return
    choice = lightest_overlay(
        np.array([(NODES.index(u), NODES.index(v)) for u, v in pairs], dtype=np.int64).reshape(-1, 2),
        np.array(list(weights.values()), dtype=np.float64), np.array(caps), topics, limit, connectivity,
        np.zeros(4, dtype=np.int64), np.zeros(4, dtype=np.int64),
    )  # fmt: skip
    assert (choice < 0) == (expected is None)
    if expected is not None:
        chosen = [pair for i, pair in enumerate(pairs) if choice >> i & 1]
        assert sum(weights[pair] for pair in chosen) == pytest.approx(expected[0])
        left = [set(pair) for pair in chosen]
        assert all(is_met(topics_of, left, topic, limit, connectivity) for topic in "xy")

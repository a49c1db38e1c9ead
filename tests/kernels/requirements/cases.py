"""Random small interests with requirements, as kernels and as plain code need them."""

from __future__ import annotations

from itertools import combinations

import numpy as np
from hypothesis import strategies as st

from topicweave import Interest, Requirements
from topicweave.algorithms.greedy.loop import shuffle_key
from topicweave.algorithms.requirements.network import Network

NODES = "abcdefgh"
PAIRS = list(combinations(NODES, 2))
interests = st.fixed_dictionaries(
    {node: st.sets(st.sampled_from("wxyz"), max_size=3) for node in NODES}
).filter(lambda sets: any(sets.values()))  # fmt: skip
link_sets = st.sets(st.sampled_from(PAIRS))


def network_of(topics_of, links=(), ties="balanced", prefer=None, seed=0, **requirements):
    """A network with these links."""
    interest = Interest.from_sets(topics_of)
    resolved = Requirements(**requirements).resolve(interest)
    preferred = None if prefer is None else numbered(prefer)
    network = Network(
        interest, resolved, ties=ties, prefer=preferred, key=shuffle_key(seed), tell=lambda count: None
    )  # fmt: skip
    network.add(numbered(links))
    return network


def numbered(pairs):
    """Pairs of labels as numbers, shape (m, 2)."""
    return np.array([(NODES.index(u), NODES.index(v)) for u, v in sorted(pairs)], dtype=np.int64).reshape(-1, 2)


def labelled(pairs):
    """Pairs of numbers as labels."""
    return [(NODES[min(u, v)], NODES[max(u, v)]) for u, v in pairs.tolist()]

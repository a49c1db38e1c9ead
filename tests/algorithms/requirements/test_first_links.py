"""The first links: those of the fast loop, without pairs that are closed, up to the first limit."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import topicweave as tw
from topicweave import Interest, Requirements
from topicweave.algorithms.requirements.first_links import closed_pairs, num_within_caps

NODES = "abcdef"
EVERYBODY = Interest.from_sets({node: ["t"] for node in NODES})
EVERY_PAIR = np.array(list(combinations(range(6), 2)))
names = st.sampled_from([*NODES, "eu", "us"])
some_pairs = st.sets(st.tuples(names, names).filter(lambda pair: pair[0] != pair[1] or pair[0] in ("eu", "us")))


@given(st.none() | some_pairs, some_pairs)
def test_closed_pairs_are_those_not_permitted(allowed, forbidden):
    """The pairs may be given by regions or by exceptions."""
    regions = {"a": "eu", "b": "us", "c": "eu", "d": "us"}
    resolved = Requirements(allowed=allowed, forbidden=forbidden, regions=regions).resolve(EVERYBODY)
    assert closed_pairs(resolved).tolist() == EVERY_PAIR[~resolved.permits(EVERY_PAIR)].tolist()


@given(st.lists(st.sampled_from(EVERY_PAIR.tolist())), st.dictionaries(st.sampled_from(NODES), st.integers(1, 3)))
def test_links_are_kept_up_to_the_first_that_is_too_many(links, caps):
    """Required links count as well."""
    resolved = Requirements(max_degree=caps, required=[("a", "b")]).resolve(EVERYBODY)
    degree = np.array([1, 1, 0, 0, 0, 0])
    expected = 0
    for u, v in links:
        degree[[u, v]] += 1
        if (degree > resolved.caps).any():
            break
        expected += 1
    assert num_within_caps(np.array(links, dtype=np.int64).reshape(-1, 2), resolved) == expected


@pytest.mark.parametrize("algorithm", ["gm", "low", "minmax"])
def test_limits_that_do_not_bind_change_nothing(algorithm):
    """Forbidding a pair that would not have been linked, or a cap that is not reached, gives the same links."""
    interest = tw.workloads.synthetic(num_nodes=60, num_topics=9, popularity="zipf", alpha=0.5, subscriptions=4, seed=1)
    plain = tw.design(interest, algorithm).overlay
    others = sorted(set(combinations(interest.nodes, 2)) - set(plain.pairs()))
    requirements = Requirements(forbidden=others[::50], max_degree=plain.maximum_degree)
    assert tw.design(interest, algorithm, requirements=requirements).overlay.pairs() == plain.pairs()
    allowed = Requirements(allowed=plain.pairs())
    assert set(tw.design(interest, algorithm, requirements=allowed).overlay.pairs()) == set(plain.pairs())

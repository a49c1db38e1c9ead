"""Links that come and go, against a set of pairs."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from topicweave.kernels.requirements.links import add_link, add_links, are_linked, no_links, remove_link

pairs = st.tuples(st.integers(0, 5), st.integers(0, 5)).filter(lambda pair: pair[0] != pair[1])


@given(st.lists(pairs))
def test_a_link_that_exists_is_removed_and_another_is_added(toggled):
    """Whatever the order; numbers of removed links are used again, so that 15 are enough."""
    links, expected = no_links(6, 15), set()
    for u, v in toggled:
        pair = frozenset((u, v))
        (remove_link if pair in expected else add_link)(links, u, v)
        expected ^= {pair}
        assert all(are_linked(links, a, b) == (frozenset((a, b)) in expected) for a in range(6) for b in range(a))
        assert links.degree.tolist() == [sum(v in pair for pair in expected) for v in range(6)]
        assert links.num_free[0] == 15 - len(expected)


def test_many_links_are_added_at_once():
    """Nothing else is linked."""
    links = no_links(4, 6)
    add_links(links, np.array([[0, 1], [2, 1]]))
    assert links.degree.tolist() == [1, 2, 1, 0] and are_linked(links, 1, 2) and not are_linked(links, 0, 2)

"""Interests of social graphs."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.workloads.data import real_file
from topicweave.workloads import read_edge_list, social

users = st.sampled_from(["ann", "bob", "cid", "dan", "eve", "10", "9"])
edge_lists = st.lists(st.tuples(users, users), max_size=30)


def test_friends_subscribe_to_each_other():
    """A triangle's tail: bob - ann - cid, with ann listed as her own friend and one friendship listed twice."""
    interest = social([("ann", "bob"), ("ann", "ann"), ("cid", "ann"), ("ann", "cid")])
    assert interest.to_sets() == {"ann": {"bob", "cid"}, "bob": {"ann"}, "cid": {"ann"}}
    assert interest.topics == interest.nodes == ("ann", "bob", "cid")


def test_followers_subscribe_to_followees_only():
    """cid follows no one and no one follows ann: both are node and topic all the same."""
    interest = social([("ann", "bob"), ("bob", "cid")], directed=True)
    assert interest.to_sets() == {"ann": {"bob"}, "bob": {"cid"}, "cid": set()}
    assert interest.subscribers_of("ann") == set()


@given(edges=edge_lists)
@settings(deadline=None)
def test_agrees_with_sets(edges):
    """Whom a user follows are its topics; without directions both ends follow each other."""
    for directed in (True, False):
        expected = {user: set() for pair in edges for user in pair}
        for one, other in edges:
            if one != other:
                expected[one].add(other)
                if not directed:
                    expected[other].add(one)
        interest = social(edges, directed)
        assert interest.to_sets() == expected
        assert tuple(interest.topics) == tuple(interest.nodes) == tuple(sorted(expected))


@given(edges=edge_lists, seed=st.integers(0, 99))
@settings(deadline=None)
def test_order_of_the_list_does_not_matter(edges, seed):
    shuffled = [edges[i] for i in np.random.default_rng(seed).permutation(len(edges))]
    assert social(shuffled, directed=True) == social(edges, directed=True)


def test_facebook_ego():
    """The table of the data's README: 4,039 users, 2 × 88,234 pairs, at most 1,045 friends."""
    interest = social(read_edge_list(real_file("facebook_ego.edges.txt.gz")))
    assert (interest.num_nodes, interest.num_topics, interest.num_subscriptions) == (4_039, 4_039, 2 * 88_234)
    assert np.diff(interest.indptr).max() == 1_045


def test_careers_are_directed():
    """68,328 follows by 12,996 followers of 6,301 followees."""
    edges = read_edge_list(real_file("twitter_careers.pairs.tsv.gz"))
    interest = social(edges, directed=True)
    assert interest.num_subscriptions == 68_328
    assert np.count_nonzero(np.diff(interest.indptr)) == 12_996
    as_table = edges.to_interest()
    assert (as_table.num_nodes, as_table.num_topics) == (12_996, 6_301)

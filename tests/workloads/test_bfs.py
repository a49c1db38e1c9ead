"""Samples by breadth-first search."""

from collections import deque

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.workloads.data import real_file
from topicweave.errors import InputError, ParameterError
from topicweave.workloads import bfs_sample, read_edge_list, social

# a path a - b - c - d with a branch b - e, and apart from it x - y
PATH = [("a", "b"), ("b", "c"), ("c", "d"), ("e", "b"), ("x", "y")]
people = st.sampled_from([f"p{number}" for number in range(12)])


def queue_order(edges, start, count):
    """Breadth-first order by a plain queue over sets."""
    friends = {}
    for one, other in edges:
        friends.setdefault(one, set()).add(other)
        friends.setdefault(other, set()).add(one)
    order, queue = dict.fromkeys(start), deque(dict.fromkeys(start))
    while queue:
        for friend in sorted(friends[queue.popleft()]):
            if friend not in order:
                order[friend] = None
                queue.append(friend)
    return list(order)[:count]


def test_by_hand():
    """From a: first b, then b's friends c and e in label order; d is beyond the fourth."""
    sample = bfs_sample(PATH, 4, seeds=["a"])
    assert sample.edges.users == ("a", "b", "c", "e")
    assert list(sample.edges) == [("a", "b"), ("b", "c"), ("e", "b")]
    assert sample.seeds == ("a",)


def test_direction_is_kept_but_walked_both_ways():
    """e is reached from b although the pair says (e, b), and still says so in the sample."""
    assert list(bfs_sample([("e", "b"), ("b", "c")], 2, seeds=["b"]).edges) == [("b", "c")]
    assert list(bfs_sample([("e", "b"), ("c", "e")], 2, seeds=["b"]).edges) == [("e", "b")]


def test_all_pairs_among_the_reached_are_kept_as_listed():
    """Also those the search did not walk, those listed twice and those to oneself."""
    edges = [("a", "b"), ("a", "c"), ("c", "b"), ("b", "a"), ("c", "c"), ("c", "z")]
    assert list(bfs_sample(edges, 3, seeds=["a"]).edges) == edges[:-1]


def test_an_exhausted_component_is_left_for_a_random_user():
    sample = bfs_sample(PATH, 7, seeds=["y"], seed=1)
    assert sample.edges.num_users == 7
    assert sample.seeds[0] == "y"
    assert len(sample.seeds) == 2
    assert sample.seeds[1] in "abcde"


def test_several_seeds_grow_together():
    """The sample grows around all seeds at the same pace, each counted once."""
    sample = bfs_sample(PATH, 4, seeds=["d", "y", "d"])
    assert sample.edges.users == ("c", "d", "x", "y")
    assert sample.seeds == ("d", "y")


def test_a_number_of_seeds_is_drawn():
    drawn = {bfs_sample(PATH, 3, seeds=2, seed=seed).seeds for seed in range(20)}
    assert all(len(set(used)) == len(used) >= 2 for used in drawn)  # x and y may need a third one to continue from
    assert len(drawn) > 5
    assert bfs_sample(PATH, 3, seeds=2, seed=4) == bfs_sample(PATH, 3, seeds=2, seed=4)


@given(edges=st.lists(st.tuples(people, people), min_size=1, max_size=40), seed=st.integers(0, 10**6), data=st.data())
@settings(deadline=None)
def test_agrees_with_a_queue(edges, seed, data):
    """Users are those a plain queue reaches; after an exhausted component, those it reaches from the later seeds."""
    names = sorted({user for pair in edges for user in pair})
    count = data.draw(st.integers(1, len(names)))
    start = data.draw(st.lists(st.sampled_from(names), min_size=1, max_size=count, unique=True))
    sample = bfs_sample(edges, count, seeds=start, seed=seed)
    order = queue_order(edges, start, count)
    for later in sample.seeds[len(start) :]:
        assert later not in order
        order += [user for user in queue_order(edges, [later], len(names)) if user not in order]
        order = order[:count]
    assert set(sample.edges.users) == set(order)
    assert len(order) == count
    kept = set(order)
    assert list(sample.edges) == [pair for pair in edges if kept.issuperset(pair)]


def test_an_interest_and_an_array_are_sampled_like_pairs():
    interest = social([("a", "b"), ("b", "c"), ("c", "d")])
    assert bfs_sample(interest, 3, seeds=["a"]).edges.users == ("a", "b", "c")
    assert bfs_sample(np.array([[1, 2], [2, 3]]), 2, seeds=[3]).edges.users == ("2", "3")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"num_nodes": 8}, "A sample of 8 users cannot come from a graph of 7"),
        ({"num_nodes": 0}, "num_nodes must be a whole number, 1 or more"),
        ({"seeds": 4}, "4 seeds are more than the 3 users of the sample"),
        ({"seeds": 0}, "seeds must be a whole number, 1 or more"),
        ({"seeds": True}, "seeds must be a whole number, 1 or more"),
        ({"seeds": []}, "0 distinct seeds were given for 3 users; give 1 to 3"),
        ({"seeds": ["a", "b", "c", "d"]}, "4 distinct seeds were given for 3 users"),
        ({"seeds": "ann"}, "seeds is one string ('ann')"),
        ({"seed": -1}, "seed must be a whole number"),
    ],
)
def test_bad_parameters_are_named(arguments, words):
    """Each wrong value is refused in a sentence that names it."""
    with pytest.raises(ParameterError) as caught:
        bfs_sample(PATH, **{"num_nodes": 3, **arguments})
    assert words in str(caught.value)


def test_an_unknown_seed_user_is_named():
    with pytest.raises(InputError, match="no user 'zoe'"):
        bfs_sample(PATH, 3, seeds=["zoe"])


def test_facebook_ego_sample():
    """1,000 users of the one component: the sample hangs together, and holds all pairs among its users."""
    edges = read_edge_list(real_file("facebook_ego.edges.txt.gz"))
    sample = bfs_sample(edges, 1000, seed=3)
    users = set(sample.edges.users)
    assert len(users) == 1000
    assert len(sample.seeds) == 1
    assert users == set(queue_order(edges, sample.seeds, 1000))
    assert list(sample.edges) == [pair for pair in edges if users.issuperset(pair)]
    assert sample == bfs_sample(edges, 1000, seed=3)
    assert social(sample.edges).num_nodes == 1000

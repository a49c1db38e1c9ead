"""Samples of social graphs by breadth-first search (PART §IX-B)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from topicweave.errors import ParameterError
from topicweave.model.labels import find_numbers, numbers_by_label
from topicweave.parameters import check_count, seeded_generator
from topicweave.workloads.edge_list import EdgeList, as_edge_list

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import ArrayLike, NDArray

    from topicweave.model import Interest


@dataclass(frozen=True)
class BfsSample:
    """A part of a social graph, and the users from which it was grown.

    Attributes
    ----------
    edges
        The users reached and all pairs among them, in the order listed.
    seeds
        The users the search started from, in order; after them, the users from which it continued when a component was
        exhausted.
    """

    edges: EdgeList
    seeds: tuple[str, ...]


def bfs_sample(
    edges: EdgeList | Interest | ArrayLike | Iterable[tuple[Any, Any]],
    num_nodes: int,
    *,
    seeds: int | Iterable[Any] = 1,
    seed: int = 0,
) -> BfsSample:
    """Grow a sample by breadth-first search from random users, and take all pairs among the users reached.

    Pairs are followed in both directions, neighbours in the order of their labels. If a component ends before there are
    enough users, the search continues from a random user not reached yet.

    Parameters
    ----------
    edges
        The social graph: pairs, an (m, 2) array, an :class:`EdgeList` or the interest made of one.
    num_nodes
        The number of users in the sample.
    seeds
        The users to start from, or how many of them to draw at random.
    seed
        Seed of the random numbers. Samples vary strongly with it, so report several.

    Examples
    --------
    >>> sample = bfs_sample([("a", "b"), ("b", "c"), ("c", "d"), ("a", "c")], 3, seeds=["a"])
    >>> sample.edges.users, list(sample.edges)
    (('a', 'b', 'c'), [('a', 'b'), ('b', 'c'), ('a', 'c')])
    """
    listed = as_edge_list(edges)
    target = check_count("num_nodes", num_nodes)
    if target > listed.num_users:
        raise ParameterError(
            f"A sample of {target} users cannot come from a graph of {listed.num_users}; lower num_nodes."
        )
    rng = seeded_generator(seed)
    starts = _starting_users(listed, target, seeds, rng)
    reached, later = _search(listed, target, starts, rng)
    used = [*starts.tolist(), *later]
    return BfsSample(_induced(listed, np.sort(reached)), tuple(listed.users[user] for user in used))


def _starting_users(
    listed: EdgeList, target: int, seeds: int | Iterable[Any], rng: np.random.Generator
) -> NDArray[np.int64]:
    if isinstance(seeds, str):
        raise ParameterError(f"seeds is one string ({seeds!r}); give a list of users, or how many to draw.")
    if isinstance(seeds, int | np.integer):
        count = check_count("seeds", seeds)
        if count <= target:
            return rng.permutation(listed.num_users)[:count]
        raise ParameterError(f"{count} seeds are more than the {target} users of the sample; give fewer seeds.")
    numbers = find_numbers(seeds, numbers_by_label(listed.users), "user")
    chosen = np.array(list(dict.fromkeys(numbers.tolist())), dtype=np.int64)
    if not 1 <= len(chosen) <= target:
        raise ParameterError(f"{len(chosen)} distinct seeds were given for {target} users; give 1 to {target}.")
    return chosen


def _search(
    listed: EdgeList, target: int, starts: NDArray[np.int64], rng: np.random.Generator
) -> tuple[NDArray[np.int64], list[int]]:
    """The first ``target`` users in breadth-first order, and the users at which the search was restarted."""
    from scipy import sparse

    size = (listed.num_users, listed.num_users)
    links = sparse.coo_array((np.ones(len(listed), dtype=bool), listed.ends.T), shape=size)
    graph = sparse.csr_array(links + links.T)
    graph.sort_indices()
    seen = np.zeros(listed.num_users, dtype=bool)
    order: list[NDArray[np.int64]] = []
    restarts: list[int] = []
    count, layer = 0, starts
    while count < target:
        if not len(layer):
            layer = rng.choice(np.flatnonzero(~seen), size=1)
            restarts.append(int(layer[0]))
        layer = layer[: target - count]
        seen[layer] = True
        order.append(layer)
        count += len(layer)
        layer = _next_layer(graph.indptr, graph.indices, layer, seen)
    return np.concatenate(order), restarts


def _next_layer(
    indptr: NDArray[np.int32], indices: NDArray[np.int32], layer: NDArray[np.int64], seen: NDArray[np.bool_]
) -> NDArray[np.int64]:
    """The users next to a layer that were not reached before, in the order in which a queue would reach them."""
    counts = (indptr[layer + 1] - indptr[layer]).astype(np.int64)
    within = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)
    met = indices[np.repeat(indptr[layer], counts) + within]
    met = met[~seen[met]]
    first = np.sort(np.unique(met, return_index=True)[1])
    return np.asarray(met[first], dtype=np.int64)


def _induced(listed: EdgeList, users: NDArray[np.int64]) -> EdgeList:
    number = np.full(listed.num_users, -1, dtype=np.int64)
    number[users] = np.arange(len(users))
    ends = number[listed.ends]
    return EdgeList(tuple(listed.users[user] for user in users), ends[(ends >= 0).all(axis=1)])

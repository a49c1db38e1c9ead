"""Checks a record with NumPy and SciPy only: nothing is imported from topicweave, so its solver need not be trusted.

A record is a compressed NumPy file. ``indptr`` and ``indices`` list the topics of every node, ``edges`` the links.
``prices`` are the certificate: for one topic after the other, the upper triangle, row by row, of the prices of the
pairs of its subscribers in ascending order, as whole numbers; ``unit`` is the cost of a link.

``python benchmarks/records/checker.py FILE`` prints what a file proves.
"""

from __future__ import annotations

import hashlib
import math
import sys
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components, minimum_spanning_tree

if TYPE_CHECKING:
    from os import PathLike

    from numpy.typing import NDArray


class Proved(NamedTuple):
    """What a record proves: that an overlay with this many links exists, and that none has fewer links than the
    bound.
    """

    digest: str
    links: int
    maximum_degree: int
    bound: float

    @property
    def least_links(self) -> int:
        """The bound rounded up to a number of links."""
        return math.ceil(self.bound - 1e-6)


class RefutedError(Exception):
    """The record does not prove what it should."""


def check(path: str | PathLike[str]) -> Proved:
    """Check the overlay and the bound in a file.

    Raises
    ------
    RefutedError
        The overlay leaves a topic disconnected or has an invalid link, or the prices of a pair exceed the cost of a
        link.
    """
    with np.load(path, allow_pickle=False) as file:
        record = {name: file[name] for name in file.files}
    subscribers = _subscribers(record["indptr"], record["indices"])
    num_nodes = len(record["indptr"]) - 1
    edges = record["edges"].astype(np.int64)
    _check_links(edges, num_nodes)
    for topic, members in enumerate(subscribers):
        _check_connected(topic, members, edges, num_nodes)
    bound = _bound(subscribers, num_nodes, record["prices"], int(record["unit"]))
    degree = np.bincount(edges.ravel(), minlength=num_nodes)
    return Proved(digest_of(record["indptr"], record["indices"]), len(edges), int(degree.max(initial=0)), bound)


def digest_of(indptr: NDArray[Any], indices: NDArray[Any]) -> str:
    """The beginning of a hash over all subscriptions, written as little-endian numbers of eight bytes."""
    told = b"".join(np.asarray(each).astype("<i8").tobytes() for each in (indptr, indices))
    return hashlib.sha256(told).hexdigest()[:12]


def _subscribers(indptr: NDArray[Any], indices: NDArray[Any]) -> list[list[int]]:
    """The subscribers of each topic, in ascending order."""
    found: list[list[int]] = [[] for _ in range(int(indices.max(initial=-1)) + 1)]
    for node in range(len(indptr) - 1):
        for topic in indices[indptr[node] : indptr[node + 1]].tolist():
            found[topic].append(node)
    return found


def _check_links(edges: NDArray[np.int64], num_nodes: int) -> None:
    pairs = {(min(pair), max(pair)) for pair in edges.tolist()}
    if len(pairs) != len(edges):
        raise RefutedError("A link is listed twice.")
    for one, other in pairs:
        if not 0 <= one < other < num_nodes:
            raise RefutedError(f"({one}, {other}) is no link between two nodes.")


def _check_connected(topic: int, members: list[int], edges: NDArray[np.int64], num_nodes: int) -> None:
    place = np.full(num_nodes, -1)
    place[members] = np.arange(len(members))
    inside = place[edges][(place[edges] >= 0).all(axis=1)]
    graph = coo_array((np.ones(len(inside)), (inside[:, 0], inside[:, 1])), shape=(len(members), len(members)))
    if members and connected_components(graph, directed=False, return_labels=False) > 1:
        raise RefutedError(f"The subscribers of topic {topic} are not connected.")


def _bound(subscribers: list[list[int]], num_nodes: int, prices: NDArray[Any], unit: int) -> float:
    """The total cost of the cheapest trees of all topics, computed in whole numbers up to the final division."""
    if len(prices) and int(prices.min()) < 0:
        raise RefutedError("A price is below 0.")
    total = np.zeros((num_nodes, num_nodes), dtype=np.int64)
    cost, at = 0, 0
    for members in subscribers:
        rows, columns = np.triu_indices(len(members), 1)
        if not len(rows):
            continue
        price = prices[at : at + len(rows)].astype(np.int64)
        if len(price) < len(rows):
            raise RefutedError("Prices are missing.")
        at += len(rows)
        total[np.array(members)[rows], np.array(members)[columns]] += price
        # The price is stored plus one, because SciPy reads 0 as "no edge"; this is subtracted again for each edge of
        # the tree.
        graph = coo_array((price + 1.0, (rows, columns)), shape=(len(members), len(members)))
        cost += round(minimum_spanning_tree(graph.tocsr()).sum()) - (len(members) - 1)
    if total.max(initial=0) > unit:
        raise RefutedError(f"The prices of a pair sum to {total.max() / unit:.6f} links.")
    return cost / unit


if __name__ == "__main__":
    for name in sys.argv[1:]:
        print(name, check(name))

"""The core is the network between brokers: which trees carry its traffic, and the choice of one tree for all brokers.

``steiner``: every (broker, channel) has the cheapest tree, over brokers without a subscriber where that helps.
``multicast``: every (broker, channel) has the minimum spanning tree over the brokers concerned, which is the paper's
reading (CONTENT §III-A; its proof that no relay helps is wrong). ``tree``: all brokers form one tree, chosen for the
traffic, and every (broker, channel) uses the part of it that it needs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from topicweave.errors import InputError
from topicweave.parameters import check_choice, whole_numbers

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from topicweave.content.instance import Instance
    from topicweave.kernels.content.reach import Pricing

CORES = ("steiner", "multicast", "tree")
DEFAULT_CORE = CORES[0]
_CENTRES = 3  # number of shortest-path trees from which the search for a tree starts, besides the minimum spanning tree


def check_core(core: Any) -> str:
    """Return ``core`` if it is the name of a way to price the core; otherwise raise an error that lists all names."""
    return check_choice("core", core, CORES)


def core_pricing(instance: Instance, core: str, tree: ArrayLike | None = None) -> Pricing:
    """The data that kernels need to price the traffic between brokers.

    Parameters
    ----------
    instance
        The problem.
    core
        A name from ``CORES``.
    tree
        For ``"tree"``: the links of the tree, as pairs of broker numbers.
    """
    from topicweave.kernels.content.reach import Pricing

    code = CORES.index(check_core(core))
    none, whole = np.empty(0), np.empty(0, dtype=np.int64)
    table = instance.steiner_table if core == "steiner" else np.empty((0, instance.num_brokers))
    order, up, weight = whole, whole.copy(), none
    if core == "tree":
        order, up, weight = _ordered(instance, np.zeros((0, 2)) if tree is None else tree)
    for array in (table, order, up, weight):
        array.setflags(write=False)
    return Pricing(code, instance.path_price, table, order, up, weight)


def choose_tree(
    instance: Instance, published: NDArray[np.float64], subscribers: NDArray[np.int32]
) -> NDArray[np.int64]:
    """Choose one tree over all brokers for this traffic (brokers × channels); return its links as pairs of broker
    numbers.

    Starting from the minimum spanning tree and from the shortest-path trees of the brokers nearest to the traffic,
    links are exchanged one for one as long as that lowers the cost of the core; the cheapest result is taken.
    """
    from topicweave.kernels.content.shared_tree import exchange_links

    if instance.num_brokers == 1:
        return np.empty((0, 2), dtype=np.int64)
    best, cheapest = np.empty((0, 2), dtype=np.int64), np.inf
    for start in _starts(instance, published, subscribers):
        order, up, weight = _ordered(instance, start)
        total = exchange_links(instance.core_price, published, subscribers, order, up, weight)
        if total < cheapest * (1 - 1e-12):
            best, cheapest = np.stack((order[up[1:]], order[1:]), axis=1), total
    return best


def spanning_tree(instance: Instance) -> NDArray[np.int64]:
    """The links of the minimum spanning tree over all brokers, as pairs of broker numbers."""
    from topicweave.kernels.content.trees import grow_tree

    count = instance.num_brokers
    order, up = np.empty(count, dtype=np.int64), np.empty(count, dtype=np.int64)
    grow_tree(instance.core_price, np.arange(count), count, order, up, np.empty(count))
    return np.stack((order[up[1:]], order[1:]), axis=1)


def _starts(
    instance: Instance, published: NDArray[np.float64], subscribers: NDArray[np.int32]
) -> list[NDArray[np.int64]]:
    """The trees from which the search starts: the minimum spanning tree, and shortest-path trees of central brokers."""
    weight = published.sum(axis=1) + (subscribers > 0) @ published.sum(axis=0)
    centres = np.argsort(instance.path_price @ weight, kind="stable")[:_CENTRES]
    found = [spanning_tree(instance)]
    for centre in centres:
        others = np.delete(np.arange(instance.num_brokers), centre)
        found.append(np.stack((instance.path_before[centre, others], others), axis=1))
    return found


def _ordered(instance: Instance, tree: ArrayLike) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.float64]]:
    """The tree in an order with parents before children: the brokers, their parents' positions, and the prices of the
    links.
    """
    from topicweave.kernels.content.trees import order_tree

    count = instance.num_brokers
    links = as_tree(instance, tree)
    order, up, weight = np.zeros(count, dtype=np.int64), np.zeros(count, dtype=np.int64), np.zeros(count)
    if count > 1:
        one, other = np.ascontiguousarray(links[:, 0]), np.ascontiguousarray(links[:, 1])
        order_tree(
            instance.core_price, one, other, count - 1, one[0], np.empty(count, dtype=np.int64), order, up, weight
        )
    return order, up, weight


def as_tree(instance: Instance, tree: ArrayLike) -> NDArray[np.int64]:
    """The links of a given tree as pairs of broker numbers; raises an error that says what is wrong with it."""
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    count = instance.num_brokers
    links = whole_numbers(tree, "The links of a tree", 2).astype(np.int64)
    if links.shape != (count - 1, 2):
        raise InputError(f"A tree over {count} brokers has {count - 1} links, but {len(links)} were given.")
    if len(links) and not (links.min() >= 0 and links.max() < count):
        raise InputError(f"The links of a tree join brokers 0..{count - 1}, but one has the number {links.max()}.")
    for j, k in links[~np.isfinite(instance.core_price[links[:, 0], links[:, 1]])][:1]:
        raise InputError(
            f"The tree has a link of brokers {instance.brokers[j]!r} and {instance.brokers[k]!r}, but there is none."
        )
    graph = coo_array((np.ones(len(links)), (links[:, 0], links[:, 1])), shape=(count, count))
    if connected_components(graph, directed=False)[0] != 1:
        raise InputError(f"The {len(links)} links given as a tree do not join all {count} brokers.")
    return links

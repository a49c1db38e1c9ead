"""trees(): one spanning tree for each topic of an overlay."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from topicweave.columns import CHILD, PARENT, TOPIC
from topicweave.errors import InfeasibleError, ParameterError, ReadError, Remedy
from topicweave.metrics.matching import matched_edges
from topicweave.model import Interest, Overlay
from topicweave.parameters import check_choice, check_kind
from topicweave.trees.filters import classes_of, is_filter
from topicweave.trees.result import TreeArrays, Trees

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pyarrow as pa
    from numpy.typing import NDArray

    Latency = Mapping[tuple[str, str], float] | Sequence[float] | NDArray[np.float64]

OBJECTIVES = ("depth", "latency", "load")


def trees(
    interest: Interest,
    overlay: Overlay,
    objective: str = "depth",
    *,
    latency: Latency | None = None,
    prefer: Trees | None = None,
) -> Trees:
    """Build one spanning tree of its members for every topic, using only links of the overlay.

    Parameters
    ----------
    interest
        The subscriptions and publishers. Members that only publish become leaves if the others are connected without
        them; if not, some must relay, and :attr:`Trees.relays` lists these.
    overlay
        Links that connect every topic.
    objective
        ``"depth"``: few hops from a root in the middle. The depth is at most one more than the least possible for
        topics of up to 2,000 members, and at most twice that for larger ones. ``"latency"``: the same, counting the
        latency of links instead of hops. ``"load"``: no node relays far more than others; trees become deeper.
    latency
        For ``"latency"``: a number for each link, by label pair (in either direction) or in the order of
        ``overlay.edges``.
    prefer
        Earlier trees, of any interest and overlay: the links of a topic's earlier tree that still exist are kept, and
        as few links as possible are added to join its pieces, whatever the objective.

    Raises
    ------
    InfeasibleError
        The overlay does not connect a topic.

    Examples
    --------
    >>> interest = Interest.from_pairs([(node, "news") for node in "abcd"])
    >>> ring = Overlay.from_pairs([("a", "b"), ("b", "c"), ("c", "d"), ("a", "d")])
    >>> found = trees(interest, ring)
    >>> found.edges("news"), found.depth("news"), found.unused
    ([('a', 'b'), ('a', 'd'), ('b', 'c')], 2, [('c', 'd')])
    """
    edges = matched_edges(interest, overlay)
    check_choice("objective", objective, OBJECTIVES)
    if prefer is not None:
        check_kind(prefer, Trees, "prefer needs Trees", "give what deploy.trees returned")
    weight = _weights(objective, latency, overlay)
    class_of, by_class = merged_classes(interest)
    if prefer is None:
        arrays, cut = _grown(by_class, edges, OBJECTIVES.index(objective), weight)
    else:
        arrays, cut = kept_trees(by_class, edges, *_rows_of(by_class, prefer))
    _check_whole(by_class, cut, np.bincount(class_of, minlength=by_class.num_topics))
    return Trees(interest, overlay, objective, class_of, by_class, arrays)


def trees_from_arrow(interest: Interest, overlay: Overlay, table: pa.Table, objective: str = "depth") -> Trees:
    """Read trees written by :meth:`Trees.to_arrow` for this interest and overlay.

    Raises
    ------
    ReadError
        They do not match: a row is not a link inside its topic, or a topic has too few links.
    """
    import pyarrow as pa

    check_choice("objective", objective, OBJECTIVES)
    check_kind(table, pa.Table, "trees_from_arrow() needs an Arrow table", "give what Trees.to_arrow made", ReadError)
    missing = {TOPIC, PARENT, CHILD} - set(table.column_names)
    if missing:
        raise ReadError(f"The table of trees lacks {', '.join(sorted(missing))}; give what Trees.to_arrow made.")
    edges = matched_edges(interest, overlay)
    class_of, by_class = merged_classes(interest)
    numbers = by_class.topic_numbers, interest.node_numbers, interest.node_numbers
    columns = (table[name].to_pylist() for name in (TOPIC, PARENT, CHILD))
    rows = TreeRows(
        *(
            np.array([known.get(label, -1) for label in column], dtype=np.int64)
            for known, column in zip(numbers, columns, strict=True)
        )
    )
    if np.any(link_numbers(interest, edges, rows) < 0) or np.any(rows.topic < 0):
        raise ReadError("The trees of the plan use links or topics that the plan does not have; make the plan again.")
    members = np.diff(by_class.subscribers[0])
    if not np.array_equal(np.bincount(rows.topic, minlength=len(members)), np.maximum(members - 1, 0)):
        raise ReadError("The trees of the plan do not span their topics; make the plan again.")
    arrays, cut = kept_trees(by_class, edges, rows, np.zeros(interest.num_nodes, dtype=bool))
    if cut.any():
        raise ReadError("The trees of the plan have a cycle; make the plan again.")
    return Trees(interest, overlay, objective, class_of, by_class, arrays)


def merged_classes(interest: Interest) -> tuple[NDArray[np.int32], Interest]:
    """Group topics that must share a tree into classes; return the class of each topic, and an interest with one topic
    per class.
    """
    if not any(map(is_filter, interest.topics)):
        return np.arange(interest.num_topics, dtype=np.int32), interest
    class_of = classes_of(interest.topics)
    _, first = np.unique(class_of, return_index=True)
    # the names are in ascending order, because each class is numbered by its first topic
    names = tuple(interest.topics[t] for t in first.tolist())
    return class_of, Interest.from_csr(
        interest.nodes, names, interest.indptr, class_of[interest.indices], interest.roles
    )


def _grown(
    interest: Interest, edges: NDArray[np.int64], objective: int, weight: NDArray[np.float64]
) -> tuple[TreeArrays, NDArray[np.bool_]]:
    import numba

    from topicweave.kernels.jit import on_threads
    from topicweave.kernels.topic_links import members_of, topic_links
    from topicweave.kernels.trees import LOAD, grow_trees

    links = topic_links(interest.indptr, interest.indices, interest.num_topics, edges)
    members = members_of(interest.indptr, interest.indices, interest.receives, interest.num_topics)
    arrays, cut = _empty(interest)
    load = np.zeros(interest.num_nodes, dtype=np.int64)
    threads = 1 if objective == LOAD else numba.get_num_threads()
    on_threads(threads, grow_trees, links, members, weight, objective, load, (tuple(arrays), cut))
    return arrays, cut


class TreeRows(NamedTuple):
    """Links of trees as numbers: topic and both ends; -1 for labels that the interest does not have."""

    topic: NDArray[np.int64]
    one: NDArray[np.int64]
    other: NDArray[np.int64]


def kept_trees(
    interest: Interest, edges: NDArray[np.int64], rows: TreeRows, told: NDArray[np.bool_]
) -> tuple[TreeArrays, NDArray[np.bool_]]:
    """Build trees that contain all these links where they still exist, plus other links where pieces must be joined."""
    from topicweave.kernels.kept_trees import keep_trees
    from topicweave.kernels.topic_links import members_of, topic_links

    links = topic_links(interest.indptr, interest.indices, interest.num_topics, edges)
    members = members_of(interest.indptr, interest.indices, interest.receives, interest.num_topics)
    arrays, cut = _empty(interest)
    number = link_numbers(interest, edges, rows)
    here = np.repeat(np.arange(interest.num_topics), np.diff(links[0])) * max(len(edges), 1) + links[3]
    wanted = np.where((number >= 0) & (rows.topic >= 0), rows.topic * max(len(edges), 1) + number, -1)
    gone = ~np.isin(wanted, here) & (rows.one >= 0) & (rows.other >= 0)
    # the link is named in the file of the end whose label sorts last, so that file must change
    told[np.maximum(rows.one, rows.other)[gone]] = True
    keep_trees(links, members, np.isin(here, wanted), told, (tuple(arrays), cut))
    return arrays, cut


def link_numbers(interest: Interest, edges: NDArray[np.int64], rows: TreeRows) -> NDArray[np.int64]:
    """The position of each row's link among the overlay's links; -1 if the overlay does not have it."""
    if not len(edges):
        return np.full(len(rows.one), -1, dtype=np.int64)
    size = max(interest.num_nodes, 1)
    keys = edges[:, 0] * size + edges[:, 1]
    order = np.argsort(keys)
    low, high = np.minimum(rows.one, rows.other), np.maximum(rows.one, rows.other)
    at = np.minimum(np.searchsorted(keys[order], low * size + high), len(order) - 1)
    return np.where((low >= 0) & (keys[order[at]] == low * size + high), order[at], -1)


def _rows_of(interest: Interest, earlier: Trees) -> tuple[TreeRows, NDArray[np.bool_]]:
    """Translate the links of earlier trees to the numbers that topics and nodes have in this interest; -1 for labels
    that it does not contain.

    Also returns, bool (nodes), which nodes describe in their configuration file a bridge to a node that has left.
    """
    node = np.array([interest.node_numbers.get(label, -1) for label in earlier.interest.nodes], dtype=np.int64)
    topic = np.array([interest.topic_numbers.get(label, -1) for label in earlier.by_class.topics], dtype=np.int64)
    rows = np.flatnonzero(earlier.arrays.parent >= 0)
    starts, nodes = earlier.by_class.subscribers
    parent, child = earlier.arrays.parent[rows], nodes[rows]
    told = np.zeros(interest.num_nodes, dtype=bool)
    first, last = node[np.minimum(parent, child)], node[np.maximum(parent, child)]
    told[last[(first < 0) & (last >= 0)]] = True
    return TreeRows(topic[np.searchsorted(starts, rows, side="right") - 1], node[parent], node[child]), told


def _empty(interest: Interest) -> tuple[TreeArrays, NDArray[np.bool_]]:
    size, topics = interest.num_subscriptions, interest.num_topics
    parent, depth, link, degree = (np.full(size, -1, dtype=np.int32) for _ in range(4))
    hops, total = np.zeros(topics, dtype=np.int32), np.zeros(topics)
    return TreeArrays(parent, depth, link, degree, hops, total), np.zeros(topics, dtype=bool)


def _weights(objective: str, latency: Any, overlay: Overlay) -> NDArray[np.float64]:
    if objective != "latency":
        if latency is not None:
            raise ParameterError(f"latency is for objective 'latency', not {objective!r}; leave one of them out.")
        return np.empty(0)
    if latency is None:
        raise ParameterError("The objective 'latency' needs latency, a number for each link; give it.")
    if isinstance(latency, Mapping):
        found = [latency.get((a, b), latency.get((b, a))) for a, b in overlay.pairs()]
        if None in found:
            a, b = overlay.pairs()[found.index(None)]
            raise ParameterError(f"latency has no number for the link {a!r} - {b!r}; give one for every link.")
        latency = found
    try:
        weight = np.asarray(latency, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        raise ParameterError(
            f"latency must hold a number for each link, but a {type(latency).__name__} was given of which some is no "
            f"number; give it by label pair or in the order of overlay.edges."
        ) from None
    if weight.shape != (overlay.num_edges,) or not np.all((weight >= 0) & np.isfinite(weight)):
        raise ParameterError(
            f"latency must hold {overlay.num_edges} finite numbers, 0 or more, one for each link; "
            f"{weight.size} were given."
        )
    return weight


def _check_whole(interest: Interest, cut: NDArray[np.bool_], topics_in: NDArray[np.int64]) -> None:
    broken = np.flatnonzero(cut)
    if len(broken):
        first = int(broken[0])
        what = "the filters that overlap with" if topics_in[first] > 1 else "the members of topic"
        raise InfeasibleError(
            "The overlay does not connect {what} {topic!r} ({cut} of {all} trees cannot be made); {remedy}.",
            what=what, topic=interest.topics[first], cut=len(broken), all=interest.num_topics, remedy=Remedy.COMPLETE,
        )  # fmt: skip

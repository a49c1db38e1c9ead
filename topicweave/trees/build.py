"""trees(): one spanning tree for each topic of an overlay."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from topicweave.errors import InfeasibleError, ParameterError
from topicweave.metrics.matching import matched_edges
from topicweave.model import Interest, Overlay
from topicweave.parameters import check_choice, check_kind
from topicweave.trees.filters import classes_of, is_filter
from topicweave.trees.result import TreeArrays, Trees

if TYPE_CHECKING:
    from collections.abc import Sequence

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
    """One spanning tree of its members for every topic, over links of the overlay alone.

    Parameters
    ----------
    interest
        Who subscribes to what, and who publishes what. Members that only publish become leaves where the others are
        connected without them; those that must relay are listed in :attr:`Trees.relays`.
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
        Earlier trees, of any interest and overlay: whatever is left of a topic's earlier tree is kept, and the fewest
        links that join its pieces are added, whatever the objective.

    Raises
    ------
    InfeasibleError
        The overlay leaves a topic in pieces.

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
        arrays, cut = _kept(by_class, edges, prefer)
    _check_whole(by_class, cut, np.bincount(class_of, minlength=by_class.num_topics))
    return Trees(interest, overlay, objective, class_of, by_class, arrays)


def merged_classes(interest: Interest) -> tuple[NDArray[np.int32], Interest]:
    """The class of each topic, and the interest with a topic for each class."""
    if not any(map(is_filter, interest.topics)):
        return np.arange(interest.num_topics, dtype=np.int32), interest
    class_of = classes_of(interest.topics)
    _, first = np.unique(class_of, return_index=True)
    names = tuple(interest.topics[t] for t in first.tolist())  # rising, for classes are numbered by their first topics
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


def _kept(interest: Interest, edges: NDArray[np.int64], earlier: Trees) -> tuple[TreeArrays, NDArray[np.bool_]]:
    from topicweave.kernels.kept_trees import keep_trees
    from topicweave.kernels.topic_links import members_of, topic_links

    links = topic_links(interest.indptr, interest.indices, interest.num_topics, edges)
    members = members_of(interest.indptr, interest.indices, interest.receives, interest.num_topics)
    arrays, cut = _empty(interest)
    is_kept, told = _what_is_kept(interest, edges, links[0], links[3], earlier)
    keep_trees(links, members, is_kept, told, (tuple(arrays), cut))
    return arrays, cut


def _what_is_kept(
    interest: Interest, edges: NDArray[np.int64], starts: NDArray[np.int64], link: NDArray[np.int32], earlier: Trees
) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    """Which links inside topics were in the earlier tree; and to which nodes something has to be told in any case.

    A link is told to the end whose label sorts last; one that is no longer in a tree must be told to be dropped.
    """
    node = np.array([interest.node_numbers.get(label, -1) for label in earlier.interest.nodes], dtype=np.int64)
    topic = np.array([interest.topic_numbers.get(label, -1) for label in earlier.by_class.topics], dtype=np.int64)
    rows = np.flatnonzero(earlier.arrays.parent >= 0)
    old_starts, old_nodes = earlier.by_class.subscribers
    t = topic[np.searchsorted(old_starts, rows, side="right") - 1]
    u, v = node[earlier.arrays.parent[rows]], node[old_nodes[rows]]
    size = max(interest.num_nodes, 1)
    link_keys = edges[:, 0] * size + edges[:, 1]
    by_key = np.argsort(link_keys)
    wanted = np.minimum(u, v) * size + np.maximum(u, v)
    at = np.searchsorted(link_keys[by_key], wanted)
    at[at == len(by_key)] = 0
    is_there = (u >= 0) & (v >= 0) & (t >= 0)
    if len(by_key):
        is_there &= link_keys[by_key][at] == wanted
    else:
        is_there[:] = False
    number = by_key[at[is_there]] if len(by_key) else np.empty(0, dtype=np.int64)
    old_keys = t[is_there] * max(len(edges), 1) + number
    here = np.repeat(np.arange(interest.num_topics), np.diff(starts))
    new_keys = here * max(len(edges), 1) + link
    is_kept = np.isin(new_keys, old_keys)
    told = np.zeros(interest.num_nodes, dtype=bool)
    gone = ~is_there
    gone[is_there] = ~np.isin(old_keys, new_keys)
    told[np.maximum(u, v)[gone & (u >= 0) & (v >= 0)]] = True
    one_left = gone & ((u >= 0) ^ (v >= 0))
    later = np.array([a > b for a, b in _labels(earlier, rows[one_left], old_nodes)], dtype=bool)
    survivor, is_parent = np.maximum(u, v)[one_left], (u >= 0)[one_left]
    told[survivor[later == is_parent]] = True
    return is_kept, told


def _labels(earlier: Trees, rows: NDArray[np.int64], nodes: NDArray[np.int32]) -> list[tuple[str, str]]:
    label = earlier.interest.nodes
    return [(label[earlier.arrays.parent[row]], label[nodes[row]]) for row in rows.tolist()]


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
    weight = np.asarray(latency, dtype=np.float64)
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
            f"The overlay does not connect {what} {interest.topics[first]!r} ({len(broken)} of {interest.num_topics} "
            f"trees cannot be made); complete it with design(interest, 'low', start=overlay)."
        )

"""Proofs that no overlay can meet the requirements, each naming the topic, nodes or pairs concerned.

None of the checks is complete: if all are passed, there may still be no overlay.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from topicweave.errors import ImpossibleError, InputError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from topicweave.model import Interest, Resolved


def check_possible(interest: Interest, resolved: Resolved) -> None:
    """Raise an ImpossibleError if it can be proved that no overlay meets the requirements."""
    check_required(interest, resolved)
    _check_costs_known(interest, resolved)
    _check_caps_of_nodes(interest, resolved)
    starts, subscribers = interest.subscribers
    is_restricted = _may_be_cut(interest, resolved)
    for topic in np.flatnonzero(interest.topic_sizes >= 2).tolist():
        nodes = subscribers[starts[topic] : starts[topic + 1]].astype(np.int64)
        _check_caps_of_topic(interest, resolved, topic, nodes)
        if is_restricted[topic]:
            _check_permitted_links(interest, resolved, topic, nodes)


def check_required(interest: Interest, resolved: Resolved) -> None:
    """Raise an error if a required link is not permitted, or if a node has more required links than its limit."""
    names = interest.nodes
    for u, v in resolved.required[~resolved.permits(resolved.required)].tolist():
        raise ImpossibleError(
            "The link {one!r} - {other!r} is required, but forbidden or not among those allowed; decide for one.",
            one=names[u], other=names[v], pairs=((names[u], names[v]),),
        )  # fmt: skip
    degree = np.bincount(resolved.required.ravel(), minlength=interest.num_nodes)
    for node in np.flatnonzero(degree > resolved.caps).tolist():
        raise ImpossibleError(
            "Node {node!r} has {count} required links, but its {limit} is {cap}; raise it.",
            node=names[node], count=int(degree[node]), cap=int(resolved.caps[node]), limit="max_degree",
            nodes=(names[node],),
            pairs=tuple((names[u], names[v]) for u, v in resolved.required.tolist() if node in (u, v)),
        )  # fmt: skip


def _may_be_cut(interest: Interest, resolved: Resolved) -> NDArray[np.bool_]:
    """For each topic, whether permitted links may be too few; False where so few pairs are closed that they suffice."""
    if not resolved.is_open.all():
        return np.ones(interest.num_topics, dtype=bool)
    found = np.zeros(interest.num_topics, dtype=bool)
    closed = resolved.exceptions[~resolved.is_exception_open]
    if len(closed):
        one, other = np.divmod(closed, interest.num_nodes)
        subscribed = interest.to_scipy().astype(np.int64)
        both = subscribed[one].multiply(subscribed[other]).tocsc()
        for topic in np.flatnonzero(np.diff(both.indptr)).tolist():
            pairs = both.indices[both.indptr[topic] : both.indptr[topic + 1]]
            most = int(np.bincount(np.concatenate((one[pairs], other[pairs]))).max())
            size = int(interest.topic_sizes[topic])
            found[topic] = not _is_dense(size, size - 1 - most, resolved.connectivity)
    return found


def _is_dense(size: int, least: int, connectivity: int) -> bool:
    """Whether any graph of this size in which every member has at least so many neighbours stays connected when nodes
    fail, and has diameter at most 2.
    """
    return 2 * least >= size + connectivity - 2


def _check_costs_known(interest: Interest, resolved: Resolved) -> None:
    """Raise an error if a permitted pair has no cost."""
    if resolved.cost_table is None or not np.isnan(resolved.cost_table).any():
        return
    starts, subscribers = interest.subscribers
    for topic in range(interest.num_topics):
        nodes = subscribers[starts[topic] : starts[topic + 1]].astype(np.int64)
        one, other = np.triu_indices(len(nodes), 1)
        pairs = np.column_stack((nodes[one], nodes[other]))
        unknown = pairs[resolved.permits(pairs) & np.isnan(resolved.costs(pairs))]
        for u, v in unknown.tolist():
            raise InputError(
                f"The cost of the link {interest.nodes[u]!r} - {interest.nodes[v]!r} is unknown; add it to link_cost=, "
                f"or forbid the link."
            )


def _check_caps_of_nodes(interest: Interest, resolved: Resolved) -> None:
    """In each of its topics, a node needs one neighbour more than the number of failures to survive."""
    needed_by = np.minimum(resolved.connectivity, interest.topic_sizes - 1)
    for node in np.flatnonzero(resolved.caps < resolved.connectivity).tolist():
        topics = interest.indices[interest.indptr[node] : interest.indptr[node + 1]]
        short = topics[needed_by[topics] > resolved.caps[node]]
        if len(short):
            raise ImpossibleError(
                "The {limit} of node {node!r} is {cap}, but topic {topic!r} needs at least {needed} there; raise it.",
                node=interest.nodes[node], cap=int(resolved.caps[node]), needed=int(needed_by[short[0]]),
                topic=interest.topics[short[0]], limit="max_degree",
                nodes=(interest.nodes[node],), topics=(interest.topics[short[0]],),
            )  # fmt: skip


def _check_caps_of_topic(interest: Interest, resolved: Resolved, topic: int, nodes: NDArray[np.int64]) -> None:
    """The degree limits of a topic's members must allow a tree (or ``connectivity`` links for each member), and must
    let every member reach all others within the hop limit (Moore's bound).
    """
    size = len(nodes)
    caps = np.minimum(resolved.caps[nodes], size - 1)
    needed = max(2 * (size - 1), min(resolved.connectivity, size - 1) * size)
    if caps.sum() < needed:
        raise ImpossibleError(
            "The {size} subscribers of topic {topic!r} may have {sum} links together, but need {needed}; raise their "
            "{limit}.",
            size=size, topic=interest.topics[topic], sum=int(caps.sum()), needed=needed, limit="max_degree",
            topics=(interest.topics[topic],), nodes=tuple(interest.nodes[v] for v in nodes.tolist()),
        )  # fmt: skip
    if resolved.max_hops and size > 1:
        highest = int(caps.max())
        within, layer = 1, highest
        for _ in range(resolved.max_hops):
            if within >= size:
                return
            within, layer = within + layer, layer * (highest - 1)
        if within < size:
            raise ImpossibleError(
                "The {size} subscribers of topic {topic!r} may have {highest} links each, so none of them has more "
                "than {within} others within {hops} hops; raise their {limit} or max_hops.",
                size=size, topic=interest.topics[topic], highest=highest, within=within - 1, hops=resolved.max_hops,
                limit="max_degree", topics=(interest.topics[topic],),
            )  # fmt: skip


def _check_permitted_links(interest: Interest, resolved: Resolved, topic: int, nodes: NDArray[np.int64]) -> None:
    """Even with all permitted links, each topic must meet the hop limit and survive the failures; otherwise raise an
    error.
    """
    size = len(nodes)
    one, other = np.triu_indices(size, 1)
    permitted = np.zeros((size, size), dtype=bool)
    permitted[one, other] = resolved.permits(np.column_stack((nodes[one], nodes[other])))
    permitted |= permitted.T
    least = int(permitted.sum(axis=1).min())
    if least == size - 1 or _is_dense(size, least, resolved.connectivity):
        return
    label, names = interest.topics[topic], [interest.nodes[v] for v in nodes.tolist()]
    reached = _reached(permitted, size)
    if not reached.all():
        u, v = np.argwhere(~reached)[0].tolist()
        raise ImpossibleError(
            "Topic {topic!r} cannot be connected by permitted links: there is no path from {one!r} to {other!r}; "
            "permit more links.",
            topic=label, one=names[u], other=names[v], topics=(label,), pairs=((names[u], names[v]),),
        )  # fmt: skip
    if resolved.max_hops:
        reached = _reached(permitted, resolved.max_hops)
        if not reached.all():
            u, v = np.argwhere(~reached)[0].tolist()
            raise ImpossibleError(
                "Even with all permitted links, {one!r} and {other!r} are more than {hops} hops apart in topic "
                "{topic!r}; permit more links or raise {limit}.",
                topic=label, one=names[u], other=names[v], hops=resolved.max_hops, limit="max_hops",
                topics=(label,), pairs=((names[u], names[v]),),
            )  # fmt: skip
    if resolved.connectivity > 1:
        cut = _cut_of(permitted, resolved.connectivity)
        if cut is not None:
            raise ImpossibleError(
                "Even with all permitted links, topic {topic!r} does not survive the failure of {failed}; permit more "
                "links or lower {limit}.",
                topic=label, failed=" and ".join(repr(names[v]) for v in cut), limit="connectivity",
                topics=(label,), nodes=tuple(names[v] for v in cut),
            )  # fmt: skip


def _reached(permitted: NDArray[np.bool_], hops: int) -> NDArray[np.bool_]:
    """For each member, which others it reaches within this number of hops."""
    step = (permitted | np.eye(len(permitted), dtype=bool)).astype(np.float32)
    reached, made = step, 1
    while made < hops and not reached.all():
        further = ((reached @ step) > 0).astype(np.float32)
        if np.array_equal(further, reached):
            break
        reached, made = further, made + 1
    return reached > 0


def _cut_of(permitted: NDArray[np.bool_], connectivity: int) -> tuple[int, ...] | None:
    """At most ``connectivity`` - 1 nodes whose failure separates the others; None if there is no such cut. In a small
    topic, where everybody would have to be linked to everybody else, the two ends of a pair that is not permitted.
    """
    size = len(permitted)
    if size <= connectivity:
        u, v = np.argwhere(~permitted & ~np.eye(size, dtype=bool))[0].tolist()
        return u, v
    for first in range(size):
        rest = np.delete(np.arange(size), first)
        part = permitted[np.ix_(rest, rest)]
        if not _reached(part, size).all():
            return (first,)
        if connectivity == 3 and part.sum(axis=1).min() < (size - 1) / 2:
            for place in range(first, size - 1):
                left = np.delete(np.arange(size - 1), place)
                if not _reached(part[np.ix_(left, left)], size).all():
                    return first, int(rest[place])
    return None

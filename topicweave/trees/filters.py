"""Topics that are MQTT filters: two filters that can match the same message must share one tree.

``x/#``, ``x/1`` and ``+/1`` overlap: a message on ``x/1`` would travel along the tree of each of them, and if the trees
together have a cycle it would never stop. So filters that overlap, directly or through others, form a class.
"""

from __future__ import annotations

from collections import defaultdict
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

ONE, REST = "+", "#"


def is_filter(topic: str) -> bool:
    """Whether a topic is a filter: a wildcard fills a whole level, and ``#`` stands only at the end."""
    levels = topic.split("/")
    return ONE in levels or levels[-1] == REST


def is_malformed(topic: str) -> bool:
    """Whether a topic is neither a valid name nor a valid filter: a wildcard inside a level, or ``#`` before
    the end.
    """
    levels = topic.split("/")
    wild = any(sign in level and level != sign for level in levels for sign in (ONE, REST))
    return wild or REST in levels[:-1] or topic == "" or "\0" in topic


def overlap(one: str, other: str) -> bool:
    """Whether some topic name matches both filters.

    Examples
    --------
    >>> overlap("x/#", "x/1"), overlap("x/#", "+/1"), overlap("x/+", "x"), overlap("x/#", "x"), overlap("#", "$SYS/a")
    (True, True, False, True, False)
    """
    mine, theirs = one.split("/"), other.split("/")
    for a, b in ((mine[0], theirs[0]), (theirs[0], mine[0])):
        # a wildcard at the beginning does not match topic names that start with $
        if a in (ONE, REST) and b.startswith("$"):
            return False
    for a, b in zip(mine, theirs, strict=False):
        if REST in (a, b):
            return True
        if a != b and ONE not in (a, b):
            return False
    longer = mine if len(mine) > len(theirs) else theirs
    rest = longer[min(len(mine), len(theirs)) :]
    return not rest or rest == [REST]


def covers(wide: str, narrow: str) -> bool:
    """Whether the wide filter matches every topic name that the narrow one matches."""
    mine, theirs = wide.split("/"), narrow.split("/")
    if mine[0] in (ONE, REST) and theirs[0].startswith("$"):
        return False
    for depth, level in enumerate(mine):
        if level == REST:
            return True
        if depth >= len(theirs) or theirs[depth] == REST or (level not in (ONE, theirs[depth])):
            return False
    return len(mine) == len(theirs)


def widest(filters: Iterable[str]) -> tuple[str, ...]:
    """The filters that no other filter covers, sorted; together they match the same messages as all of them."""
    listed = sorted(set(filters))
    return tuple(
        one
        for one in listed
        if not any(covers(other, one) and (other < one or not covers(one, other)) for other in listed if other != one)
    )


def classes_of(topics: Sequence[str]) -> NDArray[np.int32]:
    """The class of each topic; topics in the same class share a tree.

    Topics of one class can match the same message; classes are numbered by their first topic.
    """
    parent = list(range(len(topics)))

    def find(t: int) -> int:
        while parent[t] != t:
            parent[t] = parent[parent[t]]
            t = parent[t]
        return t

    wild = [t for t, topic in enumerate(topics) if is_filter(topic)]
    if wild:
        by_first: dict[str, list[int]] = defaultdict(list)
        for t, topic in enumerate(topics):
            by_first[topic.split("/", 1)[0]].append(t)
        everything = range(len(topics))
        for t in wild:
            first = topics[t].split("/", 1)[0]
            near = everything if first in (ONE, REST) else [*by_first[first], *by_first[ONE], *by_first[REST]]
            for other in near:
                if other != t and overlap(topics[t], topics[other]):
                    a, b = find(t), find(other)
                    parent[max(a, b)] = min(a, b)
    roots = np.array([find(t) for t in range(len(topics))], dtype=np.int64)
    _, number = np.unique(roots, return_inverse=True)
    return number.astype(np.int32)

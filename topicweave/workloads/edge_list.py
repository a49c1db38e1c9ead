"""Edge lists: pairs of users, each user identified by a label; read from files or given by callers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from topicweave.errors import InputError
from topicweave.model import Interest
from topicweave.model.labels import as_label, as_labels
from topicweave.parameters import whole_numbers

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray


@dataclass(frozen=True, eq=False)
class EdgeList:
    """Pairs of users exactly as listed: not merged, not filtered, in the original order.

    Attributes
    ----------
    users
        Labels by number, sorted; a user may be in no pair.
    ends
        int64 array (m, 2) of user numbers. In a directed list, the first follows the second.
    """

    users: tuple[str, ...] = field(repr=False)
    ends: NDArray[np.int64] = field(repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "users", as_labels(self.users, "user"))
        is_empty = isinstance(self.ends, list | tuple | np.ndarray) and np.asarray(self.ends, dtype=object).size == 0
        ends = whole_numbers(np.empty((0, 2)) if is_empty else self.ends, "The ends of an edge list", 2)
        if ends.shape[1] != 2:
            raise InputError(f"An edge list has two ends for each pair, but its shape is {ends.shape}; give (m, 2).")
        ends = ends.astype(np.int64)
        if len(ends) and (ends.min() < 0 or ends.max() >= len(self.users)):
            raise InputError(
                f"User numbers must lie in 0..{len(self.users) - 1}, but {ends.min()}..{ends.max()} were given."
            )
        if any(before >= after for before, after in zip(self.users, self.users[1:], strict=False)):
            raise InputError("The user labels must be distinct and sorted; use as_edge_list, which sorts.")
        ends.setflags(write=False)
        object.__setattr__(self, "ends", ends)

    @property
    def num_users(self) -> int:
        return len(self.users)

    def __len__(self) -> int:
        return len(self.ends)

    def __iter__(self) -> Iterator[tuple[str, str]]:
        for one, other in self.ends.tolist():
            yield self.users[one], self.users[other]

    def to_interest(self) -> Interest:
        """Read the pairs as (node, topic) subscriptions; the same label may then be both a node and a topic.

        For tables of which user likes what; for users who follow users, see :func:`topicweave.workloads.social`.
        """
        nodes, rows = np.unique(self.ends[:, 0], return_inverse=True)
        topics, columns = np.unique(self.ends[:, 1], return_inverse=True)
        names = tuple(self.users[v] for v in nodes), tuple(self.users[t] for t in topics)
        return folded_interest(*names, rows.astype(np.int64), columns.astype(np.int64))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, EdgeList):
            return NotImplemented
        return self.users == other.users and np.array_equal(self.ends, other.ends)

    __hash__ = None  # type: ignore[assignment]

    def __repr__(self) -> str:
        return f"EdgeList({self.num_users} users, {len(self)} pairs)"


def as_edge_list(edges: EdgeList | Interest | ArrayLike | Iterable[tuple[Any, Any]]) -> EdgeList:
    """Make an edge list from pairs of users, an (m, 2) array, or the interest made of a social graph."""
    if isinstance(edges, EdgeList):
        return edges
    if isinstance(edges, Interest):
        return _from_interest(edges)
    if isinstance(edges, np.ndarray):
        if edges.ndim != 2 or edges.shape[1] != 2:
            raise InputError(f"An array of edges has the shape (m, 2), but this one has {edges.shape}.")
        if edges.dtype.kind in "iu":
            numbers, inverse = np.unique(edges, return_inverse=True)
            return sorted_edge_list([str(number) for number in numbers.tolist()], inverse.reshape(-1, 2))
        edges = edges.tolist()
    known: dict[str, int] = {}
    ends = [known.setdefault(user, len(known)) for pair in _pairs(edges) for user in pair]
    return sorted_edge_list(list(known), np.array(ends, dtype=np.int64).reshape(-1, 2))


def _pairs(edges: Any) -> Iterator[tuple[str, str]]:
    if isinstance(edges, str | bytes) or not isinstance(edges, Iterable):
        raise InputError(f"Edges are pairs of users, but {edges!r} was given; to read a file use read_edge_list.")
    for pair in edges:
        try:
            if isinstance(pair, (str, bytes)):  # a string of two characters could be unpacked as a pair of users
                raise TypeError
            one, other = pair
        except (TypeError, ValueError):
            raise InputError(f"An edge is a pair of users, but one entry is {pair!r}; give two values each.") from None
        yield as_label(one, "user"), as_label(other, "user")


def _from_interest(interest: Interest) -> EdgeList:
    rows = np.repeat(np.arange(interest.num_nodes), np.diff(interest.indptr))
    names = [*interest.nodes, *interest.topics]
    known: dict[str, int] = {}
    number = np.array([known.setdefault(name, len(known)) for name in names], dtype=np.int64)
    ends = np.stack((number[rows], number[interest.num_nodes + interest.indices.astype(np.int64)]), axis=1)
    return sorted_edge_list(list(known), ends)


def sorted_edge_list(names: list[str], ends: NDArray[np.int64]) -> EdgeList:
    """Renumber users in the order of their labels, which must be distinct."""
    order = sorted(range(len(names)), key=names.__getitem__)
    renumbered = np.empty(len(names), dtype=np.int64)
    renumbered[order] = np.arange(len(names))
    return EdgeList(tuple(names[i] for i in order), renumbered[ends])


def folded_interest(
    nodes: tuple[str, ...], topics: tuple[str, ...], rows: NDArray[np.int64], columns: NDArray[np.int64]
) -> Interest:
    """The interest that consists of these subscriptions; repeated ones count once."""
    width = max(len(topics), 1)
    codes = np.sort(rows * width + columns)
    # Duplicates are removed by sorting, because np.unique may use a hash table for integers, which is many times slower
    # for millions of them.
    codes = codes[np.diff(codes, prepend=-1) > 0]
    sizes = np.bincount(codes // width, minlength=len(nodes))
    return Interest.from_csr(nodes, topics, np.concatenate(([0], np.cumsum(sizes))), codes % width)

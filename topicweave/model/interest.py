"""Interest: which nodes subscribe to which topics; the input of everything else."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain
from typing import TYPE_CHECKING, Any

import numpy as np

from topicweave.errors import InputError
from topicweave.model.interest_checks import (
    PUBLISHES,
    SUBSCRIBES,
    check_csr,
    check_rows_rise,
    check_sorted,
    checked_roles,
    has_nan,
    names_or_numbers,
    sets_of,
)
from topicweave.model.labels import as_label, as_labels, find_numbers, numbers_by_label
from topicweave.parameters import whole_numbers

if TYPE_CHECKING:
    import scipy.sparse
    from numpy.typing import ArrayLike, NDArray


@dataclass(frozen=True, eq=False)
class Interest:
    """The subscriptions of all nodes, immutable: one boolean matrix, stored by node and by topic in CSR form.

    Build it with :meth:`from_pairs`, :meth:`from_sets` or :meth:`from_matrix`. Nodes and topics are numbered in sorted
    label order, so that nothing depends on the order of the input.

    Attributes
    ----------
    nodes, topics
        Labels by number.
    indptr, indices
        CSR by node: the topics of node ``v`` are ``indices[indptr[v]:indptr[v + 1]]``, in ascending order.
    roles
        For each entry of ``indices`` the bits :data:`SUBSCRIBES` and :data:`PUBLISHES`; None if every node only
        subscribes. A publisher is a member of the topic like its subscribers: links are designed for both.

    Examples
    --------
    >>> interest = Interest.from_pairs([("a", "news"), ("b", "news"), ("b", "sport")])
    >>> interest.num_nodes, interest.num_topics, interest.num_subscriptions
    (2, 2, 3)
    >>> sorted(interest.topics_of("b"))
    ['news', 'sport']
    """

    nodes: Sequence[str]
    topics: Sequence[str]
    indptr: NDArray[np.int64] = field(repr=False)
    indices: NDArray[np.int32] = field(repr=False)
    roles: NDArray[np.uint8] | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "nodes", as_labels(self.nodes, "node"))
        object.__setattr__(self, "topics", as_labels(self.topics, "topic"))
        check_csr(self.indptr, self.indices, len(self.nodes), len(self.topics))
        check_rows_rise(self.indptr, self.indices)
        check_sorted(self.nodes, "node")
        check_sorted(self.topics, "topic")
        object.__setattr__(self, "roles", checked_roles(self.roles, self.indices))
        for name in ("indptr", "indices", "roles"):
            given = getattr(self, name)
            # make a copy, because the caller may still write to this array
            if given is not None and given.flags.writeable:
                given = given.copy()
                given.setflags(write=False)
                object.__setattr__(self, name, given)

    # ---- building ---------------------------------------------------------------------------------------------

    @classmethod
    def from_pairs(
        cls, pairs: Iterable[tuple[Any, Any]], publishers: Iterable[tuple[Any, Any]] | None = None
    ) -> Interest:
        """Build from (node, topic) pairs; a repeated pair counts once.

        Parameters
        ----------
        pairs
            The subscriptions.
        publishers
            Which node publishes which topic; a pair that is listed only here does not receive the topic.

        Examples
        --------
        >>> interest = Interest.from_pairs([("a", "news"), ("b", "news")], publishers=[("c", "news")])
        >>> sorted(interest.subscribers_of("news")), sorted(interest.publishers_of("news"))
        (['a', 'b', 'c'], ['c'])
        """
        return cls._from_names(sets_of(pairs), sets_of(() if publishers is None else publishers))

    @classmethod
    def from_sets(cls, topics_by_node: Mapping[Any, Iterable[Any]]) -> Interest:
        """Build from a mapping of each node to its topics; a node may have none."""
        if not isinstance(topics_by_node, Mapping):
            raise InputError(
                f"from_sets needs a mapping of node to topics, but got a {type(topics_by_node).__name__}; "
                f"use from_pairs for pairs."
            )
        sets: dict[str, set[str]] = {}
        for node, wanted in topics_by_node.items():
            if isinstance(wanted, str | bytes) or not isinstance(wanted, Iterable):
                raise InputError(
                    f"The topics of node {node!r} are one value ({wanted!r}); give a list or set of topics."
                )
            names = sets.setdefault(as_label(node, "node"), set())
            names.update(topic if type(topic) is str else as_label(topic, "topic") for topic in wanted)
        return cls._from_names(sets)

    @classmethod
    def _from_names(
        cls, subscribed: Mapping[str, AbstractSet[str]], published: Mapping[str, AbstractSet[str]] | None = None
    ) -> Interest:
        sets = dict(subscribed)
        for node, topics_published in (published or {}).items():
            sets[node] = sets.get(node, set()) | topics_published
        nodes = tuple(sorted(sets))
        topics = tuple(sorted(set().union(*sets.values())))
        number = numbers_by_label(topics)
        sizes = np.fromiter((len(sets[node]) for node in nodes), dtype=np.int64, count=len(nodes))
        flat = np.fromiter(
            (number[topic] for topic in chain.from_iterable(sets[node] for node in nodes)),
            dtype=np.int32,
            count=int(sizes.sum()),
        )
        roles = None
        if published:
            roles = np.fromiter(
                (
                    SUBSCRIBES * (topic in subscribed.get(node, ())) | PUBLISHES * (topic in published.get(node, ()))
                    for node in nodes
                    for topic in sets[node]
                ),
                dtype=np.uint8,
                count=len(flat),
            )
        return cls.from_csr(nodes, topics, np.concatenate(([0], np.cumsum(sizes))), flat, roles)

    @classmethod
    def from_matrix(
        cls,
        matrix: ArrayLike | scipy.sparse.sparray,
        nodes: Sequence[Any] | None = None,
        topics: Sequence[Any] | None = None,
    ) -> Interest:
        """Build from a nodes × topics matrix, dense or sparse; non-zero means "subscribes".

        Without labels, rows and columns are labelled with their numbers, padded with zeros so that they sort as
        numbers.
        """
        from scipy import sparse

        try:
            given: Any = matrix if sparse.issparse(matrix) else np.asarray(matrix)
        except ValueError:
            raise InputError("The rows of the matrix differ in length; give as many columns in each.") from None
        if given.ndim != 2 or given.dtype.kind not in "biuf" or (given.dtype.kind == "f" and has_nan(given)):
            raise InputError(
                f"from_matrix needs a nodes × topics matrix of numbers without NaN, but got {given.ndim} dimensions of "
                f"{given.dtype}; use 0 and 1, or from_pairs for labels."
            )
        csr = sparse.csr_array(given, copy=True)  # make a copy, because the next two lines change it in place
        csr.sum_duplicates()
        csr.eliminate_zeros()
        names = names_or_numbers(nodes, csr.shape[0], "node")
        columns = names_or_numbers(topics, csr.shape[1], "topic")
        row_order = np.argsort(np.array(names, dtype=object), kind="stable")
        column_order = np.argsort(np.array(columns, dtype=object), kind="stable")
        csr = csr[row_order][:, column_order]
        return cls.from_csr(
            tuple(names[i] for i in row_order),
            tuple(columns[i] for i in column_order),
            csr.indptr,
            csr.indices,
        )

    @classmethod
    def from_csr(
        cls,
        nodes: Sequence[str],
        topics: Sequence[str],
        indptr: ArrayLike,
        indices: ArrayLike,
        roles: ArrayLike | None = None,
    ) -> Interest:
        """Build from CSR arrays over sorted labels; the topics of a node may come in any order."""
        nodes, topics = as_labels(nodes, "node"), as_labels(topics, "topic")
        starts = whole_numbers(indptr, "indptr", 1).astype(np.int64)
        wide = whole_numbers(indices, "indices", 1)
        check_csr(starts, wide, len(nodes), len(topics))
        flat = wide.astype(np.int32)
        role = None if roles is None else np.array(roles, dtype=np.uint8)
        rows = np.repeat(np.arange(len(starts) - 1), np.diff(starts))
        if len(flat) and np.any((np.diff(flat) <= 0) & (np.diff(rows) == 0)):
            order = np.lexsort((flat, rows))
            rows, flat = rows[order], flat[order]
            kept = np.ones(len(flat), dtype=bool)
            kept[1:] = (np.diff(flat) != 0) | (np.diff(rows) != 0)
            if role is not None:
                role = np.bitwise_or.reduceat(role[order], np.flatnonzero(kept))
            rows, flat = rows[kept], flat[kept]
            starts = np.concatenate(([0], np.cumsum(np.bincount(rows, minlength=len(starts) - 1))))
        starts.setflags(write=False)
        flat.setflags(write=False)
        return cls(nodes, topics, starts, flat, role)

    # ---- sizes ------------------------------------------------------------------------------------------------

    @property
    def num_nodes(self) -> int:
        return len(self.nodes)

    @property
    def num_topics(self) -> int:
        return len(self.topics)

    @property
    def num_subscriptions(self) -> int:
        return len(self.indices)

    # ---- views ------------------------------------------------------------------------------------------------

    @cached_property
    def topic_sizes(self) -> NDArray[np.int64]:
        """The number of subscribers of each topic."""
        sizes = np.bincount(self.indices, minlength=self.num_topics).astype(np.int64, copy=False)
        sizes.setflags(write=False)
        return sizes

    @cached_property
    def subscribers(self) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
        """The nodes of each topic in CSR form: ``(indptr, nodes)``, nodes in ascending order."""
        starts = np.concatenate(([0], np.cumsum(self.topic_sizes))).astype(np.int64)
        order = np.argsort(self.indices, kind="stable")
        nodes = np.repeat(np.arange(self.num_nodes, dtype=np.int32), np.diff(self.indptr))[order]
        starts.setflags(write=False)
        nodes.setflags(write=False)
        return starts, nodes

    @cached_property
    def node_numbers(self) -> dict[str, int]:
        return numbers_by_label(self.nodes)

    @cached_property
    def topic_numbers(self) -> dict[str, int]:
        return numbers_by_label(self.topics)

    def topics_of(self, node: str) -> frozenset[str]:
        """The topics of a node, as labels."""
        number = int(find_numbers([node], self.node_numbers, "node")[0])
        return frozenset(self.topics[t] for t in self.indices[self.indptr[number] : self.indptr[number + 1]])

    @cached_property
    def receives(self) -> NDArray[np.bool_]:
        """For each entry of ``indices``, whether the node subscribes; False where it only publishes."""
        if self.roles is None:
            return np.ones(len(self.indices), dtype=bool)
        found: NDArray[np.bool_] = (self.roles & SUBSCRIBES) != 0
        return found

    def publishers_of(self, topic: str) -> frozenset[str]:
        """The declared publishers of a topic, as labels."""
        if self.roles is None:
            return frozenset()
        number = int(find_numbers([topic], self.topic_numbers, "topic")[0])
        entries = np.flatnonzero((self.indices == number) & ((self.roles & PUBLISHES) != 0))
        owners = np.searchsorted(self.indptr, entries, side="right") - 1
        return frozenset(self.nodes[v] for v in owners.tolist())

    def subscribers_of(self, topic: str) -> frozenset[str]:
        """The members of a topic, as labels: the nodes that subscribe to it or publish it."""
        number = int(find_numbers([topic], self.topic_numbers, "topic")[0])
        starts, nodes = self.subscribers
        return frozenset(self.nodes[v] for v in nodes[starts[number] : starts[number + 1]])

    def pairs(self) -> Iterable[tuple[str, str]]:
        """All subscriptions as label pairs, in node order, then topic order."""
        for v, node in enumerate(self.nodes):
            for t in self.indices[self.indptr[v] : self.indptr[v + 1]]:
                yield node, self.topics[t]

    def to_scipy(self) -> scipy.sparse.csr_array:
        """The nodes × topics matrix, boolean, topic columns sorted in each row."""
        from scipy import sparse

        ones = np.ones(self.num_subscriptions, dtype=bool)
        return sparse.csr_array(
            (ones, self.indices.copy(), self.indptr.copy()), shape=(self.num_nodes, self.num_topics)
        )

    # ---- variants ---------------------------------------------------------------------------------------------

    def restrict(self, nodes: Iterable[str] | None = None, topics: Iterable[str] | None = None) -> Interest:
        """The part of the interest that concerns these nodes and topics; a topic stays even if it loses all
        subscribers.
        """
        rows = np.arange(self.num_nodes)
        columns = np.arange(self.num_topics)
        if nodes is not None:
            rows = np.unique(find_numbers(nodes, self.node_numbers, "node"))
        if topics is not None:
            columns = np.unique(find_numbers(topics, self.topic_numbers, "topic"))
        from scipy import sparse

        numbered = sparse.csr_array(
            (np.arange(1, len(self.indices) + 1), self.indices, self.indptr), shape=(self.num_nodes, self.num_topics)
        )
        part = numbered[rows][:, columns]
        return Interest.from_csr(
            tuple(self.nodes[v] for v in rows.tolist()),
            tuple(self.topics[t] for t in columns.tolist()),
            part.indptr,
            part.indices,
            None if self.roles is None else self.roles[part.data - 1],
        )

    def add(self, topics_by_node: Mapping[Any, Iterable[Any]]) -> Interest:
        """A new interest with these additional nodes; a node that already exists is an error."""
        new = Interest.from_sets(topics_by_node).to_sets()
        for node in new:
            if node in self.node_numbers:
                raise InputError(f"Node {node!r} is already there; remove it first or choose another label.")
        return Interest._from_names({**self._sets(SUBSCRIBES), **new}, self._sets(PUBLISHES))

    def remove(self, nodes: Iterable[str]) -> Interest:
        """A new interest without these nodes; topics that lose all their subscribers are removed, too."""
        gone = {self.nodes[v] for v in find_numbers(nodes, self.node_numbers, "node").tolist()}
        subscribed, published = (
            {node: topics for node, topics in self._sets(bit).items() if node not in gone}
            for bit in (SUBSCRIBES, PUBLISHES)
        )
        return Interest._from_names(subscribed, published)

    def to_sets(self) -> dict[str, frozenset[str]]:
        """The topics of every node, as labels."""
        return {
            node: frozenset(self.topics[t] for t in self.indices[self.indptr[v] : self.indptr[v + 1]])
            for v, node in enumerate(self.nodes)
        }

    def _sets(self, bit: int) -> dict[str, frozenset[str]]:
        """The topics that each node has in one role; an empty mapping if no node has that role."""
        if self.roles is None:
            return self.to_sets() if bit == SUBSCRIBES else {}
        return {
            node: frozenset(
                self.topics[self.indices[i]] for i in range(self.indptr[v], self.indptr[v + 1]) if self.roles[i] & bit
            )
            for v, node in enumerate(self.nodes)
        }

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Interest):
            return NotImplemented
        return (
            tuple(self.nodes) == tuple(other.nodes)
            and tuple(self.topics) == tuple(other.topics)
            and np.array_equal(self.indptr, other.indptr)
            and np.array_equal(self.indices, other.indices)
            and (self.roles is None) == (other.roles is None)
            and (self.roles is None or np.array_equal(self.roles, other.roles))  # type: ignore[arg-type]
        )

    __hash__ = None  # type: ignore[assignment]

    def __getstate__(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in ("nodes", "topics", "indptr", "indices", "roles")}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update({"roles": None, **state})  # objects pickled by earlier versions have no roles
        for array in (self.indptr, self.indices, self.roles):
            if array is not None:
                array.setflags(write=False)  # pickle and deepcopy make the arrays writable again

    def __repr__(self) -> str:
        return f"Interest({self.num_nodes} nodes, {self.num_topics} topics, {self.num_subscriptions} subscriptions)"

"""Interest: which node subscribes to which topic. The input of everything else."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from functools import cached_property
from itertools import chain, pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from topicweave.errors import InputError
from topicweave.model.labels import as_label, as_labels, find_numbers, numbers_by_label

if TYPE_CHECKING:
    import scipy.sparse
    from numpy.typing import ArrayLike, NDArray


@dataclass(frozen=True, eq=False)
class Interest:
    """Who subscribes to what, frozen, as two CSR views of one boolean matrix.

    Build it with :meth:`from_pairs`, :meth:`from_sets` or :meth:`from_matrix`. Nodes and topics are numbered in
    sorted label order, so that nothing depends on the order of the input.

    Attributes
    ----------
    nodes, topics
        Labels by number.
    indptr, indices
        CSR by node: the topics of node ``v`` are ``indices[indptr[v]:indptr[v + 1]]``, rising.

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

    def __post_init__(self) -> None:
        object.__setattr__(self, "nodes", as_labels(self.nodes, "node"))
        object.__setattr__(self, "topics", as_labels(self.topics, "topic"))
        _check_csr(self.indptr, self.indices, len(self.nodes), len(self.topics))
        _check_rows_rise(self.indptr, self.indices)
        _check_sorted(self.nodes, "node")
        _check_sorted(self.topics, "topic")
        for name in ("indptr", "indices"):
            given = getattr(self, name)
            if given.flags.writeable:  # the caller's own: not ours to freeze
                given = given.copy()
                given.setflags(write=False)
                object.__setattr__(self, name, given)

    # ---- building ---------------------------------------------------------------------------------------------

    @classmethod
    def from_pairs(cls, pairs: Iterable[tuple[Any, Any]]) -> Interest:
        """Build from (node, topic) pairs; a pair listed twice counts once."""
        if not isinstance(pairs, Iterable):
            raise InputError(f"from_pairs needs (node, topic) pairs, but got a {type(pairs).__name__} ({pairs!r}).")
        sets: dict[str, set[str]] = {}
        for pair in pairs:
            try:
                # Two letters, two bytes or a set of two would unpack as well, and mean something else.
                node, topic = () if isinstance(pair, (str, bytes, AbstractSet)) else pair
            except (TypeError, ValueError):
                raise InputError(
                    f"A subscription is a (node, topic) pair, but one entry is {pair!r}; give two values each."
                ) from None
            # Labels are told apart by name, never by value: 1 == 1.0 == True, and which came first must not matter.
            name = node if type(node) is str else as_label(node, "node")
            if name not in sets:
                sets[name] = set()
            sets[name].add(topic if type(topic) is str else as_label(topic, "topic"))
        return cls._from_names(sets)

    @classmethod
    def from_sets(cls, topics_by_node: Mapping[Any, Iterable[Any]]) -> Interest:
        """Build from a mapping of node to its topics; a node may have none."""
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
    def _from_names(cls, sets: Mapping[str, AbstractSet[str]]) -> Interest:
        nodes = tuple(sorted(sets))
        topics = tuple(sorted(set().union(*sets.values())))
        number = numbers_by_label(topics)
        sizes = np.fromiter((len(sets[node]) for node in nodes), dtype=np.int64, count=len(nodes))
        flat = np.fromiter(
            (number[topic] for topic in chain.from_iterable(sets[node] for node in nodes)),
            dtype=np.int32,
            count=int(sizes.sum()),
        )
        return cls.from_csr(nodes, topics, np.concatenate(([0], np.cumsum(sizes))), flat)

    @classmethod
    def from_matrix(
        cls,
        matrix: ArrayLike | scipy.sparse.sparray,
        nodes: Sequence[Any] | None = None,
        topics: Sequence[Any] | None = None,
    ) -> Interest:
        """Build from a nodes × topics matrix, dense or sparse; non-zero means "subscribes".

        Without labels, rows and columns are called by their numbers, padded with zeros so that they sort as numbers.
        """
        from scipy import sparse

        try:
            given: Any = matrix if sparse.issparse(matrix) else np.asarray(matrix)
        except ValueError:
            raise InputError("The rows of the matrix differ in length; give as many columns in each.") from None
        if given.ndim != 2 or given.dtype.kind not in "biuf" or (given.dtype.kind == "f" and _has_nan(given)):
            raise InputError(
                f"from_matrix needs a nodes × topics matrix of numbers without NaN, but got {given.ndim} dimensions of "
                f"{given.dtype}; use 0 and 1, or from_pairs for labels."
            )
        csr = sparse.csr_array(given, copy=True)  # the next two lines work in place
        csr.sum_duplicates()
        csr.eliminate_zeros()
        names = _names_or_numbers(nodes, csr.shape[0], "node")
        columns = _names_or_numbers(topics, csr.shape[1], "topic")
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
    def from_csr(cls, nodes: Sequence[str], topics: Sequence[str], indptr: ArrayLike, indices: ArrayLike) -> Interest:
        """Build from CSR arrays over labels that are already sorted; topics of a node may come in any order."""
        starts = np.array(indptr, dtype=np.int64)
        wide = np.asarray(indices)
        _check_csr(starts, wide, len(nodes), len(topics))
        flat = wide.astype(np.int32)
        rows = np.repeat(np.arange(len(starts) - 1), np.diff(starts))
        if len(flat) and np.any((np.diff(flat) <= 0) & (np.diff(rows) == 0)):
            order = np.lexsort((flat, rows))
            rows, flat = rows[order], flat[order]
            kept = np.ones(len(flat), dtype=bool)
            kept[1:] = (np.diff(flat) != 0) | (np.diff(rows) != 0)
            rows, flat = rows[kept], flat[kept]
            starts = np.concatenate(([0], np.cumsum(np.bincount(rows, minlength=len(starts) - 1))))
        starts.setflags(write=False)
        flat.setflags(write=False)
        return cls(nodes, topics, starts, flat)

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
        """How many subscribe to each topic."""
        sizes = np.bincount(self.indices, minlength=self.num_topics).astype(np.int64, copy=False)
        sizes.setflags(write=False)
        return sizes

    @cached_property
    def subscribers(self) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
        """CSR by topic: ``(indptr, nodes)``, the nodes of each topic rising."""
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
        """The topics a node subscribes to, as labels."""
        number = int(find_numbers([node], self.node_numbers, "node")[0])
        return frozenset(self.topics[t] for t in self.indices[self.indptr[number] : self.indptr[number + 1]])

    def subscribers_of(self, topic: str) -> frozenset[str]:
        """The nodes that subscribe to a topic, as labels."""
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
        """The same interest among these nodes and topics only; topics nobody is left for stay, with no subscriber."""
        rows = np.arange(self.num_nodes)
        columns = np.arange(self.num_topics)
        if nodes is not None:
            rows = np.unique(find_numbers(nodes, self.node_numbers, "node"))
        if topics is not None:
            columns = np.unique(find_numbers(topics, self.topic_numbers, "topic"))
        part = self.to_scipy()[rows][:, columns]
        return Interest.from_csr(
            tuple(self.nodes[v] for v in rows.tolist()),
            tuple(self.topics[t] for t in columns.tolist()),
            part.indptr,
            part.indices,
        )

    def add(self, topics_by_node: Mapping[Any, Iterable[Any]]) -> Interest:
        """A new interest with these nodes as well; a node that is already here is an error."""
        new = Interest.from_sets(topics_by_node).to_sets()
        for node in new:
            if node in self.node_numbers:
                raise InputError(f"Node {node!r} is already there; remove it first or choose another label.")
        return Interest._from_names({**self.to_sets(), **new})

    def remove(self, nodes: Iterable[str]) -> Interest:
        """A new interest without these nodes, and without topics that then have no subscriber."""
        gone = {self.nodes[v] for v in find_numbers(nodes, self.node_numbers, "node").tolist()}
        return Interest._from_names({node: wanted for node, wanted in self.to_sets().items() if node not in gone})

    def to_sets(self) -> dict[str, frozenset[str]]:
        """The topics of every node, as labels."""
        return {
            node: frozenset(self.topics[t] for t in self.indices[self.indptr[v] : self.indptr[v + 1]])
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
        )

    __hash__ = None  # type: ignore[assignment]

    def __getstate__(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in ("nodes", "topics", "indptr", "indices")}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self.indptr.setflags(write=False)  # pickle and deepcopy forget it
        self.indices.setflags(write=False)

    def __repr__(self) -> str:
        return f"Interest({self.num_nodes} nodes, {self.num_topics} topics, {self.num_subscriptions} subscriptions)"


def _has_nan(matrix: Any) -> bool:
    return bool(np.isnan(matrix.data if hasattr(matrix, "nnz") else matrix).any())


def _names_or_numbers(labels: Sequence[Any] | None, count: int, what: str) -> list[str]:
    if labels is None:
        width = len(str(max(count - 1, 0)))
        return [str(number).zfill(width) for number in range(count)]
    names = list(as_labels(labels, what))
    if len(names) != count:
        raise InputError(f"The matrix has {count} {what}s but {len(names)} labels were given; give one each.")
    return names


def _check_csr(indptr: NDArray[np.int64], indices: NDArray[Any], num_nodes: int, num_topics: int) -> None:
    if len(indptr) != num_nodes + 1 or indptr[0] != 0 or indptr[-1] != len(indices) or np.any(np.diff(indptr) < 0):
        raise InputError(
            f"The row starts do not describe {num_nodes} nodes and {len(indices)} subscriptions; "
            f"give num_nodes + 1 rising numbers from 0."
        )
    if len(indices) and indices.dtype.kind not in "iu":
        raise InputError(f"Topic numbers must be whole numbers, but {indices.dtype} was given.")
    if len(indices) and (indices.min() < 0 or indices.max() >= num_topics):
        raise InputError(
            f"Topic numbers must lie in 0..{num_topics - 1}, but {indices.min()}..{indices.max()} were given."
        )


def _check_rows_rise(indptr: NDArray[np.int64], indices: NDArray[np.int32]) -> None:
    begins_row = np.zeros(len(indices) + 1, dtype=bool)
    begins_row[indptr] = True
    if np.any((np.diff(indices) <= 0) & ~begins_row[1 : len(indices)]):
        raise InputError("The topics of each node must rise and be distinct; use Interest.from_csr, which sorts them.")


def _check_sorted(labels: Sequence[str], what: str) -> None:
    for before, after in pairwise(labels):
        if before == after:
            raise InputError(f"Two {what}s are called {after!r}; give each a label of its own.")
        if before > after:
            raise InputError(
                f"The {what} labels must be sorted, but {after!r} follows {before!r}; "
                f"use from_pairs, from_sets or from_matrix, which sort."
            )

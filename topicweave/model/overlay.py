"""Overlay: a set of undirected links over labelled nodes."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from topicweave.errors import OverlayError
from topicweave.model.labels import as_label, as_labels, numbers_by_label, sorted_labels
from topicweave.parameters import check_kind

if TYPE_CHECKING:
    from collections.abc import Sequence

    import networkx
    import pandas
    import pyarrow
    import scipy.sparse
    from numpy.typing import ArrayLike, NDArray

SOURCE, TARGET = "source", "target"
USE_PAIRS = "for pairs of labels use Overlay.from_pairs"


@dataclass(frozen=True, eq=False)
class Overlay:
    """Links between nodes, in the order they were added.

    Attributes
    ----------
    labels
        What the node numbers mean.
    edges
        int64 array (m, 2), ``u < v`` in every row, no row twice.

    Examples
    --------
    >>> overlay = Overlay.from_pairs([("b", "a"), ("b", "c")])
    >>> overlay.edges.tolist(), overlay.average_degree, overlay.maximum_degree
    ([[0, 1], [1, 2]], 1.3333333333333333, 2)
    """

    labels: Sequence[str]
    edges: NDArray[np.int64] = field(repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "labels", as_labels(self.labels, "node"))
        if len(set(self.labels)) != len(self.labels):
            raise OverlayError("Two nodes of the overlay have the same label; every node needs its own.")
        edges = _checked_edges(self.edges, self.labels)
        edges.setflags(write=False)
        object.__setattr__(self, "edges", edges)

    @classmethod
    def empty(cls, labels: Sequence[str]) -> Overlay:
        """An overlay of these nodes without links."""
        return cls(labels, np.empty((0, 2), dtype=np.int64))

    @classmethod
    def from_pairs(cls, pairs: Iterable[tuple[Any, Any]], labels: Sequence[str] | None = None) -> Overlay:
        """Build from label pairs; without ``labels``, the nodes are those that occur."""
        if not isinstance(pairs, Iterable):
            raise OverlayError(f"from_pairs needs pairs of nodes, but got a {type(pairs).__name__} ({pairs!r}).")
        named = []
        for pair in pairs:
            try:
                # a string of two letters could be unpacked as a pair, too
                one, other = () if isinstance(pair, (str, bytes)) else pair
            except (TypeError, ValueError):
                raise OverlayError(
                    f"A link is a pair of nodes, but one entry is {pair!r}; give two values each."
                ) from None
            named.append((as_label(one, "node"), as_label(other, "node")))
        if labels is None:
            labels = sorted_labels((node for pair in named for node in pair), "node")
        labels = as_labels(labels, "node")
        number = numbers_by_label(labels)
        for one, other in named:
            for node in (one, other):
                if node not in number:
                    raise OverlayError(
                        f"The link {one!r} - {other!r} names node {node!r}, which is not among the {len(number)} "
                        f"known; check the spelling or leave the link out."
                    )
        return cls(labels, np.array([(number[a], number[b]) for a, b in named], dtype=np.int64).reshape(-1, 2))

    # ---- figures ----------------------------------------------------------------------------------------------

    @property
    def num_nodes(self) -> int:
        return len(self.labels)

    @property
    def num_edges(self) -> int:
        return len(self.edges)

    @cached_property
    def degrees(self) -> NDArray[np.int64]:
        """The number of links of each node."""
        degrees = np.bincount(self.edges.ravel(), minlength=self.num_nodes).astype(np.int64)
        degrees.setflags(write=False)
        return degrees

    @property
    def average_degree(self) -> float:
        return 2 * self.num_edges / self.num_nodes if self.num_nodes else 0.0

    @property
    def maximum_degree(self) -> int:
        return int(self.degrees.max(initial=0))

    # ---- conversions ------------------------------------------------------------------------------------------

    def pairs(self) -> list[tuple[str, str]]:
        """The links as label pairs, in the order they were added."""
        return [(self.labels[u], self.labels[v]) for u, v in self.edges.tolist()]

    def to_scipy(self) -> scipy.sparse.csr_array:
        """The symmetric boolean adjacency matrix."""
        from scipy import sparse

        ends = np.concatenate((self.edges, self.edges[:, ::-1]))
        ones = np.ones(len(ends), dtype=bool)
        return sparse.csr_array((ones, (ends[:, 0], ends[:, 1])), shape=(self.num_nodes, self.num_nodes))

    @classmethod
    def from_scipy(cls, matrix: scipy.sparse.sparray | ArrayLike, labels: Sequence[str]) -> Overlay:
        """Build from an adjacency matrix; the upper or lower triangle is enough, but both may be given."""
        from scipy import sparse

        labels = as_labels(labels, "node")
        given: Any = matrix
        try:
            found = sparse.coo_array(given)
        except (TypeError, ValueError):
            raise OverlayError(
                f"from_scipy needs an adjacency matrix of numbers, but got a {type(matrix).__name__} that is none; "
                f"give one row and one column for each label."
            ) from None
        if found.shape != (len(labels), len(labels)):
            raise OverlayError(
                f"The adjacency matrix has shape {found.shape}, but there are {len(labels)} labels; "
                f"give one row and one column each."
            )
        if found.dtype.kind == "f" and np.isnan(found.data).any():
            raise OverlayError("The adjacency matrix holds NaN; write 0 where there is no link.")
        ends = np.stack((found.row, found.col), axis=1)[found.data != 0].astype(np.int64)
        return cls(labels, np.unique(np.sort(ends, axis=1), axis=0).reshape(-1, 2))

    def to_networkx(self) -> networkx.Graph:
        """The overlay as a networkx graph with labels as nodes, from which networkx can write GraphML, DOT, GEXF and
        more.
        """
        import networkx

        graph = networkx.Graph()
        graph.add_nodes_from(self.labels)
        graph.add_edges_from(self.pairs())
        return graph

    @classmethod
    def from_networkx(cls, graph: networkx.Graph, labels: Sequence[str] | None = None) -> Overlay:
        """Build from a networkx graph; without ``labels``, the nodes are the graph's own, sorted."""
        import networkx

        check_kind(graph, networkx.Graph, "from_networkx needs a networkx graph", USE_PAIRS, OverlayError)
        if labels is None:
            labels = sorted_labels(graph.nodes, "node")
        return cls.from_pairs(graph.edges(), labels)

    def to_arrow(self) -> pyarrow.Table:
        """An Arrow table with columns ``source`` and ``target``: labels, in the order added."""
        import pyarrow as pa

        names = pa.array(self.labels, type=pa.string())
        ends = [names.take(pa.array(self.edges[:, side])) for side in (0, 1)]
        return pa.table({SOURCE: ends[0], TARGET: ends[1]})

    @classmethod
    def from_arrow(cls, table: pyarrow.Table, labels: Sequence[str] | None = None) -> Overlay:
        """Build from an Arrow table with columns ``source`` and ``target``."""
        import pyarrow as pa

        check_kind(table, (pa.Table, pa.RecordBatch), "from_arrow needs an Arrow table", USE_PAIRS, OverlayError)
        _check_columns(table.column_names)
        return cls.from_pairs(zip(table[SOURCE].to_pylist(), table[TARGET].to_pylist(), strict=True), labels)

    def to_pandas(self) -> pandas.DataFrame:
        """A data frame with columns ``source`` and ``target``: labels, in the order added."""
        frame: pandas.DataFrame = self.to_arrow().to_pandas()
        return frame

    @classmethod
    def from_pandas(cls, frame: pandas.DataFrame, labels: Sequence[str] | None = None) -> Overlay:
        """Build from a data frame with columns ``source`` and ``target``."""
        import pandas as pd

        check_kind(frame, pd.DataFrame, "from_pandas needs a data frame", USE_PAIRS, OverlayError)
        _check_columns(list(frame.columns))
        return cls.from_pairs(zip(frame[SOURCE], frame[TARGET], strict=True), labels)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Overlay):
            return NotImplemented
        return tuple(self.labels) == tuple(other.labels) and np.array_equal(self.edges, other.edges)

    __hash__ = None  # type: ignore[assignment]

    def __getstate__(self) -> dict[str, Any]:
        return {"labels": self.labels, "edges": self.edges}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self.edges.setflags(write=False)  # pickle and deepcopy make the array writable again

    def __repr__(self) -> str:
        return f"Overlay({self.num_nodes} nodes, {self.num_edges} links)"


def _check_columns(names: Sequence[str]) -> None:
    if names.count(SOURCE) != 1 or names.count(TARGET) != 1:
        raise OverlayError(
            f"Links need the columns {SOURCE!r} and {TARGET!r}, once each, but the table has {list(names)}; "
            f"rename them."
        )


def _checked_edges(given: ArrayLike, labels: Sequence[str]) -> NDArray[np.int64]:
    """Return the links as rows u < v; raises an error about the first invalid one."""
    num_nodes = len(labels)
    try:
        edges = np.array(given)
    except ValueError:
        raise OverlayError("Some edges do not have two ends; give an array of shape (m, 2).") from None
    if edges.size == 0:
        return np.empty((0, 2), dtype=np.int64)
    if edges.ndim != 2 or edges.shape[1] != 2 or edges.dtype.kind not in "iu":
        raise OverlayError(
            f"Edges are whole node numbers in an array of shape (m, 2), but an array of shape {edges.shape} "
            f"and kind {edges.dtype} was given; for labels use Overlay.from_pairs."
        )
    if edges.max() >= 2**63:
        raise OverlayError(f"Edges name node {edges.max()}, which is outside 0..{num_nodes - 1}.")
    one, other = edges.astype(np.int64).T
    # np.sort(axis=1) would take ten times as long
    edges = np.column_stack((np.minimum(one, other), np.maximum(one, other)))
    outside = np.flatnonzero((edges[:, 0] < 0) | (edges[:, 1] >= num_nodes))
    if len(outside):
        raise OverlayError(
            f"Edge {edges[outside[0]].tolist()} names a node outside 0..{num_nodes - 1}; "
            f"edges must be among the {num_nodes} nodes."
        )
    loops = np.flatnonzero(edges[:, 0] == edges[:, 1])
    if len(loops):
        raise OverlayError(
            f"Node {labels[edges[loops[0], 0]]!r} is linked to itself; an overlay has no self-loops, leave it out."
        )
    code = edges[:, 0] * num_nodes + edges[:, 1]
    code.sort()
    twice = code[1:][np.diff(code) == 0]
    if len(twice):
        u, v = divmod(int(twice[0]), num_nodes)
        raise OverlayError(f"The link {labels[u]!r} - {labels[v]!r} is listed twice; list every link once.")
    return edges

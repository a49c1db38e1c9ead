"""Overlay: what is refused, what is counted, and conversions to other libraries and back."""

from __future__ import annotations

import copy
import pickle

import networkx
import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import sparse

from tests import instances
from topicweave.errors import InputError, LabelError, OverlayError
from topicweave.model import Overlay

LABELS = ("a", "b", "c", "d")
any_overlay = instances.interests().flatmap(instances.overlays)


@pytest.fixture
def path() -> Overlay:
    """c-b, then a-b; d has no link."""
    return Overlay(LABELS, np.array([[2, 1], [0, 1]]))


class TestChecks:
    def test_rows_are_turned_but_stay_in_order(self, path):
        """u < v in each; the order of the rows is the order of adding."""
        assert path.edges.tolist() == [[1, 2], [0, 1]]
        assert path.edges.dtype == np.int64

    def test_self_loop(self):
        """Named by its label."""
        with pytest.raises(OverlayError, match="Node 'c' is linked to itself"):
            Overlay(LABELS, np.array([[0, 1], [2, 2]]))

    def test_duplicate(self):
        """Either way round is the same link."""
        with pytest.raises(OverlayError, match="'a' - 'c' is listed twice"):
            Overlay(LABELS, np.array([[0, 2], [1, 2], [2, 0]]))

    @pytest.mark.parametrize("edge", [(0, 4), (-1, 2), (7, 9)])
    def test_out_of_range(self, edge):
        """With the range that would do."""
        with pytest.raises(OverlayError, match=r"outside 0\.\.3"):
            Overlay(LABELS, np.array([(0, 1), edge]))

    @pytest.mark.parametrize(
        "edges",
        [np.array([0, 1]), np.array([[0, 1, 2]]), np.array([[0.0, 1.0]]), np.array([["a", "b"]]), [[True, False]]],
    )
    def test_wrong_shape_or_kind(self, edges):
        """Label pairs belong to from_pairs, and the message says so."""
        with pytest.raises(OverlayError, match=r"shape \(m, 2\).*from_pairs"):
            Overlay(LABELS, edges)

    def test_unknown_label(self):
        """Both the link and the stranger are named."""
        with pytest.raises(OverlayError, match=r"'a' - 'z' names node 'z', which is not among the 4 known"):
            Overlay.from_pairs([("a", "b"), ("a", "z")], LABELS)

    @pytest.mark.parametrize("pair", [("a",), ("a", "b", "c"), None, 3, "ab", b"ab"])
    def test_an_entry_that_is_no_pair(self, pair):
        """The entry is shown."""
        with pytest.raises(OverlayError, match="pair of nodes") as caught:
            Overlay.from_pairs([pair])
        assert repr(pair) in str(caught.value)

    def test_errors_are_input_errors(self):
        """Exit code 2."""
        assert issubclass(OverlayError, InputError)

    @given(any_overlay)
    def test_building_it_again_changes_nothing(self, overlay):
        """Its edges pass its own checks, turned round or not."""
        assert Overlay(overlay.labels, overlay.edges[:, ::-1]) == overlay


class TestFigures:
    def test_degrees(self, path):
        """Two links over four nodes."""
        assert (path.num_nodes, path.num_edges) == (4, 2)
        assert path.degrees.tolist() == [1, 2, 1, 0]
        assert path.average_degree == 1.0 and path.maximum_degree == 2
        assert path.pairs() == [("b", "c"), ("a", "b")]
        assert repr(path) == "Overlay(4 nodes, 2 links)"

    @pytest.mark.parametrize("labels", [(), LABELS])
    def test_no_links(self, labels):
        """Nor, perhaps, any nodes."""
        overlay = Overlay.empty(labels)
        assert overlay.edges.shape == (0, 2) and overlay.edges.dtype == np.int64
        assert overlay.average_degree == 0.0 and overlay.maximum_degree == 0
        assert overlay.degrees.tolist() == [0] * len(labels)
        assert overlay == Overlay.from_pairs([], labels) == Overlay(labels, [])

    @given(any_overlay)
    def test_degrees_add_up(self, overlay):
        """Every link has two ends."""
        assert overlay.degrees.sum() == 2 * overlay.num_edges
        assert overlay.maximum_degree <= max(overlay.num_nodes - 1, 0)


class TestConversions:
    def test_from_pairs_without_labels(self):
        """The nodes are those that occur, sorted, whatever their type."""
        overlay = Overlay.from_pairs([(9, "10"), ("x", 9)])
        assert overlay.labels == ("10", "9", "x")
        assert overlay.edges.tolist() == [[0, 1], [1, 2]]

    @given(any_overlay)
    def test_round_trips_that_keep_the_order(self, overlay):
        """Pairs, Arrow and pandas tables list links in the order added."""
        assert Overlay.from_pairs(overlay.pairs(), overlay.labels) == overlay
        assert Overlay.from_arrow(overlay.to_arrow(), overlay.labels) == overlay
        assert Overlay.from_pandas(overlay.to_pandas(), overlay.labels) == overlay

    @given(any_overlay)
    def test_round_trips_that_keep_the_links(self, overlay):
        """A matrix or a networkx graph does not know in which order links came."""
        for again in (
            Overlay.from_scipy(overlay.to_scipy(), overlay.labels),
            Overlay.from_networkx(overlay.to_networkx(), overlay.labels),
            Overlay.from_networkx(overlay.to_networkx()),
        ):
            assert again.labels == overlay.labels
            assert sorted(again.edges.tolist()) == sorted(overlay.edges.tolist())

    def test_scipy_is_symmetric_and_boolean(self, path):
        """Both triangles."""
        matrix = path.to_scipy()
        assert matrix.dtype == bool and matrix.shape == (4, 4) and matrix.nnz == 4
        assert (matrix.toarray() == matrix.toarray().T).all()
        assert np.flatnonzero(matrix.toarray()[1]).tolist() == [0, 2]

    def test_from_scipy_takes_either_triangle_and_skips_stored_zeros(self, path):
        """Upper, lower and full give the same links; an entry of value 0 gives none."""
        full = path.to_scipy().toarray()
        expected = [[0, 1], [1, 2]]
        for matrix in (full, np.triu(full), np.tril(full), sparse.coo_array(full)):
            assert Overlay.from_scipy(matrix, LABELS).edges.tolist() == expected
        stored_zero = sparse.coo_array((np.array([1, 0]), (np.array([0, 2]), np.array([1, 3]))), shape=(4, 4))
        assert Overlay.from_scipy(stored_zero, LABELS).edges.tolist() == [[0, 1]]

    def test_from_scipy_refuses_a_diagonal(self):
        """It would be a self-loop."""
        with pytest.raises(OverlayError, match="'a' is linked to itself"):
            Overlay.from_scipy(np.eye(4), LABELS)

    def test_graphml_through_networkx(self, path, tmp_path):
        """Written and read by networkx, nodes without links included."""
        file = tmp_path / "overlay.graphml"
        networkx.write_graphml(path.to_networkx(), file)
        again = Overlay.from_networkx(networkx.read_graphml(file))
        assert again.labels == LABELS and again.edges.tolist() == [[0, 1], [1, 2]]

    def test_networkx_nodes_may_be_numbers(self):
        """They become labels by str()."""
        overlay = Overlay.from_networkx(networkx.path_graph(3))
        assert overlay.labels == ("0", "1", "2") and overlay.maximum_degree == 2

    def test_table_columns(self, path):
        """source and target, as in a plan's edges.parquet."""
        assert path.to_arrow().to_pydict() == {"source": ["b", "a"], "target": ["c", "b"]}
        assert path.to_pandas().to_dict("list") == {"source": ["b", "a"], "target": ["c", "b"]}
        assert Overlay.empty(()).to_arrow().schema.names == ["source", "target"]

    @pytest.mark.parametrize("dtype", [object, "string"])
    def test_missing_ends_in_tables(self, dtype):
        """A null names no node, in Arrow and in either string column of pandas."""
        frame = pd.DataFrame({"source": ["a", None], "target": ["b", "c"]}, dtype=dtype)
        with pytest.raises(LabelError, match="A node label is missing"):
            Overlay.from_pandas(frame)
        with pytest.raises(LabelError, match="A node label is missing"):
            Overlay.from_arrow(pa.table({"source": ["a", None], "target": ["b", "c"]}))


class TestFrozen:
    def test_attributes_cannot_be_set(self, path):
        """A frozen dataclass."""
        with pytest.raises(AttributeError):
            path.edges = np.empty((0, 2))

    @pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
    def test_arrays_cannot_be_written(self, path, protocol):
        """Nor after a journey through pickle or deepcopy, with the degrees counted before or not."""
        _ = path.degrees
        again = pickle.loads(pickle.dumps(path, protocol))
        for overlay in (path, again, copy.deepcopy(path)):
            for array in (overlay.edges, overlay.degrees):
                with pytest.raises(ValueError, match="read-only"):
                    array[0] = 1
        assert again == path and again.degrees.tolist() == path.degrees.tolist()

    def test_the_array_given_stays_the_callers(self):
        """It is copied, neither locked nor watched."""
        edges = np.array([[0, 1]])
        overlay = Overlay(LABELS, edges)
        edges[0] = (2, 3)
        assert overlay.edges.tolist() == [[0, 1]]

    def test_equality_is_by_content_and_order(self, path):
        """The same links in another order are another plan."""
        assert path != Overlay(LABELS, path.edges[::-1])
        assert path != Overlay(("a", "b", "c", "e"), path.edges)
        assert path != "path"
        with pytest.raises(TypeError, match="unhashable"):
            hash(path)

    @given(any_overlay, st.integers(0, pickle.HIGHEST_PROTOCOL))
    def test_pickle(self, overlay, protocol):
        """Every protocol brings it back equal."""
        assert pickle.loads(pickle.dumps(overlay, protocol)) == overlay


@pytest.mark.parametrize(
    ("build", "says"),
    [
        (lambda: Overlay(("a", "a"), [[0, 1]]), "same label"),
        (lambda: Overlay(("a", "b"), [[0, 1], [0]]), "two ends"),
        (lambda: Overlay.from_scipy(np.eye(3), ("a", "b")), "shape (3, 3)"),
        (lambda: Overlay.from_arrow(pa.table({"from": ["a"], "to": ["b"]})), "'source'"),
        (lambda: Overlay.from_pandas(pa.table({"from": ["a"], "to": ["b"]}).to_pandas()), "'target'"),
        (lambda: Overlay.from_pandas(pd.DataFrame([["a", "b", "c"]], columns=["source", "source", "target"])), "once"),
        (lambda: Overlay.from_arrow(pa.table([["a"], ["b"], ["c"]], names=["source", "target", "target"])), "once"),
        (lambda: Overlay.from_pandas(pa.table({"source": ["a"], "target": ["b"]})), "data frame, but got a Table"),
        (lambda: Overlay.from_arrow(pd.DataFrame({"source": ["a"]})), "Arrow table, but got a DataFrame"),
        (lambda: Overlay.from_pandas(pd.Series(["a"])), "data frame, but got a Series"),
        (lambda: Overlay.from_scipy([[0, 1], [1]], ("a", "b")), "matrix of numbers"),
        (lambda: Overlay.from_scipy([["a", "b"], ["b", "a"]], ("a", "b")), "matrix of numbers"),
    ],
)
def test_malformed_overlays_are_answered_in_a_sentence(build, says):
    """No raw numpy, scipy or table error."""
    with pytest.raises(OverlayError) as caught:
        build()
    assert says in str(caught.value)


@pytest.mark.parametrize("build", [Overlay.from_networkx, Overlay.from_pandas, Overlay.from_arrow, Overlay.from_scipy])
@pytest.mark.parametrize("given", [None, 5, "ab", {"a": "b"}, object()], ids=lambda given: type(given).__name__)
def test_what_no_library_made_is_answered_in_a_sentence(build, given):
    """What was needed, what came, what to do."""
    labels = ("a", "b") if build == Overlay.from_scipy else None
    with pytest.raises(OverlayError, match=rf"{build.__name__} needs an? .*got a {type(given).__name__}.*; ") as caught:
        build(given, labels)
    assert "\n" not in str(caught.value)


def test_an_arrow_batch_is_a_table_too(path):
    assert Overlay.from_arrow(path.to_arrow().to_batches()[0], LABELS) == path

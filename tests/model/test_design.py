"""Design and Trace: the support they report, what they print, and that they can be pickled."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest
from hypothesis import given, settings

from tests import instances, reference
from topicweave.model import Design, Overlay, Trace


def traced(built: reference.Built, topics_of: dict[int, set[int]], start: list[tuple[int, int]]) -> Trace:
    """The trace of what a twin made."""
    return Trace(
        contribution=np.array(built.contributions, dtype=np.int64),
        components_before=reference.tcc(topics_of, start),
        components_least=reference.tcc(topics_of, reference.all_pairs(topics_of)),
        support_base=reference.tcc(topics_of, []),
    )


@pytest.fixture
def design() -> Design:
    """GM's first two links of the four brokers: 7 components fall to 5, then 4, of at least 3."""
    overlay = Overlay(("a", "b", "c", "d"), np.array([[0, 1], [0, 2]]))
    trace = Trace(np.array([2, 1]), components_before=7, components_least=3, support_base=7)
    parameters = {"m": 2, "ties": "lexicographic", "pairs": None}
    return Design(overlay, "gpa", parameters, trace, seconds=0.0125, notes=("the budget of 2 links is used",))


class TestTrace:
    def test_components_and_support_by_hand(self, design):
        """Support is (7 − TCC) / (7 − 3)."""
        assert design.trace.components.tolist() == [5, 4]
        assert design.trace.support.tolist() == [0.5, 0.75]

    @given(instances.cases())
    @settings(max_examples=50)
    def test_follows_the_definition(self, case):
        """After every link, TCC and support are those counted afresh, from 0 links or from a start."""
        topics_of = reference.topics_by_number(case.interest)
        built = reference.gm(topics_of, start=case.start, pairs=case.pairs)
        trace = traced(built, topics_of, case.start)
        for length, (components, support) in enumerate(zip(trace.components, trace.support, strict=True), start=1):
            overlay = case.start + built.edges[:length]
            assert components == reference.tcc(topics_of, overlay)
            assert support == pytest.approx(reference.support(topics_of, overlay))
        assert (np.diff(trace.support) > 0).all()
        assert len(trace.support) == len(built.edges)

    def test_support_is_1_where_nothing_can_be_joined(self):
        """Zero links of zero needed; and if an algorithm adds links all the same, they change nothing."""
        assert Trace(np.array([], dtype=np.int64), 4, 4, 4).support.tolist() == []
        assert Trace(np.array([0, 0]), 4, 4, 4).support.tolist() == [1.0, 1.0]

    @pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
    def test_cannot_be_written(self, design, protocol):
        """Nor after pickling."""
        for trace in (design.trace, pickle.loads(pickle.dumps(design.trace, protocol)), copy.deepcopy(design.trace)):
            assert trace.components.tolist() == [5, 4]
            with pytest.raises(ValueError, match="read-only"):
                trace.contribution[0] = 9
            with pytest.raises(AttributeError):
                trace.components_before = 0


class TestDesign:
    def test_figures(self, design):
        """Those of the last link."""
        assert design.components == 4 and isinstance(design.components, int)
        assert design.support == 0.75

    def test_a_design_without_links(self):
        """Support is that of the start: 0 where something is to be done, 1 where nothing is."""
        overlay, nothing = Overlay.empty(("a", "b")), np.array([], dtype=np.int64)
        assert Design(overlay, "gpa", {"m": 0}, Trace(nothing, 2, 1, 2), 0.0).support == 0.0
        assert Design(overlay, "gpa", {"m": 0}, Trace(nothing, 2, 2, 2), 0.0).support == 1.0

    def test_summary(self, design):
        """A few aligned lines; parameters left at None are not shown."""
        assert design.summary().splitlines() == [
            "gpa(m=2, ties=lexicographic)",
            "  nodes           4",
            "  links           2",
            "  average degree  1.00",
            "  maximum degree  2",
            "  support         0.7500",
            "  seconds         0.013",
            "  note: the budget of 2 links is used",
        ]

    def test_summary_says_when_it_is_topic_connected(self):
        """Only at support 1."""
        overlay = Overlay(("a", "b"), np.array([[0, 1]]))
        whole = Design(overlay, "gm", {}, Trace(np.array([1]), 2, 1, 2), 1.0)
        assert "support         1.0000 (topic-connected)" in whole.summary()
        assert whole.summary().startswith("gm()\n")

    def test_parameters_cannot_be_changed(self, design):
        """Neither through the design nor through the dict they came from."""
        given_parameters = {"k": 3}
        other = Design(design.overlay, "low", given_parameters, design.trace, 0.0)
        given_parameters["k"] = 4
        assert other.parameters["k"] == 3
        with pytest.raises(TypeError):
            other.parameters["k"] = 5
        with pytest.raises(AttributeError):
            other.algorithm = "gm"

    @pytest.mark.parametrize("protocol", range(pickle.HIGHEST_PROTOCOL + 1))
    def test_travels(self, design, protocol):
        """To a Spark worker and back, with everything on board and still closed to changes."""
        for again in (pickle.loads(pickle.dumps(design, protocol)), copy.deepcopy(design)):
            assert again.overlay == design.overlay
            assert again.summary() == design.summary()
            assert again.notes == design.notes
            assert again.trace.contribution.tolist() == [2, 1]
            with pytest.raises(TypeError):
                again.parameters["m"] = 5

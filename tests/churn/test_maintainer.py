"""The paper's corner cases and all invalid calls: a defined result, or one clear error that leaves the state
unchanged.
"""

from __future__ import annotations

import numpy as np
import pytest

import topicweave as tw
from topicweave.churn import Event, Naive, Rebuild, Shadow
from topicweave.errors import InputError, OverlayError, ParameterError

KINDS = [Naive, Rebuild, Shadow, lambda interest, **o: Shadow(interest, backups="greedy", **o)]


@pytest.fixture(params=KINDS, ids=["naive", "rebuild", "primal_dual", "greedy"])
def make(request):
    return request.param


def connected(maintainer):
    return tw.verify(maintainer.interest, maintainer.overlay).topic_connected


def test_last_subscriber_of_a_topic_leaves(make, four_brokers):
    """t0002 is wanted by n002 and n003; when both are gone the topic is gone, and may come back."""
    maintainer = make(four_brokers)
    maintainer.leave("n003")
    maintainer.leave("n002")
    assert maintainer.interest.topics == ("t0000", "t0001")
    assert connected(maintainer)
    maintainer.join("n009", {"t0002"})
    assert maintainer.interest.topics == ("t0000", "t0001", "t0002")
    assert connected(maintainer)


def test_node_with_all_topics_leaves(make, hub):
    maintainer = make(hub)
    change = maintainer.leave("n000")
    assert {a for a, _ in change.removed} == {"n000"}
    assert connected(maintainer)


def test_join_with_only_new_topics(make, four_brokers):
    """There is no node to link to; the second node with these topics is linked to the first."""
    maintainer = make(four_brokers)
    assert maintainer.join("x", {"chess", "go"}).added == ()
    assert maintainer.join("y", {"chess", "hex"}).added == (("x", "y"),)
    assert connected(maintainer)


def test_empty_topic_set(make, four_brokers):
    """A node may come without topics, gain some, lose them all and leave; without topics it has no links."""
    maintainer = make(four_brokers)
    assert maintainer.join("x", []).num_changed == 0
    assert maintainer.resubscribe("x", {"t0000"}).added != ()
    maintainer.resubscribe("x", [])
    assert not any("x" in link for link in maintainer.overlay.pairs())
    assert "x" in maintainer.interest.nodes
    assert maintainer.leave("x").num_changed == 0
    assert connected(maintainer)


def test_everybody_leaves_and_somebody_comes(make, four_brokers):
    maintainer = make(four_brokers)
    for node in four_brokers.nodes:
        maintainer.leave(node)
    assert (maintainer.num_nodes, maintainer.num_edges, maintainer.average_degree) == (0, 0, 0.0)
    assert maintainer.interest.num_nodes == maintainer.overlay.num_edges == 0
    maintainer.apply([Event("join", v, {"t"}) for v in "abc"])
    assert maintainer.num_edges == 2
    assert connected(maintainer)


@pytest.mark.parametrize(
    ("act", "message"),
    [
        (lambda m: m.join("n001", {"t0000"}), "Node 'n001' is already there"),
        (lambda m: m.leave("nobody"), "There is no node 'nobody' that could leave"),
        (lambda m: m.resubscribe("nobody", {"t0000"}), "There is no node 'nobody' that could resubscribe"),
        (lambda m: m.join("x", "news"), "give a list or set of topics"),
        (lambda m: m.join("x", [None]), "topic"),
        (lambda m: m.join(None, ["t"]), "node"),
        (lambda m: m.join("x", b"news"), "give a list or set of topics"),
        (lambda m: m.apply(None), r"A list of events was asked for, but one value \(None\)"),
        (lambda m: m.apply(Event("leave", "n000")), "A list of events was asked for"),
        (lambda m: m.apply([Event("leave", "n000"), "n001"]), "An Event was asked for, but got a str"),
        (lambda m: m.apply([Event("leave", "n000").to_record()]), r"got a dict .*Event\.from_record"),
        (lambda m: m.topics_of(["n000"]), "A node label is a list"),
        (lambda m: m.apply([Event("leave", "n000"), Event("join", "n001")]), "Node 'n001' is already there"),
        (lambda m: m.apply([Event("leave", "n000"), Event("leave", "n000")]), "There is no node 'n000'"),
    ],
)
def test_what_cannot_be_is_an_error_and_changes_nothing(make, four_brokers, act, message):
    maintainer = make(four_brokers)
    interest, overlay = maintainer.interest, maintainer.overlay
    with pytest.raises(InputError, match=message):
        act(maintainer)
    assert maintainer.interest == interest
    assert maintainer.overlay == overlay


def test_an_empty_batch_changes_nothing(make, four_brokers):
    maintainer = make(four_brokers)
    overlay = maintainer.overlay
    assert maintainer.apply([]).num_changed == 0
    assert maintainer.overlay == overlay


def test_join_and_leave_in_one_batch_is_nothing(make, four_brokers):
    maintainer = make(four_brokers)
    overlay = maintainer.overlay
    change = maintainer.apply([Event("join", "x", {"t0000"}), Event("leave", "x")])
    assert (change.num_changed, maintainer.overlay) == (0, overlay)


def test_subscribe_and_unsubscribe_name_single_topics(make, four_brokers):
    maintainer = make(four_brokers)
    maintainer.apply([Event("subscribe", "n003", {"t0000", "t0009"}), Event("unsubscribe", "n003", {"t0002"})])
    assert maintainer.topics_of("n003") == {"t0000", "t0009"}
    assert connected(maintainer)


def test_overlay_that_does_not_fit_is_refused(four_brokers):
    with pytest.raises(OverlayError, match="topics disconnected"):
        Shadow(four_brokers, tw.Overlay.empty(four_brokers.nodes))
    with pytest.raises(OverlayError, match="not the same"):
        Shadow(four_brokers, tw.Overlay.empty(("a", "b")))
    with pytest.raises(OverlayError, match=r"got a Design; give its \.overlay"):
        Shadow(four_brokers, tw.design(four_brokers, "gm"))
    with pytest.raises(InputError, match="got a dict"):
        Shadow({"a": ["x"]})


@pytest.mark.parametrize(
    "options",
    [{"k": 0.5}, {"k": "3"}, {"coverage": 0}, {"coverage": True}, {"backups": "best"}, {"ties": "none"}, {"seed": -1},
     {"backups": ["greedy"]}, {"trim": "no"}, {"trim": 1}, {"trim": None}],
)  # fmt: skip
def test_parameters_out_of_range(four_brokers, options):
    """Each wrong value is refused when the maintainer is made."""
    with pytest.raises(ParameterError):
        Shadow(four_brokers, **options)


def test_trim_may_be_a_truth_value_of_numpy(four_brokers):
    assert Shadow(four_brokers, trim=np.True_).parameters["trim"] is True

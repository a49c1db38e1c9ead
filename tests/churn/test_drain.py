"""A drain: links that replace those of a node are made while it is there; then it goes."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import topicweave as tw
from tests.instances import interests
from topicweave.churn import MAINTAINERS, Event
from topicweave.errors import InputError


def connects(interest, links):
    return tw.verify(interest, tw.Overlay.from_pairs(sorted(links), interest.nodes)).topic_connected


@pytest.mark.parametrize("trim", [False, True])
@pytest.mark.parametrize("name", MAINTAINERS)
@settings(max_examples=40)
@given(interest=interests().filter(lambda found: found.num_nodes > 0), data=st.data())
def test_every_topic_is_connected_before_between_and_after(name, trim, interest, data):
    """Between the two changes no link is missing, and the node is still there; the outcome is that of a leave."""
    node = data.draw(st.sampled_from(interest.nodes))
    drained, left = MAINTAINERS[name](interest, trim=trim), MAINTAINERS[name](interest, trim=trim)
    before = set(drained.overlay.pairs())
    replaces, removes = drained.drain(node)
    assert replaces.removed == () and removes.added == ()
    assert not any(node in link for link in replaces.added)
    between = before | set(replaces.added)
    assert connects(interest, between)
    assert between - set(removes.removed) == set(drained.overlay.pairs())
    assert connects(drained.interest, drained.overlay.pairs())
    left.leave(node)
    assert drained.overlay == left.overlay


def test_who_is_not_there_cannot_be_drained(four_brokers):
    maintainer = MAINTAINERS["shadow"](four_brokers)
    with pytest.raises(InputError, match="There is no node 'nobody' that could drain"):
        maintainer.drain("nobody")
    assert maintainer.apply([Event("drain", "n000")]).removed != ()

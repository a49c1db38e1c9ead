"""A state is opened with the options that it was begun with, or the difference is named; all before Spark starts."""

import pytest

import topicweave as tw
from topicweave import pipeline
from topicweave.churn import Shadow
from topicweave.churn.event_store import Beginning, EventStore
from topicweave.churn.numbers import Numbers
from topicweave.errors import ParameterError, TargetError

INTEREST = tw.Interest.from_sets({"a": ["x"], "b": ["x"]})


@pytest.fixture
def follow(tmp_path, monkeypatch):
    """Follow an empty folder into the state; no difference needs Spark to be seen."""
    monkeypatch.setattr("topicweave.pipeline.job.Job.start", lambda *_, **__: pytest.fail("Spark was started"))
    (tmp_path / "events").mkdir()
    return lambda **given: pipeline.follow(tmp_path / "events", state=tmp_path / "state", once=True, **given)


def begin(folder, plan):
    """A state that was begun with this plan, or with nobody."""
    overlay = tw.Overlay.from_pairs([("a", "b")])
    EventStore(folder, lambda: Beginning(Shadow(INTEREST, overlay), Numbers(1), {"plan": plan, "first": 1}))


@pytest.mark.parametrize(
    ("begun_with", "given", "says"),
    [
        ("/plan", {"empty": True}, "empty= is False there and True here; it was started with it; leave it out, or"),
        (None, {"first": 3}, "first= is 1 there and 3 here; it was started with it; leave it out, or name another"),
        ("/plan", {"empty": True, "first": 3}, "it was started with them; leave them out, or name another folder"),
        (None, {"maintainer": "naive"}, "is 'shadow' there and 'naive' here; leave it out, or change it by reconf"),
        (None, {"seed": 3, "k": 2}, "seed= is 0 there and 3 here; leave them out, or change them by reconfigure="),
    ],
)  # fmt: skip
def test_what_differs_is_named(tmp_path, follow, begun_with, given, says):
    """What it was begun with cannot be changed; its maintainer can, if that is asked for."""
    begin(tmp_path / "state", begun_with)
    before = (tmp_path / "state" / "snapshot").read_bytes()
    with pytest.raises(ParameterError, match=says):
        follow(**given)
    assert (tmp_path / "state" / "snapshot").read_bytes() == before


def test_a_state_that_began_without_nodes_may_be_told_so_again(tmp_path, follow):
    """The command line of the first run is given again after a restart; all goes well until Spark is needed."""
    begin(tmp_path / "state", None)
    with pytest.raises(pytest.fail.Exception, match="Spark was started"):
        follow(empty=True, first=1, maintainer="shadow", seed=0)


def test_a_plan_is_not_taken_for_a_state(tmp_path, follow):
    """Neither with a snapshot, as that of a log, nor without one, as that of a design; nothing is written to it."""
    (tmp_path / "state").mkdir()
    for name in ("manifest.json", "edges.parquet"):
        (tmp_path / "state" / name).touch()
    with pytest.raises(TargetError, match="state is a plan, not the state of a stream; name another folder"):
        follow(empty=True)
    assert sorted(path.name for path in (tmp_path / "state").iterdir()) == ["edges.parquet", "manifest.json"]

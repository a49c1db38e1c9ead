"""What an interest is like."""

import json

import pytest

from topicweave.model import Interest
from topicweave.reports.profile import profile
from topicweave.workloads import synthetic


def test_tiny_by_hand():
    """Three nodes: a {x, y}, b {x}, c {x}. Pairs ab, ac, bc share one topic each."""
    found = profile(Interest.from_sets({"a": ["x", "y"], "b": ["x"], "c": ["x"]}))
    assert found.common_topics == 1.0
    assert found.pairs_in_touch == 1.0
    assert found.single_subscriber_share == 0.5
    assert found.sizes.tolist() == [2, 1, 1] and found.popularity.tolist() == [3, 1]


def test_pairs_in_touch_is_near_the_exact_share():
    """A sample of pairs against all pairs."""
    interest = synthetic(num_nodes=200, num_topics=50, popularity="zipf", alpha=0.5, subscriptions=4, seed=0)
    shared = interest.to_scipy().astype(int)
    touch = (shared @ shared.T).toarray() > 0
    exact = (touch.sum() - 200) / (200 * 199)
    assert profile(interest).pairs_in_touch == pytest.approx(exact, abs=0.02)


def test_advice_and_forms():
    """The advice fits the interest; the forms hold the figures."""
    skewed = Interest.from_sets(
        {"hub": [f"t{i}" for i in range(100)], **{f"n{i}": ["t0", f"t{i}"] for i in range(1, 30)}}
    )
    found = profile(skewed)
    advice = " ".join(found.advice)
    assert "hubs" in advice and "single subscriber" in advice and "Nearly all nodes" in advice
    assert "α = " in found.summary() and "30" in found.summary()
    assert "1: 100 %, 3: 3.33 %, 10: 3.33 %, 30: 3.33 %, 100: 3.33 %\n" in found.summary(), "the sizes' CCDF"
    assert json.loads(json.dumps(found.to_dict()))["nodes"] == 30
    even = profile(synthetic(num_nodes=50, num_topics=10, popularity="uniform", subscriptions=3, seed=0))
    assert "equally many topics" in even.advice[0]
    assert profile(Interest.from_pairs([])).summary().startswith("nodes")


@pytest.mark.parametrize(("auto_nodes", "what"), [(50, "all pairs"), (49, "near candidates")])
def test_what_does_not_fit_is_said(monkeypatch, auto_nodes, what):
    """Where the table of pairs is larger than the memory that is free, other ways are named."""
    interest = synthetic(num_nodes=50, num_topics=10, popularity="uniform", subscriptions=3, seed=0)
    monkeypatch.setattr("topicweave.parameters.default_limit", lambda: 1)
    monkeypatch.setattr("topicweave.algorithms.options.AUTO_NODES", auto_nodes)
    assert profile(interest).advice[0].startswith(f"50 nodes are too many to look at {what} with the memory")

"""Requirements checked on Spark, against the verifier in memory."""

import pytest

import topicweave as tw
from tests.pipeline.jobs.test_verify import frames, random_case
from topicweave import metrics
from topicweave.pipeline.required import verify_required

REGIONS = {f"n{v}": "eu" if v % 2 else "us" for v in range(40)}
CASES = (
    tw.Requirements(max_hops=3),
    tw.Requirements(connectivity=2),
    tw.Requirements(connectivity=3, max_hops=2),
    tw.Requirements(max_degree=6, forbidden=[("eu", "us")], required=[("n1", "n2"), ("n1", "gone")], regions=REGIONS),
    tw.Requirements(allowed=[("eu", "eu")], max_degree={"n3": 1, "gone": 1}, regions=REGIONS),
    tw.Requirements(link_cost={("eu", "us"): 5, ("eu", "eu"): 1, ("us", "us"): 2}, regions=REGIONS),
    tw.Requirements(max_degree=1000),
)


@pytest.mark.parametrize("case", range(len(CASES)))
def test_the_same_is_violated_as_in_memory(spark, case):
    """Every topic, node and link concerned; and the cost. Where Spark counts failures, memory names the nodes."""
    requirements = CASES[case]
    pairs, interest, overlay = random_case(5, num_edges=260)
    found = verify_required(*frames(spark, pairs, overlay.pairs()), requirements)
    expected = metrics.verify(interest, overlay, requirements)
    assert {(v.requirement, v.topic) for v in found.violations} == {
        (v.requirement, v.topic) for v in expected.violations
    }
    of_links = [v for v in found.violations if v.topic is None]
    assert of_links == [v for v in expected.violations if v.topic is None]
    hops = {v.topic: v.value for v in found.violations if v.requirement == "max_hops"}
    assert hops == {v.topic: v.value for v in expected.violations if v.requirement == "max_hops"}
    assert found.cost == pytest.approx(expected.cost)
    assert found.satisfied is (expected.topic_connected and not expected.violations)
    assert all(str(violation) for violation in found.violations)


def test_without_requirements_nothing_is_violated(spark):
    """And there is no cost."""
    pairs, _, overlay = random_case(1)
    found = verify_required(*frames(spark, pairs, overlay.pairs()), None)
    assert (found.requirements, found.violations, found.cost) == (None, (), None)

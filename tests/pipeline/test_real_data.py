"""Real data, end to end."""

import pytest

from tests.workloads.data import real_file
from topicweave.pipeline import SocialGraph, Table, design


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "social", "nodes", "subscriptions"),
    [
        ("facebook_ego.edges.txt.gz", True, 4_039, 176_468),
        ("twitch_interests.pairs.tsv.gz", False, 9_498, 193_132),
        ("twitter_careers.pairs.tsv.gz", False, 12_996, 68_328),
    ],
)
def test_end_to_end(spark, tmp_path, name, social, nodes, subscriptions):
    """Read, designed, written, verified; nothing in quarantine."""
    table = Table(str(real_file(name)), header=False)
    plan = design(SocialGraph(table) if social else table, "low", k=3, out=tmp_path / "plan", spark=spark)
    assert plan.interest.num_nodes == nodes and plan.interest.num_subscriptions == subscriptions
    assert plan.verification.topic_connected
    assert plan.manifest["rows"]["duplicates"] == 0
    ring = plan.manifest["comparison"][1]
    assert plan.design.overlay.num_edges < ring["links"]


@pytest.mark.slow
def test_sample_end_to_end(spark):
    """A sample of the Facebook graph, as the papers take it."""
    table = Table(str(real_file("facebook_ego.edges.txt.gz")))
    plan = design(SocialGraph(table, sample=300, seed=4), "gm", spark=spark)
    assert plan.interest.num_nodes == 300 and plan.verification.topic_connected
    assert len(plan.manifest["rows"]["notes"]["sample started from"]) >= 1

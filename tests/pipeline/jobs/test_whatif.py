"""What would break, and the repair, from a plan folder."""

import pytest

import topicweave as tw
from tests.deploy.plans import write_plan
from topicweave import pipeline
from topicweave.errors import InputError
from topicweave.outages import outage, single_outages
from topicweave.pipeline.plan.requirements import write_requirements


@pytest.fixture(scope="module")
def plan(tmp_path_factory):
    """A plan of 60 nodes, with some links that single failures depend on."""
    return write_plan(tmp_path_factory.mktemp("plans") / "plan", INTEREST)


INTEREST = tw.workloads.synthetic(60, 20, subscriptions=5, seed=4)


def test_a_repair_makes_every_remaining_topic_connected(plan):
    """The links of the plan, with the repair's added and removed, connect what remains; and it repaired something."""
    stored = pipeline.read_plan(plan)
    worst = [each.node for each in single_outages(stored.interest, stored.overlay).worst(3)]
    for nodes in ([worst[0]], worst):
        found = pipeline.whatif(plan, fail=nodes)
        assert found.outage == outage(stored.interest, stored.overlay, nodes)
        assert found.outage.broken
        links = {tuple(sorted(pair)) for pair in stored.overlay.pairs()}
        assert set(found.repair.removed) <= links
        assert {link for link in links if set(link) & set(nodes)} <= set(found.repair.removed)
        left = stored.interest.remove(nodes)
        after = tw.Overlay.from_pairs((links | set(found.repair.added)) - set(found.repair.removed), left.nodes)
        assert tw.verify(left, after).topic_connected
        assert pipeline.whatif(plan, fail=nodes, repair=False) == pipeline.WhatIf(found.outage)


def test_a_harmless_failure_needs_no_links(tmp_path):
    """Only the links of the node itself go, here at the end of a chain."""
    interest = tw.Interest.from_pairs([(node, "news") for node in "abcde"])
    plan = write_plan(tmp_path / "plan", interest, "chain")
    found = pipeline.whatif(plan, fail=["e"])
    assert (found.outage.broken, found.repair.added) == ((), ())
    assert found.repair.removed == (("d", "e"),)


def test_without_names_all_single_failures_are_ranked(plan):
    """Regions are ranked as well where they are given, as a mapping or as a file."""
    stored = pipeline.read_plan(plan)
    found = pipeline.whatif(plan)
    assert found.single.worst() == single_outages(stored.interest, stored.overlay).worst()
    assert (found.outage, found.repair, found.by_region) == (None, None, ())
    regions = {node: "eu" if v % 2 else "us" for v, node in enumerate(stored.interest.nodes)}
    ranked = pipeline.whatif(plan, regions=regions)
    assert sorted(name for name, _ in ranked.by_region) == ["eu", "us"]
    assert ranked.to_dict(worst=3)["worst"] == [each._asdict() for each in found.single.worst(3)]
    assert len(ranked.to_dict()["regions"]) == 2


def test_a_region_fails_as_a_whole(plan, write):
    """Its nodes are those of the file that the plan has; a mistyped region is named with the nearest."""
    some = INTEREST.nodes[:5]
    path = write("nodes.csv", "node,region\nelsewhere,eu\n" + "".join(f"{node},eu\n" for node in some))
    found = pipeline.whatif(plan, fail=[INTEREST.nodes[9]], fail_regions=["eu"], regions=path, repair=False)
    assert found.outage.nodes == tuple(sorted((*some, INTEREST.nodes[9])))
    with pytest.raises(InputError, match=r"'ue'.*eu"):
        pipeline.whatif(plan, fail_regions=["ue"], regions=path)
    with pytest.raises(InputError, match="give regions"):
        pipeline.whatif(plan, fail_regions=["eu"])
    with pytest.raises(InputError, match="no node 'elsewhere'"):
        pipeline.whatif(plan, fail=["elsewhere"])


def test_a_plan_that_leaves_topics_disconnected_gets_no_repair(tmp_path):
    """What breaks is shown all the same, and why there is no repair."""
    interest = tw.Interest.from_pairs([(node, topic) for node in "abcdef" for topic in "xy"])
    plan = write_plan(tmp_path / "plan", interest, "gpa", m=4)
    stored = pipeline.read_plan(plan)
    assert not tw.verify(interest, stored.overlay).topic_connected
    node = single_outages(interest, stored.overlay).worst(1)[0].node
    found = pipeline.whatif(plan, fail=[node])
    assert found.outage.broken
    assert found.repair is None
    assert "leaves 2 topics disconnected" in found.no_repair
    assert found.to_dict()["repair"] is None


def test_a_plan_with_requirements_is_repaired_so_that_they_are_met(tmp_path):
    """A ring that survives every failure loses a node, which breaks nothing: the repair closes it again."""
    interest = tw.Interest.from_pairs([(node, "news") for node in "abcdef"])
    plan = write_plan(tmp_path / "plan", interest, "ring")
    write_requirements(tw.Requirements(connectivity=2), plan, interest.nodes)
    ring = {tuple(sorted(pair)) for pair in pipeline.read_plan(plan).overlay.pairs()}
    found = pipeline.whatif(plan, fail=["c"])
    assert found.outage.broken == ()
    ends = {node for pair in ring if "c" in pair for node in pair} - {"c"}
    assert found.repair.added == (tuple(sorted(ends)),)
    assert found.repair.violations == ()

"""Plans whose topics are MQTT filters that overlap: they are exported, rolled out and deliver every message once."""

import pytest

import topicweave as tw
from demo.cluster import Cluster
from tests.deploy.conftest import inventory_of, needs_brokers
from tests.deploy.plans import write_inventory, write_plan
from tests.deploy.test_brokers import start, wait_for_bridges
from topicweave import pipeline
from topicweave.deploy.bridges import deployment
from topicweave.deploy.mosquitto import mosquitto_files
from topicweave.deploy.probe import plan_probe, probe

PAIRS = [(n, "x/#") for n in "ab"] + [(n, "x/1") for n in "bc"] + [(n, "+/1") for n in "cd"]
CHAIN = tw.Overlay.from_pairs([("a", "b"), ("b", "c"), ("c", "d")])


@pytest.mark.parametrize("layout", ["inside", "sidecar"])
def test_filters_that_overlap_are_exported_and_rolled_out(tmp_path, layout):
    """The three filters of one class: first with four brokers, then ``+/1`` at one more."""
    four, five = (write_inventory(tmp_path / f"{names}.csv", inventory_of(names)) for names in ("abcd", "abcde"))
    old = write_plan(tmp_path / "old", tw.Interest.from_pairs(PAIRS), "chain")
    new = write_plan(tmp_path / "new", tw.Interest.from_pairs([*PAIRS, ("e", "+/1")]), "chain")
    done = pipeline.export(old, out=tmp_path / "configs", inventory=four, layout=layout)
    assert done["bridges"] == 3
    lines = (tmp_path / "configs" / "c" / "topicweave.conf").read_text().splitlines()
    assert {line for line in lines if line.startswith("topic")} == {"topic +/1 both 1", "topic x/# both 1"}
    steps = pipeline.rollout(old, new, out=tmp_path / "steps", inventory=five, layout=layout)["waves"]
    assert steps
    assert {name for step in steps for name in step["start"]} == {"e"}


@needs_brokers
@pytest.mark.parametrize("layout", ["inside", "sidecar"])
def test_brokers_deliver_messages_that_match_several_filters_once(tmp_path, layout):
    found = tw.deploy.trees(tw.Interest.from_pairs(PAIRS), CHAIN)
    inventory = inventory_of("abcd", real=True)
    planned = deployment(found, inventory)
    with Cluster(tmp_path) as cluster:
        start(cluster, inventory, mosquitto_files(planned, inventory, layout), layout)
        wait_for_bridges(planned, inventory, layout)
        report = probe(found, inventory, plan_probe(found))
    assert report.is_good, report.to_dict()
    # x/# at a and b reaches these two, +/1 at c and d those two, and x/1 at b and c everybody
    assert report.num_once == 2 * 2 + 2 * 2 + 2 * 4

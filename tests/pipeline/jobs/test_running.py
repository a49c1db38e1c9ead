"""pipeline.status and pipeline.probe against real brokers, and what they refuse without any."""

import time

import pytest

from demo.cluster import Cluster
from tests.deploy.conftest import example, inventory_of, needs_brokers
from tests.deploy.plans import write_inventory, write_plan
from topicweave import pipeline
from topicweave.errors import InputError
from topicweave.pipeline.jobs.running import login_from_environment


@pytest.fixture
def plan(tmp_path):
    return write_plan(tmp_path / "plan", example(6))


def test_a_probe_is_what_each_member_of_each_topic_publishes(plan, tmp_path):
    interest = example(6)
    listed = write_inventory(tmp_path / "brokers.csv", inventory_of(interest.nodes))
    chosen = pipeline.probe(plan, listed)
    assert {(send.topic, send.source) for send in chosen.sends} == {(topic, node) for node, topic in interest.pairs()}
    assert len(chosen.sends) == interest.num_subscriptions
    assert chosen.names == tuple(sorted(interest.topics))
    some = pipeline.probe(plan, listed, sample=5, seed=1)
    assert len(some.sends) == 5
    assert set(some.sends) < set(chosen.sends)
    assert some.sends == pipeline.probe(plan, inventory_of(interest.nodes), sample=5, seed=1).sends


def test_an_inventory_that_lacks_a_broker_is_refused_before_anything_is_published(plan, tmp_path):
    nodes = example(6).nodes
    listed = write_inventory(tmp_path / "brokers.csv", inventory_of(nodes[1:]))
    with pytest.raises(InputError, match=f"lacks 1 of the plan's 6 brokers: {nodes[0]!r}"):
        pipeline.probe(plan, listed)


def test_a_login_is_both_parts_or_nothing(monkeypatch):
    monkeypatch.setenv("GATE_USERNAME", "bridge")
    assert login_from_environment("GATE") is None
    monkeypatch.setenv("GATE_PASSWORD", "")
    assert login_from_environment("GATE") == ("bridge", "")


@needs_brokers
def test_running_brokers_have_the_bridges_of_the_plan_and_deliver_once(plan, tmp_path):
    interest = example(6)
    inventory = inventory_of(interest.nodes, real=True)
    pipeline.export(plan, out=tmp_path / "configs", inventory=inventory)
    with Cluster(tmp_path / "run") as cluster:
        for broker in inventory:
            bridges = (tmp_path / "configs" / broker.name / "topicweave.conf").read_text()
            cluster.start_broker(broker.name, broker.port, bridges)
        cluster.wait()
        limit = time.monotonic() + 60
        while not (seen := pipeline.status(plan, inventory)).is_as_planned:
            assert time.monotonic() < limit, seen
            time.sleep(0.5)
        told = []
        report = pipeline.probe(plan, inventory, sample=20).run(progress=lambda done, of: told.append((done, of)))
        assert report.is_good, report.to_dict()
        assert told[-1] == (20, 20)
        cluster.stop(interest.nodes[0])
        without = pipeline.status(plan, inventory)
    assert without.unreachable == (interest.nodes[0],)

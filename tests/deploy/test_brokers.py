"""Real mosquitto brokers: what the exported files do."""

import time

import pytest

import topicweave as tw
from demo.cluster import Cluster
from tests.deploy.conftest import example, inventory_of, needs_brokers
from topicweave.deploy.bridges import deployment
from topicweave.deploy.mosquitto import mosquitto_files
from topicweave.deploy.probe import plan_probe, probe
from topicweave.deploy.status import planned_bridges, status
from topicweave.deploy.waves import waves

pytestmark = needs_brokers


def start(cluster, inventory, files, layout):
    for broker in inventory:
        cluster.start_broker(broker.name, broker.port, files[broker.name] if layout == "inside" else "")
        if layout == "sidecar":
            cluster.start_sidecar(broker.name, broker.sidecar_port, files[broker.name])
    cluster.wait()


def wait_for_bridges(planned, inventory, layout, seconds=60):
    limit = time.monotonic() + seconds
    while not (found := status(planned, inventory, layout)).is_as_planned:
        assert time.monotonic() < limit, found
        time.sleep(0.5)


def probe_example(tmp_path, num_nodes, layout):
    interest = example(num_nodes)
    found = tw.deploy.trees(interest, tw.design(interest).overlay)
    inventory = inventory_of(interest.nodes, real=True)
    planned = deployment(found, inventory)
    with Cluster(tmp_path) as cluster:
        start(cluster, inventory, mosquitto_files(planned, inventory, layout), layout)
        wait_for_bridges(planned, inventory, layout)
        report = probe(found, inventory, plan_probe(found))
    assert report.is_good, report.to_dict()
    assert report.num_published == interest.num_subscriptions
    assert report.num_once == report.num_expected == int((interest.topic_sizes**2).sum())


@pytest.mark.parametrize("layout", ["inside", "sidecar"])
def test_24_brokers_deliver_every_message_exactly_once(tmp_path, layout):
    probe_example(tmp_path, 24, layout)


@pytest.mark.slow
@pytest.mark.parametrize("layout", ["inside", "sidecar"])
def test_the_whole_example_delivers_every_message_exactly_once(tmp_path, layout):
    probe_example(tmp_path, 308, layout)


def test_the_probe_finds_what_is_lost_doubled_and_stray(tmp_path):
    """A bridge that is missing, and one that carries a topic to a broker that did not ask for it."""
    interest = tw.Interest.from_pairs([(node, "x") for node in "abc"] + [("d", "y"), ("c", "y")])
    found = tw.deploy.trees(interest, tw.Overlay.from_pairs([("a", "b"), ("b", "c"), ("c", "d")]))
    inventory = inventory_of("abcd", real=True)
    planned = deployment(found, inventory)
    files = mosquitto_files(planned, inventory)
    files["b"] = ""
    files["d"] = files["d"].replace("topic y both 1", "topic y both 1\ntopic x in 1")
    with Cluster(tmp_path) as cluster:
        start(cluster, inventory, files, "inside")
        time.sleep(1.5)
        report = probe(found, inventory, plan_probe(found))
        seen = status(planned, inventory, "inside")
        cluster.stop("a")
        cluster.stop("d")
        fewer = status(planned, inventory, "inside")
    assert not report.is_good
    assert ("x", "a", "b") in report.lost
    assert ("x", "c", "d") in report.stray
    assert report.latency["y"][0] > 0
    assert (seen.missing, seen.unreachable) == ((("b", "a"),), ())
    assert fewer.unreachable == ("a", "d")
    assert (fewer.unknown, fewer.num_planned) == ((("d", "c"),), 3)  # a holds none
    assert planned_bridges(planned, "inside") == {("b", "a"), ("c", "b"), ("d", "c")}


def test_the_probe_stops_a_storm(tmp_path):
    """The overlay taken literally: three brokers in a circle."""
    interest = tw.Interest.from_pairs([(node, "x") for node in "abc"])
    ring = tw.Overlay.from_pairs([("a", "b"), ("b", "c"), ("a", "c")])
    found = tw.deploy.trees(interest, ring)
    inventory = inventory_of("abc", real=True)
    files = mosquitto_files(deployment(found, inventory), inventory)
    port = inventory["a"].port
    files["c"] = "\n".join(
        f"connection c-{name}\naddress 127.0.0.1:{inventory[name].port}\ntopic x both 1" for name in "ab"
    )
    files["b"] = f"connection b-a\naddress 127.0.0.1:{port}\ntopic x both 1\n"
    with Cluster(tmp_path) as cluster:
        start(cluster, inventory, files, "inside")
        time.sleep(1.5)
        begun = time.monotonic()
        report = probe(found, inventory, plan_probe(found)[:1])
    assert report.is_storm
    assert time.monotonic() - begun < 30


def test_publishers_reach_everybody_and_receive_nothing(tmp_path):
    interest = tw.Interest.from_pairs([("a", "x"), ("b", "x")], publishers=[("c", "x"), ("d", "x")])
    found = tw.deploy.trees(interest, tw.Overlay.from_pairs([("a", "b"), ("b", "c"), ("a", "d")]))
    inventory = inventory_of("abcd", real=True)
    planned = deployment(found, inventory)
    for layout in ("inside", "sidecar"):
        with Cluster(tmp_path / layout) as cluster:
            start(cluster, inventory, mosquitto_files(planned, inventory, layout), layout)
            wait_for_bridges(planned, inventory, layout)
            report = probe(found, inventory, plan_probe(found))
        assert report.is_good, report.to_dict()
        assert report.num_expected == 4


def test_brokers_are_gone_when_the_cluster_is_closed(tmp_path):
    import psutil

    with Cluster(tmp_path) as cluster:
        port = inventory_of("a", real=True)["a"].port
        cluster.start_broker("a", port)
        cluster.wait()
        (process,) = cluster.processes
        assert psutil.pid_exists(process)
    assert not psutil.pid_exists(process)


def test_status_tells_connections_that_a_rollout_has_retired_from_unplanned_ones(tmp_path):
    """A chain becomes a star: the link that no tree uses any more stays without topics, and is not an error."""
    interest = tw.Interest.from_pairs([(node, "x") for node in "abc"])
    one = tw.deploy.trees(interest, tw.Overlay.from_pairs([("a", "b"), ("b", "c")]))
    other = tw.deploy.trees(interest, tw.Overlay.from_pairs([("a", "b"), ("a", "c")]))
    inventory = inventory_of("abc", real=True)
    old, new = deployment(one, inventory), deployment(other, inventory)
    last = waves(old, new, "abc", "abc")[-1].deployment
    with Cluster(tmp_path) as cluster:
        start(cluster, inventory, mosquitto_files(last, inventory, "sidecar"), "sidecar")
        limit = time.monotonic() + 30
        while not (seen := status(new, inventory, "sidecar")).is_as_planned and time.monotonic() < limit:
            time.sleep(0.2)
        before = status(old, inventory, "sidecar")
    assert seen.is_as_planned, seen
    assert seen.retired == (("c", "b"),)
    assert (before.missing, before.unplanned) == ((("c", "b"),), (("c", "a"),))

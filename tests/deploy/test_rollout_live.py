"""A rollout between two plans on real brokers with sidecars, while a client at every broker publishes."""

import json
import random
import time
from collections import Counter

import pytest

import topicweave as tw
from demo.cluster import Cluster
from tests.deploy.conftest import example, inventory_of, needs_brokers
from topicweave.deploy.bridges import deployment
from topicweave.deploy.mosquitto import mosquitto_files
from topicweave.deploy.status import status
from topicweave.deploy.swarm import Swarm
from topicweave.deploy.waves import waves

LAYOUT = "sidecar"


def two_plans(num_nodes, rng):
    """Trees before and after a tenth of the subscriptions changed: a twentieth gone, as many new."""
    before = example(num_nodes)
    pairs = list(before.pairs())
    rng.shuffle(pairs)
    kept = pairs[len(pairs) // 20 :]
    new = set()
    while len(new) < len(pairs) - len(kept):
        new |= {(rng.choice(before.nodes), rng.choice(before.topics))} - set(pairs)
    after = tw.Interest.from_pairs([*kept, *sorted(new)])
    maintainer = tw.churn.Shadow(before, seed=0)
    first = tw.deploy.trees(before, maintainer.overlay)
    for node in after.nodes:
        if after.topics_of(node) != before.topics_of(node):
            maintainer.resubscribe(node, after.topics_of(node))
    return first, tw.deploy.trees(maintainer.interest, maintainer.overlay, prefer=first), kept


class Outcome:
    """What arrived while brokers with sidecars were taken from one plan to the other, a few hundred messages a second.

    Parameters
    ----------
    folder
        Where the brokers live.
    num_nodes, hold
        How many brokers, and whether messages are held.
    pause
        Seconds between two waves.
    """

    def __init__(self, folder, num_nodes, hold, pause):
        self.rng = random.Random(1)
        first, second, self.kept = two_plans(num_nodes, self.rng)
        self.one, self.two = first.interest, second.interest
        assert self.one.nodes == self.two.nodes
        inventory = inventory_of(self.one.nodes, real=True)
        old, new = deployment(first, inventory), deployment(second, inventory)
        self.steps = waves(old, new, self.one.nodes, self.two.nodes, hold=hold)
        self.copies, self.sent = Counter(), []
        self.wave = 0
        self.sent_in = []  # for each message, the wave during or after which it was published; 0 before the first
        with Cluster(folder) as cluster:
            self._start(cluster, old, inventory)
            with Swarm(inventory, self._arrival, "load") as swarm:
                self._roll_out(cluster, swarm, inventory, pause)
                self.disconnections = list(swarm.disconnections)
            self.seen = status(new, inventory, LAYOUT)

    def _start(self, cluster, old, inventory):
        files = mosquitto_files(old, inventory, LAYOUT)
        for broker in inventory:
            cluster.start_broker(broker.name, broker.port)
            cluster.start_sidecar(broker.name, broker.sidecar_port, files[broker.name])
        cluster.wait()
        while not status(old, inventory, LAYOUT).is_as_planned:
            time.sleep(0.5)

    def _roll_out(self, cluster, swarm, inventory, pause):
        for node in self.one.nodes:
            swarm.subscribe(node, sorted(self.one.topics_of(node) & self.two.topics_of(node)))
        swarm.wait_for_subscriptions()
        self._publish(swarm, 2)
        for number, step in enumerate(self.steps, 1):
            self.wave = number
            files = mosquitto_files(step.deployment, inventory, LAYOUT)
            for name in step.changed:
                cluster.stop(f"{name}.sidecar")
                self._publish(swarm, 0.05)
                cluster.start_sidecar(name, inventory[name].sidecar_port, files[name])
                self._publish(swarm, 0.15)
            self._publish(swarm, pause)
            # the pause is long enough on an idle machine only; whoever rolls out looks at the status before going on
            limit = time.monotonic() + 60
            while not status(step.deployment, inventory, LAYOUT).is_as_planned and time.monotonic() < limit:
                self._publish(swarm, 0.2)
        wanted = len(self.expected())
        swarm.run_until(lambda: len(self.copies) >= wanted, 30)

    def _publish(self, swarm, seconds):
        limit, due = time.monotonic() + seconds, 0.0
        while time.monotonic() < limit:
            if time.monotonic() >= due:
                due = time.monotonic() + 0.1
                for node, topic in self.rng.sample(self.kept, min(20, len(self.kept))):
                    swarm.publish(node, topic, json.dumps(len(self.sent)).encode())
                    self.sent.append(topic)
                    self.sent_in.append(self.wave)
            swarm.run_once(0.02)

    def _arrival(self, name, message):
        self.copies[json.loads(message.payload), name] += 1

    def expected(self):
        """Message and subscriber, for all brokers that subscribe before and after."""
        both = {t: self.one.subscribers_of(t) & self.two.subscribers_of(t) for t in set(self.sent)}
        return [(number, node) for number, topic in enumerate(self.sent) for node in both[topic]]

    def figures(self):
        """How many deliveries were expected, lost and doubled, by the wave in which the message was published."""
        found = [{"expected": 0, "lost": 0, "doubled": 0} for _ in range(self.wave + 1)]
        for number, node in self.expected():
            counts = found[self.sent_in[number]]
            counts["expected"] += 1
            counts["lost"] += self.copies[number, node] == 0
        for (number, _), copies in self.copies.items():
            found[self.sent_in[number]]["doubled"] += copies - 1
        return found


@needs_brokers
@pytest.mark.slow
def test_a_rollout_that_holds_messages_loses_none(tmp_path):
    """Ten brokers with sidecars: four waves, nothing announced, nothing lost, and no client disconnected.

    On a machine that is busy with other work, this fails: docs/how-to/deploy.md names it as an open defect.
    """
    done = Outcome(tmp_path, 10, hold=True, pause=2)
    assert len(done.steps) == 4
    assert [counts["lost"] for counts in done.figures()] == [0] * 5, done.figures()
    assert max(done.copies.values()) <= 3, "a message went round"
    assert done.disconnections == []
    assert done.seen.is_as_planned, done.seen


@needs_brokers
@pytest.mark.slow
@pytest.mark.parametrize("hold", [False, True])
def test_only_announced_topics_lose_messages_and_no_client_is_disconnected(tmp_path, record_property, hold):
    """Sixty brokers; where messages are held, none is lost at all."""
    done = Outcome(tmp_path, 60, hold, pause=10)
    record_property("figures", str(done.figures()))
    assert len(done.steps) == (4 if hold else 2)
    assert done.disconnections == []
    assert done.seen.is_as_planned, done.seen
    assert done.seen.retired, "the last wave leaves connections without topics"
    announced = {topic for step in done.steps for topic in step.interrupted}
    lost = {done.sent[number] for number, node in done.expected() if done.copies[number, node] == 0}
    assert lost <= announced, sorted(lost - announced)
    assert bool(announced) is not hold
    assert max(done.copies.values()) <= 3, "a message went round"

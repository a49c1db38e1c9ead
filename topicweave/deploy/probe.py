"""Probe: publish marked messages at running brokers and count the copies that arrive at each of them."""

from __future__ import annotations

import json
import time
import uuid
from collections import Counter, defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from topicweave.deploy.swarm import Swarm
from topicweave.parameters import check_whole, seeded_generator
from topicweave.trees.filters import ONE, REST, overlap

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from topicweave.deploy.inventory import Inventory
    from topicweave.trees import Trees

MARK = "topicweave-probe"
QUIET_SECONDS = 1.0  # once nothing has arrived for this many seconds, the probe stops waiting
LONGEST_SECONDS = 60.0  # longest time to wait for a group of messages published together
AT_ONCE = 200  # number of messages that may be on their way at the same time
STORM = 20  # the probe stops if this many more copies arrive than expected, because then a message must be circulating


@dataclass(frozen=True)
class Send:
    """A message to publish: its topic in the plan, the topic name to use, and the broker."""

    topic: str
    name: str
    source: str


@dataclass(frozen=True)
class ProbeReport:
    """What arrived.

    Attributes
    ----------
    num_published, num_expected, num_once
        Messages published, deliveries expected, and deliveries made exactly once.
    lost, duplicate, stray
        (topic, publishing broker, receiving broker): deliveries that did not arrive, arrived more than once, or arrived
        where no subscriber is.
    hops
        For each topic, the most links that its messages cross according to the plan.
    latency
        For each topic, the median and the longest delivery time in seconds.
    is_storm
        Whether the probe stopped because messages were looping.
    """

    num_published: int
    num_expected: int
    num_once: int
    lost: tuple[tuple[str, str, str], ...]
    duplicate: tuple[tuple[str, str, str], ...]
    stray: tuple[tuple[str, str, str], ...]
    hops: dict[str, int]
    latency: dict[str, tuple[float, float]]
    is_storm: bool

    @property
    def is_good(self) -> bool:
        """Whether every subscriber got exactly one copy, and no other broker got any copy."""
        return not (self.lost or self.duplicate or self.stray or self.is_storm)

    def to_dict(self) -> dict[str, Any]:
        """The result as a dictionary that JSON can represent."""
        return {
            "good": self.is_good, "published": self.num_published, "expected": self.num_expected, "once": self.num_once,
            "lost": list(self.lost), "duplicate": list(self.duplicate), "stray": list(self.stray), "hops": self.hops,
            "latency_seconds": {t: {"median": m, "longest": w} for t, (m, w) in self.latency.items()},
            "storm": self.is_storm,
        }  # fmt: skip


def probe_name(topic: str) -> str:
    """A topic name under which to publish: for a filter, a name that it matches; otherwise the topic itself."""
    levels = [MARK if level in (ONE, REST) else level for level in topic.split("/")]
    return "/".join(levels)


def plan_probe(trees: Trees, sample: int | None = None, *, seed: int = 0) -> list[Send]:
    """List what a probe will publish: every topic at each broker that may publish it, or a random sample of these.

    A broker may publish a topic if it is listed as a publisher; if none is listed, any member may.
    """
    sends = []
    for topic in trees.interest.topics:
        members = trees.interest.publishers_of(topic) or trees.interest.subscribers_of(topic)
        sends += [Send(topic, probe_name(topic), node) for node in sorted(members)]
    if sample is not None and check_whole("sample", sample, 1) < len(sends):
        chosen = seeded_generator(seed).choice(len(sends), sample, replace=False)
        sends = [sends[i] for i in sorted(chosen.tolist())]
    return sends


def expected_at(trees: Trees) -> Callable[[str], tuple[frozenset[str], frozenset[str]]]:
    """Make a function that tells, for a topic name, its subscribers and the brokers that may see it because they relay
    it.
    """
    interest = trees.interest
    receivers: dict[str, set[str]] = defaultdict(set)
    for i, (node, topic) in enumerate(interest.pairs()):
        if interest.receives[i]:
            receivers[topic].add(node)
    relays: dict[str, set[str]] = defaultdict(set)
    first_of = [trees.by_class.topics[number] for number in trees.class_of.tolist()]
    for node, topic in trees.relays:
        relays[topic].add(node)
    class_members: dict[str, set[str]] = defaultdict(set)
    for number, topic in enumerate(interest.topics):
        class_members[first_of[number]] |= receivers[topic]
    wild = [t for t in interest.topics if ONE in t.split("/") or t.split("/")[-1] == REST]

    def lookup(name: str) -> tuple[frozenset[str], frozenset[str]]:
        topics = [t for t in ([name] if name in interest.topic_numbers else []) if t not in wild]
        topics += [t for t in wild if overlap(t, name)]
        wanted = frozenset().union(*(receivers[t] for t in topics))
        first = first_of[interest.topic_numbers[topics[0]]]
        return wanted, frozenset(relays[first] | class_members[first])

    return lookup


def probe(
    trees: Trees,
    inventory: Inventory,
    sends: Sequence[Send],
    *,
    login: Callable[[str], tuple[str, str] | None] | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> ProbeReport:
    """Publish these messages and count what arrives at every broker of the inventory.

    A client at every broker subscribes to every published topic, even if no subscriber is there, so that strays are
    noticed. A bridge carries only what its file names, so such a subscription attracts no messages from other brokers.
    """
    run = uuid.uuid4().hex[:12]
    copies: Counter[tuple[int, str]] = Counter()
    delay: dict[tuple[int, str], float] = {}
    sent_at: dict[int, float] = {}
    last_arrival = [time.monotonic()]

    def arrival(name: str, message: Any) -> None:
        try:
            found = json.loads(message.payload)
            number = found["number"] if found[MARK] == run else None
        except (ValueError, TypeError, KeyError):
            return  # this message was not published by the probe
        if number is not None:
            last_arrival[0] = time.monotonic()
            copies[number, name] += 1
            delay.setdefault((number, name), last_arrival[0] - sent_at[number])

    lookup = expected_at(trees)
    wanted = {send.name: lookup(send.name) for send in sends}
    expected_in_all = sum(len(wanted[send.name][0]) for send in sends)
    is_storm = False
    with Swarm(inventory, arrival, f"{MARK}-{run}", login) as swarm:
        names = sorted(wanted)
        for broker in inventory:
            swarm.subscribe(broker.name, names)
        swarm.wait_for_subscriptions()
        if progress is not None:
            progress(0, len(sends))
        due = 0
        for first in range(0, len(sends), AT_ONCE):
            part = sends[first : first + AT_ONCE]
            for number, send in enumerate(part, first):
                sent_at[number] = time.monotonic()
                payload = json.dumps({MARK: run, "number": number}).encode()
                swarm.publish(send.source, send.name, payload)
            due += sum(len(wanted[send.name][0]) for send in part)
            is_last = first + AT_ONCE >= len(sends)

            def is_done(due: int = due, is_last: bool = is_last) -> bool:
                total = copies.total()
                quiet = time.monotonic() - last_arrival[0] > QUIET_SECONDS
                return total > due + STORM * max(expected_in_all, 100) or (total >= due and (quiet or not is_last))

            last_arrival[0] = time.monotonic()
            limit = time.monotonic() + LONGEST_SECONDS
            while not is_done() and time.monotonic() < limit:
                swarm.run_until(is_done, 0.2)
                if copies.total() < due and time.monotonic() - last_arrival[0] > 5 * QUIET_SECONDS:
                    break
            if progress is not None:
                progress(min(first + AT_ONCE, len(sends)), len(sends))
            is_storm = copies.total() > due + STORM * max(expected_in_all, 100)
            if is_storm:
                break
    return _report(trees, sends[: len(sent_at)], wanted, copies, delay, is_storm)


def _report(
    trees: Trees,
    sends: Sequence[Send],
    wanted: dict[str, tuple[frozenset[str], frozenset[str]]],
    copies: Counter[tuple[int, str]],
    delay: dict[tuple[int, str], float],
    is_storm: bool,
) -> ProbeReport:
    lost, duplicate, stray, once, expected = [], [], [], 0, 0
    times: dict[str, list[float]] = defaultdict(list)
    arrived: dict[int, dict[str, int]] = defaultdict(dict)
    for (number, name), count in copies.items():
        arrived[number][name] = count
    for number, send in enumerate(sends):
        receivers, passing = wanted[send.name]
        here = arrived[number]
        expected += len(receivers)
        lost += [(send.topic, send.source, name) for name in sorted(receivers - here.keys())]
        for name, count in sorted(here.items()):
            if count > 1:
                duplicate.append((send.topic, send.source, name))
            if name in receivers:
                once += count == 1
                times[send.topic].append(delay[number, name])
            elif name not in passing and name != send.source:
                stray.append((send.topic, send.source, name))
    latency = {topic: (sorted(found)[len(found) // 2], max(found)) for topic, found in times.items()}
    hops = {topic: trees.hops(topic) for topic in dict.fromkeys(send.topic for send in sends)}
    return ProbeReport(len(sends), expected, once, tuple(lost), tuple(duplicate), tuple(stray), hops, latency, is_storm)

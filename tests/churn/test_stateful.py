"""After every event of any trace: topic-connected, backups true, primaries their mirror; for all maintainers."""

from __future__ import annotations

import random

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, precondition, rule

import topicweave as tw
from tests import reference_churn
from tests.instances import interests
from topicweave.churn import Event, Naive, Rebuild, Shadow, load, save
from topicweave.errors import InputError

TOPICS = st.frozensets(st.integers(0, 7).map(lambda t: f"t{t:04}"), max_size=6)
NODES = st.integers(0, 14).map(lambda v: f"n{v:03}")


def check(maintainer, topics_of):
    """Everything that must hold after every event."""
    interest, overlay = maintainer.interest, maintainer.overlay
    assert interest.to_sets() == {v: frozenset(wanted) for v, wanted in topics_of.items()}
    assert tw.verify(interest, overlay).topic_connected
    for a, b in overlay.pairs():
        assert topics_of[a] & topics_of[b], f"the link {a} - {b} has no common topic"
    assert maintainer.num_edges == overlay.num_edges
    assert maintainer.maximum_degree == overlay.maximum_degree
    if maintainer.name == "shadow":
        reference_churn.check_backups(
            topics_of,
            {v: maintainer.backups_of(v) for v in topics_of},
            {v: maintainer.primaries_of(v) for v in topics_of},
            maintainer.parameters["coverage"],
        )


class Churn(RuleBasedStateMachine):
    """Any events in any order, some of them impossible; the overlay in labels is followed by the changes alone."""

    kind = staticmethod(Shadow)
    options: dict = {}  # noqa: RUF012

    @initialize(interest=interests(), trim=st.booleans(), seed=st.integers(0, 3))
    def begin(self, interest, trim, seed):
        self.maintainer = self.kind(interest, trim=trim, seed=seed, **self.options)
        self.topics_of = {v: set(wanted) for v, wanted in interest.to_sets().items()}
        self.links = set(self.maintainer.overlay.pairs())

    def follow(self, change):
        assert not set(change.added) & set(change.removed)
        assert set(change.removed) <= self.links
        assert not set(change.added) & self.links
        self.links = (self.links - set(change.removed)) | set(change.added)

    def refuse(self, act):
        with pytest.raises(InputError):
            act()

    @rule(node=NODES, topics=TOPICS)
    def join(self, node, topics):
        if node in self.topics_of:
            self.refuse(lambda: self.maintainer.join(node, topics))
            return
        self.follow(self.maintainer.join(node, topics))
        self.topics_of[node] = set(topics)

    @rule(node=NODES)
    def leave(self, node):
        if node not in self.topics_of:
            self.refuse(lambda: self.maintainer.leave(node))
            return
        self.follow(self.maintainer.leave(node))
        del self.topics_of[node]

    @precondition(lambda self: self.topics_of)
    @rule(data=st.data(), topics=TOPICS)
    def resubscribe(self, data, topics):
        node = data.draw(st.sampled_from(sorted(self.topics_of)))
        self.follow(self.maintainer.resubscribe(node, topics))
        self.topics_of[node] = set(topics)

    @rule(data=st.data())
    def batch(self, data):
        topics_of = {v: set(wanted) for v, wanted in self.topics_of.items()}
        events = []
        for _ in range(data.draw(st.integers(1, 6))):
            node, topics = data.draw(NODES), data.draw(TOPICS)
            if node not in topics_of:
                events.append(Event("join", node, topics))
                topics_of[node] = set(topics)
            elif data.draw(st.booleans()):
                events.append(Event("leave", node))
                del topics_of[node]
            elif topics:
                action = data.draw(st.sampled_from(["subscribe", "unsubscribe"]))
                events.append(Event(action, node, topics))
                topics_of[node] = topics_of[node] | topics if action == "subscribe" else topics_of[node] - topics
        self.follow(self.maintainer.apply(events))
        self.topics_of = topics_of

    @rule(budget=st.integers(0, 8))
    def reoptimise(self, budget):
        before = self.maintainer.num_edges
        change = self.maintainer.reoptimise(budget)
        assert change.num_changed <= budget
        assert self.maintainer.num_edges <= before
        self.follow(change)

    @invariant()
    def all_holds(self):
        if hasattr(self, "maintainer"):
            check(self.maintainer, self.topics_of)
            assert set(self.maintainer.overlay.pairs()) == self.links


def machine(kind, **options):
    found = type("Machine", (Churn,), {"kind": staticmethod(kind), "options": options})
    found.TestCase.settings = settings(max_examples=40, stateful_step_count=25, deadline=None)
    return found.TestCase


TestNaive = machine(Naive)
TestRebuild = machine(Rebuild)
TestShadowPrimalDual = machine(Shadow, backups="primal_dual")
TestShadowGreedy = machine(Shadow, backups="greedy", coverage=2)
TestShadowThin = machine(Shadow, coverage=1, k=1)
TestShadowLevelled = machine(Shadow, levelling=1.0, defer_backups=True)
TestNaiveLevelled = machine(Naive, levelling=1.5)


def random_trace(maintainer, num_events, seed, topics, each=lambda: None, prefix="x"):
    """Joins, leaves and resubscriptions at random; returns who subscribes to what at the end."""
    dice = random.Random(seed)
    topics_of = {v: set(wanted) for v, wanted in maintainer.interest.to_sets().items()}
    size = len(topics_of)
    for number in range(num_events):
        wanted = set(dice.sample(topics, dice.randint(1, min(12, len(topics)))))
        draw = dice.random()
        if draw < 0.4 + 0.2 * (len(topics_of) < size):
            maintainer.join(f"{prefix}{number}", wanted)
            topics_of[f"{prefix}{number}"] = wanted
        elif draw < 0.9:
            node = dice.choice(sorted(topics_of))
            maintainer.leave(node)
            del topics_of[node]
        else:
            node = dice.choice(sorted(topics_of))
            maintainer.resubscribe(node, wanted)
            topics_of[node] = wanted
        each()
    return topics_of


@pytest.mark.parametrize("kind", [Naive, Shadow])
@pytest.mark.parametrize("trim", [False, True])
def test_middling_trace_stays_connected(kind, trim):
    """Topics in many pieces at once, pools that grow, slots that are used again; verified after every event."""
    interest = tw.workloads.synthetic(150, 40, popularity="zipf", alpha=1.0, subscriptions=(2, 12), seed=5)
    maintainer = kind(interest, trim=trim)

    def each():
        assert tw.verify(maintainer.interest, maintainer.overlay).topic_connected

    topics_of = random_trace(maintainer, 200, 1, list(interest.topics), each)
    check(maintainer, topics_of)


def test_same_seed_and_events_same_overlay():
    interest = tw.workloads.synthetic(120, 30, subscriptions=(2, 10), seed=2)
    outcomes = []
    for _ in range(2):
        maintainer = Shadow(interest, seed=7)
        random_trace(maintainer, 150, 3, list(interest.topics))
        outcomes.append((maintainer.overlay, {v: maintainer.backups_of(v) for v in maintainer.interest.nodes}))
    assert outcomes[0][0] == outcomes[1][0]
    assert outcomes[0][1] == outcomes[1][1]


def test_a_batch_equals_its_events_in_effect():
    interest = tw.workloads.synthetic(100, 30, subscriptions=(2, 10), seed=2)
    dice = random.Random(4)
    leaving = dice.sample(list(interest.nodes), 30)
    events = [Event("leave", v) for v in leaving]
    events += [Event("join", f"y{i}", dice.sample(list(interest.topics), 6)) for i in range(30)]
    dice.shuffle(events)
    together, singly = Shadow(interest), Shadow(interest)
    together.apply(events)
    for event in events:
        singly.apply([event])
    assert together.interest == singly.interest
    for maintainer in (together, singly):
        assert tw.verify(maintainer.interest, maintainer.overlay).topic_connected


@pytest.mark.slow
def test_a_hundred_thousand_events(tmp_path):
    """Verified after every event; all properties checked every ten thousand, saved and loaded on the way."""
    interest = tw.workloads.synthetic(60, 25, popularity="zipf", alpha=1.0, subscriptions=(2, 10), seed=5)
    maintainer = Shadow(interest)
    count = 0

    def each():
        nonlocal count
        count += 1
        assert tw.verify(maintainer.interest, maintainer.overlay).topic_connected

    for part in range(10):
        topics_of = random_trace(maintainer, 10_000, part, list(interest.topics), each, prefix=f"x{part}-")
        check(maintainer, topics_of)
        save(maintainer, tmp_path / "snapshot")
        maintainer = load(tmp_path / "snapshot")
    assert count == 100_000

"""Waves: no mixture of files, at any moment of a rollout, lets a message circulate."""

from itertools import pairwise

import pytest

from tests.deploy.conftest import inventory_of, random_plan
from topicweave.deploy.bridges import deployment
from topicweave.deploy.loop_checker import find_cycle, find_cycle_between
from topicweave.deploy.mosquitto import mosquitto_files
from topicweave.deploy.waves import waves


def both_plans(seed):
    """Two plans that share most brokers; in every other pair some leave and some join."""
    return random_plan(seed), random_plan(seed + 100_000, num_nodes=7 + seed % 3, start=seed % 2)


def rolled_out(one, other, layout="sidecar", hold=False):
    """The files before and after each wave, and the addresses of the brokers that read them."""
    nodes = sorted({*one.interest.nodes, *other.interest.nodes})
    inventory = inventory_of(nodes)
    before = deployment(one, inventory, others=nodes)
    after = deployment(other, inventory, others=nodes)
    steps = waves(before, after, one.interest.nodes, other.interest.nodes, hold=hold)
    present = set(one.interest.nodes)
    states = [mosquitto_files(before, inventory, layout, present)]
    for step in steps:
        present = (present | {*step.started}) - {*step.stopped}
        states.append(mosquitto_files(step.deployment, inventory, layout, present))
    port = {b.name: b.sidecar_port if layout == "sidecar" else b.port for b in inventory}
    return states, steps, {name: f"127.0.0.1:{port[name]}" for name in nodes}, after


def check(seed, layout):
    states, steps, addresses, after = rolled_out(*both_plans(seed), layout)
    assert len(steps) <= 2
    for files in states:
        assert find_cycle(files, addresses) is None
    for old, new in pairwise(states):
        assert find_cycle_between(old, new, addresses) is None
    if steps:
        final = {link: b.routes for link, b in steps[-1].deployment.bridges.items() if b.routes}
        assert final == {link: b.routes for link, b in after.bridges.items()}
    for old, new, step in zip(states, states[1:], steps, strict=False):
        differ = {name for name in old.keys() & new.keys() if old[name] != new[name]}
        assert differ <= {*step.changed}


@pytest.mark.parametrize(("layout", "number"), [("inside", 100), ("sidecar", 1000)])
def test_random_rollouts_have_no_cycle_at_any_moment(layout, number):
    for seed in range(number):
        check(seed, layout)


@pytest.mark.parametrize("seed", range(60))
def test_while_messages_are_held_nobody_says_anything_on_a_topic_that_moves(seed):
    """Parted before the first link of a moving topic goes, joined after the last has come; the same end as without."""
    plain, short, addresses, _ = rolled_out(*both_plans(seed))
    states, steps, _, _ = rolled_out(*both_plans(seed), hold=True)
    assert states[-1] == plain[-1]
    for old, new in pairwise(states):
        assert find_cycle_between(old, new, addresses) is None
    if not any(step.interrupted for step in short):
        assert len(steps) == len(short)
        return
    assert len(steps) == 4
    moved = set(next(step.interrupted for step in short if step.interrupted))
    for name, text in states[1].items():
        local = text.partition(f"connection topicweave.{name}.{name}\n")[2].partition("\nconnection ")[0]
        listed = {line.split()[1] for line in local.splitlines() if line.startswith("topic ")}
        assert name in steps[1].stopped or not listed & moved  # a broker that leaves keeps its file until it does
    assert [files.keys() for files in states[:2]] == [states[0].keys()] * 2
    bridges = [{name: text.replace(_local(name, text), "") for name, text in files.items()} for files in states]
    assert bridges[0] == bridges[1]
    assert bridges[3] == bridges[4]


def _local(name, text):
    """The lines of the connection between a sidecar and its own broker."""
    begin = text.find(f"\nconnection topicweave.{name}.{name}\n")
    end = text.find("\n\n", begin + 1)
    return "" if begin < 0 else text[begin : len(text) if end < 0 else end + 1]


def test_in_one_step_many_of_them_would_have_one():
    """The check can fail: between the first and the last files, without waves, messages would loop."""
    bad = 0
    for seed in range(50):
        states, _, addresses, _ = rolled_out(*both_plans(seed))
        bad += find_cycle_between(states[0], states[-1], addresses) is not None
    assert bad > 10


def test_the_same_plan_needs_no_wave():
    _, steps, _, _ = rolled_out(random_plan(1), random_plan(1))
    assert steps == []


def test_what_is_only_added_takes_one_wave():
    """A broker that joins at the edge: its own file, and nothing else."""
    import topicweave as tw

    small = tw.Interest.from_pairs([("a", "x"), ("b", "x")])
    large = tw.Interest.from_pairs([("a", "x"), ("b", "x"), ("c", "x")])
    one = tw.deploy.trees(small, tw.Overlay.from_pairs([("a", "b")]))
    other = tw.deploy.trees(large, tw.Overlay.from_pairs([("a", "b"), ("b", "c")]))
    _, steps, _, _ = rolled_out(one, other)
    assert len(steps) == 1
    assert (steps[0].changed, steps[0].started, steps[0].interrupted) == ((), ("c",), ())

"""The one evaluator against messages routed one by one."""

import numpy as np
import pytest

from tests.content.cases import broken, dyadic, smooth
from tests.reference_content import Plain, routed_cost
from topicweave.content import CORES, Instance, Routing, assign, broker_links, cost, lower_bound
from topicweave.errors import InputError, ParameterError

KINDS = [(dyadic, "multicast"), (smooth, "multicast"), (dyadic, "steiner"), (broken, "steiner"), (broken, "multicast"),
         (broken, "tree")]  # fmt: skip


def drawn(seed, kind):
    rng = np.random.default_rng(seed)
    sizes = int(rng.integers(2, 9)), int(rng.integers(1, 6)), int(rng.integers(1, 6))
    instance = kind(seed, *sizes)
    near = np.isfinite(instance.access_price)
    return instance, np.array([rng.choice(np.flatnonzero(row)) for row in near])


@pytest.mark.parametrize(("kind", "core"), KINDS)
@pytest.mark.parametrize("seed", range(30))
def test_cost_equals_single_messages_routed(seed, kind, core):
    instance, broker = drawn(seed, kind)
    found = cost(instance, broker, core)
    whole = [] if core != "tree" else found.routing.links.tolist()
    access, core_cost, traffic = routed_cost(Plain(instance), broker.tolist(), core, whole)
    assert found.access == pytest.approx(access)
    assert found.core == pytest.approx(core_cost)
    assert found.core_least == found.core, "few brokers: every tree is exact"
    assert found.total == pytest.approx(access + core_cost)
    assert found.load == pytest.approx(np.bincount(broker, instance.need, instance.num_brokers))
    if core == "multicast" and kind is smooth:  # without ties and detours, so is the traffic of each link
        expected = np.zeros_like(found.link_traffic)
        for (u, v), amount in traffic.items():
            expected[u, v] = expected[v, u] = amount
        np.testing.assert_allclose(found.link_traffic, expected, atol=1e-12)


@pytest.mark.parametrize("seed", range(60))
def test_no_core_is_cheaper_than_the_one_with_relays(seed):
    instance, broker = drawn(seed, (broken, dyadic, smooth)[seed % 3])
    least = cost(instance, broker, "steiner").core
    for core in ("multicast", "tree"):
        assert least <= cost(instance, broker, core).core * (1 + 1e-12)


def test_a_relay_is_cheaper_than_the_spanning_tree():
    """Three brokers at 2 from each other, and a fourth one without users at 1.1 from each."""
    core = np.full((4, 4), 2.0)
    core[3], core[:, 3] = 1.1, 1.1
    star = Instance([[1], [0], [0]], [[0], [1], [1]], np.zeros((3, 4)), core, 9)
    assert cost(star, [0, 1, 2], "multicast").core == 4
    assert cost(star, [0, 1, 2]).core == pytest.approx(3.3)
    assert cost(star, [0, 1, 2]).link_traffic[3].tolist() == [1, 1, 1, 0]
    assert cost(star, [0, 1, 2], "tree").core == pytest.approx(3.3)


def test_hand_instance():
    """Three brokers in a row; what broker 0 publishes passes 1 on its way to 2, with or without a link past it."""
    row = [[0, 1, 2], [1, 0, 1], [2, 1, 0]]
    far = Instance([[2], [0], [0]], [[0], [0], [1]], np.zeros((3, 3)), row, 9)
    assert cost(far, [0, 1, 2]).core == 4
    assert cost(far, [0, 1, 2], "multicast").link_traffic[0, 2] == 2
    assert cost(far, [0, 1, 2], "tree").core == 4
    without = far.replace(core_price=[[0, 1, np.inf], [1, 0, 1], [np.inf, 1, 0]])
    for core in CORES:
        assert cost(without, [0, 1, 2], core).core == 4
        assert cost(without, [0, 1, 2], core).link_traffic[0].tolist() == [0, 2, 0]
    both = far.replace(subscribe=[[0], [1], [1]])
    assert cost(both, [0, 1, 2]).core == 4
    assert cost(both, [0, 0, 0]).core == 0


def test_a_tree_may_be_given_and_is_checked():
    row = [[0, 1, 9], [1, 0, 1], [9, 1, 0]]
    far = Instance([[2], [0], [0]], [[0], [0], [1]], np.zeros((3, 3)), row, 9)
    assert cost(far, [0, 1, 2], "tree", tree=[(0, 2), (1, 2)]).core == 18
    for tree, says in (([(0, 1)], "has 2 links, but 1"), ([(0, 1), (1, 0)], "do not join all 3"),
                       ([(0, 1), (1, 7)], "the number 7")):  # fmt: skip
        with pytest.raises(InputError, match=says):
            cost(far, [0, 1, 2], "tree", tree=tree)
    missing = far.replace(core_price=[[0, 1, np.inf], [1, 0, 1], [np.inf, 1, 0]])
    with pytest.raises(InputError, match="a link of brokers '0' and '2', but there is none"):
        cost(missing, [0, 1, 2], "tree", tree=[(0, 2), (1, 2)])


def test_a_broker_out_of_reach_is_refused():
    lone = Instance([[1], [0]], [[0], [1]], [[1, np.inf], [1, 1]], [[0, 1], [1, 0]], 9)
    with pytest.raises(InputError, match="User '0' is assigned to broker '1', which it cannot reach"):
        cost(lone, [1, 0])


@pytest.mark.parametrize(
    ("broker", "says"),
    [
        ([0], "one broker for each"),
        ([0.0] * 6, "integers"),
        ([0, 0, 0, 0, 0, 3], "User '5' .* number 3"),
        ([-1] * 6, "-1"),
        ([[0], [0, 1], 0, 0, 0, 0], "for some several"),
        (None, "one broker for each"),
    ],
)
def test_bad_assignments_are_refused(broker, says):
    """A placement that is none has no cost."""
    with pytest.raises(InputError, match=says):
        cost(dyadic(0), broker)


def test_unknown_core():
    """An unknown core is refused with the known ones."""
    with pytest.raises(ParameterError, match="steiner, multicast, tree"):
        cost(dyadic(0), [0] * 6, "ring")


@pytest.mark.parametrize("given", [None, 5, "instance.json", [[1, 0]]], ids=repr)
@pytest.mark.parametrize(
    "call",
    [lower_bound, assign, lambda given: cost(given, [0]), lambda given: Routing(given, [0]),
     lambda given: broker_links(given, cost(dyadic(0), [0] * 6))],
)  # fmt: skip
def test_what_is_no_instance_is_answered_in_a_sentence(call, given):
    with pytest.raises(InputError, match=f"needs an Instance, but got a {type(given).__name__}; build one first"):
        call(given)

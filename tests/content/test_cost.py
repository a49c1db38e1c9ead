"""The one evaluator against messages routed one by one."""

import numpy as np
import pytest

from tests.content.cases import dyadic, smooth
from tests.reference_content import Plain, routed_cost
from topicweave.content import Instance, Routing, assign, broker_links, cost, lower_bound
from topicweave.errors import InputError, ParameterError


# where prices are equal there are several minimum spanning trees: all cost the same, but their parts do not
@pytest.mark.parametrize(("kind", "core"), [(dyadic, "multicast"), (smooth, "multicast"), (smooth, "tree")])
@pytest.mark.parametrize("seed", range(40))
def test_cost_equals_single_messages_routed(seed, kind, core):
    rng = np.random.default_rng(seed)
    instance = kind(seed, int(rng.integers(2, 9)), int(rng.integers(1, 6)), int(rng.integers(1, 6)))
    broker = rng.integers(0, instance.num_brokers, instance.num_users)
    access, core_cost, traffic = routed_cost(Plain(instance), broker.tolist(), core)
    found = cost(instance, broker, core)
    assert found.access == pytest.approx(access)
    assert found.core == pytest.approx(core_cost)
    assert found.total == pytest.approx(access + core_cost)
    assert found.load == pytest.approx(np.bincount(broker, instance.need, instance.num_brokers))
    if kind is smooth:  # without ties, the trees are the same, and so is the traffic of each link
        expected = np.zeros_like(found.link_traffic)
        for (u, v), amount in traffic.items():
            expected[u, v] = expected[v, u] = amount
        np.testing.assert_allclose(found.link_traffic, expected, atol=1e-12)


def test_hand_instance():
    """Three brokers in a row; what broker 0 publishes passes 1 on its way to 2 only if 1 wants it too."""
    row = [[0, 1, 2], [1, 0, 1], [2, 1, 0]]
    far = Instance([[2], [0], [0]], [[0], [0], [1]], np.zeros((3, 3)), row, 9)
    assert cost(far, [0, 1, 2]).core == 4
    assert cost(far, [0, 1, 2]).link_traffic[0, 2] == 2
    assert cost(far, [0, 1, 2], "tree").link_traffic[0].tolist() == [0, 2, 0]
    both = far.replace(subscribe=[[0], [1], [1]])
    assert cost(both, [0, 1, 2]).core == 4
    assert cost(both, [0, 0, 0]).core == 0


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
    with pytest.raises(InputError, match=says):
        cost(dyadic(0), broker)


def test_unknown_core():
    with pytest.raises(ParameterError, match="multicast, tree"):
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

"""Migration against its naive twin, and from where it may start."""

import numpy as np
import pytest

from tests import reference_content as twin
from tests.content.cases import broken, smooth
from topicweave.content import CORES, Instance, assign, cost, sparse_instance
from topicweave.errors import InfeasibleError, ParameterError


@pytest.mark.parametrize("core", ["multicast", "steiner"])
@pytest.mark.parametrize("seed", range(25))
def test_migrate_is_the_papers_rule(seed, core):
    """Sparse subscriptions, so that brokers often gain or lose a channel's first or last subscriber."""
    instance = smooth(seed, 9, 4, 4)
    start = assign(instance, "random", seed=seed).broker
    found = assign(instance, "migrate", start=start, core=core)
    expected, moves = twin.migrate(twin.Plain(instance), start.tolist(), core)
    assert found.broker.tolist() == expected
    assert list(zip(found.moves.user, found.moves.origin, found.moves.target, strict=True)) == [m[:3] for m in moves]
    assert found.moves.saved == pytest.approx([m[3] for m in moves])


@pytest.mark.parametrize("method", ["migrate", "best"])
@pytest.mark.parametrize("core", CORES)
@pytest.mark.parametrize("seed", range(12))
def test_moves_lead_from_the_first_placement_to_the_last_and_savings_add_up(seed, core, method):
    """Whatever the core: the cost of where the moves begin, less all savings, is the cost of where they end."""
    drawn = (smooth(seed, 30, 5, 6, spare=1.4), sparse_instance(60, 20, price_ratio=0.3, seed=seed), broken(seed, 12))
    instance = drawn[seed % 3]
    try:
        found = assign(instance, method, core=core, seed=seed)
    except InfeasibleError:
        pytest.skip("too tight for the start")
    moves, now = found.moves, found.broker.copy()
    for user, origin, target in zip(moves.user[::-1], moves.origin[::-1], moves.target[::-1], strict=True):
        assert now[user] == target
        now[user] = origin
    assert cost(instance, now, core).total - moves.saved.sum() == pytest.approx(found.cost.total)


@pytest.mark.parametrize("core", ["multicast", "steiner"])
@pytest.mark.parametrize(("num_brokers", "seed"), [(8, 0), (8, 1), (8, 2), (20, 3), (20, 4), (20, 5)])
def test_what_each_move_saved_adds_up(num_brokers, seed, core):
    """With twenty brokers, some Steiner trees are approximate; what a move saves is what the evaluator says."""
    instance = sparse_instance(100, num_brokers, 8, seed=seed) if seed % 2 else smooth(seed, 60, num_brokers, 10)
    start = assign(instance, "random", seed=seed).broker
    before = cost(instance, start, core).total
    found = assign(instance, "migrate", start=start, core=core)
    assert before - found.moves.saved.sum() == pytest.approx(found.cost.total)
    again = assign(instance, "migrate", start=found, core=core)
    assert len(again.moves) == 0 and again.broker.tolist() == found.broker.tolist()


def test_start_may_be_named_and_must_fit():
    instance = smooth(4, 20, 3, 5)
    assert (
        assign(instance, "migrate", start="greedy_packing").cost.total <= assign(instance, "greedy_packing").cost.total
    )
    limited = assign(instance, "migrate", start="random", passes=1)
    assert "Stopped after 1 passes" in limited.notes[0]
    with pytest.raises(InfeasibleError, match="above its capacity"):
        assign(instance, "migrate", start=[0] * 20)
    with pytest.raises(ParameterError, match="no method to start from"):
        assign(instance, "migrate", start="exact")


@pytest.mark.parametrize("seed", range(8))
def test_with_one_tree_moves_and_the_choice_of_the_tree_take_turns(seed):
    """Never above the start, and with moves alone, under the tree of the end, nothing more can be won."""
    instance = sparse_instance(60, 6, price_ratio=0.3, seed=seed)
    start = assign(instance, "random", seed=seed).broker
    found = assign(instance, "migrate", start=start, core="tree")
    assert found.core == "tree" and found.cost.total <= cost(instance, start, "tree").total
    assert assign(instance, "migrate", start=found, core="tree").cost.total == pytest.approx(found.cost.total)


@pytest.mark.parametrize("core", CORES)
def test_nobody_moves_out_of_reach(core):
    """The only broker that is cheaper cannot be reached."""
    prices = [[5, np.inf], [5, 1]]
    instance = Instance([[1], [0]], [[0], [1]], prices, [[0, 1], [1, 0]], 9)
    assert assign(instance, "migrate", start=[0, 0], core=core).broker.tolist() == [0, 1]

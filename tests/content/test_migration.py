"""Migration against its naive twin, and from where it may start."""

import pytest

from tests import reference_content as twin
from tests.content.cases import smooth
from topicweave.content import assign, cost
from topicweave.errors import InfeasibleError, ParameterError


@pytest.mark.parametrize("seed", range(40))
def test_migrate_is_the_papers_rule(seed):
    """Sparse subscriptions, so that brokers often gain or lose a channel's first or last subscriber."""
    instance = smooth(seed, 9, 4, 4)
    start = assign(instance, "random", seed=seed).broker
    found = assign(instance, "migrate", start=start)
    expected, moves = twin.migrate(twin.Plain(instance), start.tolist())
    assert found.broker.tolist() == expected
    assert list(zip(found.moves.user, found.moves.origin, found.moves.target, strict=True)) == [m[:3] for m in moves]
    assert found.moves.saved == pytest.approx([m[3] for m in moves])


@pytest.mark.parametrize("seed", range(20))
def test_what_each_move_saved_adds_up(seed):
    instance = smooth(seed, 60, 8, 10)
    start = assign(instance, "random", seed=seed).broker
    before = cost(instance, start).total
    found = assign(instance, "migrate", start=start)
    assert before - found.moves.saved.sum() == pytest.approx(found.cost.total)
    again = assign(instance, "migrate", start=found)
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

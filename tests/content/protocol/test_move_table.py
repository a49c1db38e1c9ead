"""Table: groups go where single users would not, and every saving is what the evaluator says."""

import numpy as np
import pytest

from tests.content.protocol.test_adviser import facts, informed
from topicweave.content import Instance, cost, sparse_instance


def test_two_users_that_hold_each_other_back_go_together():
    """Ann publishes what only Bob wants: core links are dear, and both would rather be at the other broker."""
    market = Instance(
        [[1.0], [0.0]], [[False], [True]], [[1.0, 0.5], [1.0, 0.5]], [[0, 10], [10, 0]], 9, brokers=["a", "b"]
    )
    adviser, guests = informed(market, np.zeros(2, dtype=int), "a", facts(market))
    proposals = adviser.propose(guests, ["b"])
    assert {(user, target) for user, target, _ in proposals} == {("0", "b"), ("1", "b")}
    assert sum(saved for *_, saved in proposals) == pytest.approx(1.0)
    adviser.hysteresis = 0.6
    assert adviser.propose(guests, ["b"]) == []


def test_others_follow_a_group_that_would_not_pay_off_alone():
    """Ann publishes for Bob, and Bob for Cat: two of them together would leave the third behind dear links."""
    market = Instance(
        [[1.0, 0.0], [0.0, 1.0], [0.0, 0.0]], [[False, False], [True, False], [False, True]], [[1.0, 0.5]] * 3,
        [[0, 10], [10, 0]], 9, brokers=["a", "b"],
    )  # fmt: skip
    adviser, guests = informed(market, np.zeros(3, dtype=int), "a", facts(market))
    proposals = adviser.propose(guests, ["b"])
    assert {(user, target) for user, target, _ in proposals} == {("0", "b"), ("1", "b"), ("2", "b")}
    saved = cost(market, [0, 0, 0]).total - cost(market, [1, 1, 1]).total
    assert sum(saved for *_, saved in proposals) == pytest.approx(saved) == pytest.approx(2.0)
    adviser.hysteresis = 0.6
    assert adviser.propose(guests, ["b"]) == []


@pytest.mark.parametrize("seed", range(6))
def test_all_moves_together_save_what_they_say(seed):
    """With core links so dear that groups matter; loads stay within capacity."""
    market = sparse_instance(40, 4, 6, price_ratio=0.1, seed=seed)
    place = np.random.default_rng(seed).integers(0, 4, 40)
    adviser, guests = informed(market, place, market.brokers[0], facts(market))
    proposals = adviser.propose(guests, market.brokers[1:])
    after = place.copy()
    for user, target, _ in proposals:
        assert after[market.user_numbers[user]] == 0  # nobody is moved twice
        after[market.user_numbers[user]] = market.brokers.index(target)
    saved = cost(market, place).total - cost(market, after).total
    assert saved == pytest.approx(sum(saved for *_, saved in proposals)) and saved > 0
    load = np.bincount(after, weights=market.need, minlength=4)
    before = np.bincount(place, weights=market.need, minlength=4)
    assert (load[1:] <= np.maximum(market.limit, before)[1:]).all()

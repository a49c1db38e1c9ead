"""The ascent: it reaches the linear program of all partition cuts, and what it keeps proves what it claims."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import linprog

import topicweave as tw
from tests.reference import topics_by_number
from tests.reference_optimise import fewest_links, least_degree, partition_program
from topicweave.kernels.optimise.prices import UNIT
from topicweave.optimise import tables
from topicweave.optimise.ascent import Ascent

STEPS = 400


def climbed(interest, upper, **given):
    ascent = Ascent(interest, upper, **given)
    for _ in range(STEPS):
        if ascent.is_done:
            break
        ascent.step()
    return ascent


def by_linear_program(topics_of, cap=None):
    """The least sum of links, each taken between 0 and 1 times, over all cuts (and degrees); HiGHS."""
    pairs, rows, least = partition_program(topics_of)
    if not rows:
        return 0.0
    limits, rests = [[-value for value in row] for row in rows], [-value for value in least]
    if cap is not None:
        limits += [[int(v in pair) for pair in pairs] for v in topics_of]
        rests += [cap] * len(topics_of)
    # A repeated link has no use, so the dual needs no multiplier for it: no upper limit here either.
    return float(linprog(np.ones(len(pairs)), A_ub=limits, b_ub=rests).fun)


def test_it_reaches_the_linear_program(small_interests):
    """Never above it, and within 1 % or a hundredth of a link of it on 59 of 60."""
    num_near = 0
    for interest in small_interests[:60]:
        topics_of = topics_by_number(interest)
        reached = climbed(interest, float(fewest_links(topics_of))).best
        exact = by_linear_program(topics_of)
        assert reached <= exact + 1e-6
        num_near += reached >= min(0.99 * exact, exact - 0.01)
    assert num_near >= 59


def test_under_a_cap_it_stays_below_the_capped_program(small_interests):
    """With the least cap that can be kept, and with multipliers for it; above the free one somewhere."""
    num_higher = 0
    for interest in small_interests[:60]:
        topics_of = topics_by_number(interest)
        cap = least_degree(topics_of)
        if cap == 0:
            continue
        capped = climbed(interest, fewest_links(topics_of, cap) + 1.0, cap=np.full(interest.num_nodes, cap))
        assert capped.best <= by_linear_program(topics_of, cap) + 1e-6
        num_higher += capped.best > by_linear_program(topics_of) + 1e-6
    assert num_higher > 0


@pytest.mark.parametrize("given", [{}, {"cap": np.full(40, 3)}, {"is_for_degree": True}])
def test_what_is_kept_proves_the_best(given):
    """The certificate of the best moment, not of the last: SciPy finds the same value and no pair above its sum."""
    interest = tw.workloads.synthetic(num_nodes=40, num_topics=20, subscriptions=5, seed=3)
    ascent = climbed(interest, 90.0, **given)
    value, certificate = ascent.certificate()
    assert value == ascent.best == pytest.approx(certificate.value()) and value > 0
    assert certificate.largest_excess() <= 1e-9
    ascent.move(50.0)
    ascent.restore_best()
    if not given:
        assert ascent.find_trees() == pytest.approx(value * UNIT)


def test_an_interrupted_copy_still_proves_its_value(monkeypatch):
    """Ctrl-C between the halves of the copy: prices of one moment and multipliers of another would prove nothing."""
    interest = tw.workloads.synthetic(num_nodes=40, num_topics=20, subscriptions=5, seed=3)
    ascent = Ascent(interest, 90.0, cap=np.full(40, 4))
    for _ in range(60):
        ascent.step()
    kept = ascent._kept

    class Halves(tuple):
        """Gives the first half to be overwritten, and is interrupted at the second."""

        def __getitem__(self, place):
            if place == 2:
                raise KeyboardInterrupt
            return super().__getitem__(place)

    ascent._kept = Halves((0.0, *kept[1:]))
    with pytest.raises(KeyboardInterrupt):
        ascent.step()
    value, certificate = ascent.certificate()
    assert certificate.largest_excess() <= 1e-9
    assert certificate.value() == pytest.approx(value)


def test_it_is_done_when_no_overlay_can_have_fewer_links():
    """Within a link of what is known, there is nothing left to prove."""
    interest = tw.Interest.from_sets({v: ["x", "y"] for v in "abcd"})
    ascent = Ascent(interest, 3.0)
    assert not ascent.is_done
    ascent.step()
    assert ascent.best == 3.0 and ascent.is_done


def test_more_threads_make_the_same_prices(monkeypatch):
    """Step by step, whatever thread takes which topic."""
    interest = tw.workloads.synthetic(num_nodes=60, num_topics=30, subscriptions=6, seed=2)
    monkeypatch.setattr(tables, "ENTRIES_PER_THREAD", 1)
    ascents = []
    for num_threads in (1, 2):
        monkeypatch.setattr(tables, "get_num_threads", lambda num_threads=num_threads: num_threads)
        ascents.append(climbed(interest, 150.0))
    assert ascents[0]._num_threads < ascents[1]._num_threads
    assert ascents[0].best == ascents[1].best and (ascents[0].prices.price == ascents[1].prices.price).all()

"""The sweep as a machine that stops and continues: its slices, its budgets, its state."""

import numpy as np
import pytest

from topicweave.algorithms.greedy.loop import Rule, Task, first_bounds, run_loop
from topicweave.algorithms.greedy.problem import membership, reduce
from topicweave.kernels.greedy import sweep
from topicweave.kernels.greedy.level_queue import TieOrder
from topicweave.kernels.greedy.pair_table import SEGMENT
from topicweave.workloads import synthetic


def new_task(rule, seed=0):
    problem = reduce(synthetic(150, 40, popularity="zipf", alpha=0.5, subscriptions=(2, 12), seed=seed), None)
    degree = np.zeros(problem.num_nodes + SEGMENT, np.int32)
    return Task(problem, membership(problem), degree, rule, len(problem.topics) - problem.num_topics, 0)


def run_in_slices(task, work, num_threads=None):
    pairs = first_bounds(task, None, np.empty((0, 2), np.int64), is_fresh=True)
    state = np.zeros(1, sweep.STATE)[0]
    state.ratio, state.uses_delta = task.rule.ratio, task.rule.respects_max_degree
    state.max_links = state.max_degree = sweep.NO_LIMIT
    state.merges_left = task.merges_left
    arrays = sweep.begin(
        state, task.members, pairs, task.degree, TieOrder(task.problem.marks, np.array([2, 7], np.uint64),
        task.preferred), task.problem.topic_sizes, 2,
    )  # fmt: skip
    num_slices = 0
    while state.phase != sweep.DONE:
        if state.phase == sweep.RECOUNT:  # lowering all bounds may be left out: it only saves time
            state.phase = sweep.CHOOSE
        state.work = work
        sweep.sweep(state, task.members, pairs, *arrays, num_threads)
        num_slices += 1
    output = arrays[-1]
    return output.links[: state.num_edges].tolist(), output.gains[: state.num_edges].tolist(), num_slices


@pytest.mark.parametrize("rule", [Rule(), Rule(respects_max_degree=True), Rule(respects_max_degree=True, ratio=3.0)])
def test_it_goes_on_where_it_stopped(rule):
    """Whatever the length of the slices, the same links come out, and they connect everything."""
    whole = run_in_slices(new_task(rule), 1 << 40)
    sliced = run_in_slices(new_task(rule), 50)
    assert run_in_slices(new_task(rule), 1 << 40, num_threads=2) == whole
    assert sliced[2] > whole[2]
    assert sliced[:2] == whole[:2]
    assert sum(whole[1]) == new_task(rule).merges_left


def test_contributions_fall_until_delta_rises():
    """Under gm, whose Δ does not matter, they never rise; under minmax they do when everything is open again."""
    _, gains = run_loop(new_task(Rule()))
    assert (np.diff(gains) <= 0).all()
    _, gains = run_loop(new_task(Rule(respects_max_degree=True)))
    assert (np.diff(gains) > 0).any()


def test_budgets_count_the_links_there_are():
    task = new_task(Rule(max_links=30))
    task.num_used = 10
    links, gains = run_loop(task)
    assert len(links) == 20
    assert task.num_used == 30
    assert task.connected == gains.sum()
    task = new_task(Rule(respects_max_degree=True, max_degree=2))
    links, _ = run_loop(task)
    assert np.bincount(links.ravel()).max() == 2


def test_a_floor_ends_the_sweep_above_it():
    task = new_task(Rule())
    _, gains = run_loop(task, floor=4)
    assert gains.min() >= 4
    assert task.merges_left > 0

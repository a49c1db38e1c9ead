"""design(): the contract every algorithm keeps, the papers' lemmas, seeds and progress."""

from __future__ import annotations

import dataclasses
import json
import os
import pickle
import signal
import subprocess
import sys
import time
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import topicweave as tw
from tests import instances, reference
from topicweave.algorithms.registry import ALGORITHMS

BUDGETS = {"m": 4, "d": 2, "rounds": 1}
GREEDY = [name for name, algorithm in ALGORITHMS.items() if algorithm.goes_on]


def needed(name: str) -> dict[str, int]:
    """Values for the parameters an algorithm cannot do without."""
    return {p.name: BUDGETS[p.name] for p in ALGORITHMS[name].parameters if p.name in BUDGETS}


# ---- the contract, for every algorithm in the table ------------------------------------------------------------------


@pytest.mark.parametrize("name", ALGORITHMS)
@given(interest=instances.nonempty_interests(max_nodes=7), seed=st.integers(0, 2))
def test_contract(name, interest, seed):
    """A simple overlay, contributions as the definition says, and topic-connected where the table promises it."""
    made = tw.design(interest, name, seed=seed, **needed(name))
    topics_of = reference.topics_by_number(interest)
    edges = reference.check_simple(topics_of, made.overlay.edges.tolist())
    assert made.overlay.labels == interest.nodes
    assert made.trace.contribution.tolist() == reference.removed_components(topics_of, edges)
    assert made.support == pytest.approx(reference.support(topics_of, edges))
    assert made.components == reference.tcc(topics_of, edges) == tw.verify(interest, made.overlay).components
    if ALGORITHMS[name].complete:
        assert tw.verify(interest, made.overlay).topic_connected
        assert made.notes == () or ALGORITHMS[name].tells_progress  # those say how good the result is
    assert np.all(np.diff(made.trace.support) >= 0)


@pytest.mark.parametrize("name", ALGORITHMS)
def test_table_says_what_people_need_to_know(name):
    """Problem, guarantee and paper are there, and the function's docstring begins with a sentence."""
    algorithm = ALGORITHMS[name]
    assert algorithm.problem and algorithm.guarantee and algorithm.paper
    assert algorithm.function.__doc__.splitlines()[0].rstrip().endswith(".")


@pytest.mark.parametrize("name", ALGORITHMS)
def test_a_design_survives_pickling(name, four_brokers):
    """Spark sends designs between processes."""
    made = tw.design(four_brokers, name, **needed(name))
    again = pickle.loads(pickle.dumps(made))
    assert again.overlay == made.overlay and again.summary() == made.summary()


# ---- the papers' lemmas ----------------------------------------------------------------------------------------------


@pytest.mark.compiled
@pytest.mark.parametrize("ties", ["lexicographic", "random", "balanced"])
@pytest.mark.parametrize("n", [4, 8, 16, 32])
def test_low_lemma_1(n, ties):
    """LOW Lemma 1: GM needs n - 1 links where MinMax-ODA makes n²/4 or more."""
    interest = instances.low_lemma_1(n)
    assert tw.design(interest, "gm", ties=ties).overlay.num_edges == n - 1
    assert tw.design(interest, "minmax", ties=ties).overlay.num_edges >= n * n / 4


@pytest.mark.parametrize("k", [3, 4, 6])
def test_gm_lemma_6_6(k):
    """GM Lemma 6.6: on the cuboid of k = m > 2, GM pays (2k + km) / (2k + 2m) times the optimum."""
    interest = instances.cuboid(k, k)
    made = tw.design(interest, "gm").overlay.num_edges
    best = len(instances.cuboid_optimum(k, k))
    assert made / best == (2 * k + k * k) / (2 * k + 2 * k)


def test_gm_may_make_a_star_where_a_ring_would_do():
    """LOW §I-B: GM's maximum degree can be as large as possible."""
    assert tw.design(instances.hub(12), "gm").overlay.maximum_degree == 12


@given(instances.nonempty_interests(max_nodes=8))
def test_limits_of_the_family(interest):
    """low with a large k is minmax; gpa and gpm with a sufficient budget are gm and minmax; low with k = 1 is a
    possible result of gm.
    """
    for ties in ("lexicographic", "balanced"):
        gm, minmax = (tw.design(interest, name, ties=ties) for name in ("gm", "minmax"))
        assert np.array_equal(tw.design(interest, "low", k=1e9, ties=ties).overlay.edges, minmax.overlay.edges)
        assert np.array_equal(tw.design(interest, "gpa", m=10**6, ties=ties).overlay.edges, gm.overlay.edges)
        assert np.array_equal(tw.design(interest, "gpm", d=10**6, ties=ties).overlay.edges, minmax.overlay.edges)
    ones = tw.design(interest, "low", k=1)
    topics_of = reference.topics_by_number(interest)
    reference.replay(topics_of, ones.overlay.edges.tolist(), "gm", contributions=ones.trace.contribution.tolist())


@given(instances.nonempty_interests(max_nodes=8), st.sampled_from(GREEDY))
def test_merging_edges_of_a_topic_form_a_spanning_tree(interest, name):
    """For each topic, the links that merged two of *its* components span its subscribers without a cycle."""
    made = tw.design(interest, name, **({"m": 10**6} if name == "gpa" else {"d": 10**6} if name == "gpm" else {}))
    topics_of = reference.topics_by_number(interest)
    for topic in reference.all_topics(topics_of):
        seen: list[tuple[int, int]] = []
        merging = 0
        for u, v in made.overlay.edges.tolist():
            before = len(reference.components(topics_of, seen, topic))
            seen.append((u, v))
            merging += before - len(reference.components(topics_of, seen, topic))
        assert merging == len(reference.subscribers(topics_of, topic)) - 1
        assert len(reference.components(topics_of, seen, topic)) == 1


@given(instances.nonempty_interests(max_nodes=8), st.floats(0, 1.5))
def test_budget_ratio(interest, ratio):
    """PART Eq. 36: shares of what MinMax-ODA uses, rounded down."""
    m, d = reference.budgets(reference.topics_by_number(interest), ratio)
    made = {name: tw.design(interest, name, budget_ratio=ratio, ties="lexicographic") for name in ("gpa", "gpm")}
    assert made["gpa"].parameters["m"] == m
    assert made["gpm"].parameters["d"] == d


def test_an_interrupt_is_one_whatever_numba_makes_of_it(four_brokers, monkeypatch):
    """If Ctrl-C is pressed while a kernel is looked up, it is the cause of a SystemError."""

    def interrupted(*arguments, **options):
        try:
            raise KeyboardInterrupt
        except KeyboardInterrupt as pressed:
            raise SystemError("returned a result with an exception set") from pressed

    ring = dataclasses.replace(ALGORITHMS["ring"], function=interrupted)
    monkeypatch.setitem(ALGORITHMS, "ring", ring)
    with pytest.raises(KeyboardInterrupt):
        tw.design(four_brokers, "ring")


def test_notes_say_what_a_result_does_not_show(four_brokers):
    """A note says that only some topics were considered, and another that the start exceeds the budget."""
    start = tw.design(four_brokers, "gm").overlay
    assert tw.design(four_brokers, "gm").notes == ()
    some = tw.design(four_brokers, "gm", topics=four_brokers.topics[:1])
    assert some.notes == (f"Only 1 of {four_brokers.num_topics} topics were looked at.",)
    for name, budget in (("gpa", {"m": 1}), ("gpm", {"d": 1})):
        made = tw.design(four_brokers, name, start=start, **budget)
        assert made.overlay.num_edges == start.num_edges
        assert "already, more than" in made.notes[0]


def test_a_second_overlay_beside_one_that_connects_everything():
    """Later passes begin with all components apart, also when a start leaves nothing to do for the first."""
    interest = instances.interest_of({v: [0, 1] for v in range(5)})
    start = tw.design(interest, "gm").overlay
    made = tw.design(interest, "gm", start=start, passes=2, ties="lexicographic")
    twin = reference.greedy(
        reference.topics_by_number(interest), reference.gm_rule(), passes=2, start=map(tuple, start.edges.tolist())
    )
    assert [tuple(edge) for edge in made.overlay.edges[4:].tolist()] == twin.edges
    assert len(twin.edges) > 0


def test_passes_are_disjoint_and_a_short_one_is_reported(four_brokers):
    """Three passes over four brokers run out of pairs: a note says so, and no error is raised."""
    made = tw.design(four_brokers, "gm", passes=3)
    assert len({tuple(edge) for edge in made.overlay.edges.tolist()}) == made.overlay.num_edges
    assert any("Pass 3" in note for note in made.notes)
    assert made.support == 1 and made.trace.support.max() == 1


# ---- larger than one segment, one word, one batch --------------------------------------------------------------------


@pytest.mark.compiled
@pytest.mark.parametrize("name", GREEDY)
@pytest.mark.parametrize("popularity", ["zipf", "uniform", "exponential"])
def test_large_designs_are_topic_connected_and_use_all_layouts_alike(name, popularity):
    """All pairs as a table and all pairs as a list give the same links, and verify() agrees."""
    interest = tw.workloads.synthetic(
        num_nodes=400, num_topics=150, popularity=popularity, subscriptions=(5, 60), seed=3
    )
    budget = {"m": 300} if name == "gpa" else {"d": 3} if name == "gpm" else {}
    everyone = np.stack(np.triu_indices(400, 1), axis=1)
    for ties in ("lexicographic", "balanced"):
        made = tw.design(interest, name, ties=ties, **budget)
        listed = tw.design(interest, name, ties=ties, pairs=everyone[::-1], **budget)
        assert np.array_equal(made.overlay.edges, listed.overlay.edges)
        report = tw.verify(interest, made.overlay)
        assert report.topic_connected or budget
        assert report.components == made.components


@pytest.mark.slow  # compiles every kernel once more
def test_subscriptions_too_large_for_sixteen_bits():
    """Bounds wider than 16 bits need a kernel of their own, which gives the same answers."""
    many = [f"t{i:05}" for i in range(33_000)]
    interest = tw.Interest.from_sets({"a": many, "b": many, "c": many[:5]})
    made = tw.design(interest, "gm", ties="lexicographic")
    assert made.trace.contribution.tolist() == [33_000, 5]


# ---- same seed, same result ------------------------------------------------------------------------------------------

SCRIPT = """
import hashlib, json, random, sys
import topicweave as tw
interest = tw.workloads.synthetic(num_nodes=300, num_topics=80, popularity="zipf", subscriptions=(4, 30), seed=5)
pairs = list(interest.pairs())
random.Random(int(sys.argv[1])).shuffle(pairs)
interest = tw.Interest.from_pairs(pairs)
needed = {"m": 200, "d": 3, "rounds": 1}
found = {}
for name, algorithm in tw.ALGORITHMS.items():
    own = {p.name: needed[p.name] for p in algorithm.parameters if p.name in needed}
    if name == "exact":
        continue  # what it finds depends on the time it has
    for ties in ("balanced", "random") if algorithm.goes_on else ("balanced",):
        made = tw.design(interest, name, seed=11, ties=ties, **own)
        found[f"{name} {ties}"] = hashlib.sha256(made.overlay.edges.tobytes()).hexdigest()
print(json.dumps(found))
"""


@pytest.mark.compiled
def test_same_seed_same_result_across_processes_threads_and_input_order():
    """Two processes with different thread counts, hash seeds and orders of the input pairs make the same links."""
    found = []
    for threads, order in (("1", "1"), ("2", "2")):
        environment = {**os.environ, "NUMBA_NUM_THREADS": threads, "PYTHONHASHSEED": order}
        run = subprocess.run(
            [sys.executable, "-c", SCRIPT, order], env=environment, capture_output=True, text=True, check=True
        )
        found.append(json.loads(run.stdout))
    assert found[0] == found[1]


def test_another_seed_breaks_ties_otherwise():
    """The seed matters where ties are random."""
    interest = instances.single_topic(30)
    made = {tuple(map(tuple, tw.design(interest, "gm", ties="random", seed=seed).overlay.edges)) for seed in range(4)}
    assert len(made) == 4


# ---- progress and Ctrl-C ---------------------------------------------------------------------------------------------


@pytest.mark.compiled
def test_progress_tells_links_and_support():
    """Support rises to 1, links to their number."""
    interest = tw.workloads.synthetic(num_nodes=300, num_topics=50, subscriptions=8, seed=1)
    seen = []
    made = tw.design(interest, "low", progress=seen.append)
    assert seen[-1].links == made.overlay.num_edges and seen[-1].support == 1
    assert all(one.support <= other.support for one, other in pairwise(seen))


@pytest.mark.compiled
def test_ctrl_c_stops_a_design_between_two_slices():
    """An interrupt in the middle of a large design is honoured between two slices."""
    script = (
        "import topicweave as tw, sys, time\n"
        "tw.design(tw.workloads.synthetic(num_nodes=50, num_topics=10, subscriptions=3), 'minmax')\n"
        "big = tw.workloads.synthetic(num_nodes=12000, num_topics=600, popularity='zipf', subscriptions=(20, 300))\n"
        "begun = []\n"
        "def tell(step):\n"
        "    if not begun:\n"
        "        begun.append(1); print('ready', flush=True)\n"
        "try:\n"
        "    tw.design(big, 'minmax', progress=tell)\n"
        "except KeyboardInterrupt:\n"
        "    print('stopped', flush=True)\n"
    )
    process = subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True)
    assert process.stdout.readline() == "ready\n"
    before = time.monotonic()
    process.send_signal(signal.SIGINT)
    assert process.stdout.readline() == "stopped\n"
    seconds = time.monotonic() - before
    process.stdout.close()
    process.wait()
    assert seconds < 5  # measured: 0.1 to 0.2 s on an idle machine; a busy one is given more

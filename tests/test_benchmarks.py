"""The yardsticks are correct, and the harness measures what it claims to."""

import json
from dataclasses import asdict
from itertools import combinations, count
from types import SimpleNamespace

import numba
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from benchmarks import floor
from benchmarks.cases import CASES
from benchmarks.checks import Growth, Ratio, Row, at_least, at_most
from benchmarks.children import run_child
from benchmarks.instances import Instance
from benchmarks.lab import Lab, Timing
from benchmarks.published_gm import published_gm
from benchmarks.report import format_value
from benchmarks.run import main
from benchmarks.subjects import ROUNDS, Designing, Floor, Published
from topicweave.errors import TooLargeError
from topicweave.model import Interest

TINY = Instance(30, 12, "uniform", 3)


def random_interest(num_nodes, num_topics, density, seed=0):
    rng = np.random.default_rng(seed)
    return Interest.from_matrix(rng.random((num_nodes, num_topics)) < density)


def replay(interest, edges):
    """Follow a trace with plain sets; yield each edge's contribution, and the largest that any pair had just before."""
    topics = [interest.topics_of(node) for node in interest.nodes]
    piece = {(v, t): frozenset([v]) for v, wanted in enumerate(topics) for t in wanted}

    def contribution(u, v):
        return sum(piece[u, t] is not piece[v, t] for t in topics[u] & topics[v])

    for u, v in edges:
        yield contribution(u, v), max(contribution(*pair) for pair in combinations(range(len(topics)), 2))
        for t in topics[u] & topics[v]:
            joint = piece[u, t] | piece[v, t]
            for node in joint:
                piece[node, t] = joint
    assert all(contribution(*pair) == 0 for pair in combinations(range(len(topics)), 2))


def check_greedy(interest):
    """Every link has the largest contribution there is, the last leaves nothing to connect, all moves are counted."""
    found = published_gm(interest)
    steps = list(replay(interest, found.edges.tolist()))
    assert all(mine == best > 0 for mine, best in steps)
    assert found.contribution.tolist() == [mine for mine, _ in steps]
    assert np.all(found.edges[:, 0] < found.edges[:, 1])
    # Each pair loses each common topic once, by a move or by being taken with it: a tree of n−1 links for each topic.
    subscribers = np.bincount(interest.indices, minlength=interest.num_topics)
    assert found.moves == sum((n - 1) * (n - 2) // 2 for n in subscribers.tolist() if n > 0)


# ---- the published data structures ----------------------------------------------------------------------------------


@settings(max_examples=60, deadline=None)
@given(st.lists(st.sets(st.integers(0, 6), max_size=6), min_size=1, max_size=9))
def test_published_gm_always_takes_a_largest_contribution(sets):
    check_greedy(Interest.from_sets({f"n{v}": wanted for v, wanted in enumerate(sets)}))


@pytest.mark.parametrize("density", [0.05, 0.3, 0.9])
def test_published_gm_on_more_topics_than_a_word_holds(density):
    check_greedy(random_interest(25, 150, density))


def test_published_gm_counts_moves_of_a_hand_instance():
    """a-b (contributes 2) moves nothing; then c joins {a, b} by one of two pairs, and the other one moves once."""
    found = published_gm(Interest.from_sets({"a": {"x", "y"}, "b": {"x", "y"}, "c": {"x"}}))
    assert found.edges.tolist()[0] == [0, 1]
    assert found.contribution.tolist() == [2, 1]
    assert found.moves == 1


def test_published_gm_counts_moves_of_one_topic():
    """Four nodes, one topic: six pairs, three become links, the other three move once each."""
    found = published_gm(Interest.from_sets({node: {"x"} for node in "abcd"}))
    assert (len(found.edges), found.moves) == (3, 3)


def test_published_gm_without_common_topics_makes_no_links():
    found = published_gm(Interest.from_sets({"a": {"x"}, "b": {"y"}, "c": set()}))
    assert found.edges.shape == (0, 2)
    assert found.moves == 0


def test_published_gm_refuses_what_its_numbers_cannot_hold():
    topics = tuple(f"t{number:05d}" for number in range(2**16))
    with pytest.raises(TooLargeError, match=r"65536 topics"):
        published_gm(Interest.from_csr(("a", "b"), topics, [0, 1, 2], [0, 0]))


# ---- the floor ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("layout", ["rows", "columns"])
@pytest.mark.parametrize(("num_nodes", "num_topics"), [(1, 3), (2, 64), (40, 700), (128, 10), (129, 65), (300, 130)])
def test_floor_counts_common_topics(layout, num_nodes, num_topics):
    """One to three blocks of nodes; words that are and are not a multiple of eight."""
    if numba.config.DISABLE_JIT and num_nodes > 64:
        pytest.skip("too slow when kernels are interpreted")
    interest = random_interest(num_nodes, num_topics, 0.3)
    matrix = interest.to_scipy().toarray().astype(int)
    common = (matrix @ matrix.T)[np.triu_indices(num_nodes, 1)]
    assert (floor.count(floor.prepare(interest, layout), layout) == common).all()


def test_floor_looks_at_every_word_of_every_pair():
    assert floor.num_words(10_000, 1_000) == 49_995_000 * 16


# ---- the harness ----------------------------------------------------------------------------------------------------


class Counted:
    """A subject that takes no time; its outcome is how often it has run."""

    def __init__(self, name="counted", rounds=3):
        self.name, self.rounds, self.runs = name, rounds, 0

    def prepare(self, instance, interest):
        def call():
            self.runs += 1
            return self.runs

        return call

    def facts(self, outcome):
        return {"runs": outcome}


def quiet_lab(*, quick=False):
    lab = Lab(quick=quick, tell=lambda _: None)
    lab.least_seconds = 0.0
    return lab


def lab_with(timings):
    lab = quiet_lab()
    lab.timings = {demand: Timing(list(seconds)) for demand, seconds in timings.items()}
    return lab


def test_lab_times_each_subject_as_often_as_it_asks():
    lab, often, once = quiet_lab(), Counted(rounds=3), Counted("once", rounds=1)
    lab.measure([(TINY, often), (TINY, once)])
    assert len(lab[TINY, often].seconds) == 3
    assert len(lab[TINY, once].seconds) == 1
    assert lab[TINY, often].facts == {"runs": 3}
    assert lab.has([(TINY, often), (TINY, once)])
    assert not lab.has([(TINY, Counted())])


def test_lab_repeats_short_calls_and_takes_the_mean(monkeypatch):
    """By a clock that advances by two seconds whenever it is read, six have passed after three calls."""
    seconds = count(0.0, 2.0)
    monkeypatch.setattr("benchmarks.lab.time", SimpleNamespace(perf_counter=lambda: next(seconds)))
    lab, subject = quiet_lab(), Counted(rounds=1)
    lab.least_seconds = 5.0
    lab.measure([(TINY, subject)])
    assert (subject.runs, lab[TINY, subject].seconds) == (3, [2.0])


def test_lab_plans_everything_once_with_the_most_rounds_asked_for():
    other = Instance(31, 12, "uniform", 3)
    plan = quiet_lab().plan([[(TINY, Designing("gm", rounds=1))], [(other, Floor())], [(TINY, Designing("gm"))]])
    assert sorted(plan, key=len) == [[(other, Floor())], [(TINY, Designing("gm"))]]
    assert [subject.rounds for demands in plan for instance, subject in demands if instance == TINY] == [ROUNDS]


def test_lab_plans_what_is_compared_together():
    """Two checks that share an instance, and one in between that shares none; a check without demands."""
    sizes = [Instance(num_nodes, 12, "uniform", 3) for num_nodes in (30, 31, 32, 33)]
    subject = Designing("gm")
    one, two, three, alone = ((size, subject) for size in sizes)
    assert quiet_lab().plan([[one, two], [alone], [], [three, two]]) == [[alone], [one, two, three]]


def test_lab_takes_turns_among_instances():
    told = []
    lab = Lab(quick=True, tell=lambda sentence: told.append(sentence) if sentence else None)
    other = Instance(31, 12, "uniform", 3)
    lab.measure([(TINY, Counted("a", rounds=2)), (other, Counted("b", rounds=2))])
    assert [sentence[0] for sentence in told] == ["a", "b", "a", "b"]


@pytest.mark.skipif(bool(numba.config.DISABLE_JIT), reason="nothing is compiled")
def test_lab_repeats_a_run_in_which_something_was_compiled():
    compiled = numba.njit(lambda x: x + 1)

    class Compiling(Counted):
        def prepare(self, instance, interest):
            call = super().prepare(instance, interest)
            return lambda: compiled(call())

    lab, subject = quiet_lab(), Compiling(rounds=1)
    lab.measure([(TINY, subject)])
    assert len(lab[TINY, subject].seconds) == 1
    assert subject.runs == 2


def test_ratio_divides_medians_and_is_held_against_its_bar():
    slow, fast = Published(), Designing("gm")
    lab = lab_with({(TINY, slow): [6.0], (TINY, fast): [0.9, 2.0, 5.0]})
    (row,) = Ratio(TINY, slow, fast, at_least(3)).rows(lab)
    assert (row.value, row.passed) == (3.0, True)
    (row,) = Ratio(TINY, slow, fast, at_most(2.9)).rows(lab)
    assert row.passed is False
    assert Row("no bar", 1.0).passed is None


def test_ratio_is_taken_turn_by_turn():
    """The machine was four times as slow in the second turn, and the third was disturbed for one of them alone."""
    slow, fast = Designing("minmax"), Designing("gm")
    lab = lab_with({(TINY, slow): [2.0, 8.0, 4.0], (TINY, fast): [1.0, 4.0, 1.0]})
    (row,) = Ratio(TINY, slow, fast).rows(lab)
    assert row.value == 2.0  # of the medians it would be 4


def test_growth_compares_time_per_pair():
    """10.5 times the pairs in 21 times the time is twice the time per pair."""
    base, larger = Instance(5, 12, "uniform", 3), Instance(15, 12, "uniform", 3)
    assert (base.num_pairs, larger.num_pairs) == (10, 105)
    subject = Designing("gm")
    lab = lab_with({(base, subject): [1.0], (larger, subject): [21.0]})
    first, second = Growth((larger,), base, subject, at_most(1.5)).rows(lab)
    assert (first.value, first.bar) == (1.0, None)
    assert (second.value, second.passed) == (2.0, False)


def test_reduced_instances_keep_their_kind():
    reduced = Instance(10_000, 1_000, "zipf", (20, 600), 2.0).reduced()
    assert reduced == Instance(200, 100, "zipf", (2, 60), 2.0)
    assert reduced.name == "200 × 100, zipf 2.0, s=2-60"


@pytest.mark.parametrize(
    ("value", "text"), [(0, "0"), (12, "12"), (0.1234, "0.123"), (1.239, "1.24"), (43.21, "43.2"), (1234.5, "1,234")]
)
def test_values_are_shown_with_three_digits(value, text):
    assert format_value(value) == text


def test_peak_memory_is_that_of_the_child_alone():
    """What this process holds must not be counted, as getrusage would do."""
    ours = np.ones(60_000_000)
    found = run_child("benchmarks.memory", json.dumps(asdict(TINY)))
    assert 0 < found["before_bytes"] <= found["peak_bytes"] < ours.nbytes


def test_unknown_case_is_named(capsys):
    """A wrong case name is reported before anything is measured."""
    with pytest.raises(SystemExit) as stop:
        main(["growht"])
    assert stop.value.code == 2
    assert "There is no case 'growht'" in capsys.readouterr().err


def quick_run(names, tmp_path):
    file = tmp_path / "deep" / "bench.json"
    assert main([*names, "--quick", "--json", str(file)]) == 0
    return json.loads(file.read_text(encoding="utf-8"))


@pytest.mark.skipif(bool(numba.config.DISABLE_JIT), reason="timing interpreted kernels says nothing and takes long")
def test_quick_run_writes_every_row_and_raw_timing(tmp_path, capsys):
    names = ["floor", "published-small-sets"]
    found = quick_run(names, tmp_path)
    assert found["quick"] is True
    assert found["machine"]["versions"].keys() >= {"python", "numpy", "numba", "topicweave"}
    assert list(dict.fromkeys(row["case"] for row in found["rows"])) == names
    assert all(row["passed"] is None for row in found["rows"])
    rounds = {timing["subject"]: len(timing["seconds"]) for timing in found["timings"]}
    assert (rounds["floor"], rounds["published gm"]) == (ROUNDS, 1)
    assert all(timing["facts"]["support"] == 1 for timing in found["timings"] if timing["subject"].startswith("gm"))
    assert "published gm / gm: 200 × 20, zipf 0.5, s=2" in capsys.readouterr().out


@pytest.mark.slow
@pytest.mark.skipif(bool(numba.config.DISABLE_JIT), reason="timing interpreted kernels says nothing and takes long")
def test_quick_run_of_everything(tmp_path):
    """Every case of the table has its rows."""
    found = quick_run([], tmp_path)
    assert list(dict.fromkeys(row["case"] for row in found["rows"])) == list(CASES)

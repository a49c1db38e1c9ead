"""Arguments of design(): numbers mean exactly what is written, and bad input is answered in one sentence."""

from __future__ import annotations

import numpy as np
import pytest

import topicweave as tw
from tests import instances
from topicweave.errors import InputError, OverlayError, ParameterError, TooLargeError, UnknownAlgorithmError


@pytest.mark.parametrize(("ratio", "m"), [(0.29, 29), (0.58, 58), (1, 100), (1e308, None)])
def test_a_share_is_meant_as_it_is_written(ratio, m):
    """In floating point, 0.29 of 100 links would be 28.999…; and a share may be too large for any budget."""
    interest = instances.single_topic(101)
    assert tw.design(interest, "minmax", fill=True).overlay.num_edges == 100
    made = tw.design(interest, "gpa", budget_ratio=ratio)
    assert made.overlay.num_edges == (m or 100)
    assert m is None or made.parameters["m"] == m


def test_a_ratio_is_meant_as_it_is_written():
    """21 / 1.4 is 15, though not in floating point: an open link of 15 is good enough against one of 21."""
    alike = {f"x{t}" for t in range(21)}
    interest = tw.Interest.from_sets({
        "hub": alike | {f"h{t}" for t in range(30)}, "one": {f"h{t}" for t in range(30)}, "other": alike,
        "far": {f"f{t}" for t in range(15)}, "away": {f"f{t}" for t in range(15)},
    })  # fmt: skip
    assert tw.design(interest, "low", k=1.4).trace.contribution.tolist() == [30, 15, 21]
    assert tw.design(interest, "low", k=1.39).trace.contribution.tolist() == [30, 21, 15]


def test_seeds_are_told_apart_however_large():
    interest = tw.workloads.synthetic(60, 10, subscriptions=4)
    made = [tw.design(interest, "gm", ties="random", seed=seed) for seed in (2**62, 2**63, 2**64)]
    assert [design.parameters["seed"] for design in made] == [2**62, 2**63, 2**64]
    assert len({design.overlay.edges.tobytes() for design in made}) == 3


def test_numpy_numbers_are_numbers(four_brokers):
    """A parameter may be a NumPy number as well as a Python one."""
    assert tw.design(four_brokers, "low", k=np.float32(2)).parameters["k"] == 2


# ---- bad input: one sentence, nothing computed -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("call", "kind", "says"),
    [
        (lambda i: tw.design(tw.Interest.from_pairs([]), "gm"), InputError, "empty"),
        (lambda i: tw.design(i, "gmm"), UnknownAlgorithmError, "did you mean 'gm'"),
        (lambda i: tw.design(i, "steiner"), UnknownAlgorithmError, "choose one of"),
        (lambda i: tw.design(i, "low", k=0.5), ParameterError, "1 or more, but is 0.5"),
        (lambda i: tw.design(i, "low", k=float("nan")), ParameterError, "nan"),
        (lambda i: tw.design(i, "low", k="three"), ParameterError, "'three'"),
        (lambda i: tw.design(i, "gpa", m=-1), ParameterError, "-1"),
        (lambda i: tw.design(i, "gpa", m=2.5), ParameterError, "whole number"),
        (lambda i: tw.design(i, "gpa", m=None), ParameterError, "None"),
        (lambda i: tw.design(i, "gpa", m=float("inf")), ParameterError, "whole number, 0 or more, but is inf"),
        (lambda i: tw.design(i, "gm", search=3), ParameterError, "function"),
        (lambda i: tw.design(i, "GM"), UnknownAlgorithmError, "did you mean 'gm'?"),
        (lambda i: tw.design(i, "gm", pairs=[[0, 1]], memory_limit=1000), TooLargeError, "give fewer pairs="),
        (lambda i: tw.verify(None, tw.Overlay.empty(i.nodes)), InputError, "NoneType"),
        (lambda i: tw.Overlay.from_pairs(None), OverlayError, "NoneType"),
        (lambda i: tw.workloads.synthetic(5, 5, popularity=["zipf"], subscriptions=2), ParameterError, "['zipf']"),
        (lambda i: tw.design(i, "gpm", d=-3), ParameterError, "-3"),
        (lambda i: tw.design(i, "gpm"), ParameterError, "d= or budget_ratio="),
        (lambda i: tw.design(i, "gpm", d=1, budget_ratio=0.2), ParameterError, "give one"),
        (lambda i: tw.design(i, "gm", budget_ratio=0.2), ParameterError, "no budget"),
        (lambda i: tw.design(i, "gpm", budget_ratio=-0.2), ParameterError, "-0.2"),
        (lambda i: tw.design(i, "gm", passes=0), ParameterError, "1 or more"),
        (lambda i: tw.design(i, "gm", k=3), ParameterError, "no parameter 'k'"),
        (lambda i: tw.design(i, "ring", k=3), ParameterError, "it has none"),
        (lambda i: tw.design(i, "gm", ties="fair"), ParameterError, "tie rule 'fair'"),
        (lambda i: tw.design(i, "gm", seed=-1), ParameterError, "seed"),
        (lambda i: tw.design(i, "ring", start=tw.Overlay.empty(i.nodes)), ParameterError, "start="),
        (lambda i: tw.design(i, "gm", pairs=[[0, 9]]), InputError, "outside 0..3"),
        (lambda i: tw.design(i, "gm", pairs=[[1, 1]]), InputError, "itself"),
        (lambda i: tw.design(i, "gm", pairs=[["a", "b"]]), InputError, "whole node numbers"),
        (lambda i: tw.design(i, "gm", topics=["nope"]), InputError, "'nope'"),
        (lambda i: tw.design(i, "gm", start=tw.Overlay.from_pairs([("x", "y")])), OverlayError, "'x'"),
        (lambda i: tw.design(i, "gm", start=tw.Overlay.empty(i.nodes[:2])), OverlayError, "2 nodes"),
        (lambda i: tw.design([("a", "b")], "gm"), InputError, "needs an Interest"),
        (lambda i: tw.Overlay(i.nodes, [[1, 1]]), OverlayError, "self-loops"),
        (lambda i: tw.design(i, "gm", memory_limit=1000), TooLargeError, "memory_limit"),
        (lambda i: tw.design(i, "gpa", budget_ratio=0.5, memory_limit=1000), TooLargeError, "memory_limit"),
        (lambda i: tw.design(i, "gpa", budget_ratio=0.5, colour=1), ParameterError, "colour"),
        (lambda i: tw.design(i, "gpa", m=float("-inf")), ParameterError, "0 or more"),
        (lambda i: tw.design(i, "gpa", m=np.array([1, 2])), ParameterError, "number"),
        (lambda i: tw.design(i, "gpa", m=np.True_), ParameterError, "True"),
        (lambda i: tw.design(i, "gm", start=[[0, 1]]), OverlayError, "start= needs an Overlay"),
        (lambda i: tw.design(i, "gm", start=tw.design(i, "gm")), OverlayError, ".overlay"),
        (lambda i: tw.design(i, "gm", pairs=[[0, 1], [2]]), InputError, "two ends"),
        (lambda i: tw.design(i, "gm", topics=5), InputError, "put it in a list"),
        (lambda i: tw.design(i, ["gm"]), UnknownAlgorithmError, "['gm']"),
        (lambda i: tw.design(i, "gm", ties=[]), ParameterError, "tie rule"),
        (lambda i: tw.design(i, "gm", progress=5), ParameterError, "function"),
        (lambda i: tw.verify(i, tw.design(i, "gm")), OverlayError, ".overlay"),
        (lambda i: tw.verify(i, None), OverlayError, "NoneType"),
        (lambda i: tw.Interest.from_pairs(None), InputError, "NoneType"),
        (lambda i: tw.Interest.from_pairs([{"a", "b"}]), InputError, "pair"),
        (lambda i: tw.Interest.from_sets([("a", ["x"])]), InputError, "from_pairs"),
        (lambda i: i.remove("n000"), InputError, "put it in a list"),
    ],
)
def test_bad_input_is_one_clear_sentence(four_brokers, call, kind, says):
    """The message contains what was wrong, the value seen, and what to do."""
    with pytest.raises(kind) as caught:
        call(four_brokers)
    assert says in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(("name", "key"), [("gpa", "m"), ("gpm", "d"), ("random_max", "d"), ("spidercast_max", "d")])
def test_limits_beyond_all_measure_mean_no_limit(four_brokers, name, key):
    """2**63 fits into no machine integer; it limits nothing."""
    made, plain = (tw.design(four_brokers, name, **{key: value}) for value in (2**63, 10**6))
    assert np.array_equal(made.overlay.edges, plain.overlay.edges)


def test_passes_end_when_pairs_run_out(four_brokers):
    """The result is not two thousand empty passes, nor two thousand notes."""
    assert len(tw.design(four_brokers, "gm", passes=2000).notes) <= 6


def test_too_large_is_refused_before_allocating():
    """A million nodes would need a terabyte of pairs; the answer comes at once, with the figures."""
    nodes = 1_000_000
    interest = tw.Interest.from_csr(
        [f"n{v:07}" for v in range(nodes)], ["a"], np.arange(nodes + 1), np.zeros(nodes, dtype=np.int32)
    )
    with pytest.raises(TooLargeError, match=r"1,000,000 nodes .* GB .* candidates='near' .* pairs="):
        tw.design(interest, "gm", candidates="all")
    with pytest.raises(TooLargeError, match=r"1,000,000 nodes .* more than the 0.10 GB allowed"):
        tw.design(interest, "gm", candidates="near", memory_limit=10**8)

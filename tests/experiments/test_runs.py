"""One run does what its description says, through the public API."""

import pickle

import numpy as np
import pytest

import topicweave as tw
from benchmarks.published_gm import published_gm
from experiments.designing import ask, minmax_of, published_moves, ring_links_by_topic, support_by_share
from experiments.run import Run
from experiments.shadow.replaying import Replayed
from experiments.table import EXPERIMENTS
from experiments.workload import Social, Table, Workload, interest_of

ZIPF = Workload(60, 20, "zipf", 4, 0.5)
RUN = Run(ZIPF, ask("low", ties="random", k=3), seed=1)


def test_result_is_what_the_public_api_gives():
    """The workload, the parameters, the ties and the seed all reach the package."""
    interest = tw.workloads.synthetic(60, 20, popularity="zipf", alpha=0.5, subscriptions=4, seed=1)
    plan = tw.design(interest, "low", k=3, ties="random", seed=1)
    result = RUN.perform(str)
    assert result["links"] == plan.overlay.num_edges
    assert result["maximum_degree"] == plan.overlay.maximum_degree
    assert result["support"] == 1 and result["topic_connected"]


def test_a_run_is_a_pure_function_that_can_be_sent_away():
    """Pickled and run again it gives the same result, except for the seconds."""
    here, there = RUN.perform(str), pickle.loads(pickle.dumps(RUN)).perform(str)
    assert {**here, "seconds": 0} == {**there, "seconds": 0}


@pytest.mark.parametrize("ratio", [0.15, 0.2, 0.6])
@pytest.mark.parametrize("algorithm", ["gpa", "gpm", "random_max"])
def test_budget_ratios_are_those_of_the_package(algorithm, ratio):
    """Turning β into a budget here, once per interest, changes nothing."""
    interest = interest_of(ZIPF, 3, str)
    plan = tw.design(interest, algorithm, budget_ratio=ratio, seed=3)
    result = Run(ZIPF, ask(algorithm, budget_ratio=ratio), 3).perform(str)
    assert result["links"] == plan.overlay.num_edges
    assert result["support"] == tw.verify(interest, plan.overlay).support


def test_as_many_links_as_a_degree_allows():
    """Half of MinMax-ODA's Δ lets V nodes have V·⌊Δ/2⌋/2 links, and GPA uses them all here."""
    _, degree = minmax_of(ZIPF, 0, None)
    result = Run(ZIPF, ask("gpa", degree_ratio=0.5), 0).perform(str)
    assert result["links"] == 60 * (degree // 2) // 2 and result["support"] < 1


@pytest.mark.parametrize("seed", range(3))
def test_published_moves_are_counted_right(seed):
    """The closed form agrees with the published data structures at work."""
    interest = interest_of(Workload(40, 15, "exponential", 5), seed, str)
    assert published_moves(interest) == published_gm(interest).moves > 0


def test_ring_links_by_topic_of_a_hand_instance():
    """Rings of 3 and 3, a pair, and a loner: 3 + 3 + 1 + 0 links, of which an overlay has but three."""
    interest = tw.Interest.from_sets({"a": [*"xyzw"], "b": [*"xyz"], "c": [*"xy"]})
    assert ring_links_by_topic(interest) == 7
    assert tw.design(interest, "ring").overlay.num_edges == 3


def test_support_by_share_is_the_verifiers():
    """The support of the first so many links, from the trace, is what the verifier says of just these links."""
    interest = interest_of(ZIPF, 0, str)
    made = tw.design(interest, "gm")
    shares = support_by_share(interest, made)
    half = tw.Overlay(interest.nodes, made.overlay.edges[: made.overlay.num_edges // 2])
    assert shares[9] == pytest.approx(tw.verify(interest, half).support) and shares[-1] == 1


def test_independent_draws_take_topics_with_the_probability_printed():
    """Uniform: s/T for every topic. Zipf 2.0 with large s: the first topic is taken by all, and the mean is below s."""
    uniform = interest_of(Workload(2_000, 50, "uniform", 10, draws="independent"), 0, str)
    shares = np.bincount(uniform.indices, minlength=50) / 2_000
    assert np.all(np.abs(shares - 0.2) < 0.05)
    zipf = interest_of(Workload(500, 100, "zipf", 20, 2.0, "independent"), 0, str)
    assert np.bincount(zipf.indices, minlength=100)[0] == 500
    assert 3 < zipf.num_subscriptions / 500 < 19


def test_independent_sizes_follow_their_exponent():
    """A steeper law gives smaller sizes."""
    flat, steep = (
        interest_of(Workload(1_000, 200, "uniform", (5, 100), None, "independent", e), 0, str).num_subscriptions
        for e in (1, 3)
    )
    assert steep < 0.5 * flat


def test_social_samples_and_tables_are_read(find):
    """A sample has the requested number of users, each a node and a topic; a table is used unchanged."""
    name = "facebook_ego.edges.txt.gz"
    sample = interest_of(Social(name, 40), 0, find)
    assert (sample.num_nodes, sample.num_topics) == (40, 40)
    assert all((v, u) in set(sample.pairs()) for u, v in sample.pairs())
    table = interest_of(Table(name, 90, 90), 0, find)
    assert table.num_nodes == 90 and table.num_subscriptions > sample.num_subscriptions


def test_replays_stay_connected_and_compare_with_static_designs():
    """Shadow on a short trace: every figure the judges look at is there, and the overlay is topic-connected."""
    result = Replayed(compared=True, events=40).measure(Workload(80, 20, "uniform", (3, 8)), 0, str)
    assert result["topic_connected"]
    assert len(result["maximum_degree"]) == 5 and len(result["low_maximum_degree"]) == 2
    assert len(result["changed"]) == len(result["topics"]) == 40 and min(result["topics"]) >= 3
    assert result["maximum_degree"][-1] == result["maximum_degree_last"]


def test_paths_tell_runs_apart():
    """No two different runs of the whole table share a path, nor do their reduced forms."""
    for reduced in (False, True):
        runs = {run.reduced() if reduced else run for e in EXPERIMENTS for run in e.runs(1)}
        assert len({run.path for run in runs}) == len(runs)
    assert str(RUN.path) == "zipf-0.5_60x20_s4/low_k-3_random/seed-1.json"


def test_large_and_timed_runs_want_their_worker_whole():
    assert not RUN.whole_worker
    assert Run(Workload(10_000, 100, "zipf", 10, 0.5), ask("gm"), 0).whole_worker
    assert Run(ZIPF, Replayed(compared=True), 0).whole_worker


def test_sizes_by_another_law_are_drawn_distinct():
    """PART-6: and Expo with another share for the most popular tenth."""
    steep = Workload(400, 50, "exponential", (5, 20), size_exponent=3, top_tenth=0.8)
    interest = interest_of(steep, 0, str)
    sizes = np.diff(interest.indptr)
    assert sizes.min() == 5 and sizes.max() <= 20 and (sizes == 5).mean() > 0.25
    assert steep.probabilities()[:5].sum() == pytest.approx(0.8)
    assert steep.path != Workload(400, 50, "exponential", (5, 20), size_exponent=3).path

"""One run does what its description says."""

import pickle

import numpy as np
import pytest

import topicweave as tw
from benchmarks.published_gm import published_gm
from experiments.description import Run, Workload, ask, reduced
from experiments.perform import draw, perform, published_moves, ring_links_by_topic

ZIPF = Workload(60, 20, "zipf", 4, 0.5)
RUN = Run(ZIPF, ask("low", ties="random", k=3), seed=1)


def test_result_is_what_the_public_api_gives():
    """The workload, the parameters, the ties and the seed all reach the package."""
    interest = tw.workloads.synthetic(60, 20, popularity="zipf", alpha=0.5, subscriptions=4, seed=1)
    plan = tw.design(interest, "low", k=3, ties="random", seed=1)
    result = perform(RUN)
    assert result["links"] == plan.overlay.num_edges
    assert result["maximum_degree"] == plan.overlay.maximum_degree
    assert result["support"] == 1 and result["topic_connected"]


def test_a_run_is_a_pure_function_that_can_be_sent_away():
    """Pickled and run again it gives the same, but for the seconds."""
    here, there = perform(RUN), perform(pickle.loads(pickle.dumps(RUN)))
    assert {**here, "seconds": 0} == {**there, "seconds": 0}


@pytest.mark.parametrize("seed", range(3))
def test_published_moves_are_counted_right(seed):
    """The closed form agrees with the published data structures at work."""
    interest = draw(Workload(40, 15, "exponential", 5), seed)
    assert published_moves(interest) == published_gm(interest).moves > 0


def test_ring_links_by_topic_of_a_hand_instance():
    """Rings of 3 and 3, a pair, and a loner: 3 + 3 + 1 + 0 links, of which an overlay has but three."""
    interest = tw.Interest.from_sets({"a": [*"xyzw"], "b": [*"xyz"], "c": [*"xy"]})
    assert ring_links_by_topic(interest) == 7
    assert tw.design(interest, "ring").overlay.num_edges == 3


def test_independent_draws_take_topics_with_the_probability_printed():
    """Uniform: s/T for every topic. Zipf 2.0 with large s: the first topic is taken by all, and the mean is below s."""
    uniform = draw(Workload(2_000, 50, "uniform", 10, draws="independent"), 0)
    shares = np.bincount(uniform.indices, minlength=50) / 2_000
    assert np.all(np.abs(shares - 0.2) < 0.05)
    zipf = draw(Workload(500, 100, "zipf", 20, 2.0, "independent"), 0)
    assert np.bincount(zipf.indices, minlength=100)[0] == 500
    assert 3 < zipf.num_subscriptions / 500 < 19


def test_independent_sizes_follow_their_exponent():
    """A steeper law gives smaller sizes."""
    flat, steep = (
        draw(Workload(1_000, 200, "uniform", (5, 100), draws="independent", size_exponent=e), 0).num_subscriptions
        for e in (1, 3)
    )
    assert steep < 0.5 * flat


def test_paths_tell_runs_apart():
    """Whatever is different in the description is different in the path."""
    others = [
        Run(Workload(60, 20, "zipf", 4, 2.0), RUN.asked, 1),
        Run(Workload(60, 20, "uniform", 4), RUN.asked, 1),
        Run(Workload(60, 20, "zipf", (2, 4), 0.5), RUN.asked, 1),
        Run(Workload(60, 20, "zipf", 4, 0.5, "independent"), RUN.asked, 1),
        Run(Workload(60, 20, "zipf", 4, 0.5, "independent", 3), RUN.asked, 1),
        Run(ZIPF, ask("low", k=3), 1),
        Run(ZIPF, ask("low", ties="random", k=4), 1),
        Run(ZIPF, ask("minmax", ties="random"), 1),
        Run(ZIPF, RUN.asked, 2),
    ]
    assert len({RUN.path, *(run.path for run in others)}) == len(others) + 1
    assert str(RUN.path) == "zipf-0.5_60x20_s4/low_k-3_random/seed-1.json"


def test_reduced_runs_are_small_and_keep_the_rest():
    run = reduced(Run(Workload(10_000, 1_000, "zipf", (20, 600), 2.0), ask("gpa", m=20_000), 4))
    assert run == Run(Workload(200, 100, "zipf", (2, 60), 2.0), ask("gpa", m=400), 4)

"""Near candidates searched on Spark: the same links as without it, whatever the number of buckets."""

from __future__ import annotations

import pytest

import topicweave as tw
from topicweave import workloads
from topicweave.algorithms.greedy import problem
from topicweave.pipeline.workers import near_search
from topicweave.pipeline.workers.near_search import SparkSearch


@pytest.mark.parametrize("most_bits", [0, problem.MOST_BITS], ids=["topic lists", "bit rows"])
@pytest.mark.parametrize("algorithm", ["gm", pytest.param("low", marks=pytest.mark.slow)])
def test_spark_finds_what_this_process_finds(spark, monkeypatch, most_bits, algorithm):
    monkeypatch.setattr(problem, "MOST_BITS", most_bits)
    monkeypatch.setattr(near_search, "FEW", 1)
    interest = workloads.synthetic(400, 60, subscriptions=(3, 20), seed=2)
    here = tw.design(interest, algorithm, candidates="near", seed=5)
    search = SparkSearch(spark)
    there = tw.design(interest, algorithm, candidates="near", seed=5, search=search)
    search.close()
    assert search.num_jobs > 1
    assert (here.overlay.edges == there.overlay.edges).all()
    assert here.trace.rounds == there.trace.rounds
    assert tw.verify(interest, there.overlay).topic_connected


def test_few_nodes_are_not_worth_a_job(spark):
    search = SparkSearch(spark)
    tw.design(workloads.synthetic(60, 10, subscriptions=4), "gm", candidates="near", search=search)
    assert search.num_jobs == 0


def test_workers_without_topicweave_are_no_obstacle(spark, monkeypatch, caplog):
    monkeypatch.setattr(near_search, "FEW", 1)

    def fail(self, scene, searching, room):
        raise RuntimeError("… ModuleNotFoundError: No module named 'topicweave'")

    monkeypatch.setattr(SparkSearch, "_on_workers", fail)
    interest = workloads.synthetic(60, 10, subscriptions=4)
    made = tw.design(interest, "gm", candidates="near", search=SparkSearch(spark))
    assert tw.verify(interest, made.overlay).topic_connected
    assert "do not have topicweave installed" in caplog.text

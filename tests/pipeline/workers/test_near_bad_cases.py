"""Interests that near candidates might stumble over, the whole way on Spark: each ends in a plan that is connected."""

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from topicweave.algorithms import design as design_in_memory
from topicweave.errors import TooLargeError
from topicweave.pipeline import design
from topicweave.pipeline.workers import near_search
from topicweave.pipeline.workers.near_search import SparkSearch

SIZES = [pytest.param(600, id="small"), pytest.param(100_000, id="large", marks=pytest.mark.slow)]
# Around a node with most topics the design takes time in the square of the nodes, so there are fewer of them.
SIZES_WITH_A_HUB = [pytest.param(600, id="small"), pytest.param(10_000, id="large", marks=pytest.mark.slow)]


def one_topic_for_all(num_nodes):
    """Links: one for each node but one."""
    return np.arange(num_nodes), np.zeros(num_nodes, dtype=np.int64), num_nodes - 1


def one_topic_each(num_nodes):
    """Ten nodes to a topic; nine links each."""
    return np.arange(num_nodes), np.arange(num_nodes) % (num_nodes // 10), num_nodes - num_nodes // 10


def a_topic_of_its_own(num_nodes):
    """No two nodes have a topic in common."""
    return np.arange(num_nodes), np.arange(num_nodes), 0


def all_alike(num_nodes):
    """A tree of all nodes serves every topic."""
    return np.repeat(np.arange(num_nodes), 5), np.tile(np.arange(5), num_nodes), num_nodes - 1


def one_with_most_topics(num_nodes):
    """One node has 90 % of the topics, the others three each."""
    num_topics = num_nodes // 10
    rng = np.random.default_rng(0)
    nodes = np.concatenate((np.zeros(9 * num_topics // 10, dtype=np.int64), np.repeat(np.arange(1, num_nodes), 3)))
    topics = np.concatenate((np.arange(9 * num_topics // 10), rng.integers(0, num_topics, 3 * (num_nodes - 1))))
    return nodes, topics, None


def written(path, nodes, topics):
    table = pa.table({"node": pa.array(nodes).cast(pa.string()), "topic": pa.array(topics).cast(pa.string())})
    pq.write_table(table, path, row_group_size=50_000)
    return str(path)


@pytest.fixture
def jobs(monkeypatch):
    """Have Spark search for however few nodes; how many times it did."""
    monkeypatch.setattr(near_search, "FEW", 1)
    done = []
    close = SparkSearch.close

    def noted(self):
        done.append(self.num_jobs)
        close(self)

    monkeypatch.setattr(SparkSearch, "close", noted)
    return done


def planned(spark, tmp_path, case, num_nodes, algorithm="gm", **parameters):
    nodes, topics, links = case(num_nodes)
    path = written(tmp_path / "in.parquet", nodes, topics)
    plan = design(path, algorithm, candidates="near", out=tmp_path / "plan", spark=spark, **parameters)
    assert plan.verification.topic_connected
    return plan, links


@pytest.mark.slow
@pytest.mark.parametrize("num_nodes", SIZES)
@pytest.mark.parametrize("case", [one_topic_for_all, one_topic_each, a_topic_of_its_own, all_alike])
def test_as_few_links_as_can_be(spark, tmp_path, jobs, case, num_nodes):
    plan, links = planned(spark, tmp_path, case, num_nodes)
    assert plan.design.overlay.num_edges == links
    assert jobs[0] > 0 or not links


@pytest.mark.slow
@pytest.mark.parametrize("num_nodes", SIZES_WITH_A_HUB)
def test_a_node_with_most_topics(spark, tmp_path, jobs, num_nodes):
    plan, _ = planned(spark, tmp_path, one_with_most_topics, num_nodes)
    assert jobs[0] > 0
    every_pair = design_in_memory(plan.interest, "gm", candidates="all")
    assert plan.design.overlay.num_edges <= 1.02 * every_pair.overlay.num_edges


@pytest.mark.parametrize(
    ("algorithm", "num_nodes"),
    [
        ("gm", 600),
        pytest.param("low", 600, marks=pytest.mark.slow),
        pytest.param("gm", 10_000, marks=pytest.mark.slow),
    ],
)
def test_one_candidate_a_node(spark, tmp_path, jobs, num_nodes, algorithm):
    """Where one candidate a node is too few to connect everything, further rounds on Spark find the rest."""
    plan, _ = planned(spark, tmp_path, one_with_most_topics, num_nodes, algorithm, num_candidates=1)
    assert jobs[0] > 0
    assert plan.manifest["candidates"]["num_candidates"] == 1


def test_too_little_memory_is_told_beforehand(spark, tmp_path, jobs):
    """With the figure, before anything is searched; nothing is left."""
    nodes, topics, _ = one_with_most_topics(600)
    path = written(tmp_path / "in.parquet", nodes, topics)
    with pytest.raises(TooLargeError, match=r"MB|GB"):
        design(path, "gm", candidates="near", memory_limit=1 << 20, out=tmp_path / "plan", spark=spark)
    assert not any(jobs)
    assert [file.name for file in tmp_path.iterdir()] == ["in.parquet"]

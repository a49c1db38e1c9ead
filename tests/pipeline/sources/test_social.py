"""Edge lists, and samples of them."""

import pytest

from tests.pipeline.helpers import read_pairs
from topicweave.errors import ParameterError, ReadError
from topicweave.pipeline import SocialGraph, Table, bfs_sample, load
from topicweave.workloads import bfs_sample as bfs_sample_in_memory

SNAP = "# Nodes: 4\n% or so\n0 1\n0\t2\n1  2\n2 3\n3 3\n7\n"


def test_undirected(spark, write):
    """Friends subscribe to each other; comments and self-links are counted, a broken line is bad."""
    found, others = read_pairs(spark, SocialGraph(Table(write("g.txt", SNAP))))
    links = {("0", "1"), ("0", "2"), ("1", "2"), ("2", "3")}
    assert found == links | {(b, a) for a, b in links}
    assert others == {"comment": 2, "link of a user to itself": 1, "wrong number of columns": 1}


def test_directed_and_counted_by_line(spark, write):
    """A follower subscribes to the followee; rows are lines, not subscriptions; comments are no rows."""
    path = write("g.txt", SNAP)
    found, _ = read_pairs(spark, SocialGraph(Table(path), directed=True))
    assert found == {("0", "1"), ("0", "2"), ("1", "2"), ("2", "3")}
    for directed in (True, False):
        loaded = load(SocialGraph(Table(path), directed=directed), max_bad_fraction=0.5, spark=spark)
        assert loaded.counts["links"].valid == 4 and loaded.counts["links"].read == 6


def test_repeated_and_reversed_links_are_folded(spark, write):
    """SNAP's undirected graphs often list both directions."""
    loaded = load(SocialGraph(Table(write("g.txt", "0 1\n1 0\n0 1\n"))), spark=spark)
    assert loaded.interest.num_subscriptions == 2 and loaded.duplicates == 4


def test_weights_after_the_two_users_and_other_formats(spark, write):
    """Further words are allowed when every line has them; other formats have columns source and target."""
    assert read_pairs(spark, SocialGraph(Table(write("w.txt", "0 1 0.5\n1 2 0.7\n")), directed=True))[0] == {
        ("0", "1"),
        ("1", "2"),
    }
    path = write("g.csv", "target,source\nb,a\n")
    assert read_pairs(spark, SocialGraph(Table(path), directed=True))[0] == {("a", "b")}
    with pytest.raises(ReadError, match=r"first line of .* has 1 words"):
        SocialGraph(Table(write("one.txt", "0\n"))).read(spark)


EDGES = [
    ("a", "b"),
    ("b", "c"),
    ("c", "d"),
    ("d", "e"),
    ("a", "f"),
    ("f", "g"),
    ("x", "y"),
    ("y", "z"),
    ("b", "f"),
    ("q", "q"),
]


@pytest.mark.parametrize(
    ("seeds", "size"),
    [
        (["a"], 4),
        (["d", "x"], 7),
        pytest.param(["a"], 1, marks=pytest.mark.slow),
        pytest.param(["c"], 7, marks=pytest.mark.slow),
    ],
)
def test_bfs_reaches_whom_a_queue_reaches(spark, seeds, size):
    """The same users as the in-memory sample from the same starts, and all links among them."""
    expected = bfs_sample_in_memory([edge for edge in EDGES if edge[0] != edge[1]], size, seeds=seeds)
    found = bfs_sample(spark.createDataFrame(EDGES, ["source", "target"]), size, seeds=seeds)
    assert set(found.users) == set(expected.edges.users)
    assert found.seeds == tuple(seeds)
    links = {tuple(row) for row in found.links.collect()}
    assert links == {edge for edge in EDGES if set(edge) <= set(found.users)}


def test_bfs_goes_on_elsewhere_and_draws_the_same_on_any_partitions(spark):
    """When a component ends, another start is drawn, and reported; the draw does not depend on the spread."""
    graph = spark.createDataFrame(EDGES, ["source", "target"])
    samples = [bfs_sample(graph.repartition(parts), 9, seeds=["x"], seed=5) for parts in (1, 5)]
    assert samples[0].users == samples[1].users and samples[0].seeds == samples[1].seeds
    assert samples[0].seeds[0] == "x" and len(samples[0].seeds) == 2
    drawn = bfs_sample(graph, 3, seeds=2, seed=1)
    assert len(drawn.seeds) == 2 and len(drawn.users) == 3


def test_bfs_refusals(spark):
    """More users than there are, no user to start from, no list."""
    graph = spark.createDataFrame(EDGES, ["source", "target"])
    with pytest.raises(ParameterError, match="cannot come from a graph of 10"):
        bfs_sample(graph, 11)
    with pytest.raises(ParameterError, match="no user 'nobody'"):
        bfs_sample(graph, 3, seeds=["nobody"])
    with pytest.raises(ParameterError, match="one string"):
        bfs_sample(graph, 3, seeds="a")


def test_sampled_source_reports_its_seeds(spark, write):
    """A sampled graph says where the sample began."""
    path = write("g.txt", "".join(f"{a} {b}\n" for a, b in EDGES))
    loaded = load(SocialGraph(Table(path), sample=4, seeds=("a",)), spark=spark)
    assert loaded.records.notes == {"sampled users": 4, "sample started from": ["a"]}
    assert set(loaded.interest.nodes) == {"a", "b", "f", "c"}
    assert loaded.counts["links"].read == len(EDGES)
    loaded.records.release()

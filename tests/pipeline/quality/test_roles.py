"""Roles of rows: subscriptions, events and clients may say who publishes."""

import pyarrow.parquet as pq
import pytest

import topicweave as tw
from topicweave import pipeline
from topicweave.pipeline import Clients, EventLog, Subscriptions, Table


def roles_of(interest):
    """Who publishes, and who only publishes."""
    publishes = {(node, topic) for topic in interest.topics for node in interest.publishers_of(topic)}
    silent = {pair for i, pair in enumerate(interest.pairs()) if not interest.receives[i]}
    return publishes, silent


def loaded(spark, source):
    return pipeline.load(source, spark=spark, max_bad_fraction=1.0)


@pytest.fixture
def written(tmp_path):
    def write(name, text):
        path = tmp_path / name
        path.write_text(text, encoding="utf-8")
        return Table(str(path))

    return write


def test_subscriptions_with_roles(spark, written):
    """A role may be missing, in capitals, or unknown; a pair with two rows has both."""
    table = written("s.csv", "node,topic,role\na,x,\nb,x,Publish\nc,x,both\nd,x,subscriber\nd,x,publish\ne,x,reads\n")
    found = loaded(spark, Subscriptions(table))
    assert roles_of(found.interest) == ({("b", "x"), ("c", "x"), ("d", "x")}, {("b", "x")})
    assert found.counts["subscriptions"].bad == {"unknown role": 1}
    assert found.interest.num_subscriptions == 4


def test_events_with_roles(spark, written):
    """Subscribing and publishing come and go by themselves; a leave ends both."""
    table = written(
        "e.csv",
        "sequence,node,action,role,topic\n1,a,join,,x\n2,b,join,publish,x\n3,c,join,both,x\n4,c,unsubscribe,,x\n"
        "5,d,join,publish,x\n6,d,leave,,\n7,a,subscribe,publish,y\n",
    )
    found = loaded(spark, EventLog(table)).interest
    assert roles_of(found) == ({("b", "x"), ("c", "x"), ("a", "y")}, {("b", "x"), ("c", "x"), ("a", "y")})
    assert set(found.pairs()) == {("a", "x"), ("b", "x"), ("c", "x"), ("a", "y")}


def test_clients_with_roles(spark, written):
    """A broker publishes what one of its clients publishes, and what it only publishes it does not receive."""
    filters = written("f.csv", "client,filter,role\nc1,x/#,\nc2,x/1,publish\nc3,x/1,\nc3,x/2,publish\n")
    brokers = written("b.csv", "client,broker\nc1,A\nc2,B\nc3,C\n")
    found = loaded(spark, Clients(filters, brokers)).interest
    assert roles_of(found) == ({("B", "x/1"), ("C", "x/2")}, {("B", "x/1"), ("C", "x/2")})
    assert set(found.pairs()) == {("A", "x/1"), ("A", "x/2"), ("B", "x/1"), ("C", "x/1"), ("C", "x/2")}


def test_a_plan_with_publishers_and_trees_is_written_and_read_again(spark, written, tmp_path):
    """Roles survive the plan folder; trees, their figures and their columns are in it."""
    table = written("s.csv", "node,topic,role\na,x,\nb,x,\nc,x,publish\nd,y,\na,y,both\n")
    plan = pipeline.design(Subscriptions(table), "gm", out=tmp_path / "plan", trees="depth", spark=spark)
    stored = pipeline.read_plan(tmp_path / "plan")
    assert stored.interest == plan.interest
    assert roles_of(stored.interest) == ({("c", "x"), ("a", "y")}, {("c", "x")})
    assert plan.manifest["trees"]["objective"] == "depth"
    assert "  trees           2 with at most " in plan.summary()
    topics = pq.read_table(tmp_path / "plan" / "topics.parquet")
    assert {"tree_depth", "tree_hops"} <= set(topics.column_names)
    rows = pq.read_table(tmp_path / "plan" / "trees.parquet").to_pylist()
    edges = {topic: [(r["parent"], r["child"]) for r in rows if r["topic"] == topic] for topic in ("x", "y")}
    assert tw.deploy.check_trees(stored.interest, stored.overlay, edges) == []
    again = loaded(spark, tmp_path / "plan").interest
    assert again == stored.interest

"""Client tables: brokers × topics."""

import pytest

from tests.pipeline.helpers import pairs_of
from topicweave.errors import BadRowsError, ParameterError, ReadError
from topicweave.pipeline import Clients, Table, load

BROKERS = "client,broker\nc1,oslo\nc2,oslo\nc3,rome\nc4,kyiv\nc4,rome\n"


def test_golden(spark, write):
    """Plain, wildcard and shared filters, gathered by broker."""
    filters = """client,filter
c1,plant/1/temperature
c2,plant/+/temperature
c2,plant/1/temperature
c3,$share/workers/plant/#
c3,#
c4,plant/2/pressure
c4,nobody/+
"""
    topics = "topic\nplant/2/temperature\n$SYS/uptime\nplant\n"
    source = Clients(
        Table(write("filters.csv", filters)), Table(write("brokers.csv", BROKERS)), Table(write("topics.csv", topics))
    )
    loaded = load(source, spark=spark)
    assert pairs_of(loaded.interest) == {
        ("oslo", "plant/1/temperature"),
        ("oslo", "plant/2/temperature"),
        ("rome", "plant"),
        ("rome", "plant/1/temperature"),
        ("rome", "plant/2/temperature"),
        ("rome", "plant/2/pressure"),
        ("kyiv", "plant/2/pressure"),
    }
    assert loaded.records.notes == {"wildcard filters": 4, "wildcard filters that match no known topic": 1}
    assert {role: counts.valid for role, counts in loaded.counts.items()} == {"filters": 7, "brokers": 5, "topics": 3}
    loaded.records.release()


@pytest.mark.slow
def test_bad_filters_and_homeless_clients(spark, write):
    """Invalid filters, and clients without a broker, go to the quarantine and count as bad rows."""
    rows = [
        "c1,a/b",
        "c1,a#",
        "c1,a/#/b",
        "c1,a+/b",
        "c1,+a",
        "c1,$share/g",
        "c1,$share//x",
        "c1,$share/+/x",
        "c9,a/b",
        "c1,",
        "c1,$share/g/",
    ]
    source = Clients(Table(write("f.csv", "client,filter\n" + "\n".join(rows) + "\n")), Table(write("b.csv", BROKERS)))
    loaded = load(source, max_bad_fraction=1, spark=spark)
    assert pairs_of(loaded.interest) == {("oslo", "a/b")}
    assert loaded.counts["filters"].bad == {
        "invalid MQTT filter": 8,
        "client without a broker": 1,
        "filter is missing": 1,
    }
    loaded.records.release()
    with pytest.raises(BadRowsError, match="8 × invalid MQTT filter"):
        load(source, spark=spark)


def test_topics_must_be_names(spark, write):
    """A wildcard in the list of topics is not a topic."""
    source = Clients(
        Table(write("f.csv", "client,filter\nc1,a\n")),
        Table(write("b.csv", BROKERS)),
        Table(write("t.csv", "topic\na/#\nb\n")),
    )
    loaded = load(source, max_bad_fraction=1, spark=spark)
    assert loaded.counts["topics"].bad == {"wildcard in a topic name": 1}
    loaded.records.release()


def clients(write, filters, topics=None, **more):
    given = None if topics is None else Table(write("t.csv", "topic\n" + topics))
    return Clients(Table(write("f.csv", "client,filter\n" + filters)), Table(write("b.csv", BROKERS)), given, **more)


def test_filters_of_nats(spark, write):
    """Wildcards of NATS are expanded where they are said to be such, and otherwise not taken for topics in silence."""
    filters = "c1,orders.>\nc2,orders.*\nc3,orders.new\nc4,stock.a.b\n"
    with pytest.raises(ReadError, match=r"look like those of NATS, such as 'orders\..'.*language='nats'"):
        load(clients(write, filters), spark=spark)
    loaded = load(clients(write, filters, "orders.old.x\norders\n", language="nats"), spark=spark)
    assert pairs_of(loaded.interest) == {
        ("oslo", "orders.new"), ("oslo", "orders.old.x"), ("rome", "orders.new"), ("rome", "stock.a.b"),
        ("kyiv", "stock.a.b"),
    }  # fmt: skip
    assert loaded.remarks == ()
    loaded.records.release()
    with pytest.raises(ParameterError, match="no language of filters 'amqp'"):
        clients(write, filters, language="amqp")


@pytest.mark.slow
def test_malformed_subjects_of_nats(spark, write):
    """Empty tokens, white space, and ``>`` before the end; letters beside a wildcard make it a letter."""
    rows = "".join(f"c1,{text}\n" for text in ("a.b*", "a..b", ".a", "a.", "a.>.b", "a b", "a.*>"))
    loaded = load(clients(write, rows, language="nats"), max_bad_fraction=1, spark=spark)
    assert pairs_of(loaded.interest) == {("oslo", "a.b*"), ("oslo", "a.*>")}
    assert loaded.counts["filters"].bad == {"invalid NATS filter": 5}
    loaded.records.release()


def test_a_broker_whose_filters_match_nothing_is_named(spark, write):
    """It is not in the plan, and the plan says so."""
    loaded = load(clients(write, "c1,a/b\nc3,a/+\nc4,stock/#\n"), spark=spark)
    assert set(loaded.interest.nodes) == {"oslo", "rome"}
    assert loaded.remarks == (
        "1 of 3 brokers is not in the plan ('kyiv'): no filter of its clients matches a known topic.",
    )
    assert loaded.to_dict()["remarks"] == list(loaded.remarks)
    loaded.records.release()


def test_wildcards_alone_need_a_list_of_topics(spark, write):
    """The remedy is to list the topics, not to look for another input."""
    with pytest.raises(ReadError, match=r"are all wildcards, such as 'a/.'.*list the existing topics"):
        load(clients(write, "c1,a/#\nc3,a/+\n"), spark=spark)

"""From options to what the library takes."""

import click
import pytest

from topicweave.cli.design import design
from topicweave.cli.options import paths_of, places, settings, source_of
from topicweave.pipeline import Clients, EventLog, SocialGraph, Subscriptions


def given(*arguments):
    """The options of ``design`` for these arguments."""
    context = design.make_context("design", ["in.csv", "--out", "plan", *arguments])
    return {name: value for name, value in context.params.items() if name != "inputs"}


def source(*arguments):
    return source_of(("in.csv",), given(*arguments))


def test_settings():
    """A setting ends at its first equals sign."""
    assert settings(["a=1", "b=x=y"], "KEY=VALUE") == {"a": "1", "b": "x=y"}


@pytest.mark.parametrize("slip", ["a", "=1", "a="])
def test_settings_that_are_none(slip):
    """Anything that is not KEY=VALUE is refused with the expected form."""
    with pytest.raises(click.UsageError, match="not of the form KEY=VALUE"):
        settings([slip], "KEY=VALUE")


def test_places_are_names_or_positions():
    assert places(["node=broker", "topic=1"]) == {"node": "broker", "topic": 1}
    assert places(["topic=²"]) == {"topic": "²"}, "a digit to Unicode, but no position"


def test_subscriptions():
    """Options of tables reach the table that is read."""
    read = source("--format", "tsv", "--column", "node=0", "--no-header", "--separator", ";", "--comment", "#")
    assert isinstance(read, Subscriptions)
    table = read.table
    assert (table.path, table.format, table.columns) == (["in.csv"], "tsv", {"node": 0})
    assert (table.header, table.separator, table.comment) == (False, ";", "#")


def test_options_of_another_reader():
    """Options for a reader of Spark's reach it as they are."""
    assert source("--format", "jdbc", "--option", "url=jdbc:x:y=z").table.options == {"url": "jdbc:x:y=z"}


def test_social():
    """Options of social graphs and of samples reach the reader; those that belong together are asked for together."""
    read = source("--as", "social", "--directed", "--sample", "10", "--seed", "7")
    assert isinstance(read, SocialGraph)
    assert (read.directed, read.sample, read.seed) == (True, 10, 7)
    assert read.seeds == 1
    assert source("--as", "social", "--sample", "9", "--sample-from", "a", "--sample-from", "b").seeds == ("a", "b")
    with pytest.raises(click.UsageError, match="--sample-from is for --sample N"):
        source("--as", "social", "--sample-from", "a")
    assert source("--as", "social").directed is False
    assert source("--as", "social", "--undirected").directed is False


@pytest.mark.parametrize(("text", "at"), [("12.5", 12.5), ("2024-05-01 10:00", "2024-05-01 10:00")])
def test_events(text, at):
    """A time is a number, or text that is read later; it may be left out."""
    read = source("--as", "events", "--at", text)
    assert isinstance(read, EventLog)
    assert read.at == at
    assert source("--as", "events").at is None


def test_clients_each_table_takes_its_own_columns():
    read = source(
        "--as", "clients", "--brokers", "b.csv", "--topics-file", "t.csv",
        "--column", "client=id", "--column", "filter=sub", "--column", "broker=at", "--column", "topic=name",
    )  # fmt: skip
    assert isinstance(read, Clients)
    filters, brokers, topics = read.tables
    assert (filters.path, filters.columns) == (["in.csv"], {"client": "id", "filter": "sub"})
    assert (brokers.path, brokers.columns) == ("b.csv", {"client": "id", "broker": "at"})
    assert (topics.path, topics.columns) == ("t.csv", {"topic": "name"})


def test_clients_may_be_named_differently_in_each_table():
    read = source(
        "--as", "clients", "--brokers", "b.csv", "--column", "filters.client=who", "--column", "brokers.client=id",
        "--column", "brokers.broker=at", "--column", "client=unused",
    )  # fmt: skip
    filters, brokers = read.tables
    assert (filters.columns, brokers.columns) == ({"client": "who"}, {"client": "id", "broker": "at"})
    assert source("--as", "clients", "--brokers", "b.csv", "--column", "brokers.client=0").tables[0].columns == {}


def test_clients_need_brokers():
    """Clients without a table of their brokers are refused with the option that is missing."""
    with pytest.raises(click.UsageError, match="needs --brokers"):
        source("--as", "clients")


def test_a_column_of_no_table_of_clients():
    with pytest.raises(click.UsageError, match="the field 'node'"):
        source("--as", "clients", "--brokers", "b.csv", "--column", "node=x")


@pytest.mark.parametrize(
    ("option", "kind"),
    [
        (["--directed"], "social"),
        (["--undirected"], "social"),
        (["--sample", "5"], "social"),
        (["--sample-from", "a"], "social"),
        (["--at", "5"], "events"),
        (["--brokers", "b.csv"], "clients"),
        (["--topics-file", "t.csv"], "clients"),
    ],
)
def test_an_option_of_another_kind_is_refused_rather_than_ignored(option, kind):
    with pytest.raises(click.UsageError, match=f"{option[0]} is for --as {kind}".replace("--undirected", "--directed")):
        source(*option)


def test_all_paths_that_are_read():
    both = given("--as", "clients", "--brokers", "b.csv", "--topics-file", "t.csv")
    assert paths_of(("in.csv",), both) == ("in.csv", "b.csv", "t.csv")
    assert paths_of(("in.csv",), given()) == ("in.csv",)

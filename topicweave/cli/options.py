"""Options that several subcommands share: where the input is, how to read it, and where Spark runs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

import click

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from pyspark.sql import SparkSession

    from topicweave.pipeline.sources import Source
    from topicweave.pipeline.table import Table

    Command = TypeVar("Command", bound=Callable[..., Any])

KINDS = ("subscriptions", "social", "events", "clients")


def settings(pairs: Iterable[str], what: str) -> dict[str, str]:
    """Turn ``name=value`` texts into a dictionary."""
    found = {}
    for pair in pairs:
        name, sign, value = pair.partition("=")
        if not sign or not name:
            raise click.BadParameter(f"{pair!r} is not of the form {what}.")
        found[name] = value
    return found


SOURCE_OPTIONS = (
    click.option(
        "--as", "kind", type=click.Choice(KINDS), default="subscriptions", show_default=True,
        help="What the input is: (node, topic) rows; links of a social graph; an event log; MQTT clients with filters.",
    ),
    click.option("--format", "format_", metavar="NAME", help="csv, tsv, jsonl, parquet, orc, edges, table, or any "
                 "format the Spark session knows; told from the file's name by default."),
    click.option("--column", "columns", multiple=True, metavar="FIELD=COLUMN",
                 help="Where a field is: node=broker_id, topic=1 (position, for files without header). Repeatable."),
    click.option("--header/--no-header", default=True, help="Whether text files begin with column names."),
    click.option("--separator", metavar="CHAR", help="Between the columns of a text file."),
    click.option("--comment", metavar="TEXT", help="What comment lines begin with."),
    click.option("--directed/--undirected", default=False, help="social: whether the first user of a link follows "
                 "the second, or both follow each other."),
    click.option("--sample", type=int, metavar="N", help="social: take a breadth-first sample of N users."),
    click.option("--at", metavar="TIME", help="events: the state at this time (a number, or a date and time)."),
    click.option("--brokers", metavar="PATH", help="clients: table of client, broker."),
    click.option("--topics-file", metavar="PATH", help="clients: table of known topics, for wildcards."),
    click.option("--max-bad-fraction", type=float, default=0.01, show_default=True,
                 help="The share of bad rows up to which the good ones are used."),
)  # fmt: skip

SESSION_OPTIONS = (
    click.option("--master", metavar="URL", help="Where Spark runs; embedded on all cores by default."),
    click.option("--conf", multiple=True, metavar="KEY=VALUE", help="A Spark setting. Repeatable."),
    click.option("--spark-log", is_flag=True, help="Show Spark's own messages."),
    click.option("--quiet", is_flag=True, help="Print nothing but the result."),
    click.option("--json", "as_json", is_flag=True, help="Print the result as JSON."),
)


def with_options(options: Iterable[Callable[[Command], Command]]) -> Callable[[Command], Command]:
    """Add options to a command, in the order they are listed."""

    def add(command: Command) -> Command:
        for option in reversed(tuple(options)):
            command = option(command)
        return command

    return add


def table_of(path: str | tuple[str, ...], given: dict[str, Any], fields: tuple[str, ...] | None = None) -> Table:
    """How to open one input; of several inputs, each takes the columns named for its own fields."""
    from topicweave.pipeline import Table

    columns: dict[str, str | int] = {}
    for field, place in settings(given["columns"], "FIELD=COLUMN").items():
        if fields is None or field in fields:
            columns[field] = int(place) if place.isdigit() else place
    return Table(
        list(path) if isinstance(path, tuple) else path,
        format=given["format_"],
        columns=columns,
        header=given["header"],
        separator=given["separator"],
        comment=given["comment"],
    )


def source_of(paths: tuple[str, ...], given: dict[str, Any], seed: int = 0) -> Source:
    """What the command line says is to be read."""
    from topicweave.pipeline import Clients, EventLog, SocialGraph, Subscriptions

    if given["kind"] == "clients":
        if given["brokers"] is None:
            raise click.UsageError("--as clients needs --brokers PATH, a table of client and broker.")
        known = given["topics_file"]
        return Clients(
            table_of(paths, given, ("client", "filter")),
            table_of(given["brokers"], given, ("client", "broker")),
            None if known is None else table_of(known, given, ("topic",)),
        )
    table = table_of(paths, given)
    if given["kind"] == "social":
        return SocialGraph(table, directed=given["directed"], sample=given["sample"], seed=seed)
    if given["sample"] is not None:
        raise click.UsageError("--sample is for social graphs; add --as social.")
    if given["kind"] == "events":
        return EventLog(table, at=_time(given["at"]))
    return Subscriptions(table)


def session_of(given: dict[str, Any]) -> SparkSession:
    """The Spark session the command line asks for."""
    from topicweave.pipeline import session

    return session(given["master"], settings(given["conf"], "KEY=VALUE"), quiet=not given["spark_log"])


def _time(text: str | None) -> float | str | None:
    if text is None:
        return None
    try:
        return float(text)
    except ValueError:
        return text

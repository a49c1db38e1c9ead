"""Options of the subcommands: some are shared by several commands (the input, its format, where Spark runs), others
are made from a table.

Options of a table of entries with parameters, such as the table of algorithms, are made when the command is run or its
help is shown, not when it is defined: every entry and parameter in the table gets its option and its line of help
without any other change.
"""

from __future__ import annotations

from copy import copy
from typing import TYPE_CHECKING, Any, TypeVar

import click

from topicweave.parameters import Offer, offered_parameters

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

    from topicweave.parameters import HasParameters, Parameter
    from topicweave.pipeline import SparkSettings
    from topicweave.pipeline.sources.formats.table import Table
    from topicweave.pipeline.sources.source import Source

    Command = TypeVar("Command", bound=Callable[..., Any])

TYPES: dict[type, click.ParamType[Any]] = {int: click.INT, float: click.FLOAT, str: click.STRING}
KINDS = ("subscriptions", "social", "events", "clients")

# Options that make sense for one kind of input only.
KIND_OF_OPTION = {
    "directed": "social",
    "sample": "social",
    "sample_from": "social",
    "at": "events",
    "brokers": "clients",
    "topics_file": "clients",
    "filters": "clients",
}
CLIENT_FIELDS = {"filters": ("client", "filter"), "brokers": ("client", "broker"), "topics": ("topic",)}


def settings(pairs: Iterable[str], what: str) -> dict[str, str]:
    """Turn strings of the form ``name=value`` into a dictionary."""
    found = {}
    for pair in pairs:
        name, sign, value = pair.partition("=")
        if not sign or not name or not value:
            raise click.UsageError(f"{pair!r} is not of the form {what}.", click.get_current_context(silent=True))
        found[name.strip()] = value
    return found


def check_settings(what: str) -> Callable[[click.Context, click.Parameter, tuple[str, ...]], tuple[str, ...]]:
    """Make a check for an option that takes ``name=value``; it reports mistakes before anything is started."""

    def check(context: click.Context, parameter: click.Parameter, pairs: tuple[str, ...]) -> tuple[str, ...]:
        try:
            settings(pairs, what)
        except click.UsageError as error:
            raise click.BadParameter(error.message, context, parameter) from error
        return pairs

    return check


def as_separator(_: click.Context, __: click.Parameter, text: str | None) -> str | None:
    """Read a separator as typed by the user; escapes such as ``\\t`` are accepted, because a tab is hard to type."""
    return "\t" if text == r"\t" else text


def places(pairs: Iterable[str]) -> dict[str, str | int]:
    """Where to find each field of a row: by column name, or by position."""
    found = settings(pairs, "FIELD=COLUMN")
    return {field: int(place) if place.isascii() and place.isdigit() else place for field, place in found.items()}


# Options for the format of a table.
TABLE_OPTIONS = (
    click.option("--format", "format_", metavar="NAME", help="csv, tsv, jsonl, parquet, orc, edges, table, or any "
                 "format the Spark session knows; detected from the file's name by default."),
    click.option("--column", "columns", multiple=True, metavar="FIELD=COLUMN", callback=check_settings("FIELD=COLUMN"),
                 help="The column of a field: node=broker_id, or topic=1 (position from 0). "
                 "Fields: node, topic; social: source, target; events: sequence, time, node, action, topic; "
                 "clients: client, filter, broker, topic, and, if their tables differ, filters.client, "
                 "brokers.client. Repeatable."),
    click.option("--header/--no-header", default=None,
                 help="Whether text files begin with column names; by default they do, unless positions are given."),
    click.option("--separator", metavar="CHAR", callback=as_separator, help="Separator of the columns of a text file."),
    click.option("--comment", metavar="TEXT", help="What comment lines begin with."),
    click.option("--option", "reader_options", multiple=True, metavar="KEY=VALUE", callback=check_settings("KEY=VALUE"),
                 help="An option of Spark's reader, for formats that Spark reads itself "
                 "(--format xml --option rowTag=row). Repeatable."),
)  # fmt: skip

SOURCE_OPTIONS = (
    click.option(
        "--as", "kind", type=click.Choice(KINDS), default="subscriptions", show_default=True,
        help="What the input is: (node, topic) rows; links of a social graph; an event log; clients with filters.",
    ),
    *TABLE_OPTIONS,
    click.option("--directed/--undirected", default=None, help="social: whether the first user of a link follows "
                 "the second, or both follow each other (default)."),
    click.option("--sample", type=click.IntRange(min=1), metavar="N",
                 help="social: take a breadth-first sample of N users."),
    click.option("--sample-from", multiple=True, metavar="USER",
                 help="social: a user to start the sample from; drawn by --seed by default. Repeatable."),
    click.option("--at", metavar="TIME", help="events: the state at this time (a number, or a date and time)."),
    click.option("--brokers", metavar="PATH", help="clients: table of client, broker."),
    click.option("--topics-file", metavar="PATH", help="clients: table of known topics, for wildcards."),
    click.option("--filters", type=click.Choice(["mqtt", "nats"]),
                 help="clients: the syntax of filters; MQTT's (+, #) by default, or NATS's (*, >)."),
    click.option("--max-bad-fraction", type=click.FloatRange(0, 1), default=0.01, show_default=True,
                 help="The share of bad rows up to which the good ones are used."),
)  # fmt: skip

DEBUG_OPTION = click.option("--debug", is_flag=True, expose_value=False, help="Show the traceback of an error.")

SESSION_OPTIONS = (
    click.option("--master", metavar="URL", help="Where Spark runs; embedded on all cores by default."),
    click.option("--conf", multiple=True, metavar="KEY=VALUE", callback=check_settings("KEY=VALUE"),
                 help="A Spark setting. Repeatable."),
    click.option("--spark-log", is_flag=True, help="Show Spark's own messages."),
    click.option("--quiet", is_flag=True, help="Print nothing but the result."),
    click.option("--json", "as_json", is_flag=True, help="Print the result as JSON, and nothing else."),
    DEBUG_OPTION,
)  # fmt: skip


def spark_of(given: Mapping[str, Any]) -> SparkSettings:
    """The Spark settings from the command line; on Ctrl-C or a termination signal, the command does not wait for Spark
    to stop.
    """
    from topicweave.pipeline import SparkSettings

    return SparkSettings(
        given["master"], settings(given["conf"], "KEY=VALUE"), quiet=not given["spark_log"], ends_with_process=True
    )


def with_options(options: Iterable[Callable[[Command], Command]]) -> Callable[[Command], Command]:
    """Add options to a command, in this order."""

    def add(command: Command) -> Command:
        for option in reversed(tuple(options)):
            command = option(command)
        return command

    return add


def table_of(
    path: str | tuple[str, ...], given: Mapping[str, Any], columns: Mapping[str, str | int] | None = None
) -> Table:
    """One input table, opened according to the options."""
    from topicweave.pipeline import Table

    return Table(
        list(path) if isinstance(path, tuple) else path,
        format=given["format_"],
        columns=places(given["columns"]) if columns is None else columns,
        header=given["header"],
        separator=given["separator"],
        comment=given["comment"],
        options=settings(given["reader_options"], "KEY=VALUE"),
    )


def source_of(paths: tuple[str, ...], given: Mapping[str, Any]) -> Source:
    """The input that the options describe."""
    from topicweave import pipeline

    _check_kind(given)
    if given["kind"] == "clients":
        return _clients(paths, given)
    table = table_of(paths, given)
    if given["kind"] == "social":
        return pipeline.SocialGraph(
            table,
            directed=bool(given["directed"]),
            sample=given["sample"],
            seeds=given["sample_from"] or 1,
            seed=given["seed"],
        )
    if given["kind"] == "events":
        return pipeline.EventLog(table, at=_time(given["at"]))
    return pipeline.Subscriptions(table)


def paths_of(paths: tuple[str, ...], given: Mapping[str, Any]) -> tuple[str, ...]:
    """All paths from which input will be read."""
    return (*paths, *(given[name] for name in ("brokers", "topics_file") if given[name] is not None))


def _check_kind(given: Mapping[str, Any]) -> None:
    context = click.get_current_context(silent=True)
    for name, kind in KIND_OF_OPTION.items():
        if given[name] not in (None, ()) and given["kind"] != kind:
            raise click.UsageError(
                f"--{name.replace('_', '-')} is for --as {kind}; add that, or leave it out.", context
            )
    if given["sample_from"] and given["sample"] is None:
        raise click.UsageError("--sample-from is for --sample N; give the number of users in the sample.", context)
    if given["kind"] == "clients" and given["brokers"] is None:
        raise click.UsageError("--as clients needs --brokers PATH, a table of client and broker.", context)


def _clients(paths: tuple[str, ...], given: Mapping[str, Any]) -> Source:
    """A table of the clients' filters and a table of their brokers; a column given for a field goes to the table that
    has the field, and ``client`` to both.
    """
    from topicweave.pipeline import Clients

    found = places(given["columns"])
    of_one = [f"{role}.{field}" for role, fields in CLIENT_FIELDS.items() for field in fields]
    known = sorted({*of_one, *(name.partition(".")[2] for name in of_one)})
    for field in found:
        if field not in known:
            raise click.UsageError(
                f"A column was named for the field {field!r}, but clients are read for {', '.join(known)}; "
                f"name one of these.",
                click.get_current_context(silent=True),
            )

    def table(path: str | tuple[str, ...], role: str) -> Table:
        columns = {field: found.get(f"{role}.{field}", found.get(field)) for field in CLIENT_FIELDS[role]}
        return table_of(path, given, {field: place for field, place in columns.items() if place is not None})

    topics = given["topics_file"]
    return Clients(
        table(paths, "filters"),
        table(given["brokers"], "brokers"),
        None if topics is None else table(topics, "topics"),
        language=given["filters"],
    )


def _time(text: str | None) -> float | str | None:
    if text is None:
        return None
    try:
        return float(text)
    except ValueError:
        return text


class TableCommand(click.Command):
    """A command that runs one entry of a table, such as an algorithm, and has that entry's parameters as options.

    Parameters
    ----------
    chooser
        The name of the option that names the entry, such as ``algorithm``.
    table
        The table.
    default
        The default entry.
    shared
        Returns parameters that do not belong to one entry, with the names of the entries that take them.
    """

    def __init__(
        self,
        *arguments: Any,
        chooser: str,
        table: Mapping[str, HasParameters],
        default: str,
        shared: Callable[[], Sequence[Offer]] = tuple,
        **settings: Any,
    ) -> None:
        super().__init__(*arguments, **settings)
        self._chooser = chooser
        self._table = table
        self._default = default
        self._shared = shared

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        """The options of the command; options generated from the table come after ``--out``."""
        key = f"{__name__}.{self.name}"
        if key not in ctx.meta:  # this is called several times, and must return the same option objects each time
            made = {str(option.name): option for option in self._made_options()}
            written = [_with_meaning(option, made.pop(str(option.name), None)) for option in super().get_params(ctx)]
            place = next((place for place, option in enumerate(written, 1) if option.name == "out"), 0)
            ctx.meta[key] = [*written[:place], *made.values(), *written[place:]]
        found: list[click.Parameter] = ctx.meta[key]
        return found

    def _made_options(self) -> list[click.Option]:
        chooser = click.Option(
            [f"--{self._chooser}"],
            default=self._default,
            show_default=True,
            metavar="NAME",
            help=f"{', '.join(self._table)}.",
        )
        by_name: dict[str, list[Offer]] = {}
        for offer in self._offers():
            by_name.setdefault(offer.parameter.name, []).append(offer)
        everybody = tuple(self._table)
        return [chooser, *(_option(name, offers, everybody) for name, offers in by_name.items())]

    def _offers(self) -> list[Offer]:
        offers = (*offered_parameters(self._table), *self._shared())
        return [offer for offer in offers if offer.parameter.kind is not object]

    def given_parameters(self, given: Mapping[str, Any]) -> dict[str, Any]:
        """The parameters from the table that the user has given."""
        written = {option.name for option in self.params}
        names = dict.fromkeys(offer.parameter.name for offer in self._offers() if offer.parameter.name not in written)
        return {name: given[name] for name in names if given.get(name) is not None}


def _with_meaning(written: click.Parameter, made: click.Option | None) -> click.Parameter:
    """The command's own option, extended by the help text of an algorithm's parameter of the same name."""
    if made is None or not isinstance(written, click.Option):
        return written
    both = copy(written)
    both.help = f"{made.help} {written.help}"
    return both


def option_name(name: str) -> str:
    """The name of the command-line option for a parameter."""
    return f"--{name.replace('_', '-')}"


def parameter_option(parameter: Parameter) -> Callable[[Command], Command]:
    """An option for a parameter that is not in any table, for use by a single command."""
    names, settings = _declaration(parameter.name, [Offer(parameter, ())], ())
    return click.option(*names, **settings)


def _option(name: str, offers: Sequence[Offer], everybody: tuple[str, ...]) -> click.Option:
    names, settings = _declaration(name, offers, everybody)
    return click.Option(names, **settings)


def _declaration(name: str, offers: Sequence[Offer], everybody: tuple[str, ...]) -> tuple[list[str], dict[str, Any]]:
    """One option for all entries that have a parameter of this name, even if it means different things in them."""
    text = "; ".join(_meaning(offer, everybody) for offer in offers) + "."
    if offers[0].takers == everybody:
        text = text[0].upper() + text[1:]
    kind = offers[0].parameter.kind
    spelt = option_name(name)
    if kind is bool:
        return [f"{spelt}/--no-{spelt[2:]}", name], {"default": None, "help": text}
    return [spelt, name], {"type": click.STRING if offers[0].parameter.is_size else TYPES[kind], "help": text}


def _meaning(offer: Offer, everybody: tuple[str, ...]) -> str:
    takers = "" if offer.takers == everybody else f"{', '.join(offer.takers)}: "
    return takers + offer.parameter.help + _values(offer.parameter)


def _values(parameter: Parameter) -> str:
    """The parameter's default and its other allowed values, for the help text."""
    default = parameter.default
    has_default = not (parameter.is_required or default is None or default is False)
    shown = f"{default:g} by default" if isinstance(default, float) else f"{default} by default"
    if parameter.choices:
        others = ", ".join(choice for choice in parameter.choices if choice != default)
        return f" ({shown}; {others})" if has_default else f" ({others})"
    return f" ({shown})" if has_default else ""

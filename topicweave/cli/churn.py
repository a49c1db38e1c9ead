"""``topicweave churn``: keep an overlay connected while events arrive."""

from __future__ import annotations

from typing import Any

import click
from click.core import ParameterSource

from topicweave.churn.numbers import MAX_GAP
from topicweave.churn.pace import EVERY
from topicweave.churn.registry import DEFAULT, MAINTAINERS
from topicweave.cli.options import (
    SESSION_OPTIONS,
    TABLE_OPTIONS,
    TableCommand,
    option_name,
    places,
    spark_of,
    table_of,
    with_options,
)

ROLE = "subscriptions."  # prefix that marks a --column option as one for the table of subscriptions


@click.command(
    cls=TableCommand,
    chooser="maintainer",
    table=MAINTAINERS,
    default=DEFAULT,
    epilog="\b\nExamples:\n"
    "  topicweave churn plan/ events.jsonl --out after/\n"
    "  topicweave churn --follow incoming/ --state state/ --plan plan/\n"
    "  topicweave churn --follow incoming/ --state state/ --once            (continues from the existing state)",
)
@click.argument("plan", required=False, metavar="[PLAN]")
@click.argument("events", required=False, metavar="[EVENTS]")
@click.option("--out", metavar="DIR", help="The folder to write: links, subscriptions, changes, snapshot, report.")
@click.option("--follow", metavar="EVENTS", help="Folder of event files that are applied as they arrive.")
@click.option("--state", metavar="DIR", help="With --follow: where the state and all changes are kept.")
@click.option("--plan", "start_plan", metavar="PLAN", help="With --follow: the plan that a new --state starts from.")
@click.option("--empty", is_flag=True, help="With --follow: a new --state starts without nodes.")
@click.option(
    "--reconfigure",
    is_flag=True,
    help="With --follow: give an existing --state the maintainer and parameters named here.",
)
@click.option("--once", is_flag=True, help="With --follow: apply the existing files and stop.")
@click.option(
    "--interval",
    type=click.FloatRange(min=0.01),
    default=1.0,
    show_default=True,
    help="With --follow: seconds between two checks of the folder.",
)
@click.option("--files-at-once", type=click.IntRange(min=1), help="With --follow: the most files of a micro-batch.")
@click.option(
    "--gaps",
    type=click.Choice(["wait", "pass"]),
    default="wait",
    show_default=True,
    help="With --follow, if a number is missing: hold later events back until it arrives, or continue without it.",
)
@click.option(
    "--max-gap",
    type=click.IntRange(min=1),
    metavar="N",
    help=f"With --gaps pass: how many numbers in a row may be missing, {MAX_GAP} by default; a single event further "
    "ahead waits.",
)
@click.option(
    "--first",
    type=int,
    metavar="N",
    help="With --follow, where --state is new: the number of the first event; 1 by default, or the one after the last "
    "that --plan contains.",
)
@click.option("--batch", type=click.IntRange(min=1), default=1, show_default=True, help="Events to repair at once.")
@click.option(
    "--reoptimise",
    type=click.IntRange(min=0),
    default=0,
    metavar="BUDGET",
    help="Spend at most this many link changes to regain quality: after the last event; with --reoptimise-every or "
    "--follow, again and again.",
)
@click.option(
    "--reoptimise-every",
    type=click.IntRange(min=1),
    metavar="N",
    help=f"Reoptimise every N sequence numbers; {EVERY} by default with --follow.",
)
@click.option(
    "--trees/--no-trees",
    default=None,
    help="Also say how the dissemination trees change, which then change only where they must: those written with the "
    "plan, or new ones. They are written to trees.parquet. Default: if the plan, or an existing --state, has trees.",
)
@click.option(
    "--subscriptions",
    metavar="PATH",
    help="The subscriptions, if PLAN does not contain them; their columns by --column subscriptions.node=NAME "
    "and subscriptions.topic=NAME.",
)
@click.option(
    "--seed", type=click.IntRange(min=0), default=0, show_default=True, help="The same seed gives the same links."
)
@click.option("--overwrite", is_flag=True, help="Replace the folder --out if it exists.")
@with_options(TABLE_OPTIONS)
@with_options(SESSION_OPTIONS)
def churn(plan: str | None, events: str | None, **given: Any) -> None:
    """Keep an overlay topic-connected while nodes join, leave and change their topics.

    EVENTS have the columns sequence, node, action (join, leave, drain, subscribe, unsubscribe, resubscribe), topic and
    perhaps time and role; topic may be a list. They are applied in the order of their numbers, each once, also across
    restarts. With --follow an event that comes before its predecessor is kept and waits for it.

    A role (subscribe, publish or both) says what a node begins or ceases to do with the topics named; a publisher is a
    member of its topic. Of each row of the changes written, first make the links that are added, then drop those that
    are removed.

    Exit code 0: done; 2: bad input or parameters; 130: interrupted (the state in --state is whole).
    """  # fmt: skip
    if given["follow"] is not None:
        _check(given["state"] is not None, "--follow needs --state, the folder where the state is kept.")
        _check(plan is None, "--follow takes no further arguments; name the plan to start from with --plan.")
        _check(given["out"] is None, "--follow keeps everything in --state; leave --out out.")
        _check(not given["overwrite"], "--overwrite goes with --out.")
        _follow(given)
        return
    _check(plan is not None and events is not None, "PLAN and EVENTS are needed, or --follow.")
    _check(given["out"] is not None, "--out is needed, the folder to write.")
    for name in ("state", "start_plan", "empty", "reconfigure", "first", "max_gap", "once", "files_at_once"):
        spelt = option_name(name.removeprefix("start_"))
        _check(given[name] is None or given[name] is False, f"{spelt} goes with --follow.")
    for name in ("interval", "gaps"):
        _check(_said(name, given) is None, f"{option_name(name)} goes with --follow.")
    assert plan is not None and events is not None
    _maintain(plan, events, given)


def _check(holds: bool, message: str) -> None:
    if not holds:
        raise click.UsageError(message)


def _said(name: str, given: dict[str, Any]) -> Any:
    """The value of an option that has a default, but only if the user gave it; otherwise None."""
    source = click.get_current_context().get_parameter_source(name)
    return None if source is ParameterSource.DEFAULT else given[name]


def _columns(given: dict[str, Any], role: str) -> dict[str, str | int]:
    """The columns given for one table; columns of the subscriptions have a prefix, those of the events have none."""
    found = places(given["columns"])
    return {name.removeprefix(role): place for name, place in found.items() if name.startswith(ROLE) == bool(role)}


def _subscriptions(given: dict[str, Any]) -> Any:
    """The table of subscriptions to read: None if none was given, and just a path if no columns were named."""
    path, columns = given["subscriptions"], _columns(given, ROLE)
    if path is None:
        _check(not columns, f"--column {ROLE}... goes with --subscriptions PATH.")
        return None
    if not columns:
        return path
    from topicweave.pipeline import Table

    return Table(path, columns=columns)


def _maintain(plan: str, events: str, given: dict[str, Any]) -> None:
    from topicweave import pipeline
    from topicweave.cli.display import display, print_json

    with display(given["quiet"] or given["as_json"]) as observer:
        done = pipeline.maintain(
            plan,
            table_of(events, given, _columns(given, "")),
            given["maintainer"],
            subscriptions=_subscriptions(given),
            out=given["out"],
            overwrite=given["overwrite"],
            batch=given["batch"],
            reoptimise=given["reoptimise"],
            reoptimise_every=given["reoptimise_every"],
            trees=given["trees"],
            spark=spark_of(given),
            progress=observer,
            seed=given["seed"],
            **churn.given_parameters(given),
        )
    if given["as_json"]:
        print_json({**done.manifest, "folder": str(done.folder)})
    else:
        click.echo(done.summary())


def _follow(given: dict[str, Any]) -> None:
    from topicweave import pipeline
    from topicweave.cli.display import display, print_json

    with display(given["quiet"] or given["as_json"]) as observer:
        done = pipeline.follow(
            table_of(given["follow"], given, _columns(given, "")),
            _said("maintainer", given),
            state=given["state"],
            plan=given["start_plan"],
            subscriptions=_subscriptions(given),
            empty=given["empty"],
            reconfigure=given["reconfigure"],
            once=given["once"],
            interval=given["interval"],
            files_at_once=given["files_at_once"],
            first=given["first"],
            gaps=given["gaps"],
            max_gap=given["max_gap"],
            batch=given["batch"],
            reoptimise=given["reoptimise"],
            reoptimise_every=given["reoptimise_every"] or EVERY,
            trees=given["trees"],
            spark=spark_of(given),
            progress=observer,
            seed=_said("seed", given),
            **churn.given_parameters(given),
        )
    if given["as_json"]:
        print_json(done.to_dict())
    elif not given["quiet"]:
        click.echo(done.summary())
        if done.gap is not None:
            click.echo(done.gap.sentence("--gaps pass", "--max-gap {}"))

"""``topicweave churn``: keep an overlay connected while events come in."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from topicweave.churn.registry import DEFAULT, MAINTAINERS
from topicweave.cli.options import SESSION_OPTIONS, TABLE_OPTIONS, table_of, with_options
from topicweave.cli.parameters import TableCommand
from topicweave.parameters import fill, find_entry

if TYPE_CHECKING:
    from topicweave.churn import Maintainer
    from topicweave.churn.event_store import Applied
    from topicweave.model import Interest, Overlay
    from topicweave.pipeline import Table


@click.command(
    cls=TableCommand,
    chooser="maintainer",
    table=MAINTAINERS,
    default=DEFAULT,
    epilog="\b\nExamples:\n"
    "  topicweave churn plan/ events.jsonl --out after/\n"
    "  topicweave churn --follow incoming/ --state state/ --plan plan/\n"
    "  topicweave churn --follow incoming/ --state state/ --once",
)
@click.argument("plan", required=False, metavar="[PLAN]")
@click.argument("events", required=False, metavar="[EVENTS]")
@click.option("--out", metavar="DIR", help="The folder to write: links, subscriptions, changes, snapshot, report.")
@click.option("--follow", metavar="EVENTS", help="Folder of event files that are applied as they arrive.")
@click.option("--state", metavar="DIR", help="With --follow: where the state and all changes are kept.")
@click.option("--plan", "start_plan", metavar="PLAN", help="With --follow: the plan to begin with; by default nobody.")
@click.option("--once", is_flag=True, help="With --follow: apply what is there, and stop.")
@click.option(
    "--interval",
    type=click.FloatRange(min=0.01),
    default=1.0,
    show_default=True,
    help="With --follow: seconds between two looks at the folder.",
)
@click.option("--files-at-once", type=click.IntRange(min=1), help="With --follow: the most files of a micro-batch.")
@click.option(
    "--gaps",
    type=click.Choice(["wait", "pass"]),
    default="wait",
    show_default=True,
    help="With --follow, where a number is missing: keep what comes after it until it comes, or go on without it.",
)
@click.option("--first", type=int, metavar="N", help="With --follow: the number of the first event; by default 0 or 1.")
@click.option("--subscriptions", metavar="PATH", help="Who subscribes to what in PLAN; by default what it was made of.")
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True, help="Same seed, same links.")
@click.option("--overwrite", is_flag=True, help="Replace the folder --out if it was written before.")
@with_options(TABLE_OPTIONS)
@with_options(SESSION_OPTIONS)
def churn(plan: str | None, events: str | None, **given: Any) -> None:
    """Keep an overlay topic-connected while nodes join, leave and change their topics.

    EVENTS have the columns sequence, node, action (join, leave, subscribe, unsubscribe), topic and perhaps time; a join
    may carry a list of topics. They are applied in the order of their numbers, each once, also across restarts. With
    --follow an event that comes before its predecessor is kept and waits for it.

    Exit code 0: done; 2: bad input or parameters; 130: interrupted (the state in --state is whole).
    """  # fmt: skip
    entry = find_entry("maintainer", given["maintainer"], MAINTAINERS)
    fill(given["maintainer"], entry.parameters, churn.given_parameters(given))
    if given["follow"] is not None:
        _check(given["state"] is not None, "--follow needs --state, the folder where the state is kept.")
        _check(plan is None, "--follow takes no further arguments; name the plan to begin with by --plan.")
        _follow(given)
        return
    _check(plan is not None and events is not None, "PLAN and EVENTS are needed, or --follow.")
    _check(given["out"] is not None, "--out is needed, the folder to write.")
    for name in ("state", "start_plan"):
        _check(given[name] is None, f"--{name.removeprefix('start_')} goes with --follow.")
    assert plan is not None and events is not None
    _maintain(plan, events, given)


def _check(holds: bool, message: str) -> None:
    if not holds:
        raise click.UsageError(message)


def _maintain(plan: str, events: str, given: dict[str, Any]) -> None:
    from topicweave.cli.display import print_json
    from topicweave.cli.options import settings
    from topicweave.cli.starting import check_paths
    from topicweave.pipeline import session
    from topicweave.pipeline.churn_stream import maintain, read_plan

    check_paths([plan, given["subscriptions"]], given, None)
    check_paths([events], given, given["format_"])
    log = _log(events, given)
    spark = session(given["master"], settings(given["conf"], "KEY=VALUE"), quiet=not given["spark_log"])
    maintainer = _maintainer(*read_plan(spark, plan, given["subscriptions"]), given)
    done = maintain(spark, maintainer, log, given["out"], overwrite=given["overwrite"])
    if given["as_json"]:
        print_json(
            {
                "events": len(done.replay.actions), "refused": done.refused, "bad_rows": done.bad_rows,
                "nodes": maintainer.num_nodes, "links": maintainer.num_edges,
                "average_degree": maintainer.average_degree, "maximum_degree": maintainer.maximum_degree,
                "folder": str(done.folder),
            }
        )  # fmt: skip
    else:
        click.echo(done.summary())


def _follow(given: dict[str, Any]) -> None:
    from topicweave.churn.event_store import EventStore, locked
    from topicweave.cli.options import settings
    from topicweave.cli.starting import check_paths
    from topicweave.model import Interest, Overlay
    from topicweave.pipeline import session
    from topicweave.pipeline.churn_stream import follow, read_plan
    from topicweave.wording import counted

    check_paths([given["follow"], given["start_plan"], given["subscriptions"]], given, "jsonl")
    like = _log(given["follow"], given)
    with locked(given["state"]):
        spark = session(given["master"], settings(given["conf"], "KEY=VALUE"), quiet=not given["spark_log"])

        def begin() -> Maintainer:
            if given["start_plan"] is None:
                empty = Interest.from_sets({})
                return _maintainer(empty, Overlay.empty(empty.nodes), given)
            return _maintainer(*read_plan(spark, given["start_plan"], given["subscriptions"]), given)

        store = EventStore(given["state"], begin, first=given["first"], gaps=given["gaps"])

        late = known = 0

        def tell(done: Applied, num_bad: int) -> None:
            nonlocal late, known
            late, known = late + done.num_late, known + done.num_known
            if not given["quiet"]:
                bad = f"; {counted(num_bad, 'row')} kept aside in quarantine/" if num_bad else ""
                click.echo(f"{done.num_applied:,} events, now at {store.last}: {store.maintainer!r}{bad}", err=True)
                if gap := store.gap():
                    click.echo(gap.sentence("--gaps pass"), err=True)

        follow(
            spark, given["follow"], store, once=given["once"], interval=given["interval"],
            files_at_once=given["files_at_once"], like=like, tell=tell,
        )  # fmt: skip
    if not given["quiet"]:
        too_late = f", {late:,} came too late and were not applied (see changes/)" if late else ""
        click.echo(f"{store.maintainer!r} after event {store.last}; {known:,} events were known before{too_late}.")
        if gap := store.gap():
            click.echo(gap.sentence("--gaps pass"))


def _log(events: str, given: dict[str, Any]) -> Table:
    """How the events are to be read; a slip is noticed before anything is started."""
    from topicweave.pipeline import EventLog

    return EventLog(table_of(events, given)).table


def _maintainer(interest: Interest, overlay: Overlay, given: dict[str, Any]) -> Maintainer:
    return MAINTAINERS[given["maintainer"]](interest, overlay, seed=given["seed"], **churn.given_parameters(given))

"""``topicweave content``: commands about content-based overlays."""

from __future__ import annotations

from difflib import get_close_matches
from typing import Any

import click

from topicweave.cli.content_adapt import adapt
from topicweave.cli.network import COMMANDS as NETWORK_COMMANDS
from topicweave.cli.options import SESSION_OPTIONS, TableCommand, spark_of, with_options
from topicweave.cli.traffic_options import TRAFFIC_OPTIONS, traffic_of
from topicweave.content.core import CORES, DEFAULT_CORE
from topicweave.content.registry import DEFAULT, METHODS


class ContentGroup(click.Group):
    """Recognises the command form of earlier versions, ``topicweave content LOG WISHES PRICES``, and prints the new
    form.
    """

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args[0] not in self.commands:
            raise click.UsageError(self._hint(args), ctx)
        return super().resolve_command(ctx, args)

    def _hint(self, args: list[str]) -> str:
        close = get_close_matches(args[0], self.commands, n=1)
        if close:
            return f"There is no command 'content {args[0]}'; did you mean {close[0]!r}?"
        return (
            f"'topicweave content' is followed by a command ({', '.join(self.commands)}): what was "
            f"'topicweave content {args[0]} ...' is 'topicweave content assign {args[0]} ...' now."
        )


@click.group(
    cls=ContentGroup,
    # in the old form of the command, options could come before the file names
    context_settings={"ignore_unknown_options": True},
    epilog="\b\nExample:\n  topicweave content assign log.parquet subscriptions.csv latency.csv --out plan/",
)
def content() -> None:
    """Content-based overlays: users, brokers and prices, and the cheapest network that serves them."""


@content.command(
    cls=TableCommand,
    chooser="method",
    table=METHODS,
    default=DEFAULT,
    short_help="Assign users to brokers by traffic and prices; write a plan folder.",
    epilog="\b\nExamples:\n"
    "  topicweave content assign log.parquet subscriptions.csv latency.csv --out plan/\n"
    "  topicweave content assign log.parquet subscriptions.csv latency.csv --broker Paris --broker Tokyo "
    "--places homes.csv --out plan/\n"
    "  topicweave content assign log.parquet subscriptions.csv latency.csv --method exact --time-limit 600 "
    "--out plan/\n"
    "  topicweave content assign log.parquet subscriptions.csv latency.csv --core tree --from plan/ --out next/",
)
@click.argument("publications")
@click.argument("subscriptions")
@click.argument("prices")
@click.option("--out", required=True, metavar="DIR", help="The plan folder to write.")
@with_options(TRAFFIC_OPTIONS)
@click.option(
    "--core", type=click.Choice(CORES), default=DEFAULT_CORE, show_default=True,
    help="Which trees carry traffic between brokers: the cheapest, over relays where that helps; spanning trees over "
    "the brokers concerned, as in the paper; parts of one tree for all brokers.",
)  # fmt: skip
@click.option(
    "--from", "current", metavar="PATH",
    help="The current assignment: a plan folder, or a table of user, broker. The plan then lists the moves, in order, "
    "and what each saves.",
)  # fmt: skip
@click.option("--seed", type=int, default=0, show_default=True, help="The same seed gives the same plan.")
@click.option("--overwrite", is_flag=True, help="Replace an existing plan.")
@with_options(SESSION_OPTIONS)
@click.pass_context
def assign(context: click.Context, /, publications: str, subscriptions: str, prices: str, **given: Any) -> None:
    """Assign users to brokers so that publications reach the users who want them at low cost.

    PUBLICATIONS: user, value (or the columns named by --attribute), and optionally bytes and time. SUBSCRIPTIONS: user,
    attribute, low, high. PRICES: a square table of prices between places, as CSV. Bad rows go to quarantine/.

    Exit code 0: written; 2: bad input or parameters; 3: the brokers cannot carry the traffic; 130: interrupted.
    """
    from topicweave import pipeline
    from topicweave.cli.display import display, show_plan

    assert isinstance(context.command, TableCommand)
    with display(given["quiet"] or given["as_json"]) as observer:
        plan = pipeline.assign(
            publications,
            subscriptions,
            prices,
            given["method"],
            core=given["core"],
            current=given["current"],
            out=given["out"],
            overwrite=given["overwrite"],
            spark=spark_of(given),
            progress=observer,
            seed=given["seed"],
            **traffic_of(given),
            **context.command.given_parameters(given),
        )
    show_plan(plan, given["as_json"])


for command in (adapt, *NETWORK_COMMANDS):
    content.add_command(command)

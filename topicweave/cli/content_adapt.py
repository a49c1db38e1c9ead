"""``topicweave content adapt``: changes an earlier plan to suit the present traffic and brokers."""

from __future__ import annotations

from typing import Any

import click

from topicweave.cli.options import SESSION_OPTIONS, spark_of, with_options
from topicweave.cli.traffic_options import TRAFFIC_OPTIONS, traffic_of
from topicweave.content.core import CORES


@click.command(
    short_help="Adapt an earlier plan to new traffic and brokers, with few moves.",
    epilog="\b\nExamples:\n"
    "  topicweave content adapt log.parquet subscriptions.csv latency.csv --from plan/ --out next/\n"
    "  topicweave content adapt log.parquet subscriptions.csv latency.csv --from plan/ --max-moves 50 --broker Paris "
    "--broker Tokyo --out next/",
)
@click.argument("publications")
@click.argument("subscriptions")
@click.argument("prices")
@click.option(
    "--from", "earlier", required=True, metavar="PATH",
    help="The folder of the earlier plan, or a table of user, broker.",
)  # fmt: skip
@click.option("--out", required=True, metavar="DIR", help="The plan folder to write.")
@click.option(
    "--max-moves", type=int, metavar="N",
    help="The most users that may change their broker; new users, and those whose broker is gone, do not count.",
)  # fmt: skip
@with_options(TRAFFIC_OPTIONS)
@click.option(
    "--core", type=click.Choice(CORES),
    help="Which trees carry traffic between brokers, as for content assign; by default as in the earlier plan.",
)  # fmt: skip
@click.option("--seed", type=int, default=0, show_default=True, help="The same seed gives the same plan.")
@click.option("--overwrite", is_flag=True, help="Replace an existing plan.")
@with_options(SESSION_OPTIONS)
def adapt(publications: str, subscriptions: str, prices: str, earlier: str, **given: Any) -> None:
    """Assign users to brokers again after users, traffic or brokers have changed, moving few of them.

    PUBLICATIONS, SUBSCRIPTIONS and PRICES are as for content assign. Users and brokers are matched with those of the
    earlier plan by name. Users stay where they are unless moving them lowers the cost, or their broker is gone or
    overloaded; the plan lists the moves in order, and what each saves.

    Exit code 0: written; 2: bad input or parameters; 3: the brokers cannot carry the traffic, or only with more moves;
    130: interrupted.
    """
    from topicweave import pipeline
    from topicweave.cli.display import display, show_plan

    with display(given["quiet"] or given["as_json"]) as observer:
        plan = pipeline.adapt(
            publications,
            subscriptions,
            prices,
            earlier,
            max_moves=given["max_moves"],
            core=given["core"],
            out=given["out"],
            overwrite=given["overwrite"],
            spark=spark_of(given),
            progress=observer,
            seed=given["seed"],
            **traffic_of(given),
        )
    show_plan(plan, given["as_json"])

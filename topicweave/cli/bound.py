"""``topicweave bound``: how few links any overlay needs, and how far a plan is from that."""

from __future__ import annotations

from typing import Any

import click

from topicweave.cli.options import SESSION_OPTIONS, SOURCE_OPTIONS, source_of, spark_of, with_options


@click.command(
    epilog="\b\nExamples:\n"
    "  topicweave bound plan/\n"
    "  topicweave bound subscriptions.csv --seconds 60 --save bound.npz\n"
    "  topicweave bound subscriptions.csv plan/ --json"
)
@click.argument("subscriptions", metavar="SUBSCRIPTIONS")
@click.argument("plan", required=False, metavar="[PLAN]")
@click.option("--seconds", type=float, default=10.0, show_default=True, help="Seconds to search for a higher bound.")
@click.option("--save", metavar="FILE", help="Write the bound with its certificate to this file.")
@click.option("--seed", type=int, default=0, show_default=True, help="Seed of all random choices.")
@with_options(SOURCE_OPTIONS)
@with_options(SESSION_OPTIONS)
def bound(subscriptions: str, plan: str | None, **given: Any) -> None:
    """Print a number of links that no overlay can go below, proved by a certificate.

    SUBSCRIPTIONS is a file of subscriptions or a plan folder, which contains those it was made for. The links of the
    plan (of PLAN, if that is given as well) and their gap to the bound are printed, too. Ctrl-C ends the search; the
    bound found by then is printed.
    """
    from topicweave import pipeline
    from topicweave.cli.display import display, print_json
    from topicweave.pipeline.plan.target import plan_folder

    source = source_of((subscriptions,), given)
    is_plan = plan_folder(subscriptions) is not None
    with display(given["quiet"] or given["as_json"]) as observer:
        found = pipeline.bound(
            subscriptions if is_plan else source,
            plan,
            seconds=given["seconds"],
            max_bad_fraction=given["max_bad_fraction"],
            spark=spark_of(given),
            progress=observer,
            seed=given["seed"],
        )
    if given["save"] is not None:
        found.bound.save(given["save"])
    if given["as_json"]:
        print_json(found.to_dict())
    else:
        click.echo(found.summary())

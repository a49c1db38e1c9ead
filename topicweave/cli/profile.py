"""``topicweave profile``: statistics of a set of subscriptions."""

from __future__ import annotations

from typing import Any

import click

from topicweave.cli.options import SESSION_OPTIONS, SOURCE_OPTIONS, source_of, spark_of, with_options


@click.command(
    epilog="\b\nExamples:\n"
    "  topicweave profile subscriptions.parquet --column node=broker_id\n"
    "  topicweave profile follows.txt.gz --as social --directed --json"
)
@click.argument("inputs", nargs=-1, required=True, metavar="INPUT...")
@click.option("--seed", type=int, default=0, show_default=True, help="Seed of the random sample.")
@with_options(SOURCE_OPTIONS)
@with_options(SESSION_OPTIONS)
def profile(inputs: tuple[str, ...], **given: Any) -> None:
    """Show sizes, popularity, overlap, what designing will cost, and which algorithm is suitable."""
    from topicweave import pipeline
    from topicweave.cli.display import display, print_json

    with display(given["quiet"] or given["as_json"]) as observer:
        found = pipeline.profile(
            source_of(inputs, given),
            max_bad_fraction=given["max_bad_fraction"],
            spark=spark_of(given),
            progress=observer,
            seed=given["seed"],
        )
    if given["as_json"]:
        print_json(found.to_dict())
    else:
        click.echo(found.summary())

"""``topicweave profile``: what an interest is like."""

from __future__ import annotations

from typing import Any

import click

from topicweave.cli.options import SESSION_OPTIONS, SOURCE_OPTIONS, paths_of, source_of, with_options


@click.command(
    epilog="\b\nExamples:\n"
    "  topicweave profile subscriptions.parquet --column node=broker_id\n"
    "  topicweave profile follows.txt.gz --as social --directed --json"
)
@click.argument("inputs", nargs=-1, required=True, metavar="INPUT...")
@click.option("--seed", type=int, default=0, show_default=True, help="For what is sampled.")
@with_options(SOURCE_OPTIONS)
@with_options(SESSION_OPTIONS)
def profile(inputs: tuple[str, ...], **given: Any) -> None:
    """Show sizes, popularity, overlap, what designing will cost, and which rule suits."""
    from topicweave import pipeline
    from topicweave.cli.display import display, print_json
    from topicweave.cli.starting import check_paths, load, start_spark
    from topicweave.pipeline.quality.counts import left_out

    source = source_of(inputs, given)
    check_paths(paths_of(inputs, given), given, given["format_"])
    with display(given["quiet"] or given["as_json"]) as observer:
        stages = pipeline.Stages(observer)
        spark = start_spark(stages, given, lambda: load("scipy.optimize", "scipy.sparse", "pandas"))
        loaded = pipeline.load(spark, source, max_bad_fraction=given["max_bad_fraction"], stages=stages)
        loaded.records.release()
        with stages.stage("profile"):
            found = pipeline.profile(loaded.interest, seed=given["seed"])
    if given["as_json"]:
        print_json({**found.to_dict(), "rows": loaded.to_dict()})
    else:
        click.echo(found.summary())
        if said := left_out(loaded.counts.values()):
            click.echo(said)

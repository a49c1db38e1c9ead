"""``topicweave export``: a plan as broker configurations, or for graph tools."""

from __future__ import annotations

from typing import Any

import click

from topicweave.cli.deploying import LAYOUT_OPTION, OBJECTIVE_OPTION, PREFIX_OPTION, QUIET_OPTION, RESULT_OPTIONS
from topicweave.cli.options import with_options


@click.command(
    epilog="\b\nExamples:\n"
    "  topicweave export plan/ --to mosquitto --inventory brokers.csv --out configs/\n"
    "  topicweave export plan/ --to mosquitto --inventory brokers.csv --layout sidecar --out configs/\n"
    "  topicweave export plan/ --to graphml --out graph/"
)
@click.argument("plan")
@click.option(
    "--to", type=click.Choice(("mosquitto", "graphml", "gexf", "dot", "json")), default="mosquitto", show_default=True,
    help="Broker files, or a format of graph tools.",
)  # fmt: skip
@click.option("--inventory", metavar="CSV", help="For broker files: table of name, host, port, and optional columns.")
@click.option("--out", required=True, metavar="DIR", help="The folder to write.")
@click.option("--overwrite", is_flag=True, help="Replace an existing export.")
@click.option("--dry-run", is_flag=True, help="Check everything and write nothing.")
@LAYOUT_OPTION
@OBJECTIVE_OPTION
@PREFIX_OPTION
@QUIET_OPTION
@with_options(RESULT_OPTIONS)
def export(plan: str, **given: Any) -> None:
    """Write PLAN as one configuration file per broker (OUT/NAME/topicweave.conf), or for graph tools.

    Each topic is bridged along its tree alone, and each link is configured at one end: the one whose name sorts last,
    unless the inventory says that it cannot connect. Passwords are never written.
    """
    from topicweave import pipeline
    from topicweave.cli.display import display, print_json
    from topicweave.pipeline.jobs.export import in_words

    as_json, quiet = given.pop("as_json"), given.pop("quiet")
    with display(quiet or as_json) as observer:
        manifest = pipeline.export(plan, **given, progress=observer)
    print_json(manifest) if as_json else click.echo(in_words(manifest))

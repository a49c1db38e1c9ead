"""``topicweave verify``: is every topic's subscribers' sub-overlay connected?"""

from __future__ import annotations

from typing import Any

import click

from topicweave.cli.options import SESSION_OPTIONS, SOURCE_OPTIONS, session_of, settings, source_of, with_options

SHOWN = 20


@click.command(epilog="Example: topicweave verify subscriptions.csv plan/ && echo connected")
@click.argument("subscriptions", metavar="SUBSCRIPTIONS")
@click.argument("plan", metavar="PLAN")
@click.option("--edge-column", multiple=True, metavar="FIELD=COLUMN", help="Where source and target are in PLAN.")
@click.option("--edge-format", metavar="NAME", help="Format of PLAN, if it is not a plan folder and not told by name.")
@click.option("--diameters", is_flag=True, help="Measure topic diameters as well.")
@with_options(SOURCE_OPTIONS)
@with_options(SESSION_OPTIONS)
@click.pass_context
def verify(context: click.Context, /, subscriptions: str, plan: str, **given: Any) -> None:
    """Check that an overlay connects every topic's subscribers through subscribers alone.

    PLAN is a plan folder or any edge list with the columns source and target. Exit code 0: connected; 1: the topics
    listed are cut.
    """
    from topicweave import pipeline
    from topicweave.cli.display import display, print_json

    columns = {
        field: int(place) if place.isdigit() else place
        for field, place in settings(given["edge_column"], "FIELD=COLUMN").items()
    }
    edges = pipeline.Table(plan, format=given["edge_format"], columns=columns)
    with display(given["quiet"] or given["as_json"]) as observer:
        stages = pipeline.Stages(observer)
        with stages.stage("start Spark"):
            spark = session_of(given)
        checked = pipeline.verify_files(
            spark,
            source_of((subscriptions,), given),
            edges,
            max_bad_fraction=given["max_bad_fraction"],
            diameters=given["diameters"],
            stages=stages,
        )
    found = checked.verification
    cut = found.disconnected_topics
    if given["as_json"]:
        print_json(
            {
                "topic_connected": found.topic_connected,
                "support": found.support,
                "components": found.components,
                "topics": found.num_topics,
                "subscriptions": found.num_subscriptions,
                "disconnected_topics": list(cut),
                "rows": {role: counts.to_dict() for role, counts in checked.counts.items()},
            }
        )
    elif found.topic_connected:
        click.echo(f"Topic-connected: all {found.num_topics:,} topics, {found.num_subscriptions:,} subscriptions.")
    else:
        click.echo(
            f"Not topic-connected: {len(cut):,} of {found.num_topics:,} topics are cut (support {found.support:.4f}):"
        )
        for topic in cut[:SHOWN]:
            click.echo(f"  {topic}")
        if len(cut) > SHOWN:
            click.echo(f"  … and {len(cut) - SHOWN:,} more (all with --json)")
    context.exit(0 if found.topic_connected else 1)

"""``topicweave rollout``: the steps from one plan to another."""

from __future__ import annotations

from typing import Any

import click

from topicweave.cli.deploying import INVENTORY_OPTION, LAYOUT_OPTION, PREFIX_OPTION, QUIET_OPTION, RESULT_OPTIONS
from topicweave.cli.options import with_options


@click.command(
    epilog="\b\nExample:\n  topicweave rollout old/ new/ --inventory brokers.csv --layout sidecar --out steps/"
)
@click.argument("old")
@click.argument("new")
@INVENTORY_OPTION
@click.option("--out", required=True, metavar="DIR", help="The folder to write the waves to.")
@click.option("--overwrite", is_flag=True, help="Replace an existing rollout.")
@click.option("--dry-run", is_flag=True, help="Check everything and write nothing.")
@click.option(
    "--hold",
    is_flag=True,
    help="With sidecars: two more waves; meanwhile the brokers concerned hold messages back, so that none is lost.",
)
@LAYOUT_OPTION
@PREFIX_OPTION
@QUIET_OPTION
@with_options(RESULT_OPTIONS)
def rollout(old: str, new: str, **given: Any) -> None:
    """Write the waves from plan OLD to plan NEW: files that change, brokers that restart, interruptions, the way back.

    Whatever the order in which the brokers of a wave change, the bridges of a topic never form a cycle. The inventory
    lists the brokers of both plans.
    """
    from topicweave import pipeline
    from topicweave.cli.display import display, print_json
    from topicweave.pipeline.jobs.export import in_words

    as_json, quiet = given.pop("as_json"), given.pop("quiet")
    with display(quiet or as_json) as observer:
        manifest = pipeline.rollout(old, new, **given, progress=observer)
    if as_json:
        print_json(manifest)
        return
    for wave in manifest["waves"]:
        lost = f", {len(wave['interrupted'])} topics interrupted until the next" if wave["interrupted"] else ""
        lost += f", {len(wave['held'])} brokers hold their messages" if wave["held"] else ""
        click.echo(
            f"  wave {wave['wave']}: restart {len(wave['restart'])} {wave['restarts']}, start {len(wave['start'])}, "
            f"stop {len(wave['stop'])}{lost}"
        )
    click.echo(in_words(manifest))

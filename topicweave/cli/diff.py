"""``topicweave diff``: the changes from one plan to another."""

from __future__ import annotations

from typing import Any

import click

from topicweave.cli.deploying import LAYOUT_OPTION, PREFIX_OPTION, QUIET_OPTION, RESULT_OPTIONS
from topicweave.cli.options import with_options


@click.command(
    epilog="\b\nExamples:\n"
    "  topicweave diff old-plan/ new-plan/\n"
    "  topicweave diff old-plan/ new-plan/ --inventory brokers.csv --html changes.html"
)
@click.argument("old")
@click.argument("new")
@click.option("--inventory", metavar="CSV", help="Table of the brokers; without it each host has its broker's name.")
@click.option("--html", metavar="FILE", help="Write the same as an HTML page.")
@LAYOUT_OPTION
@PREFIX_OPTION
@QUIET_OPTION
@with_options(RESULT_OPTIONS)
def diff(old: str, new: str, **given: Any) -> None:
    """Show the brokers, links, trees and file lines that change from plan OLD to plan NEW.

    The exit code is 0 whether or not something changes.
    """
    from topicweave import pipeline
    from topicweave.cli.display import display, print_json

    as_json, quiet = given.pop("as_json"), given.pop("quiet")
    with display(quiet or as_json) as observer:
        found = pipeline.diff(old, new, **given, progress=observer)
    print_json(found.to_dict()) if as_json else click.echo(found.text())

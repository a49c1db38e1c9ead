"""``topicweave diff``: what changes from one plan to another."""

from __future__ import annotations

from typing import Any

import click

from topicweave.cli.deploying import LAYOUT_OPTION, PREFIX_OPTION, RESULT_OPTIONS
from topicweave.cli.options import with_options


@click.command(
    epilog="\b\nExamples:\n"
    "  topicweave diff old-plan/ new-plan/\n"
    "  topicweave diff old-plan/ new-plan/ --inventory brokers.csv --html changes.html"
)
@click.argument("old")
@click.argument("new")
@click.option("--inventory", metavar="CSV", help="Where the brokers are; without it each host has its broker's name.")
@click.option("--html", metavar="FILE", help="Write the same as a page.")
@LAYOUT_OPTION
@PREFIX_OPTION
@with_options(RESULT_OPTIONS)
def diff(old: str, new: str, **given: Any) -> None:
    """Show the brokers, links, trees and file lines that change from plan OLD to plan NEW.

    Exit code 0, whether something changes or not.
    """
    from topicweave.cli.display import print_json
    from topicweave.deploy.difference import plan_difference
    from topicweave.deploy.inventory import read_inventory
    from topicweave.files import write_atomically
    from topicweave.pipeline.plan.reader import plans_trees, read_plan

    before, after = plans_trees(read_plan(old), read_plan(new))
    listed = None if given["inventory"] is None else read_inventory(given["inventory"])
    found = plan_difference(before, after, listed, layout=given["layout"], prefixes=given["prefixes"])
    if given["html"] is not None:
        from topicweave.reports.difference_page import difference_page

        write_atomically(given["html"], difference_page(found, old, new).encode())
    print_json(found.to_dict()) if given["as_json"] else click.echo(found.text())

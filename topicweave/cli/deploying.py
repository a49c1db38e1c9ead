"""Options shared by the commands that deal with running brokers."""

from __future__ import annotations

import click

from topicweave.cli.options import DEBUG_OPTION

LAYOUT_OPTION = click.option(
    "--layout", type=click.Choice(("inside", "sidecar")), default="inside", show_default=True,
    help="Bridges inside the brokers, or in a small second broker beside each, so that a change disconnects no client.",
)  # fmt: skip
INVENTORY_OPTION = click.option(
    "--inventory", required=True, metavar="CSV", help="Table of the brokers: name, host, port, and optional columns."
)
OBJECTIVE_OPTION = click.option(
    "--objective", type=click.Choice(("depth", "load")),
    help="Objective of the trees: few hops, or evenly spread work; by default as in the plan, otherwise few hops.",
)  # fmt: skip
RESULT_OPTIONS = (
    click.option("--json", "as_json", is_flag=True, help="Print the result as JSON, and nothing else."),
    DEBUG_OPTION,
)
QUIET_OPTION = click.option("--quiet", is_flag=True, help="Do not show progress.")
PREFIX_OPTION = click.option(
    "--prefixes/--no-prefixes", default=True, show_default=True,
    help="Whether plant/7/# may stand for all topics below plant/7 if they share a tree.",
)  # fmt: skip

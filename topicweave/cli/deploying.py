"""Options and steps that the commands around running brokers share."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import click

from topicweave.cli.options import DEBUG_OPTION

if TYPE_CHECKING:
    from topicweave.pipeline.plan.reader import StoredPlan
    from topicweave.trees import Trees

LAYOUT_OPTION = click.option(
    "--layout", type=click.Choice(("inside", "sidecar")), default="inside", show_default=True,
    help="Bridges inside the brokers, or in a second small broker beside each, so that a change disconnects no client.",
)  # fmt: skip
INVENTORY_OPTION = click.option(
    "--inventory", required=True, metavar="CSV", help="Where the brokers are: name, host, port, and what else is known."
)
OBJECTIVE_OPTION = click.option(
    "--objective", type=click.Choice(("depth", "load")),
    help="Of the trees: few hops, or evenly spread work; by default as written with the plan, else few hops.",
)  # fmt: skip
RESULT_OPTIONS = (
    click.option("--json", "as_json", is_flag=True, help="Print the result as JSON, and nothing else."),
    DEBUG_OPTION,
)
QUIET_OPTION = click.option("--quiet", is_flag=True, help="Do not show progress.")
PREFIX_OPTION = click.option(
    "--prefixes/--no-prefixes", default=True, show_default=True,
    help="Whether plant/7/# may stand for all topics below plant/7, where they share a tree.",
)  # fmt: skip


def read_with_trees(folder: str, objective: str | None = None) -> tuple[StoredPlan, Trees]:
    """A plan folder and its trees."""
    from topicweave.pipeline.plan.reader import plan_trees, read_plan

    plan = read_plan(folder)
    return plan, plan_trees(plan, objective)


def login_of(credentials: str) -> tuple[str, str] | None:
    """User name and password of a credential, from the environment; None where they are not there."""
    found = [os.environ.get(f"{credentials}_{part}") for part in ("USERNAME", "PASSWORD")]
    return (found[0], found[1]) if found[0] is not None and found[1] is not None else None

"""``topicweave improve``: turn a plan into one with fewer links."""

from __future__ import annotations

from typing import Any

import click

from topicweave.cli.options import SESSION_OPTIONS, spark_of, with_options


@click.command(
    epilog="\b\nExamples:\n"
    "  topicweave improve plan/ --seconds 60 --out better/\n"
    "  topicweave improve plan/ --max-changes 20 --out better/\n"
    "  topicweave improve plan/ --bound 30 --out better/ --json"
)
@click.argument("plan", metavar="PLAN")
@click.option("--out", required=True, metavar="DIR", help="The plan folder to write.")
@click.option("--seconds", type=float, default=60.0, show_default=True, help="How long to search.")
@click.option(
    "--rounds", type=int, metavar="N", help="N rounds, instead of a time; the same seed then gives the same plan."
)
@click.option(
    "--max-degree", metavar="N", default="keep", show_default=True,
    help="The most links of a node: a number, keep for the current maximum, or none.",
)  # fmt: skip
@click.option("--max-changes", type=int, metavar="N", help="The most links to add and remove in total.")
@click.option("--prefer", metavar="PLAN", help="Keep the links of this plan if that costs nothing.")
@click.option(
    "--bound", type=float, metavar="SECONDS", help="Search for a certified bound as well, and report the gap."
)
@click.option("--seed", type=int, default=0, show_default=True, help="Seed of all random choices.")
@click.option("--csv", is_flag=True, help="Write the links as edges.csv as well.")
@click.option(
    "--csv-safe", is_flag=True, help="The same, with ' before labels that a spreadsheet would run as a formula."
)
@click.option("--overwrite", is_flag=True, help="Replace an existing plan.")
@with_options(SESSION_OPTIONS)
def improve(plan: str, **given: Any) -> None:
    """Connect the topics of a plan with fewer links, verify what was written, and publish it as a new plan folder.

    The new plan never has more links than PLAN nor, by default, more links at its busiest node. Ctrl-C ends the search;
    what was found by then is verified and written.

    Exit code 0: written and verified; 2: bad input or parameters; 3: cannot be done.
    """
    from topicweave import pipeline
    from topicweave.cli.display import display, show_plan

    with display(given["quiet"] or given["as_json"]) as observer:
        made = pipeline.improve(
            plan,
            out=given["out"],
            overwrite=given["overwrite"],
            max_degree=_limit(given["max_degree"]),
            max_changes=given["max_changes"],
            prefer=given["prefer"],
            seconds=given["seconds"],
            rounds=given["rounds"],
            bound=given["bound"],
            csv=given["csv"],
            csv_safe=given["csv_safe"],
            spark=spark_of(given),
            progress=observer,
            seed=given["seed"],
        )
    show_plan(made, given["as_json"])


def _limit(text: str) -> int | str | None:
    """Read the limit as a number if possible; otherwise the search decides whether the text is allowed."""
    if text == "none":
        return None
    return int(text) if text.isascii() and text.isdigit() else text

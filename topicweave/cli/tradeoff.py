"""``topicweave tradeoff``: designs along several axes, on one page to choose from."""

from __future__ import annotations

import shlex
from typing import Any

import click

from topicweave.algorithms.registry import DEFAULT
from topicweave.cli.options import SESSION_OPTIONS, SOURCE_OPTIONS, source_of, spark_of, with_options
from topicweave.cli.requirements import REQUIREMENT_OPTIONS, requirements_of

AXES = ("hops", "degree", "cost")
# Options of `design` that the commands on the page repeat, unless the axis sets its own value.
REPEATED = ("connectivity", "max_hops", "max_degree", "link_cost", "cost_weight", "forbidden", "required", "allowed",
            "regions")  # fmt: skip


@click.command(
    epilog="\b\nExamples:\n"
    "  topicweave tradeoff subscriptions.csv --out choices/\n"
    "  topicweave tradeoff subscriptions.csv --link-cost rtt.csv --regions nodes.csv --out choices/\n"
    "  topicweave tradeoff plan/ --axis hops --steps 10 --connectivity 2 --out choices/"
)
@click.argument("inputs", nargs=-1, required=True, metavar="SUBSCRIPTIONS...")
@click.option("--out", required=True, metavar="DIR", help="The folder to write: tradeoff.html and the figures.")
@click.option("--algorithm", default=DEFAULT, show_default=True, metavar="NAME", help="The algorithm of the designs.")
@click.option(
    "--axis", multiple=True, type=click.Choice(AXES),
    help="What to trade for links; by default hops and degree, and cost if links have costs. Repeatable.",
)  # fmt: skip
@click.option("--steps", type=int, default=6, show_default=True, metavar="N", help="How many limits to try on an axis.")
@click.option("--seed", type=int, default=0, show_default=True, help="Seed of all designs.")
@click.option("--overwrite", is_flag=True, help="Replace an existing trade-off.")
@with_options(REQUIREMENT_OPTIONS)
@with_options(SOURCE_OPTIONS)
@with_options(SESSION_OPTIONS)
def tradeoff(inputs: tuple[str, ...], **given: Any) -> None:
    """Design along several axes (links against hops, maximum degree and cost), and write one page to choose from.

    Every design runs in a Spark task of its own. All of them honour the requirements given here, except that each axis
    has limits of its own.
    """
    from topicweave import pipeline
    from topicweave.cli.display import display, print_json

    requirements = requirements_of(given)
    with display(given["quiet"] or given["as_json"]) as observer:
        found = pipeline.tradeoff(
            source_of(inputs, given),
            given["algorithm"],
            axes=given["axis"] or None,
            steps=given["steps"],
            requirements=requirements,
            out=given["out"],
            overwrite=given["overwrite"],
            command=_command(inputs, given),
            max_bad_fraction=given["max_bad_fraction"],
            spark=spark_of(given),
            progress=observer,
            seed=given["seed"],
        )
    if given["as_json"]:
        print_json([vars(point) for point in found.points])
        return
    click.echo(found.summary())
    if found.folder is not None:
        click.echo(f"  page       {found.folder / 'tradeoff.html'}")


def _command(inputs: tuple[str, ...], given: dict[str, Any]) -> str:
    """The beginning of a command that makes a plan with the same requirements and shows where it lies in this
    trade-off.
    """
    options = [
        f"--{name.replace('_', '-')} {shlex.quote(str(given[name]))}" for name in REPEATED if given[name] is not None
    ]
    words = ["topicweave design", shlex.join(inputs), *options, "--tradeoff", shlex.quote(given["out"])]
    return " ".join(words)

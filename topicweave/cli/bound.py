"""``topicweave bound``: how few links any overlay needs, and how far a plan is from that."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from topicweave.cli.options import SESSION_OPTIONS, SOURCE_OPTIONS, source_of, spark_of, with_options

if TYPE_CHECKING:
    from topicweave.model import Interest, Overlay


@click.command(
    epilog="\b\nExamples:\n"
    "  topicweave bound plan/\n"
    "  topicweave bound subscriptions.csv --seconds 60 --save bound.npz\n"
    "  topicweave bound subscriptions.csv plan/ --json"
)
@click.argument("subscriptions", metavar="SUBSCRIPTIONS")
@click.argument("plan", required=False, metavar="[PLAN]")
@click.option("--seconds", type=float, default=10.0, show_default=True, help="How long to search for a higher bound.")
@click.option("--save", metavar="FILE", help="Write the bound with its certificate to this file.")
@click.option("--seed", type=int, default=0, show_default=True, help="For what is random.")
@with_options(SOURCE_OPTIONS)
@with_options(SESSION_OPTIONS)
def bound(subscriptions: str, plan: str | None, **given: Any) -> None:
    """Print a number of links that no overlay can go below, proved by a certificate.

    SUBSCRIPTIONS is a file of subscriptions or a plan folder, which holds those it was made for. With a plan, its links
    and their gap to the bound are printed as well. Ctrl-C ends the search; the bound found by then is printed.
    """
    from topicweave.cli.display import print_json
    from topicweave.optimise import lower_bound
    from topicweave.parameters import check_number

    check_number("seconds", given["seconds"], 0)
    interest, overlay = _read(subscriptions, plan, given)
    found = lower_bound(interest, seconds=given["seconds"], seed=given["seed"])
    value = found.check()
    if given["save"] is not None:
        found.save(given["save"])
    facts: dict[str, Any] = {"bound": value, "least_links": found.links}
    if overlay is not None:
        facts |= {"links": overlay.num_edges, "gap": found.gap(overlay.num_edges)}
    if given["as_json"]:
        print_json(facts)
        return
    click.echo(f"No overlay has fewer than {found.links:,} links (certified bound {value:,.2f}, checked).")
    if overlay is not None:
        click.echo(f"The plan has {overlay.num_edges:,}: at most {facts['gap']:.2%} above the optimum.")


def _read(subscriptions: str, plan: str | None, given: dict[str, Any]) -> tuple[Interest, Overlay | None]:
    """The interest, and the links of a plan if there is one."""
    from topicweave import pipeline
    from topicweave.cli.display import display
    from topicweave.pipeline.plan.target import plan_folder

    if plan is None and plan_folder(subscriptions) is not None:
        stored = pipeline.read_plan(subscriptions)
        return stored.interest, stored.overlay
    with display(given["quiet"] or given["as_json"]) as observer:
        interest = pipeline.load(
            source_of((subscriptions,), given), max_bad_fraction=given["max_bad_fraction"], spark=spark_of(given),
            progress=observer,
        ).interest  # fmt: skip
    return interest, None if plan is None else pipeline.read_plan(plan, interest).overlay

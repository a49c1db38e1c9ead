"""``topicweave whatif``: what would break if nodes failed, and how it would be repaired."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from topicweave.cli.deploying import QUIET_OPTION, RESULT_OPTIONS
from topicweave.cli.options import with_options
from topicweave.wording import counted, label_in_words

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from topicweave.churn import Change
    from topicweave.outages import Outage
    from topicweave.pipeline import WhatIf

SHOWN = 20


@click.command(
    epilog="\b\nExamples:\n"
    "  topicweave whatif plan/\n"
    "  topicweave whatif plan/ --fail broker-7\n"
    "  topicweave whatif plan/ --fail broker-7 --fail broker-8 --no-repair\n"
    "  topicweave whatif plan/ --fail-region eu --regions nodes.csv"
)
@click.argument("plan", metavar="PLAN")
@click.option("--fail", multiple=True, metavar="NODE", help="A node that fails; all that are named fail together.")
@click.option("--fail-region", multiple=True, metavar="NAME", help="A region of which all nodes fail. Repeatable.")
@click.option(
    "--regions", metavar="CSV", help="Table of node and region; an inventory of brokers with regions will do."
)
@click.option("--repair/--no-repair", default=True, show_default=True, help="Whether to work out the repair.")
@click.option(
    "--worst", type=click.IntRange(min=1), default=SHOWN, show_default=True, metavar="N",
    help="How many lines of each list to show.",
)  # fmt: skip
@QUIET_OPTION
@with_options(RESULT_OPTIONS)
def whatif(plan: str, **given: Any) -> None:
    """Show which topics of PLAN break if nodes fail, how many subscribers are cut off, and what the repair would be.

    Without --fail and --fail-region: what the failure of each single node would break, the worst first.

    A topic breaks if its remaining subscribers no longer reach each other; those outside the largest piece are cut off.
    """
    from topicweave import pipeline
    from topicweave.cli.display import display, print_json

    with display(given["quiet"] or given["as_json"]) as observer:
        found = pipeline.whatif(
            plan,
            fail=given["fail"],
            fail_regions=given["fail_region"],
            regions=given["regions"],
            repair=given["repair"],
            progress=observer,
        )
    if given["as_json"]:
        print_json(found.to_dict(given["worst"]))
        return
    lines = _single(found, given["worst"]) if found.outage is None else _failure(found, found.outage, given["worst"])
    click.echo("\n".join(lines))


def _single(found: WhatIf, shown: int) -> Iterable[str]:
    assert found.single is not None
    single, worst = found.single, found.single.worst(shown)
    if worst:
        yield from _table(
            ("node", "topics broken", "cut off"),
            [(label_in_words(each.node), f"{each.broken:,}", f"{each.cut_off:,}") for each in worst],
            single.num_harmful,
        )
    if found.by_region:
        yield from _table(
            ("region", "nodes", "topics broken", "cut off"),
            [
                (label_in_words(name), f"{len(each.nodes):,}", f"{len(each.broken):,}", f"{each.cut_off:,}")
                for name, each in found.by_region[:shown]
            ],
            len(found.by_region),
        )
    yield (
        f"{counted(single.num_harmful, 'node')} of {len(single.nodes):,} would break topics by failing alone; "
        f"{counted(single.num_fragile_topics, 'topic')} of {len(single.topics):,} would break."
    )


def _failure(found: WhatIf, outage: Outage, shown: int) -> Iterable[str]:
    if outage.broken:
        yield from _table(
            ("topic", "subscribers left", "pieces", "cut off"),
            [
                (label_in_words(each.topic), f"{each.subscribers:,}", f"{each.pieces:,}", f"{each.cut_off:,}")
                for each in outage.broken[:shown]
            ],
            len(outage.broken),
        )
    failing = (
        label_in_words(outage.nodes[0]) if len(outage.nodes) == 1 else f"these {counted(len(outage.nodes), 'node')}"
    )
    if outage.broken:
        yield (
            f"Without {failing}, {len(outage.broken):,} of {counted(outage.num_topics, 'topic')} break: "
            f"{counted(outage.cut_off, 'subscription')} of {counted(len(outage.cut_off_nodes), 'node')} cut off."
        )
    else:
        yield f"Without {failing}, none of {counted(outage.num_topics, 'topic')} breaks."
    if found.repair is not None:
        yield from _repair(found.repair, shown)
    elif found.no_repair:
        yield f"No repair is shown: {found.no_repair}"


def _repair(repair: Change, shown: int) -> Iterable[str]:
    yield (
        f"Repair: {counted(len(repair.added), 'link')} to add, {len(repair.removed):,} to remove, "
        f"including those of what failed."
    )
    for one, other in repair.added[:shown]:
        yield f"  + {label_in_words(one)} - {label_in_words(other)}"
    if len(repair.added) > shown:
        yield f"  and {len(repair.added) - shown:,} more"
    for violation in repair.violations[:shown]:
        yield f"  afterwards {violation}"


def _table(head: Sequence[str], rows: Sequence[Sequence[str]], total: int) -> Iterable[str]:
    width = max(len(head[0]), *(len(row[0]) for row in rows))
    for row in (head, *rows):
        yield f"  {row[0]:<{width}}" + "".join(
            f"  {cell:>{len(name)}}" for cell, name in zip(row[1:], head[1:], strict=True)
        )
    if total > len(rows):
        yield f"  and {total - len(rows):,} more"

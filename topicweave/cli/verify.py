"""``topicweave verify``: does every topic's sub-overlay connect its subscribers?"""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

import click

from topicweave.cli.options import (
    SESSION_OPTIONS,
    SOURCE_OPTIONS,
    as_separator,
    check_settings,
    places,
    source_of,
    spark_of,
    with_options,
)
from topicweave.cli.requirements import REQUIREMENT_OPTIONS, requirements_of
from topicweave.wording import counted

if TYPE_CHECKING:
    from topicweave.pipeline import Verification

SHOWN = 20


@click.command(
    epilog="\b\nExamples:\n"
    "  topicweave verify plan/ && echo connected\n"
    "  topicweave verify subscriptions.csv plan/\n"
    "  topicweave verify subscriptions.csv bridges.csv --edge-column source=from --edge-column target=to"
)
@click.argument("subscriptions", metavar="[SUBSCRIPTIONS]")
@click.argument("plan", required=False, metavar="[PLAN]")
@click.option(
    "--edge-column", multiple=True, metavar="FIELD=COLUMN", callback=check_settings("FIELD=COLUMN"),
    help="The columns of source and target in PLAN.",
)  # fmt: skip
@click.option(
    "--edge-format", metavar="NAME", help="Format of PLAN, if it is not a plan folder and its name does not show it."
)
@click.option("--edge-separator", metavar="CHAR", callback=as_separator, help="Separator of the columns of PLAN.")
@click.option("--diameters", is_flag=True, help="Measure topic diameters as well.")
@click.option("--seed", type=int, default=0, show_default=True, help="The seed of the plan, if --sample was used.")
@with_options(REQUIREMENT_OPTIONS)
@with_options(SOURCE_OPTIONS)
@with_options(SESSION_OPTIONS)
@click.pass_context
def verify(context: click.Context, /, subscriptions: str, plan: str | None, **given: Any) -> None:
    """Check that an overlay connects every topic's subscribers through subscribers of that topic alone.

    PLAN is a plan folder or any edge list with the columns source and target. A plan folder alone is checked against
    the subscriptions it was made for, which it contains.

    The requirements of a plan folder are checked as well, or those that are given here in their place.

    Exit code 0: connected; 1: the topics listed are cut, or requirements are violated; 2: bad input; 130: interrupted.
    """
    from topicweave import pipeline
    from topicweave.cli.display import display, print_json
    from topicweave.pipeline.quality.reasons import left_out

    links = (
        None
        if plan is None
        else pipeline.Table(
            plan,
            format=given["edge_format"],
            columns=places(given["edge_column"]),
            separator=given["edge_separator"],
        )
    )
    if links is not None:
        links.check_fields(("source", "target"))
    requirements = requirements_of(given)
    with display(given["quiet"] or given["as_json"]) as observer:
        found = pipeline.verify(
            source_of((subscriptions,), given) if links is not None else subscriptions,
            links,
            diameters=given["diameters"],
            requirements=requirements,
            max_bad_fraction=given["max_bad_fraction"],
            spark=spark_of(given),
            progress=observer,
        )
    if given["as_json"]:
        print_json(_as_dict(found, given["diameters"]))
    else:
        click.echo("\n".join([_as_text(found), *_as_required(found)]))
        if given["diameters"]:
            click.echo(_largest_diameter(found))
        for said in (left_out(found.counts.values()), str(found.links)):
            if said:
                click.echo(said)
    context.exit(0 if found.satisfied else 1)


def _as_dict(found: Verification, diameters: bool) -> dict[str, Any]:
    facts = {
        "topic_connected": found.topic_connected,
        "support": found.support,
        "components": found.components,
        "topics": found.num_topics,
        "subscriptions": found.num_subscriptions,
        "disconnected_topics": list(found.disconnected_topics),
        "rows": {role: counts.to_dict() for role, counts in found.counts.items()},
        "links": None if found.links is None else asdict(found.links),
    }
    if found.requirements is not None:
        facts["violations"] = [{**asdict(each), "in_words": str(each)} for each in found.violations]
        facts["link_costs"] = found.cost
    if diameters:
        facts["diameters"] = dict(zip(*(found.topics[name].to_pylist() for name in ("topic", "diameter")), strict=True))
    return facts


def _as_required(found: Verification) -> list[str]:
    """The violated requirements and the cost of the links, as lines to print; none if nothing was required."""
    if found.requirements is None:
        return []
    lines = ["All requirements are met."]
    if found.violations:
        lines = [f"{counted(len(found.violations), 'violation')} of the requirements:"]
        lines += [f"  {violation}" for violation in found.violations[:SHOWN]]
        if len(found.violations) > SHOWN:
            lines.append(f"  … and {len(found.violations) - SHOWN:,} more (all with --json)")
    return lines if found.cost is None else [*lines, f"The links cost {found.cost:,.1f} in total."]


def _largest_diameter(found: Verification) -> str:
    known = zip(*(found.topics[name].to_pylist() for name in ("diameter", "topic")), strict=True)
    largest, topic = max(((diameter, topic) for diameter, topic in known if diameter is not None), default=(0, None))
    named = f", of topic {topic!r}" if largest else ""
    return f"Largest topic diameter: {largest}{named} (all with --json)."


def _as_text(found: Verification) -> str:
    cut = found.disconnected_topics
    if not cut:
        return f"Topic-connected: all {found.num_topics:,} topics, {found.num_subscriptions:,} subscriptions."
    are = "topic is" if len(cut) == 1 else "topics are"
    lines = [f"Not topic-connected: {len(cut):,} {are} cut, of {found.num_topics:,} (support {found.support:.4f}):"]
    lines += [f"  {topic}" for topic in cut[:SHOWN]]
    if len(cut) > SHOWN:
        lines.append(f"  … and {len(cut) - SHOWN:,} more (all with --json)")
    return "\n".join(lines)

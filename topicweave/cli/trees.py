"""``topicweave trees``: the trees along which a plan is deployed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from topicweave.cli.deploying import OBJECTIVE_OPTION, QUIET_OPTION, RESULT_OPTIONS
from topicweave.cli.options import with_options

if TYPE_CHECKING:
    from topicweave.trees import Trees


SHOWN = 5


@click.command(
    epilog="\b\nExamples:\n"
    "  topicweave trees plan/\n"
    "  topicweave trees plan/ --topic alarms/power/eu\n"
    "  topicweave trees plan/ --topic alarms/power/eu --path ams-01 fra-02\n"
    "  topicweave trees plan/ --fail ams-01\n"
    "  topicweave trees plan/ --fail-link ams-01 fra-02\n"
    "  topicweave trees plan/ --standby"
)
@click.argument("plan")
@click.option("--topic", metavar="NAME", help="Show the tree of one topic.")
@click.option("--path", nargs=2, metavar="FROM TO", help="Show the path of a message on --topic between two brokers.")
@click.option("--fail", metavar="NAME", help="Show how the trees change if this broker fails.")
@click.option("--fail-link", nargs=2, metavar="A B", help="Show how the trees change if the link of A and B fails.")
@click.option("--standby", is_flag=True, help="Show the links that no tree uses, and the failures they are there for.")
@OBJECTIVE_OPTION
@QUIET_OPTION
@with_options(RESULT_OPTIONS)
def trees(plan: str, **given: Any) -> None:
    """Show figures on the trees of PLAN, or the tree of one topic, or the path of a message.

    An overlay has cycles; it is deployed along one spanning tree for each topic, so that no message loops.
    """
    from topicweave import pipeline
    from topicweave.cli.display import display, print_json
    from topicweave.reports.trees import tree_rows

    if given["fail"] and given["fail_link"]:
        raise click.UsageError("--fail and --fail-link are two questions; ask one.", click.get_current_context())
    if given["path"] and not given["topic"]:
        raise click.UsageError("--path is for --topic NAME; say which topic.", click.get_current_context())
    with display(given["quiet"] or given["as_json"]) as observer:
        found = pipeline.trees(plan, objective=given["objective"], progress=observer)
    if given["fail"] or given["fail_link"]:
        _show_failure(found, given["fail"], given["fail_link"], given["as_json"])
    elif given["standby"]:
        _show_standby(found, given["as_json"])
    elif given["path"]:
        way = found.path(given["topic"], *given["path"])
        print_json(way) if given["as_json"] else click.echo(" → ".join(way))
    elif given["topic"]:
        edges = found.edges(given["topic"])
        print_json(edges) if given["as_json"] else click.echo(_drawn(found, given["topic"], edges))
    else:
        facts = found.figures()
        print_json(facts) if given["as_json"] else click.echo(
            "\n".join(f"  {words:<60}{value}" for words, value in tree_rows(facts))
        )


def _drawn(found: Trees, topic: str, edges: list[tuple[str, str]]) -> str:
    children: dict[str, list[str]] = {}
    for parent, child in edges:
        children.setdefault(parent, []).append(child)
    lines, waiting = [], [(found.root(topic), 0)]
    while waiting:
        node, depth = waiting.pop()
        lines.append("  " * depth + node)
        waiting.extend((child, depth + 1) for child in reversed(children.get(node, [])))
    return "\n".join([*lines, f"depth {found.depth(topic)}, at most {found.hops(topic)} hops"])


def _show_standby(found: Trees, as_json: bool) -> None:
    from topicweave.cli.display import print_json
    from topicweave.trees import standby

    idle = standby(found)
    if as_json:
        print_json(
            [
                {"link": each.link, "failures": each.stands_in_for, "link_failures": each.stands_in_for_links,
                 "topics": each.topics}
                for each in idle
            ]
        )  # fmt: skip
        return
    for each in idle:
        failing = _some((*each.stands_in_for, *(f"{a} - {b}" for a, b in each.stands_in_for_links)))
        used = f"if {failing} fails: {_some(each.topics)}" if failing else "by no failure"
        click.echo(f"  {each.link[0]} - {each.link[1]}: {used}")
    click.echo(f"{len(idle):,} of {found.overlay.num_edges:,} links are used by no tree, and not deployed.")


def _some(names: tuple[str, ...]) -> str:
    more = f" and {len(names) - SHOWN} more" if len(names) > SHOWN else ""
    return ", ".join(names[:SHOWN]) + more


def _show_failure(found: Trees, node: str | None, link: tuple[str, str] | None, as_json: bool) -> None:
    from topicweave.cli.display import print_json
    from topicweave.trees import Failure, LinkFailure, failures, link_failures

    failure: Failure | LinkFailure
    (failure,) = link_failures(found, [link]) if link else failures(found, [node or ""])
    if as_json:
        print_json({"changes": [change._asdict() for change in failure.changes], "cut_topics": failure.cut_topics})
        return
    for change in failure.changes:
        click.echo(f"  {'+' if change.is_added else '-'} {change.topic} over {change.link[0]} - {change.link[1]}")
    for topic in failure.cut_topics:
        click.echo(f"  {topic} is cut off: the plan has no other links for it")
    without = node or " - ".join(link or ())
    click.echo(f"Without {without}: {len(failure.changes)} changes of trees, {len(failure.cut_topics)} topics cut.")

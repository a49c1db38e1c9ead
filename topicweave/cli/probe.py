"""``topicweave probe``: do running brokers deliver every message exactly once?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from topicweave.cli.deploying import INVENTORY_OPTION, QUIET_OPTION, RESULT_OPTIONS
from topicweave.cli.options import with_options

if TYPE_CHECKING:
    from topicweave.deploy.probe import ProbeReport

SHOWN = 20


@click.command(
    epilog="\b\nExamples:\n"
    "  topicweave probe --inventory brokers.csv plan/ --sample 100\n"
    "  topicweave probe --inventory brokers.csv plan/ --yes --json"
)
@click.argument("plan")
@INVENTORY_OPTION
@click.option("--sample", type=click.IntRange(min=1), metavar="N", help="Publish only N of the messages.")
@click.option("--seed", type=int, default=0, show_default=True, help="Seed of the choice that --sample makes.")
@click.option("--yes", is_flag=True, help="Do not ask for confirmation.")
@click.option("--dry-run", is_flag=True, help="Show what would be published, but publish nothing.")
@QUIET_OPTION
@with_options(RESULT_OPTIONS)
@click.pass_context
def probe(context: click.Context, /, plan: str, **given: Any) -> None:
    """Publish marked messages at the brokers of PLAN and count the copies that arrive at each of them.

    Exit code 0: every subscriber got exactly one copy, and no other broker got any; 1: the listed pairs did not; 2: bad
    input.
    """
    from topicweave import pipeline
    from topicweave.cli.display import display, print_json

    is_silent = given["quiet"] or given["as_json"]
    with display(is_silent) as observer:
        chosen = pipeline.probe(plan, given["inventory"], sample=given["sample"], seed=given["seed"], progress=observer)
    names = chosen.names
    shown = ", ".join(names[:SHOWN]) + (f" and {len(names) - SHOWN} more" if len(names) > SHOWN else "")
    click.echo(
        f"{len(chosen.sends):,} messages will be published at {len(chosen.inventory):,} brokers, on: {shown}.", err=True
    )
    if given["dry_run"]:
        return
    if not given["yes"]:
        click.confirm("Clients that subscribe to these topics will receive them. Continue?", abort=True, err=True)

    with display(is_silent) as observer:
        report = chosen.run(progress=observer)
    print_json(report.to_dict()) if given["as_json"] else click.echo(_as_text(report))
    context.exit(0 if report.is_good else 1)


def _as_text(report: ProbeReport) -> str:
    lines = [
        f"{report.num_published:,} messages, {report.num_expected:,} deliveries expected, "
        f"{report.num_once:,} arrived exactly once."
    ]
    if report.is_storm:
        lines.append("Messages are looping: the bridges form a cycle; the probe was stopped.")
    for what, pairs in (("lost", report.lost), ("doubled", report.duplicate), ("stray", report.stray)):
        lines += [f"  {what}: {topic} from {source} at {name}" for topic, source, name in pairs[:SHOWN]]
        if len(pairs) > SHOWN:
            lines.append(f"  … and {len(pairs) - SHOWN:,} more {what} (all with --json)")
    if report.latency:
        slowest = max(report.latency, key=lambda topic: report.latency[topic][1])
        lines.append(
            f"Slowest: {slowest}, {report.latency[slowest][1] * 1000:.0f} ms over up to {report.hops[slowest]} hops."
        )
    return "\n".join(lines)

"""``topicweave status``: compare the running bridges with the planned ones."""

from __future__ import annotations

from typing import Any

import click

from topicweave.cli.deploying import INVENTORY_OPTION, LAYOUT_OPTION, QUIET_OPTION, RESULT_OPTIONS
from topicweave.cli.options import with_options

SHOWN = 20


@click.command(epilog="\b\nExample:\n  topicweave status --inventory brokers.csv --layout sidecar plan/")
@click.argument("plan")
@INVENTORY_OPTION
@LAYOUT_OPTION
@QUIET_OPTION
@with_options(RESULT_OPTIONS)
@click.pass_context
def status(context: click.Context, /, plan: str, **given: Any) -> None:
    """Ask every broker of PLAN, or its sidecar, which bridges it holds and whether they are connected.

    Exit code 0: everything planned is running, and nothing else carries messages; 1: something differs; 2: bad input.
    """
    from topicweave import pipeline
    from topicweave.cli.display import display, print_json
    from topicweave.wording import counted

    with display(given["quiet"] or given["as_json"]) as observer:
        seen = pipeline.status(plan, given["inventory"], layout=given["layout"], progress=observer)
    if given["as_json"]:
        print_json(seen.to_dict())
    else:
        click.echo(f"{len(seen.up):,} of {counted(seen.num_planned, 'planned bridge')} are up.")
        for what, pairs in (
            ("down", seen.down), ("missing", seen.missing), ("not planned", seen.unplanned),
            ("carries nothing any more, and disappears with the next change", seen.retired),
        ):  # fmt: skip
            for owner, remote in pairs[:SHOWN]:
                click.echo(f"  {what}: {owner} to {remote}")
            if len(pairs) > SHOWN:
                click.echo(f"  … and {len(pairs) - SHOWN:,} more {what} (all with --json)")
        for name in seen.unreachable[:SHOWN]:
            click.echo(f"  does not answer: {name}")
        if len(seen.unreachable) > SHOWN:
            click.echo(f"  … and {len(seen.unreachable) - SHOWN:,} more that do not answer (all with --json)")
    context.exit(0 if seen.is_as_planned else 1)

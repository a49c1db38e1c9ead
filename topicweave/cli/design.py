"""``topicweave design``: the whole pipeline in one command."""

from __future__ import annotations

from typing import Any

import click

from topicweave.cli.options import SESSION_OPTIONS, SOURCE_OPTIONS, session_of, source_of, with_options

# The parameters of all algorithms (a test holds this against the table, which --help need not load).
PARAMETERS = {
    "k": (float, "low: how many times more a link must bring to raise the maximum degree."),
    "m": (int, "gpa, random_avg: the most links."),
    "d": (int, "gpm, random_max, spidercast_max: the most links of a node."),
    "passes": (int, "gm: how many link-disjoint overlays to lay over each other."),
    "k_greedy": (int, "spidercast: coverage by greedily chosen neighbours."),
    "k_random": (int, "spidercast: coverage by randomly chosen neighbours."),
    "budget_ratio": (float, "Instead of m or d: the share of what minmax uses."),
    "memory_limit": (int, "The most bytes the design may take; three quarters of the free memory by default."),
}
PARAMETER_OPTIONS = tuple(
    click.option(f"--{name.replace('_', '-')}", name, type=kind, help=text) for name, (kind, text) in PARAMETERS.items()
)


@click.command(
    epilog="Examples: topicweave design subscriptions.csv --algorithm low --k 3 --out plan/   ·   "
    "topicweave design follows.txt.gz --as social --directed --sample 10000 --algorithm gpm --d 8 --out plan/"
)
@click.argument("inputs", nargs=-1, required=True, metavar="INPUT...")
@click.option("--out", required=True, metavar="DIR", help="The plan folder to write.")
@click.option("--algorithm", default="low", show_default=True, help="gm, minmax, low, gpa, gpm, cd, cd1, cd2, ring, …")
@with_options(PARAMETER_OPTIONS)
@click.option("--ties", help="balanced (default), random or lexicographic.")
@click.option("--seed", type=int, default=0, show_default=True, help="Same seed, same plan.")
@click.option("--csv", is_flag=True, help="Write the links as edges.csv as well.")
@click.option("--overwrite", is_flag=True, help="Replace a plan that is there already.")
@with_options(SOURCE_OPTIONS)
@with_options(SESSION_OPTIONS)
def design(inputs: tuple[str, ...], **given: Any) -> None:
    """Compute which links to make, verify what was written, and publish it as a plan folder.

    INPUT is one or more files, folders or globs of (node, topic) rows: CSV, TSV, JSON lines, Parquet or ORC, plain or
    compressed. Bad rows go to quarantine/ with their reason.
    """
    from topicweave import pipeline
    from topicweave.cli.display import display, print_json

    parameters = {name: given[name] for name in (*PARAMETERS, "ties") if given[name] is not None}
    source = source_of(inputs, given, given["seed"])
    with display(given["quiet"] or given["as_json"]) as observer:
        stages = pipeline.Stages(observer)
        with stages.stage("start Spark"):
            spark = session_of(given)
        plan = pipeline.design(
            spark,
            source,
            given["algorithm"],
            out=given["out"],
            overwrite=given["overwrite"],
            csv=given["csv"],
            max_bad_fraction=given["max_bad_fraction"],
            observer=observer,
            seed=given["seed"],
            **parameters,
        )
    if given["as_json"]:
        print_json(plan.manifest)
        return
    click.echo(plan.summary())
    if plan.folder is not None:
        click.echo(f"  report          {plan.folder / 'report.html'}")

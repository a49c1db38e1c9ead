"""``topicweave design``: the whole pipeline in one command."""

from __future__ import annotations

from typing import Any

import click

from topicweave.algorithms.options import shared_parameters
from topicweave.algorithms.registry import ALGORITHMS, DEFAULT
from topicweave.cli.options import SESSION_OPTIONS, SOURCE_OPTIONS, TableCommand, source_of, spark_of, with_options
from topicweave.cli.requirements import REQUIREMENT_OPTIONS, requirements_of, whole_number
from topicweave.errors import NotFoundError


@click.command(
    cls=TableCommand,
    chooser="algorithm",
    table=ALGORITHMS,
    default=DEFAULT,
    shared=shared_parameters,
    epilog="\b\nExamples:\n"
    "  topicweave design subscriptions.csv --algorithm low --k 3 --out plan/\n"
    "  topicweave design 'dumps/*.csv.gz' --column node=broker --column topic=filter --out plan/\n"
    "  topicweave design follows.txt.gz --as social --directed --sample 10000 --algorithm gpm --d 8 --out plan/\n"
    "  topicweave design filters.csv --as clients --brokers sessions.csv --topics-file topics.csv --out plan/",
)
@click.argument("inputs", nargs=-1, required=True, metavar="INPUT...")
@click.option("--out", required=True, metavar="DIR", help="The plan folder to write.")
@click.option("--seed", type=int, default=0, show_default=True, help="The same seed gives the same plan.")
@click.option(
    "--prefer", metavar="PLAN", help="Among equally good links take those of this plan first (greedy family)."
)
@click.option(
    "--bound", type=float, metavar="SECONDS", help="Search for a certified bound as well, and report the gap."
)
@click.option("--csv", is_flag=True, help="Write the links as edges.csv as well.")
@click.option(
    "--csv-safe", is_flag=True, help="The same, with ' before labels that a spreadsheet would run as a formula."
)
@click.option(
    "--trees", type=click.Choice(("depth", "load")), is_flag=False, flag_value="depth",
    help="Write the trees along which the overlay is deployed as well: by few hops (default) or evenly spread work.",
)  # fmt: skip
@click.option("--overwrite", is_flag=True, help="Replace an existing plan.")
@click.option(
    "--fresh", is_flag=True, help="Repeat all stages, including those that a killed run to the folder has finished."
)
@click.option("--tradeoff", metavar="DIR", help="Show in the report where the plan lies in this trade-off.")
@with_options(REQUIREMENT_OPTIONS)
@with_options(SOURCE_OPTIONS)
@with_options(SESSION_OPTIONS)
def design(inputs: tuple[str, ...], **given: Any) -> None:
    """Compute which links to make, verify what was written, and publish it as a plan folder.

    INPUT is one or more files, folders or globs of (node, topic) rows: CSV, TSV, JSON lines, Parquet or ORC, plain or
    compressed. Bad rows go to quarantine/ with their reason.

    Exit code 0: written and verified; 2: bad input or parameters; 3: cannot be done, or no overlay was found that meets
    the requirements (the best one is written all the same); 130: interrupted.
    """
    from topicweave import pipeline
    from topicweave.cli.display import display, show_plan

    parameters = design.given_parameters(given)
    if given["max_degree"] is not None and _has_own_limit(given["algorithm"]):
        parameters["max_degree"], given["max_degree"] = whole_number(given["max_degree"]), None
    requirements = requirements_of(given)
    with display(given["quiet"] or given["as_json"]) as observer:
        missed = None
        try:
            plan = pipeline.design(
                source_of(inputs, given),
                given["algorithm"],
                out=given["out"],
                overwrite=given["overwrite"],
                fresh=given["fresh"],
                csv=given["csv"],
                prefer=given["prefer"],
                requirements=requirements,
                tradeoff=given["tradeoff"],
                bound=given["bound"],
                csv_safe=given["csv_safe"],
                trees=given["trees"],
                max_bad_fraction=given["max_bad_fraction"],
                spark=spark_of(given),
                progress=observer,
                seed=given["seed"],
                **parameters,
            )
        except NotFoundError as error:
            plan, missed = error.fields["plan"], error
    show_plan(plan, given["as_json"])
    if missed is not None:
        raise missed


def _has_own_limit(algorithm: str) -> bool:
    """Whether the algorithm itself has a parameter max_degree, in which case the option sets that."""
    known = ALGORITHMS.get(algorithm)
    return known is not None and "max_degree" in {parameter.name for parameter in known.parameters}

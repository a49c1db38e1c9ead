"""The commands of ``python -m experiments``: the papers' figures and claims, measured again on Spark."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from experiments import results, wanted
from experiments.table import NAMES
from topicweave.cli.options import DEBUG_OPTION, SESSION_OPTIONS, spark_of, with_options
from topicweave.errors import ParameterError

if TYPE_CHECKING:
    from experiments.experiment import Experiment

CHECKOUT = Path(__file__).resolve().parents[1]
DATA = CHECKOUT.parent / "shared" / "data"
TABLES = CHECKOUT / "docs" / "claims"


def results_folder(out: str | None, quick: bool) -> Path:
    """The folder for results; a default if none is given."""
    return Path(out) if out else CHECKOUT / "build" / ("experiments-quick" if quick else "experiments")


def chosen_experiments(names: tuple[str, ...]) -> tuple[Experiment, ...]:
    """The experiments with these names."""
    try:
        return wanted.chosen(names)
    except KeyError as error:
        known = ", ".join(NAMES)
        raise ParameterError(
            f"There is no experiment {error.args[0]!r}; name a paper, a claim, or one of {known}."
        ) from None


OUT_OPTION = click.option("--out", metavar="DIR", help="Folder of the results; build/experiments by default.")
QUICK_OPTION = click.option("--quick", is_flag=True, help="Reduced sizes, to try every path; figures mean nothing.")
SEEDS_OPTION = click.option(
    "--seeds", type=click.IntRange(min=1), metavar="N", help="Seeds 0 … N-1 for every experiment; else each its own."
)


@click.group(
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110},
    epilog="\b\nExample:\n  python -m experiments run gm-2 low && python -m experiments report",
)
def experiments() -> None:
    """Measure again what the papers claim, and write the page of claims."""


@experiments.command("list")
@DEBUG_OPTION
def list_() -> None:
    """Show the experiments, each with its claims and its number of runs."""
    for found in chosen_experiments(()):
        ids = ", ".join(dict.fromkeys(claim.id for claim in found.claims))
        click.echo(f"{found.name:<10} {len(list(found.runs())):>5} runs  {ids:<28} {found.title}")


@experiments.command(epilog="\b\nExamples:\n  python -m experiments run\n  python -m experiments run LOW-5 --seeds 40")
@click.argument("names", nargs=-1)
@QUICK_OPTION
@SEEDS_OPTION
@OUT_OPTION
@click.option("--data", metavar="DIR", help="Folder of the social graphs; ../shared/data of the checkout by default.")
@click.option(
    "--all", "everything", is_flag=True, help="Also run what the tables in docs/claims hold from the present code."
)
@with_options(SESSION_OPTIONS)
def run(names: tuple[str, ...], **given: Any) -> None:
    """Execute the runs of the named experiments (by default all) that have no result yet; each run is a Spark task and
    writes a file.

    NAMES are experiments (gm-2), papers (gm) or claims (GM-4b). After being killed or interrupted, the same command
    continues where it was. Exit code 0: all runs are complete.
    """
    from experiments.progress import progress_bar
    from experiments.report.tables import ENDING, read_tables
    from experiments.runner import perform_all
    from topicweave.cli.display import display, print_json
    from topicweave.pipeline import open_job

    chosen = chosen_experiments(names)
    folder, data = results_folder(given["out"], given["quick"]), Path(given["data"]) if given["data"] else DATA
    all_runs = wanted.runs_of(chosen, num_seeds=given["seeds"], quick=given["quick"])
    absent = wanted.missing_files(all_runs, data)
    runs = [one for one in all_runs if not absent.intersection(one.subject.files)]
    for name in sorted(absent):
        skipped = sum(name in one.subject.files for one in all_runs)
        click.echo(f"Skipped {skipped} runs: {name} is not in {data} (give its folder with --data).", err=True)
    published = {} if given["quick"] or given["everything"] else read_tables(sorted(TABLES.glob(f"*{ENDING}")))
    missing = [one for one in runs if results.load(folder, one, published) is None]
    silent = given["quiet"] or given["as_json"]
    if missing:
        with display(silent) as observer, open_job(spark=spark_of(given), progress=observer) as job:
            spark = job.start()
        with progress_bar(missing, silent) as watched:
            perform_all(
                spark,
                missing,
                lambda one, result: results.save(folder, one, result),
                files=[data / name for name in sorted({name for one in missing for name in one.subject.files})],
                observer=watched,
            )
    summary = {"runs": len(runs), "run now": len(missing), "skipped": len(all_runs) - len(runs), "folder": str(folder)}
    if given["as_json"]:
        print_json(summary)
    else:
        beside = sum(results.load(folder, one) is None for one in runs)
        also = f", {beside:,} in the tables of docs/claims" if beside else ""
        click.echo(f"{len(runs) - beside:,} runs are in {folder}{also}; {len(missing):,} of them run now.")


@experiments.command(epilog="\b\nExample:\n  python -m experiments report --docs build/claims")
@click.argument("names", nargs=-1)
@QUICK_OPTION
@SEEDS_OPTION
@OUT_OPTION
@click.option("--docs", metavar="DIR", help="Folder of the page; the checkout's docs by default.")
@DEBUG_OPTION
def report(names: tuple[str, ...], **given: Any) -> None:
    """Draw the figures and write the page of claims from the results that exist.

    Rows that rest on results of earlier code are marked as stale; ``run`` runs those again.
    """
    from experiments.report.write import write_report

    chosen = chosen_experiments(names)
    if given["docs"] is None and (given["quick"] or names):
        raise ParameterError("Only a full report of everything belongs into the docs; give another folder with --docs.")
    docs = Path(given["docs"]) if given["docs"] else CHECKOUT / "docs"
    made = write_report(
        chosen,
        results_folder(given["out"], given["quick"]),
        docs,
        num_seeds=given["seeds"],
        quick=given["quick"],
    )
    click.echo(made.summary)
    click.echo(f"  {made.pages[0]}")

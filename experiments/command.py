"""The commands of ``python -m experiments``: the papers' figures and claims, measured again on Spark."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from experiments import results, wanted
from experiments.table import NAMES
from topicweave.cli.options import DEBUG_OPTION, SESSION_OPTIONS, spark_of, with_options
from topicweave.errors import ParameterError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from experiments.experiment import Experiment
    from experiments.run import Run

CHECKOUT = Path(__file__).resolve().parents[1]
DATA = CHECKOUT.parent / "shared" / "data"
TABLES = CHECKOUT / "docs" / "claims"


def results_folder(out: str | None, quick: bool) -> Path:
    """The folder for results; a default if none is given."""
    return Path(out) if out else CHECKOUT / "build" / ("experiments-quick" if quick else "experiments")


def data_folder(given: str | None) -> Path:
    """The folder of the data files; a default if none is given."""
    return Path(given) if given else DATA


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
DATA_OPTION = click.option(
    "--data", metavar="DIR", help="Folder of the social graphs; ../shared/data of the checkout by default."
)
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
@DATA_OPTION
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
    from experiments.report.tables import ENDING, read_tables
    from topicweave.cli.display import print_json

    chosen = chosen_experiments(names)
    folder, data = results_folder(given["out"], given["quick"]), data_folder(given["data"])
    all_runs = wanted.runs_of(chosen, num_seeds=given["seeds"], quick=given["quick"])
    absent = wanted.missing_files(all_runs, data)
    runs = [one for one in all_runs if not absent.intersection(one.subject.files)]
    for name in sorted(absent):
        skipped = sum(name in one.subject.files for one in all_runs)
        click.echo(f"Skipped {skipped} runs: {name} is not in {data} (give its folder with --data).", err=True)
    published = {} if given["quick"] or given["everything"] else read_tables(sorted(TABLES.glob(f"*{ENDING}")))
    missing = [one for one in runs if results.load(folder, one, published) is None]
    _perform(missing, folder, data, given)
    summary = {"runs": len(runs), "run now": len(missing), "skipped": len(all_runs) - len(runs), "folder": str(folder)}
    if given["as_json"]:
        print_json(summary)
    else:
        beside = sum(results.load(folder, one) is None for one in runs)
        also = f", {beside:,} in the tables of docs/claims" if beside else ""
        click.echo(f"{len(runs) - beside:,} runs are in {folder}{also}; {len(missing):,} of them run now.")


def _perform(runs: Sequence[Run], folder: Path, data: Path, given: dict[str, Any]) -> None:
    """Execute runs on Spark; each result is saved as soon as it is known."""
    from experiments.progress import progress_bar
    from experiments.runner import perform_all
    from topicweave.cli.display import display
    from topicweave.pipeline import open_job

    if not runs:
        return
    silent = given["quiet"] or given["as_json"]
    with display(silent) as observer, open_job(spark=spark_of(given), progress=observer) as job:
        spark = job.start()
    with progress_bar(runs, silent) as watched:
        perform_all(
            spark,
            runs,
            lambda one, result: results.save(folder, one, result),
            files=[data / name for name in sorted({name for one in runs for name in one.subject.files})],
            observer=watched,
        )


@experiments.command(epilog="\b\nExample:\n  python -m experiments confirm low part --share 0.05")
@click.argument("names", nargs=-1)
@click.option(
    "--share", type=click.FloatRange(0, 1, min_open=True), default=0.03, show_default=True, help="Share to repeat."
)
@click.option("--least", type=click.IntRange(min=1), default=5, show_default=True, help="Repeat at least this many.")
@OUT_OPTION
@DATA_OPTION
@with_options(SESSION_OPTIONS)
def confirm(names: tuple[str, ...], **given: Any) -> None:
    """Accept results of earlier code if some of them, drawn at random and repeated with the present code, come out the
    same.

    Results are grouped by the code they are from; a group is accepted only if all its repeated results are the same.
    Where times are judged, those of the repeated results must be about the same as well. Exit code 1: some results
    differ; `run` repeats their groups.
    """
    from experiments.confirming import stale_groups
    from experiments.report.tables import ENDING, read_tables

    folder, data = results_folder(given["out"], quick=False), data_folder(given["data"])
    all_runs = wanted.runs_of(chosen_experiments(names), num_seeds=None, quick=False)
    absent = wanted.missing_files(all_runs, data)
    runs = [one for one in all_runs if not absent.intersection(one.subject.files)]
    published = read_tables(sorted(TABLES.glob(f"*{ENDING}")))
    groups = stale_groups(runs, folder, published, share=given["share"], least=given["least"])
    _perform([one for group in groups for one in group.sample], folder, data, given)
    num_accepted = num_differing = 0
    for group in groups:
        differing = group.differing(folder)
        for one in differing:
            click.echo(f"Differs: {one.path}", err=True)
        num_differing += len(differing)
        for one, earlier in group.accepted().items() if not differing else ():
            results.save(folder, one, earlier.result, earlier.measured_with or earlier.code)
            num_accepted += 1
    num_repeated = sum(len(group.sample) for group in groups)
    click.echo(f"{num_repeated:,} results repeated, {num_differing:,} differ; {num_accepted:,} others accepted.")
    if num_differing:
        sys.exit(1)


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

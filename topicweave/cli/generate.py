"""``topicweave generate``: seeded synthetic subscriptions as a file."""

from __future__ import annotations

import os
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from topicweave.cli.options import DEBUG_OPTION, parameter_option, with_options
from topicweave.errors import Remedy, TargetError
from topicweave.files import local_target
from topicweave.workloads.popularity import PARAMETERS
from topicweave.workloads.synthetic import SIZE_PARAMETERS

if TYPE_CHECKING:
    from collections.abc import Callable

    import pyarrow as pa

    from topicweave.model import Interest


def _write_text(table: pa.Table, path: Path, separator: str) -> None:
    """Columns of text; the labels made here contain nothing that needs quotes."""
    import pyarrow.csv

    options = pyarrow.csv.WriteOptions(include_header=False, delimiter=separator, quoting_style="none")
    with open(path, "wb") as file:
        file.write(separator.join(table.column_names).encode() + b"\n")
        pyarrow.csv.write_csv(table, file, options)


def _write_parquet(table: pa.Table, path: Path) -> None:
    import pyarrow.parquet

    pyarrow.parquet.write_table(table, path)


WRITERS: dict[str, Callable[[pa.Table, Path], None]] = {
    ".csv": partial(_write_text, separator=","),
    ".tsv": partial(_write_text, separator="\t"),
    ".parquet": _write_parquet,
}


def _sizes(context: click.Context, parameter: click.Parameter, text: str) -> int | tuple[int, int]:
    """``10``, or ``20-600`` for power-law sizes."""
    numbers = text.split("-")
    if len(numbers) > 2 or not all(number.isascii() and number.isdigit() for number in numbers):
        problem = f"{text!r} is neither a number of topics nor a range such as 20-600."
        raise click.BadParameter(problem, context, parameter)
    return int(numbers[0]) if len(numbers) == 1 else (int(numbers[0]), int(numbers[1]))


@click.command(
    epilog="\b\nExample:\n"
    "  topicweave generate --nodes 10000 --topics 1000 --subscriptions 20-600 --out subscriptions.parquet"
)
@click.option("--nodes", type=click.IntRange(min=1), required=True, help="Number of nodes.")
@click.option("--topics", type=click.IntRange(min=1), required=True, help="Number of topics.")
@with_options(map(parameter_option, PARAMETERS))
@click.option(
    "--subscriptions", default="10", callback=_sizes, show_default=True, metavar="SIZES",
    help="Topics per node: 10, or 20-600 (power law).",
)  # fmt: skip
@with_options(map(parameter_option, SIZE_PARAMETERS))
@click.option("--seed", type=int, default=0, show_default=True, help="The same seed gives the same file.")
@click.option("--out", required=True, metavar="FILE", help=f"A file ending in {', '.join(WRITERS)}.")
@click.option("--overwrite", is_flag=True, help="Replace the file if it exists.")
@DEBUG_OPTION
def generate(**given: Any) -> None:
    """Write (node, topic) rows of a synthetic interest."""
    from topicweave.kernels import sampling
    from topicweave.kernels.jit import is_compiled
    from topicweave.workloads import synthetic

    path = _checked(local_target(os.path.expanduser(given["out"])), given["overwrite"])
    if not is_compiled(Path(sampling.__file__)):
        click.echo("compiling: some seconds, in the first run only", err=True)
    interest = synthetic(
        num_nodes=given["nodes"],
        num_topics=given["topics"],
        subscriptions=given["subscriptions"],
        seed=given["seed"],
        **{one.name: given[one.name] for one in (*PARAMETERS, *SIZE_PARAMETERS) if given[one.name] is not None},
    )
    _write(interest, path)
    click.echo(
        f"{path}: {interest.num_subscriptions:,} subscriptions of {interest.num_nodes:,} nodes to "
        f"{interest.num_topics:,} topics"
    )


def _checked(path: Path, overwrite: bool) -> Path:
    if path.suffix not in WRITERS:
        raise TargetError(f"The name {path.name!r} says no format; end it in {', '.join(WRITERS)}.")
    if path.is_dir():
        raise TargetError(f"{path} is a folder; choose the name of a file.")
    if path.exists() and not overwrite:
        raise TargetError(
            "{path} exists already; choose another file, or {remedy}.", path=path, remedy=Remedy.OVERWRITE
        )
    return path


def _write(interest: Interest, path: Path) -> None:
    """Write to a hidden file first, so that the file appears complete or not at all."""
    import pyarrow as pa

    matrix = interest.to_scipy().tocoo()
    columns = {
        "node": pa.array(interest.nodes, pa.string()).take(pa.array(matrix.row)),
        "topic": pa.array(interest.topics, pa.string()).take(pa.array(matrix.col)),
    }
    unfinished = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        WRITERS[path.suffix](pa.table(columns), unfinished)
        unfinished.replace(path)
    except OSError as error:
        reason = os.strerror(error.errno) if error.errno else str(error)
        raise TargetError(f"{path} cannot be written: {reason}; choose another place or make room there.") from error
    finally:
        with suppress(OSError):
            unfinished.unlink()

"""``topicweave generate``: seeded synthetic subscriptions as a file."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from topicweave.errors import InputError

if TYPE_CHECKING:
    import pyarrow as pa


def _write_csv(table: pa.Table, path: Path) -> None:
    import pyarrow.csv

    pyarrow.csv.write_csv(table, path)


def _write_tsv(table: pa.Table, path: Path) -> None:
    import pyarrow.csv

    pyarrow.csv.write_csv(table, path, pyarrow.csv.WriteOptions(delimiter="\t"))


def _write_parquet(table: pa.Table, path: Path) -> None:
    import pyarrow.parquet

    pyarrow.parquet.write_table(table, path)


WRITERS = {".csv": _write_csv, ".tsv": _write_tsv, ".parquet": _write_parquet}


def _sizes(text: str) -> int | tuple[int, int]:
    """``10``, or ``20-600`` for power-law sizes."""
    try:
        numbers = tuple(int(part) for part in text.split("-"))
    except ValueError:
        numbers = ()
    if len(numbers) not in (1, 2):
        raise click.BadParameter(f"{text!r} is neither a number of topics nor a range such as 20-600.")
    return numbers[0] if len(numbers) == 1 else (numbers[0], numbers[1])


@click.command(
    epilog="Example: topicweave generate --nodes 10000 --topics 1000 --subscriptions 20-600 --out subs.parquet"
)
@click.option("--nodes", type=int, required=True, help="Number of nodes.")
@click.option("--topics", type=int, required=True, help="Number of topics.")
@click.option("--popularity", default="zipf", show_default=True, help="zipf, uniform or exponential.")
@click.option("--alpha", type=float, default=0.5, show_default=True, help="Zipf exponent.")
@click.option("--subscriptions", default="10", show_default=True, help="Topics per node: 10, or 20-600 (power law).")
@click.option("--seed", type=int, default=0, show_default=True, help="Same seed, same file.")
@click.option("--out", required=True, metavar="FILE", help=f"A file ending in {', '.join(WRITERS)}.")
@click.option("--overwrite", is_flag=True, help="Replace the file if it is there.")
def generate(**given: Any) -> None:
    """Write (node, topic) rows of a synthetic interest."""
    import pyarrow as pa

    from topicweave.workloads import synthetic

    path = Path(given["out"])
    if path.suffix not in WRITERS:
        raise InputError(f"{path.name!r} does not say a format; end it in {', '.join(WRITERS)}.")
    if path.exists() and not given["overwrite"]:
        raise InputError(f"{path} is there already; choose another name or add --overwrite.")
    interest = synthetic(
        num_nodes=given["nodes"],
        num_topics=given["topics"],
        popularity=given["popularity"],
        alpha=given["alpha"],
        subscriptions=_sizes(given["subscriptions"]),
        seed=given["seed"],
    )
    matrix = interest.to_scipy().tocoo()
    columns = {
        "node": pa.array(interest.nodes, pa.string()).take(pa.array(matrix.row)),
        "topic": pa.array(interest.topics, pa.string()).take(pa.array(matrix.col)),
    }
    unfinished = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        WRITERS[path.suffix](pa.table(columns), unfinished)
        unfinished.replace(path)
    finally:
        unfinished.unlink(missing_ok=True)
    click.echo(f"{path}: {interest.num_subscriptions:,} subscriptions of {interest.num_nodes:,} nodes to "
               f"{interest.num_topics:,} topics")  # fmt: skip

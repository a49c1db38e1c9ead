"""Samples social graphs that are too large for one machine by breadth-first search (PART §IX-B)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pyspark.sql import functions as F

from topicweave.columns import SOURCE, TARGET
from topicweave.errors import ParameterError
from topicweave.parameters import check_whole
from topicweave.pipeline.spark.failures import spark_failures
from topicweave.wording import shortened

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from pyspark.sql import DataFrame

_USER, _NEIGHBOUR, _PLACE = "user", "neighbour", "place"


@dataclass(frozen=True)
class Sample:
    """A part of a social graph, and the users from which it was grown.

    Attributes
    ----------
    links
        All links among the users reached: ``source``, ``target``.
    users
        The users reached, in the order the search met them.
    seeds
        The users the search started from; after them, the users from which it continued when a component was
        exhausted.
    """

    links: DataFrame
    users: tuple[str, ...]
    seeds: tuple[str, ...]


def bfs_sample(links: DataFrame, num_users: int, *, seeds: int | Iterable[str] = 1, seed: int = 0) -> Sample:
    """Grow a sample of users by breadth-first search, and take all links among these users.

    Links are followed in both directions, neighbours in the order of their labels: from the same starts this reaches
    the same users as :func:`topicweave.workloads.bfs_sample`. Takes one Spark job per level.

    Parameters
    ----------
    links
        ``source`` and ``target``.
    num_users
        The number of users in the sample.
    seeds
        The users to start from, or how many of them to draw. A draw takes the users whose labels, hashed with ``seed``,
        come first: the same on any number of partitions.
    seed
        Seed of the random draw. Samples vary strongly with it, so report several.
    """
    num_users = check_whole("num_users", num_users, 1)
    ends = links.where(F.col(SOURCE) != F.col(TARGET))
    both = ends.select(F.col(SOURCE).alias(_USER), F.col(TARGET).alias(_NEIGHBOUR)).union(ends.select(TARGET, SOURCE))
    with spark_failures("the social graph"):
        neighbours = both.distinct().persist()
        try:
            return _grow(links, neighbours, num_users, seeds, seed)
        finally:
            neighbours.unpersist()


def _grow(links: DataFrame, neighbours: DataFrame, num_users: int, seeds: int | Iterable[str], seed: int) -> Sample:
    starts = _starts(neighbours, num_users, seeds, seed)
    reached: dict[str, None] = {}
    used = list(starts)
    layer: Sequence[str] = starts
    while True:
        reached.update(dict.fromkeys(layer[: num_users - len(reached)]))
        if len(reached) == num_users:
            break
        layer = _next_layer(neighbours, layer, reached)
        if not layer:
            layer = _draw(neighbours, 1, seed, reached)
            if not layer:
                raise ParameterError(
                    f"A sample of {num_users:,} users cannot come from a graph of {len(reached):,}; ask for fewer."
                )
            used += layer
    users = _as_frame(links, list(reached), [_USER])
    inside = links.join(F.broadcast(users), F.col(SOURCE) == F.col(_USER), "left_semi").join(
        F.broadcast(users), F.col(TARGET) == F.col(_USER), "left_semi"
    )
    return Sample(inside, tuple(reached), tuple(used))


def _starts(neighbours: DataFrame, num_users: int, seeds: int | Iterable[str], seed: int) -> list[str]:
    if isinstance(seeds, str):
        raise ParameterError(f"seeds is one string ({seeds!r}); give a list of users, or how many to draw.")
    chosen = _draw(neighbours, seeds, seed, {}) if isinstance(seeds, int) else list(dict.fromkeys(seeds))
    if not 1 <= len(chosen) <= num_users:
        raise ParameterError(f"{len(chosen)} starting users were given for {num_users}; give 1 to {num_users}.")
    known = {row[0] for row in neighbours.where(F.col(_USER).isin(chosen)).select(_USER).distinct().collect()}
    unknown = [user for user in chosen if user not in known]
    if unknown:
        raise ParameterError(f"The graph has no user {shortened(unknown, 3)} to start from; check the spelling.")
    return chosen


def _draw(neighbours: DataFrame, count: int, seed: int, besides: dict[str, None]) -> list[str]:
    users = neighbours.select(_USER).distinct()
    if besides:
        users = users.join(F.broadcast(_as_frame(neighbours, list(besides), [_USER])), _USER, "left_anti")
    rows = users.orderBy(F.xxhash64(F.lit(seed), F.col(_USER)), _USER).limit(count).collect()
    return [row[0] for row in rows]


def _next_layer(neighbours: DataFrame, layer: Sequence[str], reached: dict[str, None]) -> list[str]:
    """The users next to a layer, in the order in which breadth-first search with a queue would reach them."""
    frontier = _as_frame(neighbours, [(user, place) for place, user in enumerate(layer)], [_USER, _PLACE])
    met = neighbours.join(F.broadcast(frontier), _USER).groupBy(_NEIGHBOUR).agg(F.min(_PLACE)).toArrow()
    found = sorted(zip(met.column(1).to_pylist(), met.column(0).to_pylist(), strict=True))
    return [user for _, user in found if user not in reached]


def _as_frame(near: DataFrame, rows: Sequence[str] | Sequence[tuple[str, int]], names: list[str]) -> DataFrame:
    """Turn a few rows on the driver into a data frame of the same session, by way of Arrow."""
    import pyarrow as pa

    columns = [list(column) for column in zip(*rows, strict=True)] if len(names) > 1 else [list(rows)]
    kinds = [pa.string(), pa.int64()]
    arrays = [pa.array(column, kind) for column, kind in zip(columns, kinds, strict=False)]
    return near.sparkSession.createDataFrame(pa.table(arrays, names=names))

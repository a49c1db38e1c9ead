"""Designs on the workers: one for each task, with the same compiled code as on the driver. Workers need topicweave."""

from __future__ import annotations

import logging
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from topicweave.errors import ImpossibleError, NotFoundError
from topicweave.reports.tradeoff_page import MET, TradeoffPoint

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pyspark import Broadcast
    from pyspark.sql import SparkSession

    from topicweave.model import Interest, Overlay, Requirements

log = logging.getLogger("topicweave.pipeline")

MOST_SEARCHED = 3_000  # with more nodes than this, hops are measured from only a few subscribers of each topic
SAMPLE = 8


@dataclass(frozen=True)
class Wish:
    """A design to make: its place on the page, the algorithm, and its requirements."""

    axis: str
    limit: float | None
    algorithm: str
    requirements: Requirements | None


def design_all(spark: SparkSession, interest: Interest, wishes: Sequence[Wish], seed: int) -> list[TradeoffPoint]:
    """Make all the designs, each in a task of its own; on the driver if the workers do not have topicweave
    installed.
    """
    context = spark.sparkContext
    shared = context.broadcast(interest)
    try:
        return context.parallelize(list(wishes), len(wishes)).map(_Task(shared, seed)).collect()
    except Exception as error:
        if "topicweave" not in str(error) or "ModuleNotFoundError" not in str(error):
            raise
        log.warning("the workers do not have topicweave installed, so all designs are made on the driver")
        return [make(interest, wish, seed) for wish in wishes]
    finally:
        shared.destroy()


@dataclass(frozen=True)
class _Task:
    interest: Broadcast[Interest]
    seed: int

    def __call__(self, wish: Wish) -> TradeoffPoint:
        return make(self.interest.value, wish, self.seed)


def make(interest: Interest, wish: Wish, seed: int) -> TradeoffPoint:
    """Make one design, and measure it."""
    from topicweave.algorithms import design

    point = TradeoffPoint(wish.axis, wish.limit, wish.algorithm, MET)
    given: dict[str, Any] = {} if wish.requirements is None else {"requirements": wish.requirements}
    try:
        made = design(interest, wish.algorithm, seed=seed, **given)
    except ImpossibleError as error:
        return replace(point, outcome="impossible", words=str(error))
    except NotFoundError as error:
        point = replace(point, outcome="not found", words=str(error))
        made = error.fields["design"]
    return replace(point, **measured(interest, made.overlay, wish.requirements, seed))


def measured(interest: Interest, overlay: Overlay, requirements: Requirements | None, seed: int = 0) -> dict[str, Any]:
    """The measurements of an overlay that the page shows, keyed by the attribute names of a point."""
    import numpy as np

    from topicweave.metrics import topic_distances

    sample = None if interest.num_nodes <= MOST_SEARCHED else SAMPLE
    found = topic_distances(interest, overlay, sample=sample, seed=seed)
    shared = np.isfinite(found.diameter) & (interest.topic_sizes > 1)
    cost = None
    if requirements is not None and requirements.link_cost is not None:
        cost = float(requirements.resolve(interest, ignore_unknown=True).costs(overlay.edges).sum())
    return {
        "links": overlay.num_edges,
        "average_degree": overlay.average_degree,
        "maximum_degree": overlay.maximum_degree,
        "largest_hops": int(found.diameter[shared].max(initial=0)),
        "mean_hops": float(found.mean_hops[shared].mean()) if shared.any() else 0.0,
        "cost": cost,
    }

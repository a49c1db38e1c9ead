"""Finds the requirements that written links violate: topics are judged by measurements made on Spark, links and nodes
one by one.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from topicweave.columns import (
    COMPONENTS,
    CONNECTIVITY,
    DIAMETER,
    DIAMETER_EXACT,
    NODE,
    SOURCE,
    SUBSCRIBERS,
    TARGET,
    TOPIC,
)
from topicweave.metrics.violations import Violation, find_violations, overlay_cost
from topicweave.model import Interest, Overlay
from topicweave.pipeline.connectivity import verify_frames
from topicweave.pipeline.spark.failures import spark_failures

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pyarrow as pa
    from pyspark.sql import DataFrame

    from topicweave.model import Requirements
    from topicweave.pipeline.connectivity import Verification


def verify_required(
    subscriptions: DataFrame, edges: DataFrame, requirements: Requirements | None, *, diameters: bool = False
) -> Verification:
    """Verify links against subscriptions, and against requirements if there are any.

    Parameters
    ----------
    subscriptions, edges, diameters
        As for :func:`topicweave.pipeline.connectivity.verify_frames`.
    requirements
        The requirements; requirements on nodes without subscriptions are ignored.
    """
    if requirements is None:
        return verify_frames(subscriptions, edges, diameters=diameters)
    found = verify_frames(
        subscriptions,
        edges,
        diameters=diameters or requirements.max_hops is not None,
        connectivity=requirements.connectivity,
    )
    violations, cost = violations_of(found.topics, subscriptions, edges, requirements)
    return replace(found, requirements=requirements, violations=violations, cost=cost)


def violations_of(
    topics: pa.Table, subscriptions: DataFrame, edges: DataFrame, requirements: Requirements
) -> tuple[tuple[Violation, ...], float | None]:
    """The violated requirements and the total cost of the links, if they have any.

    Parameters
    ----------
    topics
        The figures of the topics, with diameters and connectivity if the requirements are about these.
    subscriptions, edges
        What was verified; nodes and links are fetched from there, subscriptions are not.
    requirements
        The requirements.
    """
    with spark_failures("the subscriptions and links to verify"):
        names = sorted(subscriptions.select(NODE).distinct().toArrow()[NODE].to_pylist())
        links = edges.select(SOURCE, TARGET).distinct().toArrow()
    known = set(names)
    pairs = zip(links[SOURCE].to_pylist(), links[TARGET].to_pylist(), strict=True)
    ends = {(min(pair), max(pair)) for pair in pairs if pair[0] != pair[1] and known.issuperset(pair)}
    overlay = Overlay.from_pairs(sorted(ends), names)
    # an interest without subscriptions, because topics are judged by the measurements instead
    nodes = Interest.from_csr(names, (), np.zeros(len(names) + 1, dtype=np.int64), np.empty(0, dtype=np.int32))
    of_links = replace(requirements, max_hops=None, connectivity=1)
    found = (*find_violations(nodes, overlay, of_links), *_of_topics(topics, requirements))
    return found, overlay_cost(nodes, overlay, requirements)


def _of_topics(topics: pa.Table, requirements: Requirements) -> Iterator[Violation]:
    names = (TOPIC, SUBSCRIBERS, COMPONENTS, DIAMETER, DIAMETER_EXACT, CONNECTIVITY)
    for topic, subscribers, components, diameter, is_exact, level in zip(
        *(topics[name].to_pylist() for name in names), strict=True
    ):
        hops, k = requirements.max_hops, requirements.connectivity
        if hops is not None and subscribers > 1:
            if components > 1:
                yield Violation("max_hops", topic=topic, value=np.inf, limit=hops)
            # a lower bound within the limit does not prove that the limit is kept
            elif diameter > hops or not is_exact:
                yield Violation("max_hops", topic=topic, value=float(diameter), limit=hops)
        if k > 1 and subscribers > 1 and level < k:
            yield Violation("connectivity", topic=topic, value=float(level) if level else None, limit=k - 1)

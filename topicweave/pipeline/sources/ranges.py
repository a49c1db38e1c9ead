"""Reads content subscriptions on Spark: the ranges of attributes for each user, and the channels that they overlap."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING

import numpy as np
from pyspark.sql import functions as F

from topicweave.columns import REASON
from topicweave.pipeline.quality.reasons import Counts, tag
from topicweave.pipeline.sources.formats.table import Table, open_table
from topicweave.pipeline.sources.publications import USER, not_a_number
from topicweave.pipeline.sources.source import Part

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray
    from pyspark.sql import SparkSession

    from topicweave.content import Channels

ATTRIBUTE, LOW, HIGH = "attribute", "low", "high"
EMPTY_RANGE = "low is above high"
UNKNOWN_ATTRIBUTE = "attribute that publications do not have"

Ranges = dict[str, list[tuple[str, float, float]]]


def read_subscriptions(spark: SparkSession, table: Table, channels: Channels) -> tuple[Part, Ranges, Counts]:
    """Read the ranges of all users to the driver, which has room for them: it holds the subscriptions of all users
    anyway. Returns the table with its rows, the ranges of each user, and the counts of the rows.
    """
    opened = open_table(spark, table, (USER, ATTRIBUTE, LOW, HIGH))
    rows = tag(opened.rows, (USER, ATTRIBUTE)).withColumns(
        {name: F.col(name).try_cast("double") for name in (LOW, HIGH)}
    )
    low, high = F.col(LOW), F.col(HIGH)
    reason = (
        F.when(F.col(REASON).isNotNull(), F.col(REASON))
        .when(~F.col(ATTRIBUTE).isin(*channels.attributes), UNKNOWN_ATTRIBUTE)
        .when(low.isNull() | F.isnan(low), not_a_number(LOW))
        .when(high.isNull() | F.isnan(high), not_a_number(HIGH))
        .when(low > high, EMPTY_RANGE)
    )
    rows = rows.withColumn(REASON, reason)
    part = Part("subscriptions", table.name, rows, opened.files, opened.has_header, table)
    found: Ranges = {}
    by_reason: Counter[str | None] = Counter()
    for row in rows.select(USER, ATTRIBUTE, LOW, HIGH, REASON).toArrow().to_pylist():
        by_reason[row[REASON]] += 1
        if row[REASON] is None:
            found.setdefault(row[USER], []).append((row[ATTRIBUTE], row[LOW], row[HIGH]))
    return part, found, Counts.from_reasons(by_reason)


def wanted_channels(channels: Channels, ranges: Sequence[tuple[str, float, float]]) -> NDArray[np.bool_]:
    """For each channel, whether a user with these ranges wants it; several ranges of one attribute are alternatives.

    Ranges of different attributes must all match.
    """
    wanted = np.ones(channels.num_channels, dtype=bool)
    for name in channels.attributes:
        mine = [channels.covering({name: (low, high)}) for attribute, low, high in ranges if attribute == name]
        if mine:
            wanted &= np.logical_or.reduce(mine)
    return wanted

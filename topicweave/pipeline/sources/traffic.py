"""Reads logs of publications and subscriptions on Spark, and sums them up for an Instance on the driver.

Publications are never collected: one pass counts them by user, channel and reason. Rows that cannot be used get a
reason and go to the quarantine, as everywhere in the pipeline.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from topicweave.columns import BYTES, REASON, TIME
from topicweave.content import Channels, Instance
from topicweave.content.capacity import equal_capacity
from topicweave.errors import InputError, ReadError
from topicweave.pipeline.quality.reasons import MAX_BAD_FRACTION, Counts, check_max_bad_fraction, quarantined
from topicweave.pipeline.sources.cuts import check_cuts, cut_channels
from topicweave.pipeline.sources.publications import CHANNEL, USER, aggregate, counts, open_typed, with_reasons
from topicweave.pipeline.sources.publications import Publications as Publications
from topicweave.pipeline.sources.ranges import read_subscriptions, wanted_channels
from topicweave.pipeline.spark.failures import spark_failures

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray
    from pyspark.sql import DataFrame, SparkSession

    from topicweave.content.prices import Prices
    from topicweave.pipeline.sources.formats.table import Table
    from topicweave.pipeline.sources.source import Part


@dataclass(frozen=True)
class Traffic:
    """Publishing rates and subscriptions, computed from the logs.

    Attributes
    ----------
    users
        All users that publish or subscribe, sorted.
    channels
        The channels.
    publish, subscribe
        Users × channels: rates (amount per unit of time), and whether the user wants the channel.
    parts, counts
        The two logs, and the counts of their rows.
    duration
        The time between the first and the last publication; 1 if the log has no times.
    has_sizes
        Whether the log says how many bytes publications have, so that rates are in bytes; otherwise every one counts 1.
    """

    users: tuple[str, ...]
    channels: Channels
    publish: NDArray[np.float64] = field(repr=False)
    subscribe: NDArray[np.bool_] = field(repr=False)
    parts: tuple[Part, ...] = field(repr=False)
    counts: tuple[Counts, ...]
    duration: float
    has_sizes: bool = False

    @property
    def num_bad(self) -> int:
        """The number of rows in quarantine, from both logs."""
        return sum(counts.num_bad for counts in self.counts)

    @property
    def quarantine(self) -> DataFrame:
        """The bad rows of both logs."""
        one, other = (quarantined(part.rows) for part in self.parts)
        return one.unionByName(other)

    def instance(
        self,
        prices: Prices,
        brokers: Sequence[str],
        *,
        places: Mapping[str, str] | None = None,
        capacity: float | Sequence[float] | None = None,
        spare: float = 2.0,
    ) -> Instance:
        """Combine the traffic with prices from a latency matrix to an instance.

        Parameters
        ----------
        prices
            Prices between places.
        brokers
            The places that have a broker.
        places
            The place of each user; without it, users have the names of their places.
        capacity
            The capacity of every broker, or one for each; without it, all have the same, ``spare`` times the demand in
            total.
        spare
            See ``capacity``.
        """
        where = [user if places is None else places.get(user, "") for user in self.users]
        for user, place in zip(self.users, where, strict=True):
            if place not in prices.places:
                what = f"is in {place!r}" if place else "has no place"
                raise InputError(f"User {user!r} {what}, for which there is no price; add it to the prices or places.")
        arrays: dict[str, Any] = {
            "publish": self.publish,
            "subscribe": self.subscribe,
            "access_price": prices.between(where, brokers),
            "core_price": prices.between(brokers, brokers),
        }
        labels: dict[str, Any] = {"users": self.users, "brokers": brokers, "channels": self.channels.labels}
        free = Instance(**arrays, capacity=np.inf if capacity is None else capacity, **labels)
        return free if capacity is not None else free.replace(capacity=equal_capacity(free, spare))


def read_traffic(
    spark: SparkSession,
    publications: Publications,
    subscriptions: Table,
    *,
    num_channels: int | Mapping[str, int] = 100,
    scale: str = "width",
    cuts: Mapping[str, Sequence[float]] | None = None,
    max_bad_fraction: float = MAX_BAD_FRACTION,
) -> Traffic:
    """Compute the publishing rates and the subscriptions by channel from the logs.

    Parameters
    ----------
    spark
        The session.
    publications
        The log of publications.
    subscriptions
        Ranges: ``user``, ``attribute``, ``low``, ``high``; without a range, all values of an attribute match; several
        ranges of one attribute are alternatives.
    num_channels, scale
        The number of intervals of each attribute, of equal ``"width"`` or of equal ``"mass"``.
    cuts
        The borders of the intervals of each attribute, instead of ``num_channels`` and ``scale``.
    max_bad_fraction
        The share of bad rows of a log up to which the good ones are used.
    """
    check_max_bad_fraction(max_bad_fraction)
    check_cuts(publications.attributes, num_channels, scale, cuts)
    with spark_failures(publications.table.name):
        typed = open_typed(spark, publications.table, (USER,), publications.attributes, (BYTES, TIME))
        published = replace(typed, rows=with_reasons(typed.rows, publications))
        channels = (
            Channels(cuts)
            if cuts is not None
            else cut_channels(typed.rows, publications.table.name, publications.attributes, num_channels, scale)
        )
        grouped = aggregate(typed, publications, channels)
    published_counts = counts(grouped)
    published.check(published_counts, max_bad_fraction)
    with spark_failures(subscriptions.name):
        wanted, ranges, wanted_counts = read_subscriptions(spark, subscriptions, channels)
    wanted.check(wanted_counts, max_bad_fraction)
    good = [row for row in grouped if row[REASON] is None]
    users = tuple(sorted({row[USER] for row in good} | set(ranges)))
    if not good:
        raise ReadError(f"There is no usable publication in {publications.table.name}; check its columns.")
    number = {user: position for position, user in enumerate(users)}
    times = [(row["first"], row["last"]) for row in good if row["first"] is not None]
    duration = max((last for _, last in times), default=1.0) - min((first for first, _ in times), default=0.0)
    duration = duration if duration > 0 else 1.0
    publish = np.zeros((len(users), channels.num_channels))
    for row in good:
        publish[number[row[USER]], row[CHANNEL]] = row["amount"] / duration
    subscribe = np.zeros(publish.shape, dtype=bool)
    for user, own in ranges.items():
        subscribe[number[user]] = wanted_channels(channels, own)
    has_sizes = any(row["sized"] for row in good)
    parts, row_counts = (published, wanted), (published_counts, wanted_counts)
    return Traffic(users, channels, publish, subscribe, parts, row_counts, duration, has_sizes)

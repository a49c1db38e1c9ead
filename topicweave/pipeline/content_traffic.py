"""Traffic from logs: publications and subscriptions on Spark, aggregated to an Instance on the driver.

Publications are never collected: one pass counts them by user, channel and reason. Rows that cannot be used get
their reason and go to the quarantine, as everywhere in the pipeline.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from pyspark.sql import functions as F
from pyspark.sql import types as T

from topicweave.content import Channels, Instance
from topicweave.content.channels import SCALES, equal_width, merged
from topicweave.errors import InputError, ParameterError, ReadError
from topicweave.pipeline import formats, reasons
from topicweave.pipeline.clean import MAX_LABEL_LENGTH, quarantined, tag
from topicweave.pipeline.columns import BYTES, FILE, LINE, REASON, TIME
from topicweave.pipeline.counts import MAX_BAD_FRACTION, Counts, check_max_bad_fraction
from topicweave.pipeline.failures import spark_failures
from topicweave.pipeline.inputs import as_paths
from topicweave.pipeline.records import Part
from topicweave.pipeline.table import Table, open_table

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from pyspark.sql import Column, DataFrame, SparkSession

    from topicweave.content.prices import Prices

USER, ATTRIBUTE, LOW, HIGH = "user", "attribute", "low", "high"
CHANNEL = "channel"
EMPTY_RANGE = "low is above high"
UNKNOWN_ATTRIBUTE = "attribute that publications do not have"
_CELLS = 4096  # of the table that finds a value's interval
_ACCURACY = 10_000  # of approximate quantiles: an error of a ten-thousandth of the rows


def not_a_number(name: str) -> str:
    return f"{name} is not a finite number"


def negative(name: str) -> str:
    return f"{name} is negative"


@dataclass(frozen=True)
class Publications:
    """A log of publications: ``user``, one column for each attribute, and optionally ``bytes`` and ``time``.

    Attributes
    ----------
    table
        Where they are.
    attributes
        The columns by which channels are cut; more than one make a grid.
    """

    table: Table
    attributes: tuple[str, ...] = ("value",)


@dataclass(frozen=True)
class Traffic:
    """What the logs come to.

    Attributes
    ----------
    users
        Everybody who publishes or subscribes, sorted.
    channels
        The cuts.
    publish, subscribe
        Users × channels: rates (amount per unit of time), and who wants what.
    parts, counts
        The two logs, and where their rows went.
    duration
        The time between the first and the last publication; 1 where the log has no time.
    """

    users: tuple[str, ...]
    channels: Channels
    publish: NDArray[np.float64] = field(repr=False)
    subscribe: NDArray[np.bool_] = field(repr=False)
    parts: tuple[Part, ...] = field(repr=False)
    counts: tuple[Counts, ...]
    duration: float

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
        """Join the traffic with prices from a latency matrix.

        Parameters
        ----------
        prices
            Between places.
        brokers
            The places that have a broker.
        places
            Where each user is; without it, users are called like their places.
        capacity
            Of every broker, or one each; without it, all have the same, together ``spare`` times the demand.
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
        if capacity is not None:
            return free
        return free.replace(capacity=max(spare * float(free.need.sum()) / len(brokers), float(free.need.max())))


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
    """Turn logs into rates and subscriptions by channel.

    Parameters
    ----------
    spark
        The session.
    publications
        Who published what.
    subscriptions
        Ranges: ``user``, ``attribute``, ``low``, ``high``; an attribute a user does not name is wanted whole, several
        ranges of one attribute are alternatives.
    num_channels, scale
        How many intervals each attribute is cut into, of equal ``"width"`` or of equal ``"mass"``.
    cuts
        The borders themselves, for each attribute, instead.
    max_bad_fraction
        The share of bad rows of a log up to which the good ones are used.
    """
    check_max_bad_fraction(max_bad_fraction)
    with spark_failures(publications.table.name):
        typed = _open_typed(spark, publications.table, (USER,), publications.attributes, (BYTES, TIME))
        published = replace(typed, rows=_with_reasons(typed.rows, publications))
        channels = Channels(cuts) if cuts is not None else _cut(typed.rows, publications, num_channels, scale)
        missing = [name for name in channels.attributes if name not in publications.attributes]
        if missing:
            raise ParameterError(
                f"Cuts are given for {missing[0]!r}, which is none of {', '.join(publications.attributes)}."
            )
        grouped = _aggregate(typed, publications, channels)
    counts = _counts(grouped)
    published.check(counts, max_bad_fraction)
    with spark_failures(subscriptions.name):
        wanted, ranges, wanted_counts = _subscriptions(spark, subscriptions, channels)
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
    for user, wishes in ranges.items():
        subscribe[number[user]] = _wanted_channels(channels, wishes)
    return Traffic(users, channels, publish, subscribe, (published, wanted), (counts, wanted_counts), duration)


# ---- publications -----------------------------------------------------------------------------------------------


def _is_plainly_good(publications: Publications) -> Column:
    """True for rows that need no closer look; others, null included, may still be good."""
    user = F.col(USER)
    plain = F.col(REASON).isNull() & (F.octet_length(user) <= MAX_LABEL_LENGTH)
    plain = plain & (user >= F.lit("!")) & (user < F.lit("\u007f")) & F.is_valid_utf8(user)
    for name in publications.attributes:
        plain = plain & _is_finite(F.col(name))
    amount = F.col(BYTES)
    plain = plain & (amount.isNull() | ((amount >= 0) & _is_finite(amount)))
    return plain & ~F.col(f"{BYTES} is bad") & ~F.col(f"{TIME} is bad")


def _is_finite(value: Column) -> Column:
    """Spark holds NaN for larger than everything, so one comparison on either side will do."""
    return (value > float("-inf")) & (value < float("inf"))


def _with_reasons(rows: DataFrame, publications: Publications) -> DataFrame:
    """Every row with the reason why it cannot be used, or none."""
    rows = tag(rows, (USER,))
    reason = F.when(F.col(REASON).isNotNull(), F.col(REASON))
    for name in publications.attributes:
        reason = reason.when(~F.coalesce(_is_finite(F.col(name)), F.lit(False)), not_a_number(name))
    amount = F.col(BYTES)
    reason = reason.when(F.col(f"{BYTES} is bad") | ~_is_finite(amount), not_a_number(BYTES)).when(
        amount < 0, negative(BYTES)
    )
    return rows.withColumn(REASON, reason.when(F.col(f"{TIME} is bad"), reasons.BAD_TIME))


def _open_typed(
    spark: SparkSession, table: Table, labels: Sequence[str], numbers: Sequence[str], optional: Sequence[str]
) -> Part:
    """Labels as strings, the rest as doubles; of an optional column a flag says where it holds what is no number.

    Columns that Spark knows to be numbers are taken as they are: by way of text, they would cost more than the rest.
    """
    opened = open_table(spark, table, (*labels, *numbers), optional=optional)
    rows = opened.rows
    typed: dict[str, Column] = {}
    schema: Mapping[str, T.DataType] = {}
    if opened.format not in formats.TEXT_FORMATS:
        frame = _frame(spark, table, opened.format)
        schema = {name: frame.schema[name].dataType for name in frame.columns}
        source = {name: table.columns.get(name, name) for name in (*labels, *numbers, *optional)}
        names = {n: frame.columns[c] if isinstance(c, int) else c for n, c in source.items()}
        is_number = all(
            isinstance(schema[names[name]], T.NumericType | T.TimestampType)
            for name in (*numbers, *optional)
            if names[name] in schema
        )
        if is_number:
            has_files = opened.format in formats.FILE_FORMATS
            whole = F.to_json(F.struct(*(F.col(f"`{column}`") for column in frame.columns)))
            columns = [F.col(f"`{names[name]}`").cast("string").alias(name) for name in labels]
            columns += [F.col(f"`{names[name]}`").cast("double").alias(name) for name in numbers]
            for name in optional:
                present = (
                    F.col(f"`{names[name]}`").cast("double") if names[name] in schema else F.lit(None).cast("double")
                )
                columns += [present.alias(name), F.lit(False).alias(f"{name} is bad")]
            columns += [
                whole.alias(LINE),
                (F.col("_metadata.file_path") if has_files else F.lit(table.name)).alias(FILE),
                F.lit(None).cast("string").alias(REASON),
            ]
            return Part("publications", table.name, frame.select(*columns), opened.files, opened.has_header)
    for name in numbers:
        typed[name] = F.col(name).try_cast("double")
    for name in optional:
        as_number = F.col(name).try_cast("double")
        if name == TIME:
            as_number = F.coalesce(as_number, F.col(name).try_cast("timestamp").cast("double"))
        typed[name] = as_number
        typed[f"{name} is bad"] = F.col(name).isNotNull() & (F.col(name) != "") & as_number.isNull()
    return Part("publications", table.name, rows.withColumns(typed), opened.files, opened.has_header)


def _frame(spark: SparkSession, table: Table, kind: str) -> DataFrame:
    from pyspark.sql import DataFrame

    if isinstance(table.path, DataFrame):
        return table.path
    if kind == formats.TABLE:
        return spark.table(as_paths(table.path)[0])
    return spark.read.format(kind).options(**table.options).load(as_paths(table.path))


def _cut(rows: DataFrame, publications: Publications, count: int | Mapping[str, int], scale: str) -> Channels:
    """Cut every attribute's span; one pass for all of them."""
    if scale not in SCALES:
        raise ParameterError(f"There is no scale {scale!r}; choose one of: {', '.join(SCALES)}.")
    number = {name: count[name] if isinstance(count, Mapping) else count for name in publications.attributes}
    wanted: list[Column] = []
    for name, pieces in number.items():
        if pieces < 1:
            raise ParameterError(f"There must be at least one channel, but {pieces!r} were asked for {name!r}.")
        value = F.when(_is_finite(F.col(name)), F.col(name))
        if scale == "width":
            wanted += [F.min(value), F.max(value)]
        else:
            shares = np.linspace(0, 1, pieces + 1).tolist()
            wanted.append(F.percentile_approx(value, shares, _ACCURACY))
    found = list(rows.where(F.col(REASON).isNull()).select(*wanted).first() or ())
    if any(value is None for value in found):
        raise ReadError(f"There is no usable publication in {publications.table.name}; check its columns.")
    if scale == "width":
        spans = zip(found[::2], found[1::2], strict=True)
        return Channels({name: equal_width(*span, number[name]) for name, span in zip(number, spans, strict=True)})
    return Channels({name: merged(borders) for name, borders in zip(number, found, strict=True)})


def channel_column(channels: Channels) -> Column:
    """The number of a row's channel: the same as :meth:`Channels.numbers`, as an expression."""
    number = F.lit(0)
    for name, borders in channels.edges.items():
        number = number * (len(borders) - 1) + _interval(F.col(name), np.asarray(borders))
    return number


def _interval(value: Column, borders: NDArray[np.float64]) -> Column:
    """How many inner borders are not above the value.

    A table over small cells of equal width gives the borders before the value's cell; those inside it are compared.
    A search by nested choices would do as well, but the code Spark makes of it is too long for Java to compile.
    """
    inner, low, width = borders[1:-1], borders[0], borders[-1] - borders[0]
    if not len(inner):
        return F.lit(0)
    # The cell of a border is computed exactly as that of a value, so that rounding puts neither before the other.
    cells = np.clip(np.floor((inner - low) / width * _CELLS), 0, _CELLS - 1).astype(np.int64)
    before = np.searchsorted(cells, np.arange(_CELLS), side="left")
    most = int(np.bincount(cells).max())
    cell = F.least(F.greatest(F.floor((value - low) / width * _CELLS), F.lit(0)), F.lit(_CELLS - 1)).cast("int")
    first = F.get(F.lit(before.tolist()), cell)
    found = first
    padded = F.lit([*inner.tolist(), *[float("inf")] * most])
    for step in range(most):
        found = found + (value >= F.get(padded, first + step)).cast("int")
    return found


def _aggregate(part: Part, publications: Publications, channels: Channels) -> list[dict[str, Any]]:
    """One row for each (user, channel), and for each reason.

    Almost every row is plainly good; those are summed up in one pass with little code to it. Only where some are not,
    the rest is looked at closely.
    """
    plain = _is_plainly_good(publications)
    good = _summed(part.rows.where(plain).withColumn(REASON, F.lit(None).cast("string")), channels)
    # of columnar files the number of rows is known without reading them
    knows_number = bool(part.files) and all(file.path.endswith((".parquet", ".orc")) for file in part.files)
    if knows_number and part.rows.count() == sum(row["rows"] for row in good):
        return good
    rest = _with_reasons(part.rows.where(~F.coalesce(plain, F.lit(False))), publications)
    together: dict[tuple[Any, ...], dict[str, Any]] = {}
    for row in (*good, *_summed(rest, channels)):
        key = row[USER], row[CHANNEL], row[REASON]
        known = together.get(key)
        if known is None:
            together[key] = row
            continue
        known["amount"] += row["amount"]
        known["rows"] += row["rows"]
        for name, choose in (("first", min), ("last", max)):
            times = [time for time in (known[name], row[name]) if time is not None]
            known[name] = choose(times) if times else None
    return list(together.values())


def _summed(rows: DataFrame, channels: Channels) -> list[dict[str, Any]]:
    is_good = F.col(REASON).isNull()
    grouped = (
        rows.select(
            F.when(is_good, F.col(USER)).alias(USER),
            F.when(is_good, channel_column(channels)).alias(CHANNEL),
            REASON,
            F.coalesce(F.col(BYTES), F.lit(1.0)).alias("amount"),
            TIME,
        )
        .groupBy(USER, CHANNEL, REASON)
        .agg(
            F.sum("amount").alias("amount"),
            F.count("*").alias("rows"),
            F.min(TIME).alias("first"),
            F.max(TIME).alias("last"),
        )
    )
    return [dict(row) for row in grouped.toArrow().to_pylist()]


def _counts(grouped: Sequence[Mapping[str, Any]]) -> Counts:
    by_reason: Counter[str | None] = Counter()
    for row in grouped:
        by_reason[row[REASON]] += row["rows"]
    return Counts.from_reasons(by_reason)


# ---- subscriptions ----------------------------------------------------------------------------------------------

Ranges = dict[str, list[tuple[str, float, float]]]


def _subscriptions(spark: SparkSession, table: Table, channels: Channels) -> tuple[Part, Ranges, Counts]:
    """The ranges of each user; there are as many as users and wishes, which the driver holds anyway."""
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
    part = Part("subscriptions", table.name, rows, opened.files, opened.has_header)
    found: Ranges = {}
    by_reason: Counter[str | None] = Counter()
    for row in rows.select(USER, ATTRIBUTE, LOW, HIGH, REASON).toArrow().to_pylist():
        by_reason[row[REASON]] += 1
        if row[REASON] is None:
            found.setdefault(row[USER], []).append((row[ATTRIBUTE], row[LOW], row[HIGH]))
    return part, found, Counts.from_reasons(by_reason)


def _wanted_channels(channels: Channels, wishes: Sequence[tuple[str, float, float]]) -> NDArray[np.bool_]:
    """Several ranges of one attribute are alternatives; those of different attributes must all hold."""
    wanted = np.ones(channels.num_channels, dtype=bool)
    for name in channels.attributes:
        mine = [channels.covering({name: (low, high)}) for attribute, low, high in wishes if attribute == name]
        if mine:
            wanted &= np.logical_or.reduce(mine)
    return wanted

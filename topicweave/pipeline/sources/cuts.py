"""Divides the values of publications into channels on Spark: the borders are computed from the log, and a Spark
expression gives the channel of each row.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np
from pyspark.sql import functions as F

from topicweave.columns import REASON
from topicweave.content import Channels
from topicweave.content.channels import SCALES, equal_width, merged
from topicweave.errors import ParameterError, ReadError
from topicweave.parameters import check_choice, check_whole

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray
    from pyspark.sql import Column, DataFrame

_CELLS = 4096  # number of cells in the table that finds the interval of a value
_ACCURACY = 10_000  # accuracy of approximate quantiles: they are off by at most a ten-thousandth of the rows


def check_cuts(
    attributes: Sequence[str], count: int | Mapping[str, int], scale: str, cuts: Mapping[str, Sequence[float]] | None
) -> None:
    """Raise an error if channels cannot be made in this way, as far as that can be known without reading the log."""
    check_choice("scale", scale, SCALES)
    if cuts is not None:
        unknown = [name for name in Channels(cuts).attributes if name not in attributes]
        if unknown:
            raise ParameterError(f"Cuts are given for {unknown[0]!r}, which is none of {', '.join(attributes)}.")
        return
    for name in attributes:
        if isinstance(count, Mapping) and name not in count:
            raise ParameterError(f"The number of channels of attribute {name!r} was not given; add it.")
        check_whole("channels", count[name] if isinstance(count, Mapping) else count, 1)


def cut_channels(
    rows: DataFrame, name_of_log: str, attributes: Sequence[str], count: int | Mapping[str, int], scale: str
) -> Channels:
    """Divide the range of each attribute into intervals, with a single pass over the log for all attributes."""
    number = {name: count[name] if isinstance(count, Mapping) else count for name in attributes}
    wanted: list[Column] = []
    for name, pieces in number.items():
        value = F.when(is_finite(F.col(name)), F.col(name))
        if scale == "width":
            wanted += [F.min(value), F.max(value)]
        else:
            shares = np.linspace(0, 1, pieces + 1).tolist()
            wanted.append(F.percentile_approx(value, shares, _ACCURACY))
    found = list(rows.where(F.col(REASON).isNull()).select(*wanted).first() or ())
    if any(value is None for value in found):
        raise ReadError(f"There is no usable publication in {name_of_log}; check its columns.")
    if scale == "width":
        spans = zip(found[::2], found[1::2], strict=True)
        return Channels({name: equal_width(*span, number[name]) for name, span in zip(number, spans, strict=True)})
    return Channels({name: merged(borders) for name, borders in zip(number, found, strict=True)})


def channel_column(channels: Channels) -> Column:
    """The channel number of a row as a Spark expression; it gives the same number as :meth:`Channels.numbers`."""
    number = F.lit(0)
    for name, borders in channels.edges.items():
        number = number * (len(borders) - 1) + _interval(F.col(name), np.asarray(borders))
    return number


def _interval(value: Column, borders: NDArray[np.float64]) -> Column:
    """How many inner borders are less than or equal to the value, as a Spark expression.

    The range is divided into small cells of equal width. A table gives the number of borders before the value's cell;
    the borders inside the cell are compared with the value. Nested conditions would also work, but the code that Spark
    generates from them is too long for Java to compile.
    """
    inner, low, width = borders[1:-1], borders[0], borders[-1] - borders[0]
    if not len(inner):
        return F.lit(0)
    # The cell of a border is computed exactly like that of a value, so that rounding cannot change their order.
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


def is_finite(value: Column) -> Column:
    """Whether a value is finite; Spark treats NaN as larger than everything, so comparing with the limits is enough."""
    return (value > float("-inf")) & (value < float("inf"))

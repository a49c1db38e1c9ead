"""Channels: the values that publications can have, divided into intervals of one attribute or cells of a grid (CONTENT
§IV-A).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise, product
from typing import TYPE_CHECKING, Any

import numpy as np

from topicweave.errors import InputError, ParameterError
from topicweave.parameters import (
    check_choice,
    check_count,
    check_fits,
    check_kind,
    check_number,
    whole_numbers,
)

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

SCALES = ("width", "mass")


@dataclass(frozen=True)
class Channels:
    """A grid over the attributes of publications; each of its cells is a channel.

    Attributes
    ----------
    edges
        For each attribute the borders of its intervals in ascending order, one more than there are intervals. An
        interval includes its lower border; values beyond the first or last border belong to the first or last interval.

    Examples
    --------
    >>> channels = Channels({"price": (0, 10, 20), "volume": (0, 100, 200)})
    >>> channels.labels[:2]
    ('price 0..10, volume 0..100', 'price 0..10, volume 100..200')
    >>> channels.numbers({"price": [3, 15], "volume": [150, 20]}).tolist()
    [1, 2]
    """

    edges: Mapping[str, Sequence[float]]

    def __post_init__(self) -> None:
        check_kind(self.edges, Mapping, "Channels need a mapping of attribute to borders", "give a dictionary")
        if not self.edges:
            raise InputError("Channels need at least one attribute.")
        edges = {}
        for attribute, borders in self.edges.items():
            values = _numbers_of(attribute, borders)
            if len(values) < 2 or not np.isfinite(values).all() or np.any(np.diff(values) <= 0):
                raise InputError(
                    f"The borders of attribute {attribute!r} must be at least two numbers in ascending order, "
                    f"but are {values.tolist()!s:.200}."
                )
            edges[attribute] = tuple(values.tolist())
        object.__setattr__(self, "edges", edges)

    @classmethod
    def from_values(
        cls, values: Mapping[str, ArrayLike], count: int | Mapping[str, int], scale: str = "width"
    ) -> Channels:
        """Divide the range of each attribute into intervals of equal width, or into intervals that hold equally many
        values.
        """
        _check_by_attribute(values)
        check_choice("scale", scale, SCALES)
        edges = {}
        for attribute, given in values.items():
            if isinstance(count, Mapping) and attribute not in count:
                raise ParameterError(f"The number of channels of attribute {attribute!r} was not given; add it.")
            number = _count_of(count[attribute] if isinstance(count, Mapping) else count)
            found = _numbers_of(attribute, given)
            if not len(found):
                raise InputError(f"There is no value of attribute {attribute!r} to make channels from.")
            if scale == "width":
                edges[attribute] = equal_width(float(found.min()), float(found.max()), number)
            else:
                edges[attribute] = merged(np.quantile(found, np.linspace(0, 1, number + 1)))
        return cls(edges)

    @property
    def attributes(self) -> tuple[str, ...]:
        return tuple(self.edges)

    @property
    def shape(self) -> tuple[int, ...]:
        """The number of intervals per attribute."""
        return tuple(len(borders) - 1 for borders in self.edges.values())

    @property
    def num_channels(self) -> int:
        return int(np.prod(self.shape))

    @property
    def labels(self) -> tuple[str, ...]:
        """The labels of all channels; the last attribute varies fastest."""
        parts = [
            [f"{name} {low:g}..{high:g}" for low, high in pairwise(borders)] for name, borders in self.edges.items()
        ]
        found = [", ".join(cell) for cell in product(*parts)]
        if len(set(found)) < len(found):  # some borders are so close together that they look equal with six digits
            found = [f"{label} #{number}" for number, label in enumerate(found)]
        return tuple(found)

    def numbers(self, values: Mapping[str, ArrayLike]) -> NDArray[np.int64]:
        """The channel number of each publication, given its value of every attribute."""
        _check_by_attribute(values)
        number = np.zeros(1, dtype=np.int64)
        for name, borders in self.edges.items():
            if name not in values:
                raise InputError(f"The publications have no attribute {name!r}, by which channels are divided.")
            found = _numbers_of(name, values[name])
            if len(number) not in (1, len(found)):
                raise InputError(
                    f"Attribute {name!r} has {len(found):,} values, but others have {len(number):,}; give one for each "
                    f"publication."
                )
            number = number * (len(borders) - 1) + np.searchsorted(borders[1:-1], found, side="right")
        return np.asarray(number)

    def covering(self, ranges: Mapping[str, tuple[float, float]]) -> NDArray[np.bool_]:
        """The channels that a subscription needs: those that overlap its ranges.

        Attributes without a range match everywhere.
        """
        wanted = np.ones(1, dtype=bool)
        for name, borders in self.edges.items():
            inner = np.asarray(borders[1:-1])
            touched = np.ones(len(borders) - 1, dtype=bool)
            if name in ranges:
                low, high = ranges[name]
                number = np.arange(len(borders) - 1)
                first, last = np.searchsorted(inner, [low, high], side="right")
                touched = (number >= first) & (number <= last)
            wanted = np.logical_and.outer(wanted, touched).ravel()
        return np.asarray(wanted)


def equal_width(low: float, high: float, count: int) -> tuple[float, ...]:
    """The borders of intervals of equal width; if all values are equal, there is one interval around them."""
    return tuple(np.linspace(low, high, _count_of(count) + 1)) if high > low else (low, low + 1.0)


def _count_of(given: Any) -> int:
    count = check_count("count", given)
    check_fits(f"The borders of {count:,} channels", 32 * count, "ask for fewer")
    return count


def _check_by_attribute(values: Any) -> None:
    if not hasattr(values, "items"):  # neither a dictionary nor a data frame
        raise InputError(
            f"Channels need a mapping of attribute to values, but got a {type(values).__name__}; give a dictionary."
        )


def _numbers_of(attribute: str, given: Any) -> NDArray[np.float64]:
    try:
        values = np.asarray(given, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        values = np.empty(())
    if values.ndim != 1:
        raise InputError(
            f"Attribute {attribute!r} needs a list of numbers, but got a {type(given).__name__} ({given!r:.60}); "
            f"give numbers."
        )
    return values


def merged(borders: ArrayLike) -> tuple[float, ...]:
    """Remove duplicate borders, which occur if one value is so frequent that it would fill more than one interval."""
    distinct = np.unique(np.asarray(borders, dtype=np.float64))
    return tuple(distinct) if len(distinct) > 1 else (float(distinct[0]), float(distinct[0]) + 1.0)


def summarize(
    users: ArrayLike,
    values: Mapping[str, ArrayLike],
    channels: Channels,
    *,
    num_users: int,
    amounts: ArrayLike | None = None,
    duration: float = 1.0,
) -> NDArray[np.float64]:
    """Turn publications into rates: how often each user publishes in each channel (users × channels).

    Parameters
    ----------
    users
        The number of the user who published each publication.
    values
        The attributes of each publication.
    channels
        The channels.
    num_users
        Number of users.
    amounts
        The weight of each publication (its bytes); 1 by default.
    duration
        The time that the publications span, by which amounts are divided.
    """
    check_kind(channels, Channels, "summarize() needs Channels", "cut them with Channels.from_values")
    num_users = check_count("num_users", num_users)
    if not check_number("duration", duration, 0, is_finite=True) > 0:
        raise ParameterError(f"The publications must span some time, but duration is {duration!r}.")
    numbers = whole_numbers(users, "The numbers of the users who publish", 1)
    if np.any((numbers < 0) | (numbers >= num_users)):
        raise InputError(
            f"Users are numbered from 0 to {num_users - 1:,}, but {int(numbers.min()):,} to {int(numbers.max()):,} "
            f"publish; give num_users as it is."
        )
    channel = channels.numbers(values)
    weights = np.ones(len(numbers)) if amounts is None else _numbers_of("amounts", amounts)
    if not len(numbers) == len(channel) == len(weights):
        raise InputError(
            f"There are {len(numbers):,} users, {len(channel):,} values and {len(weights):,} amounts; "
            f"give one of each for every publication."
        )
    check_fits(f"Rates of {num_users:,} users", 8 * num_users * channels.num_channels, "give fewer users or channels")
    count = channels.num_channels
    rates = np.bincount(numbers * count + channel, weights, minlength=num_users * count)
    return rates.reshape(num_users, count) / duration

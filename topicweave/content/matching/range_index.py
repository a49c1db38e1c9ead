"""RangeIndex: an index that finds all subscriptions matching a publication."""

from __future__ import annotations

from typing import TYPE_CHECKING, Generic, TypeVar

import numpy as np

from topicweave.content.matching.ranges import as_point, as_ranges
from topicweave.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from numpy.typing import NDArray

    from topicweave.content.matching.ranges import Ranges

Key = TypeVar("Key")

MOST_SLABS = 256  # the most slabs into which an attribute is divided; each takes one bit of memory per subscription
_FIRST_SLOTS = 64
_SORTED = 8  # one may be added for this many sorted subscriptions before the next match sorts them all again
_MISSING = float("nan")
# subscriptions are sorted by the upper 6 bits of the rank of their centre in each attribute, so by 64 steps
_LEVELS = 6


class RangeIndex(Generic[Key]):
    """Subscriptions under keys that the caller chooses; each subscription is a conjunction of ranges over attributes.

    With n subscriptions over d attributes, a match reads d·n/4096 words of the summaries, and d words for each group of
    64 neighbouring subscriptions that the summaries leave; it then compares the publication with the subscriptions that
    these words leave: the ones that match, and few others. Adding and removing touch a bit for each of at most 256
    slabs per attribute. When an attribute is new, the number of subscriptions has doubled, or one in nine is new since
    they were sorted, they are sorted again, so that neighbours have similar ranges, and slabs are chosen so that about
    equally many ranges end in each.

    Examples
    --------
    >>> index = RangeIndex()
    >>> index.add("ann", {"price": (0, 10), "volume": (100, None)})
    >>> index.add("bob", {"price": (5, 20)})
    >>> sorted(index.match({"price": 7, "volume": 500}))
    ['ann', 'bob']
    >>> index.match({"price": 7})
    ['bob']
    """

    def __init__(self) -> None:
        from topicweave.kernels.content.ranges import matching

        self._matching = matching  # imported once, because importing it at every match would take longer than the match
        self._slots: dict[Key, int] = {}
        self._num_slots = 0  # number of slots used since the last sort, including those that have become free
        self._free: list[int] = []
        self._attributes: dict[str, int] = {}
        self._ends = np.empty((0, 0, 2))
        self._resize(_FIRST_SLOTS, ())

    def __len__(self) -> int:
        return len(self._slots)

    def __contains__(self, key: Key) -> bool:
        return key in self._slots

    def add(self, key: Key, ranges: Ranges) -> None:
        """Add a subscription; ranges include both ends, and ``None`` means that there is no limit."""
        from topicweave.kernels.content.ranges import mark

        if key in self._slots:
            raise InputError(f"There is a subscription under the key {key!r:.80} already; remove it first.")
        checked = as_ranges(ranges)
        new = [attribute for attribute in checked if attribute not in self._attributes]
        is_full = not self._free and self._num_slots == len(self._ends)
        if new or is_full:
            self._resize(max(_FIRST_SLOTS, 2 * len(self._slots)), new)
        if not self._free:
            self._free.append(self._num_slots)
            self._num_slots += 1
        slot = self._free.pop()
        self._num_unsorted += 1
        self._keys[slot], self._slots[key] = key, slot
        self._ends[slot] = -np.inf, np.inf
        for attribute, ends in checked.items():
            self._ends[slot, self._attributes[attribute]] = ends
        mark(self._bitmaps, self._summary, self._borders, self._ends, slot, True)

    def remove(self, key: Key) -> None:
        """Remove a subscription."""
        from topicweave.kernels.content.ranges import mark

        slot = self._slots.pop(key, None)
        if slot is None:
            raise InputError(f"There is no subscription under the key {key!r:.80}.")
        mark(self._bitmaps, self._summary, self._borders, self._ends, slot, False)
        self._keys[slot] = None
        self._free.append(slot)

    def match(self, content: Mapping[str, float]) -> list[Key]:
        """The keys of all subscriptions that match a publication with these values of its attributes."""
        if self._num_unsorted > self._most_unsorted:
            self._resize(len(self._ends), ())
        point = self._point
        try:
            for attribute, number in self._attributes.items():
                point[number] = content.get(attribute, _MISSING)
        except (TypeError, ValueError, AttributeError, OverflowError):
            as_point(content)  # says what is wrong
            raise
        count = self._matching(*self._arrays)
        if not count:
            return []
        found: list[Key] = self._keys[self._found[:count]].tolist()
        return found

    @property
    def attributes(self) -> tuple[str, ...]:
        """The attributes that subscriptions have used so far."""
        return tuple(self._attributes)

    def _resize(self, capacity: int, new: Iterable[str]) -> None:
        """Make room for more subscriptions or attributes, sort the subscriptions, and choose the slabs again."""
        from topicweave.kernels.content.ranges import mark_all

        width = len(self._attributes)
        for attribute in new:
            self._attributes[attribute] = len(self._attributes)
        columns = max(len(self._attributes), 1)
        keys = list(self._slots)
        kept = np.full((len(keys), columns, 2), (-np.inf, np.inf))
        if keys and width:
            kept[:, :width] = self._ends[list(self._slots.values()), :width]
        order = _near_each_other(kept)
        self._ends = np.full((capacity, columns, 2), (-np.inf, np.inf))
        self._ends[: len(keys)] = kept[order]
        self._slots = {keys[number]: slot for slot, number in enumerate(order.tolist())}
        self._keys = np.empty(capacity, dtype=object)
        for key, slot in self._slots.items():
            self._keys[slot] = key
        self._num_slots, self._free = len(keys), []
        self._num_unsorted, self._most_unsorted = 0, max(_FIRST_SLOTS, len(keys) // _SORTED)
        self._borders = _borders(kept)
        words = (capacity + 63) // 64
        shape = columns, self._borders.shape[1] + 2
        self._bitmaps = np.zeros((*shape, words), dtype=np.uint64)
        self._summary = np.zeros((*shape, (words + 63) // 64), dtype=np.uint64)
        mark_all(self._bitmaps, self._summary, self._borders, self._ends, len(keys))
        self._found = np.empty(capacity, dtype=np.int64)
        self._point = np.full(columns, np.nan)
        self._arrays = self._bitmaps, self._summary, self._borders, self._ends, self._point, self._found


def _near_each_other(ends: NDArray[np.float64]) -> NDArray[np.int64]:
    """An order in which subscriptions with similar ranges are neighbours: along a space-filling curve (Morton order of
    the ranks of their centres).
    """
    count, columns = ends.shape[:2]
    code = np.zeros(count, dtype=np.uint64)
    used = range(min(columns, 64 // _LEVELS))
    for number in used:
        low, high = ends[:, number, 0], ends[:, number, 1]
        finite = ends[:, number][np.isfinite(ends[:, number])]
        least, most = (finite.min(), finite.max()) if len(finite) else (0.0, 0.0)
        centre = np.clip(low, least, most) / 2 + np.clip(high, least, most) / 2
        rank = np.argsort(np.argsort(centre, kind="stable"), kind="stable").astype(np.uint64)
        step = rank * np.uint64(2**_LEVELS) // np.uint64(max(count, 1))
        for level in range(_LEVELS):
            bit = (step >> np.uint64(level)) & np.uint64(1)
            code |= bit << np.uint64(level * len(used) + number)
    return np.argsort(code, kind="stable")


def _borders(ends: NDArray[np.float64]) -> NDArray[np.float64]:
    """The borders of the slabs of each attribute, chosen so that about equally many ranges end in each slab."""
    columns = ends.shape[1]
    num_borders = min(MOST_SLABS, max(len(ends) // 4, 1)) - 1
    borders = np.full((columns, num_borders), np.inf)
    for number in range(columns):
        finite = ends[:, number][np.isfinite(ends[:, number])]
        if len(finite):
            borders[number] = np.quantile(finite, np.linspace(0, 1, num_borders + 2)[1:-1])
    return borders

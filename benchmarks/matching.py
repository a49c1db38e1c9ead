"""Speed of matching by content: the index of range subscriptions against a NumPy comparison with all of them."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from benchmarks.checks import Row, at_least
from topicweave.content.matching import RangeIndex

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from benchmarks.lab import Demand, Lab

ATTRIBUTES = "price", "volume", "change"
ROUNDS, SCANS, MATCHES = 5, 100, 2_000


@dataclass(frozen=True)
class Matching:
    """CPU time of a comparison of one publication with all subscriptions by NumPy (six comparisons of columns), divided
    by that of the index; the fastest of several alternating rounds counts for both.

    Ranges begin anywhere in [0, 1] and are up to 2 × ``width`` wide.
    """

    width: float
    num_subscriptions: int = 100_000
    bar: float | None = None

    def demands(self) -> Sequence[Demand]:
        return []

    def rows(self, lab: Lab) -> Iterator[Row]:
        count = 2_000 if lab.quick else self.num_subscriptions
        rng = np.random.default_rng(0)
        low = rng.random((len(ATTRIBUTES), count))
        high = low + rng.random(low.shape) * 2 * self.width
        index: RangeIndex[int] = RangeIndex()
        lab.tell(f"{count:,} subscriptions")
        for key, (starts, ends) in enumerate(zip(low.T.tolist(), high.T.tolist(), strict=True)):
            index.add(key, dict(zip(ATTRIBUTES, zip(starts, ends, strict=True), strict=True)))
        points = rng.random((MATCHES, len(ATTRIBUTES))).tolist()
        contents = [dict(zip(ATTRIBUTES, point, strict=True)) for point in points]

        def scan() -> int:
            found = 0
            for point in points[:SCANS]:
                inside = np.ones(count, dtype=bool)
                for value, start, end in zip(point, low, high, strict=True):
                    inside &= (start <= value) & (value <= end)
                found += len(np.flatnonzero(inside))
            return found

        def match() -> int:
            return sum(len(index.match(content)) for content in contents)

        index.match(contents[0])
        seconds: dict[Callable[[], Any], list[float]] = {scan: [], match: []}
        found = 0
        for _ in range(ROUNDS):
            for call, spent in seconds.items():
                start = time.process_time()
                found = call()
                spent.append(time.process_time() - start)
        lab.tell(None)
        ours, theirs = min(seconds[match]) / MATCHES, min(seconds[scan]) / SCANS
        what = f"NumPy scan / index: {count:,} subscriptions, {found / MATCHES:.1f} of them match"
        bar = None if self.bar is None else at_least(self.bar)
        yield Row(what, theirs / ours, bar=bar, detail=f"{1e6 * theirs:.1f} µs / {1e6 * ours:.1f} µs")

"""Start-up: how long the import takes, and whether a second process has to compile anything."""

from __future__ import annotations

import statistics
import tempfile
from dataclasses import dataclass
from typing import TYPE_CHECKING

from benchmarks.checks import Row, at_least, at_most
from benchmarks.children import run_child
from benchmarks.first_result import ALGORITHMS

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from benchmarks.lab import Demand, Lab

IMPORTS = 5


@dataclass(frozen=True)
class ImportTime:
    """How many seconds ``import topicweave`` takes in a fresh process, not counting the start of Python itself."""

    def demands(self) -> Sequence[Demand]:
        return []

    def rows(self, lab: Lab) -> Iterator[Row]:
        lab.tell("import topicweave")
        found = [run_child("benchmarks.first_result", "import") for _ in range(1 if lab.quick else IMPORTS)]
        lab.tell(None)
        seconds = [one["seconds"] for one in found]
        detail = f"from {min(seconds):.3f} to {max(seconds):.3f}; numba loaded: {'yes' if found[0]['numba'] else 'no'}"
        yield Row("import topicweave", statistics.median(seconds), unit="s", bar=at_most(0.5), detail=detail)


@dataclass(frozen=True)
class SecondProcess:
    """The first process fills an empty cache of compiled kernels; the second one must only load them."""

    def demands(self) -> Sequence[Demand]:
        return []

    def rows(self, lab: Lab) -> Iterator[Row]:
        lab.tell("first result in a first and in a second process")
        if lab.quick:  # use the existing cache, because compiling all again would take longer than the rest of the run
            first, second = (run_child("benchmarks.first_result", "design") for _ in range(2))
        else:
            with tempfile.TemporaryDirectory() as folder:
                cache = {"NUMBA_CACHE_DIR": folder}
                first, second = (run_child("benchmarks.first_result", "design", environment=cache) for _ in range(2))
        lab.tell(None)
        algorithms = " and ".join(ALGORITHMS)
        yield Row(
            f"second process, {algorithms}: kernels compiled",
            second["compiled"],
            unit="",
            bar=at_most(0),
            detail=f"first process: {first['compiled']}",
        )
        yield Row(
            f"second process, {algorithms}: kernels read from the cache",
            second["cache_hits"],
            unit="",
            bar=at_least(1),
            detail=f"first process: {first['cache_hits']}",
        )
        yield Row(
            f"second process, {algorithms}: import to results",
            second["seconds"],
            unit="s",
            detail=f"first process: {first['seconds']:.2f} s",
        )

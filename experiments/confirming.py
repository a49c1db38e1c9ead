"""Accepts results of earlier code if a random sample of them, measured again, comes out the same.

A digest changes with every change of the code, also with one that changes no result, such as a new parameter. Measuring
everything again takes hours; measuring a sample takes minutes, and shows the same unless the change concerns rare cases
only. Where times are judged, the sample must also be about as fast as before, because times may change although nothing
else does.
"""

from __future__ import annotations

import math
import random
import statistics
from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

from experiments.digest import digest_of
from experiments.results import known, load

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from pathlib import Path
    from typing import Any

    from experiments.results import Known, Published
    from experiments.run import Run


AS_FAST = 1.5
"""Times count as the same if the sample's median time is within this factor of the earlier one; other work on the
machine changes them by up to about as much.
"""


@dataclass(frozen=True)
class Group:
    """Stale results that are accepted or rejected together: the same code made them, and the same code would make them
    now.

    Attributes
    ----------
    earlier
        The stale results, by run.
    sample
        The runs to repeat.
    """

    earlier: Mapping[Run, Known]
    sample: tuple[Run, ...]

    def differing(self, folder: Path) -> list[Run]:
        """The repeated runs whose results differ from those of the earlier code; all of them if judged times have
        changed.
        """
        pairs = {run: (self.earlier[run].result, load(folder, run) or {}) for run in self.sample}
        different = [run for run, (earlier, repeated) in pairs.items() if not is_same(earlier, repeated)]
        is_judged = any(run.action.is_timed for run in self.sample)
        return list(self.sample) if not different and is_judged and not is_as_fast(pairs.values()) else different

    def accepted(self) -> dict[Run, Known]:
        """The results that were not repeated, which are accepted if no repeated one differs."""
        return {run: one for run, one in self.earlier.items() if run not in self.sample}


def stale_groups(
    runs: Iterable[Run], folder: Path, published: Published, *, share: float, least: int, seed: int = 0
) -> list[Group]:
    """Group the stale results of these runs, and draw from each group a share, but at least ``least``, to repeat."""
    groups: dict[tuple[str, bool, str, str], dict[Run, Known]] = defaultdict(dict)
    for run in runs:
        found = known(folder, run, published)
        if found is not None and found.code and found.code != digest_of(run):
            groups[type(run.action).__name__, run.action.is_timed, found.code, digest_of(run)][run] = found
    drawn = []
    for found_with, earlier in sorted(groups.items()):
        listed = sorted(earlier, key=lambda run: run.path)
        size = min(len(listed), max(least, round(share * len(listed))))
        drawn.append(Group(earlier, tuple(random.Random(f"{seed} {found_with}").sample(listed, size))))
    return drawn


def is_same(earlier: Mapping[str, Any], repeated: Mapping[str, Any]) -> bool:
    """Whether two results agree in everything but the times and the load of the machine.

    Whole numbers must be equal; others are compared with the five digits that tables have. A measure that only one of
    them has does not count: later code may measure more.
    """
    compared = [name for name in earlier.keys() & repeated.keys() if not is_time(name)]
    return bool(compared) and all(_is_equal(earlier[name], repeated[name]) for name in compared)


def is_as_fast(pairs: Iterable[tuple[Mapping[str, Any], Mapping[str, Any]]]) -> bool:
    """Whether the median time of repeated results is about that of the earlier ones."""
    ratios = [
        repeated[name] / earlier[name]
        for earlier, repeated in pairs
        for name in earlier.keys() & repeated.keys()
        if _is_positive(earlier[name]) and _is_positive(repeated[name]) and is_time(name) and name != "load"
    ]
    return not ratios or abs(math.log(statistics.median(ratios))) <= math.log(AS_FAST)


def _is_positive(value: Any) -> bool:
    return isinstance(value, int | float) and value > 0


def _is_equal(earlier: Any, repeated: Any) -> bool:
    if isinstance(repeated, list):
        pairs = zip(earlier, repeated, strict=False) if isinstance(earlier, list) else ()
        return isinstance(earlier, list) and len(earlier) == len(repeated) and all(_is_equal(*pair) for pair in pairs)
    if (
        isinstance(earlier, int | float)
        and isinstance(repeated, int | float)
        and float in (type(earlier), type(repeated))
    ):
        return earlier == repeated or f"{earlier:.5g}" == f"{repeated:.5g}"
    return bool(earlier == repeated)


def is_time(measure: str) -> bool:
    """Whether a measure differs between two runs of the same code."""
    return "seconds" in measure or "_ms" in measure or measure == "load"

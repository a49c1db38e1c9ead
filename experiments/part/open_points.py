"""Remarks made by the paper in passing: samples resemble their graphs (Figure 3), RandomA resembles RandomM, and
support converges.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from experiments.claim import Claim, Finding, graded
from experiments.designing import ask
from experiments.experiment import Experiment, Figure, grid
from experiments.part.samples import BY_BFS, CAREERS, CORNELL, FB_10K, TW_10K, WORDS
from experiments.part.workloads import LAWS, limited, workload
from experiments.plotting import curve, label
from experiments.results import mean, spread
from experiments.workload import Interested, Social, Table, Workload, interest_of

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Canvas
    from numpy.typing import NDArray

    from experiments.results import Results
    from experiments.run import Find

COUNTS = tuple(2**power for power in range(12))
WHOLE = {FB_10K: Table(CORNELL, 18_660, 18_660), TW_10K: Table(CAREERS, 12_996, 6_301)}
SIDES = ("followees", "followers")


@dataclass(frozen=True)
class Counted:
    """The share of users with at least 1, 2, 4, 8, … followees, and the same for followers (two CCDFs).

    Only users who have any are counted: a table of pairs does not list the others, so the whole graph could not count
    them.
    """

    @property
    def path(self) -> str:
        return "ccdf"

    @property
    def is_timed(self) -> bool:
        return False

    def reduced(self) -> Counted:
        return self

    def cost(self, subject: Interested) -> float:
        return 1.0

    def measure(self, subject: Interested, seed: int, find: Find) -> dict[str, Any]:
        interest = interest_of(subject, seed, find)
        by_side = {"followees": np.diff(interest.indptr), "followers": np.diff(interest.subscribers[0])}
        answer: dict[str, Any] = {}
        for side, everybody in by_side.items():
            counts = everybody[everybody > 0]
            answer[side] = [float((counts >= least).mean()) for least in COUNTS]
            answer[f"{side}_largest"] = int(counts.max())
            answer[f"{side}_mean"] = float(counts.mean())
        return answer


CCDF = Counted()


def like_the_whole(results: Results) -> Finding:
    """The largest difference between the CCDF of a sample and that of the whole graph, in percentage points.

    This is the Kolmogorov-Smirnov distance, except that the curves are compared at 1, 2, 4, 8, … only.
    """
    apart, shown = [], []
    for sample, whole in WHOLE.items():
        for side in SIDES:
            difference = np.abs(results(sample, CCDF, side) - results(whole, CCDF, side)).max(axis=1)
            apart.append(mean(difference))
            name = WORDS[sample].partition(":")[0]
            shown.append(f"{name}, {side}: {spread(100 * difference, '.1f')} points")
    reason = (
        "The graphs are other ones than the paper's (3 M and 41.7 M users), and ours are hardly larger than the "
        "samples, so this says little about samples of much larger graphs."
    )
    return Finding("; ".join(shown), graded(max(apart) <= 0.1, max(apart) <= 0.25), reason)


RANDOM_AVG, RANDOM_MAX = ask("random_avg", m=4_000), ask("random_max", d=4)


def random_alike(results: Results) -> Finding:
    gaps = {
        law: 100 * (results(_at(law), RANDOM_AVG, "support") - results(_at(law), RANDOM_MAX, "support")) for law in LAWS
    }
    shown = " / ".join(f"{law} {spread(values, '.1f')}" for law, values in gaps.items()) + " points"
    return Finding(shown, graded(max(abs(mean(v)) for v in gaps.values()) <= 3))


def _at(law: str) -> Workload:
    return workload(law, 2_000, 1_000)


SIZES = (20, 50, 80, 95, 100)
ALL_ALIKE = limited(d=1, m=500)


def _of_size(size: int) -> Workload:
    return Workload(1_000, 100, "uniform", size)


def converges(results: Results) -> Finding:
    found = {
        size: np.array([results(_of_size(size), asked, "support") for asked in ALL_ALIKE.values()]) for size in SIZES
    }
    gaps: dict[int, NDArray[np.float64]] = {size: 100 * np.ptp(values, axis=0) for size, values in found.items()}
    shown = "; ".join(f"{size} of 100 topics: {spread(gap, '.2f')}" for size, gap in gaps.items())
    falls = all(mean(a) > mean(b) for a, b in pairwise(gaps.values()))
    return Finding(f"{shown} points", graded(falls and mean(gaps[100]) == 0, mean(gaps[100]) < mean(gaps[20])))


def draw(results: Results, canvas: Canvas) -> None:
    panels = canvas.subplots(1, len(SIDES), sharey=True)
    for axes, side in zip(panels, SIDES, strict=True):
        for place, (sample, whole) in enumerate(WHOLE.items()):
            name = WORDS[sample].partition(":")[0]
            for subject, words in ((sample, name), (whole, f"all of {whole.file.partition('.')[0]}")):
                values = [100 * column for column in results(subject, CCDF, side).T]
                curve(axes, COUNTS, values, words, place, dashed=isinstance(subject, Social))
        axes.set_xscale("log")
        axes.set_yscale("log")
        label(axes, side, "users with at least as many, % of those with any", legend=axes is panels[-1])


EXPERIMENT = Experiment(
    "part-3",
    "What PART says in passing (Figure 3, §IX-D, §IX-G)",
    grid([*WHOLE, *WHOLE.values()], [CCDF])
    + grid([_at(law) for law in LAWS], [RANDOM_AVG, RANDOM_MAX])
    + grid([_of_size(size) for size in SIZES], ALL_ALIKE.values()),
    claims=(
        Claim(
            "PART-3", "The samples keep the distribution of followees and followers of the graphs they are taken from.",
            "the CCDFs differ by at most 10 points at any power of two; in shape: 25",
            f"10,000 users of facebook_cornell (18,660) and of twitter_careers (12,996){BY_BFS}", like_the_whole,
        ),
        Claim(
            "PART-4", "The difference between RandomA and RandomM is negligible.", "at most 3 points under every law",
            "2,000 nodes × 1,000 topics, sizes 20-600 with P(s) ∝ s⁻²; d=4, m=4,000; Expo, Zipf 2.0, Unif; shown: "
            "RandomA − RandomM", random_alike,
        ),
        Claim(
            "PART-8", "If all nodes subscribe to all topics, all algorithms converge to the same support.",
            "largest less smallest support of the four falls with every step and is 0 at the end; in shape: smaller at "
            "the end", "1,000 nodes × 100 topics, uniform; 20, 50, 80, 95 and 100 topics per node; d=1, m=500",
            converges,
        ),
    ),
    figures=(
        Figure(
            "part-3", "Users by followees and followers, samples (dashed) and whole graphs; as the paper's Figure 3.",
            draw, (9, 4),
        ),
    ),
)  # fmt: skip

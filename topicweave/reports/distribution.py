"""Distributions of numbers, as JSON and as text, and the Zipf law that fits them best."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from topicweave.reports.charts import ccdf
from topicweave.wording import percent

if TYPE_CHECKING:
    from numpy.typing import NDArray

MOST_POINTS = 200  # at most this many points of a distribution are written to JSON


def zipf_exponent(popularity: NDArray[np.int64]) -> float:
    """The exponent of the Zipf law that makes these subscriber counts, sorted by rank, most likely."""
    from scipy.optimize import minimize_scalar

    counts = np.sort(popularity[popularity > 0])[::-1].astype(np.float64)
    if len(counts) < 2:
        return 0.0
    ranks = np.log(np.arange(1, len(counts) + 1))
    weighted = float(counts @ ranks)
    total = float(counts.sum())

    def cost(alpha: float) -> float:
        return alpha * weighted + total * math.log(float(np.exp(-alpha * ranks).sum()))

    return float(minimize_scalar(cost, bounds=(0.0, 5.0), method="bounded").x)


def spread(values: NDArray[np.int64]) -> dict[str, Any]:
    """Mean, median, largest value and distribution (CCDF), for JSON."""
    found, share = ccdf(values)
    if len(found) > MOST_POINTS:  # choose points evenly spaced on a logarithmic axis
        places = np.unique(np.geomspace(1, len(found), MOST_POINTS).astype(np.int64) - 1)
        found, share = found[places], share[places]
    return {
        "mean": float(values.mean()) if len(values) else 0.0,
        "median": float(np.median(values)) if len(values) else 0.0,
        "largest": int(values.max(initial=0)),
        "ccdf": [[int(value), float(part)] for value, part in zip(found, share, strict=True)],
    }


def range_in_words(values: NDArray[np.int64]) -> str:
    """Mean, median and largest value, as text."""
    if not len(values):
        return "none"
    return f"{values.mean():.1f} on average, median {np.median(values):g}, at most {values.max():,}"


def shares_in_words(values: NDArray[np.int64]) -> str:
    """Some points of the distribution as text: how many values are at least 1, 3, 10, 30, … up to the largest."""
    steps = [step * 10**power for power in range(19) for step in (1, 3)]
    shown = [step for step in steps if step <= values.max(initial=0)]
    return ", ".join(f"{step:,}: {percent(float(np.mean(values >= step)))}" for step in shown) or "none"

"""Weighted draws without replacement, many rows at once.

Both ways here draw from the same distribution: one topic after another, each with probability in proportion to its
weight among those not drawn yet. They may follow each other in one row, because what comes next depends only on the
set drawn so far.

- *race*: every topic gets an exponential arrival time with its probability as rate; the first k to arrive are drawn.
  One random number per topic.
- *rounds*: draw with replacement and drop what the row already has. A few numbers per drawn topic, as long as the row
  does not already hold most of the mass.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

RACE_KEYS = 1 << 17  # arrival times held at once: a megabyte, which stays in cache
ROUND_DRAWS = 1 << 21  # draws of one block of rows in the first round
SPARSE = 20  # rounds come first when a race would make more than this many numbers per drawn topic


def draw_distinct(
    rng: np.random.Generator, probabilities: NDArray[np.float64], sizes: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Draw ``sizes[r]`` distinct topics for each row r; return the codes ``r * num_topics + topic``, rising."""
    num_topics = len(probabilities)
    if sizes.mean() * SPARSE >= num_topics:
        nothing = np.empty(0, dtype=np.int64)
        return np.sort(_race(rng, probabilities, sizes, nothing))
    cumulative = np.cumsum(probabilities)
    cumulative /= cumulative[-1]
    block = max(1, ROUND_DRAWS // int(2 * sizes.mean() + 1))
    parts = []
    for first in range(0, len(sizes), block):
        wanted = sizes[first : first + block]
        drawn = _rounds(rng, cumulative, wanted)
        missing = wanted - np.bincount(drawn // num_topics, minlength=len(wanted))
        rest = _race(rng, probabilities, missing, drawn)
        parts.append(np.sort(np.concatenate((drawn, rest))) + first * num_topics)
    return np.concatenate(parts)


def _rounds(rng: np.random.Generator, cumulative: NDArray[np.float64], sizes: NDArray[np.int64]) -> NDArray[np.int64]:
    """Draw with replacement, more each round, until a race is cheaper; return rising codes, rows perhaps not full."""
    num_topics = len(cumulative)
    codes = np.empty(0, dtype=np.int64)
    missing = sizes.copy()
    factor = 2
    while missing.any() and 4 * factor * missing[missing > 0].mean() < num_topics:
        rows = np.repeat(np.arange(len(sizes)), factor * missing)
        topics = np.searchsorted(cumulative, rng.random(len(rows)), side="right")
        found = rows * num_topics + topics
        found = found[np.sort(np.unique(found, return_index=True)[1])]  # first occurrences, in the order drawn
        found = found[~_contains(codes, found)]
        rows = found // num_topics
        rank = np.arange(len(found)) - np.searchsorted(rows, rows, side="left")
        found = found[rank < missing[rows]]
        codes = np.sort(np.concatenate((codes, found)))
        missing -= np.bincount(found // num_topics, minlength=len(sizes))
        factor *= 2
    return codes


def _contains(rising: NDArray[np.int64], values: NDArray[np.int64]) -> NDArray[np.bool_]:
    if not len(rising):
        return np.zeros(len(values), dtype=bool)
    place = np.minimum(np.searchsorted(rising, values), len(rising) - 1)
    return np.asarray(rising[place] == values)


def _race(
    rng: np.random.Generator,
    probabilities: NDArray[np.float64],
    sizes: NDArray[np.int64],
    taken: NDArray[np.int64],
) -> NDArray[np.int64]:
    """Draw ``sizes[r]`` topics for each row r besides those in ``taken`` (rising codes); return codes in any order."""
    num_topics = len(probabilities)
    mean_times = probabilities[0] / probabilities
    # rows of like size share a chunk, so that one partition near the largest size serves all of them
    order = np.argsort(sizes, kind="stable")
    order = order[np.count_nonzero(sizes == 0) :]
    chunk = max(1, RACE_KEYS // num_topics)
    buffer = np.empty((min(chunk, len(order)), num_topics))
    parts = [np.empty(0, dtype=np.int64)]
    for first in range(0, len(order), chunk):
        rows = order[first : first + chunk]
        times = buffer[: len(rows)]
        rng.standard_exponential(out=times)
        times *= mean_times
        _cross_out(times, rows, taken)
        chosen_row, chosen_topic = _first_arrivals(times, sizes[rows])
        parts.append(rows[chosen_row] * num_topics + chosen_topic)
    return np.concatenate(parts)


def _cross_out(times: NDArray[np.float64], rows: NDArray[np.int64], taken: NDArray[np.int64]) -> None:
    """Let the topics a row already has never arrive."""
    num_topics = times.shape[1]
    starts = np.searchsorted(taken, rows * num_topics)
    counts = np.searchsorted(taken, (rows + 1) * num_topics) - starts
    within = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)
    codes = taken[np.repeat(starts, counts) + within]
    times[np.repeat(np.arange(len(rows)), counts), codes % num_topics] = np.inf


def _first_arrivals(
    times: NDArray[np.float64], sizes: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Rows and columns of the ``sizes[r]`` smallest entries of each row r; equal times go by the lower column."""
    largest = int(sizes.max())
    if largest < times.shape[1]:
        leaders = np.sort(np.partition(times, largest - 1, axis=1)[:, :largest], axis=1)
    else:
        leaders = np.sort(times, axis=1)
    chosen = times <= np.take_along_axis(leaders, sizes[:, None] - 1, axis=1)
    for row in np.flatnonzero(np.count_nonzero(chosen, axis=1) != sizes):
        chosen[row] = False
        chosen[row, np.argsort(times[row], kind="stable")[: sizes[row]]] = True
    rows, columns = np.nonzero(chosen)
    return rows.astype(np.int64), columns.astype(np.int64)

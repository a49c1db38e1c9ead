"""Weighted draws without replacement, for many rows at once.

Both methods draw from the same distribution: one topic after another, each with probability in proportion to its weight
among those not drawn yet. A row may start with one and finish with the other, because the next draw depends only on the
set drawn so far.

- *race*: every topic gets an exponential arrival time with its probability as rate; the first k to arrive are drawn.
  One random number per topic.
- *rounds*: draw with replacement and drop what the row already has. A few numbers per drawn topic, as long as the row
  does not already hold most of the mass.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

RACE_KEYS = 1 << 17  # how many arrival times are held at once: a megabyte, which stays in the processor's cache
ROUND_DRAWS = 1 << 21  # number of draws for a block of rows in the first round
# if a race would need more random numbers than this per drawn topic, rounds of draws with replacement come first
SPARSE = 20


def draw_distinct(
    rng: np.random.Generator, probabilities: NDArray[np.float64], sizes: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Draw ``sizes[r]`` distinct topics for each row r; return them as sorted numbers ``r * num_topics + topic``."""
    num_topics = len(probabilities)
    if sizes.mean() * SPARSE >= num_topics:
        nothing = np.empty(0, dtype=np.int64)
        return _race(rng, probabilities, sizes, nothing)
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
    """Draw with replacement in growing rounds until a race is cheaper; return sorted numbers ``row * num_topics +
    topic``. Some rows may still lack topics.
    """
    num_topics = len(cumulative)
    codes = np.empty(0, dtype=np.int64)
    missing = sizes.copy()
    factor = 2
    while missing.any() and 4 * factor * missing[missing > 0].mean() < num_topics:
        rows = np.repeat(np.arange(len(sizes)), factor * missing)
        topics = np.searchsorted(cumulative, rng.random(len(rows)), side="right")
        found = rows * num_topics + topics
        # first occurrences, in the order they were drawn
        found = found[np.sort(np.unique(found, return_index=True)[1])]
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
    """For each row r, draw ``sizes[r]`` topics other than those in ``taken``: every topic gets a random arrival time,
    and those that arrive first are drawn. Returns ascending numbers ``r * num_topics + topic``.
    """
    from topicweave.kernels.sampling import first_arrivals

    num_topics = len(probabilities)
    mean_times = probabilities[0] / probabilities
    order = np.argsort(sizes, kind="stable")
    order = order[np.count_nonzero(sizes == 0) :]
    chunk = max(1, RACE_KEYS // num_topics)
    chunks = [order[first : first + chunk] for first in range(0, len(order), chunk)]
    buffers = np.empty((2, min(chunk, len(order)), num_topics))
    indptr = np.concatenate(([0], np.cumsum(sizes)))
    codes = np.empty(indptr[-1], dtype=np.int64)
    # Random numbers must be generated in sequence; meanwhile another thread processes the numbers that are ready.
    with ThreadPoolExecutor(1) as helper:
        following = [helper.submit(rng.standard_exponential, out=buffers[0, : len(rows)]) for rows in chunks[:1]]
        for number, rows in enumerate(chunks):
            times = following.pop().result()
            for later in chunks[number + 1 : number + 2]:
                buffer = buffers[(number + 1) % 2, : len(later)]
                following.append(helper.submit(rng.standard_exponential, out=buffer))
            times *= mean_times
            _cross_out(times, rows, taken)
            first_arrivals(times, rows, indptr, codes)
    return codes


def _cross_out(times: NDArray[np.float64], rows: NDArray[np.int64], taken: NDArray[np.int64]) -> None:
    """Set the arrival times of topics that a row already has to infinity."""
    num_topics = times.shape[1]
    starts = np.searchsorted(taken, rows * num_topics)
    counts = np.searchsorted(taken, (rows + 1) * num_topics) - starts
    within = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)
    codes = taken[np.repeat(starts, counts) + within]
    times[np.repeat(np.arange(len(rows)), counts), codes % num_topics] = np.inf

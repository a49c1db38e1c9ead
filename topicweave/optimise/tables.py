"""The price tables of an interest: built, copied, and turned into a certificate."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numba import get_num_threads

from topicweave.errors import TooLargeError
from topicweave.kernels.jit import on_threads
from topicweave.kernels.optimise.prices import BLOCK, BLOCKED, MOST_PLACES, UNIT, Prices, places_of, split_evenly
from topicweave.optimise.certificate import Certificate
from topicweave.parameters import check_fits

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from topicweave.model import Interest

ENTRIES_PER_THREAD = 1 << 21  # with fewer prices per thread than this, it does not pay to start another thread


def table_entries(interest: Interest) -> int:
    """How many prices the tables of an interest contain."""
    sizes = interest.topic_sizes
    return int((sizes * _strides(sizes)).sum())


def check_tables(interest: Interest) -> None:
    """Refuse an interest that is too large for tables of all pairs; a bound computed from fewer pairs would prove
    nothing.
    """
    check_fits(
        f"Prices for all pairs of {interest.num_nodes:,} nodes in their common topics",
        # bytes per price: 2 for the price, 2 for a copy of the best prices, 1 for scratch arrays
        5 * table_entries(interest),
        "ask for an overlay without a bound, or for a part of the topics",
    )
    most = interest.topic_sizes.max(initial=0)
    if most > MOST_PLACES:
        raise TooLargeError(
            f"A topic has {most:,} subscribers, but prices can be kept for {MOST_PLACES:,} at most; "
            f"leave the topic out."
        )


def build_tables(interest: Interest) -> Prices:
    """Build the tables of all topics; the cost of every pair is divided equally among its common topics."""
    check_tables(interest)
    sizes = interest.topic_sizes
    stride = _strides(sizes)
    starts = np.concatenate(([0], np.cumsum(sizes * stride))).astype(np.int64)
    topic_indptr, members = (np.array(each) for each in interest.subscribers)
    indptr, topics = np.array(interest.indptr), np.array(interest.indices)
    price = np.full(starts[-1], BLOCKED, dtype=np.uint16)
    place = places_of(indptr, topics, topic_indptr)
    built = Prices(indptr, topics, place, topic_indptr, members, starts[:-1].copy(), stride, price)
    on_threads(num_threads_for(len(price)), split_evenly, built)
    return built


def num_threads_for(num_entries: int) -> int:
    """How many threads are worth starting for tables with this many prices."""
    return int(max(1, min(get_num_threads(), num_entries // ENTRIES_PER_THREAD)))


def certificate_of(
    interest: Interest,
    prices: Prices,
    price: NDArray[np.uint16],
    extra: NDArray[np.int64],
    cap: NDArray[np.int64] | None,
    is_for_degree: bool,
) -> Certificate:
    """Make a certificate from a copy of the prices."""
    found = []
    for t, size in enumerate(interest.topic_sizes.tolist()):
        start, stride = int(prices.start[t]), int(prices.stride[t])
        table = price[start : start + size * stride].reshape(size, stride)[:, :size] - np.uint16(1)
        np.fill_diagonal(table, 0)
        found.append(table)
    return Certificate(interest, UNIT, tuple(found), extra, cap, is_for_degree)


def _strides(sizes: NDArray[np.int64]) -> NDArray[np.int64]:
    return -(-sizes // BLOCK) * BLOCK

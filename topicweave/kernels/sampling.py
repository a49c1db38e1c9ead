"""Selecting the smallest of many numbers: those of every row of a table, or the number of a given rank."""

import numpy as np

from topicweave.kernels.jit import njit

FEW = 16  # up to this many numbers are sorted directly


@njit
def first_arrivals(times, rows, indptr, codes):
    """Write to ``codes`` where the smallest numbers of some rows are, as ``row * n + column``, ascending; ties go to
    the lower column.

    times float64 (some rows, n), rows int64: their numbers. indptr int64 (all rows + 1): row r gets the entries of
    codes (int64, the output) from indptr[r] to indptr[r + 1], 1 to n.
    """
    n = times.shape[1]
    some, below, rest = np.empty(n), np.empty(n + 1), np.empty(n + 1)
    for r in range(len(rows)):
        row, at = times[r], indptr[rows[r]]
        size = indptr[rows[r] + 1] - at
        some[:] = row
        last = smallest(some, below, rest, n, size)
        num_before = 0
        for j in range(n):
            num_before += row[j] < last
        num_equal = size - num_before  # how many of the numbers that equal this one still belong to the smallest
        for j in range(n):
            is_equal = row[j] == last and num_equal > 0
            if row[j] < last or is_equal:
                codes[at] = rows[r] * n + j
                at += 1
                num_equal -= is_equal


@njit
def smallest(some, below, rest, count, rank):
    """The number of this rank (1 is the smallest) among the first ``count``. All arrays are overwritten; ``below`` and
    ``rest`` need room for one number more.

    Partitions the numbers around one of them, repeatedly, without branches, which would be mispredicted half the time.
    """
    while count > FEW:
        one, two, three = some[0], some[count >> 1], some[count - 1]
        pivot = max(min(one, two), min(max(one, two), three))
        num_below, num_rest = 0, 0
        for i in range(count):
            below[num_below] = some[i]
            rest[num_rest] = some[i]
            num_below += some[i] < pivot
            num_rest += some[i] > pivot
        if rank <= num_below:
            some, below, count = below, some, num_below
        elif rank <= count - num_rest:
            return pivot
        else:
            rank -= count - num_rest
            some, rest, count = rest, some, num_rest
    for i in range(1, count):
        number, place = some[i], i
        while place > 0 and some[place - 1] > number:
            some[place] = some[place - 1]
            place -= 1
        some[place] = number
    return some[rank - 1]

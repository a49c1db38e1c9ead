"""The smallest numbers of every row, against sorting."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from topicweave.kernels.sampling import first_arrivals


@given(st.data())
def test_the_smallest_of_each_row_in_the_order_of_columns(data):
    """Few different numbers, so that many are equal; some never arrive; rows come in any order."""
    num_rows, n = data.draw(st.integers(1, 5)), data.draw(st.integers(1, 60))
    numbers = st.sampled_from([0.0, 0.5, 1.0, 2.0, np.inf]) | st.floats(0, 4)
    times = np.array(
        data.draw(st.lists(st.lists(numbers, min_size=n, max_size=n), min_size=num_rows, max_size=num_rows))
    )
    sizes = np.array(data.draw(st.lists(st.integers(1, n), min_size=num_rows, max_size=num_rows)))
    rows = np.array(data.draw(st.permutations(range(num_rows))))
    indptr = np.concatenate(([0], np.cumsum(sizes)))
    codes = np.full(indptr[-1], -1)
    first_arrivals(times[rows], rows, indptr, codes)
    for r in range(num_rows):
        first = np.sort(np.argsort(times[r], kind="stable")[: sizes[r]])
        assert (codes[indptr[r] : indptr[r + 1]] - r * n).tolist() == first.tolist()

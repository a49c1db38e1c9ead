"""Bitmaps of ranges: the summary has a bit for every word that is not zero, also after bits were cleared."""

import numpy as np

from topicweave.kernels.content.ranges import mark, mark_all, matching, slab_of


def test_the_slab_of_a_value_is_the_number_of_borders_up_to_it():
    """A border belongs to the slab above it; values that are not finite have slabs, too."""
    borders = np.array([1.0, 2.0, 2.0, 5.0])
    values = [-np.inf, 0.5, 1.0, 2.0, 4.9, 5.0, np.inf]
    assert [slab_of(borders, value) for value in values] == [0, 0, 1, 3, 3, 4, 4]


def test_the_summary_follows_the_bitmaps():
    """10,000 intervals over one attribute, of which two in three are cleared again."""
    rng = np.random.default_rng(0)
    num = 10_000
    ends = np.sort(rng.random((num, 1, 2)), axis=2)
    borders = np.linspace(0, 1, 33)[None, 1:-1]
    bitmaps = np.zeros((1, 33, (num + 63) // 64), dtype=np.uint64)
    summary = np.zeros((1, 33, 3), dtype=np.uint64)
    mark_all(bitmaps, summary, borders, ends, num)
    kept = np.arange(num) % 3 == 0
    for slot in np.flatnonzero(~kept):
        mark(bitmaps, summary, borders, ends, slot, False)
    bits = np.unpackbits(summary.view(np.uint8), bitorder="little").reshape(33, -1)[:, : bitmaps.shape[2]]
    assert (bits == (bitmaps[0] != 0)).all()
    found = np.empty(num, dtype=np.int64)
    for value in rng.random(20):
        count = matching(bitmaps, summary, borders, ends, np.array([value]), found)
        inside = (ends[:, 0, 0] <= value) & (value <= ends[:, 0, 1]) & kept
        assert found[:count].tolist() == np.flatnonzero(inside).tolist()

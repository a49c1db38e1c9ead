"""Ranges that users want become channels: several of one attribute are alternatives, attributes must all hold."""

import numpy as np
import pytest

from topicweave.content import Channels
from topicweave.pipeline import Table
from topicweave.pipeline.sources.ranges import EMPTY_RANGE, UNKNOWN_ATTRIBUTE, read_subscriptions, wanted_channels

CUTS = {"heat": (0.0, 1.0, 2.0, 3.0), "wind": (0.0, 5.0, 10.0)}


def touched(cell, wishes):
    """Whether a user with these ranges may want a publication of this cell, interval by interval."""
    for name, (low, high) in cell.items():
        mine = [(a, b) for attribute, a, b in wishes if attribute == name]
        if mine and not any(a <= high and low <= b for a, b in mine):
            return False
    return True


@pytest.mark.parametrize(
    "wishes",
    [
        [("heat", 0.5, 0.7)],
        [("heat", 0.1, 0.2), ("heat", 2.5, 2.6)],
        [("heat", 0.1, 1.5), ("wind", 6.0, 7.0)],
        [("wind", 0.5, 9.0), ("heat", 2.5, 2.6), ("heat", 0.5, 0.6)],
        [],
    ],
)
def test_channels_are_the_cells_that_the_wishes_touch(wishes):
    """Every cell of the grid, one by one; without a range for an attribute, any value of it matches."""
    channels = Channels(CUTS)
    cells = [
        {"heat": heat, "wind": wind}
        for heat in zip(CUTS["heat"], CUTS["heat"][1:], strict=False)
        for wind in zip(CUTS["wind"], CUTS["wind"][1:], strict=False)
    ]
    inside = {name: np.array([sum(cell[name]) / 2 for cell in cells]) for name in CUTS}
    number = channels.numbers(inside).tolist()
    expected = {number[i] for i, cell in enumerate(cells) if touched(cell, wishes)}
    assert set(np.flatnonzero(wanted_channels(channels, wishes)).tolist()) == expected


def test_rows_that_are_no_ranges_are_counted_by_reason(spark, write):
    """The others come through as they are, user by user."""
    rows = ["user,attribute,low,high", "ann,heat,0,1", "ann,wind,2,3", "bob,heat,2,1", "bob,rain,0,1", "cat,heat,x,1",
            "dan,heat,1,NaN", "eve,heat,1,1"]  # fmt: skip
    _, found, counts = read_subscriptions(spark, Table(write("w.csv", "\n".join(rows))), Channels(CUTS))
    assert found == {"ann": [("heat", 0.0, 1.0), ("wind", 2.0, 3.0)], "eve": [("heat", 1.0, 1.0)]}
    assert (counts.valid, counts.num_bad) == (3, 4)
    assert counts.bad[EMPTY_RANGE] == counts.bad[UNKNOWN_ATTRIBUTE] == 1

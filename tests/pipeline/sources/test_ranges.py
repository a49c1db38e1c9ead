"""Ranges that users want become channels: several of one attribute are alternatives, attributes must all hold."""

import numpy as np
import pytest

from topicweave.content import Channels
from topicweave.pipeline.sources.ranges import wanted_channels

CUTS = {"heat": (0.0, 1.0, 2.0, 3.0), "wind": (0.0, 5.0, 10.0)}


def touched(cell, wishes):
    """Whether a user with these wishes may want a publication of this cell, interval by interval."""
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
    """Every cell of the grid, one by one; who says nothing of an attribute takes any value of it."""
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

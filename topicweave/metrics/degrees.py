"""Degrees: how the links are spread over the nodes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from topicweave.model import Overlay


def degree_distribution(overlay: Overlay) -> dict[int, int]:
    """How many nodes have each degree, by rising degree; degrees that no node has are left out."""
    counts = np.bincount(overlay.degrees)
    return {int(degree): int(counts[degree]) for degree in np.flatnonzero(counts)}

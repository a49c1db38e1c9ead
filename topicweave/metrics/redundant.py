"""Redundancy: links of a topic beyond what holds it together."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from topicweave.metrics.blocks import topic_blocks

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from topicweave.metrics.blocks import TopicBlocks
    from topicweave.model import Interest, Overlay


def redundancy(interest: Interest, overlay: Overlay) -> NDArray[np.float64]:
    """For each topic, the links of its sub-overlay beyond a spanning forest, per subscriber; 0 without subscribers."""
    return redundancy_of(topic_blocks(interest, overlay))


def redundancy_of(blocks: TopicBlocks) -> NDArray[np.float64]:
    """The redundancy of counts already taken."""
    forest = blocks.subscribers - blocks.components
    return np.asarray((blocks.edges - forest) / np.maximum(blocks.subscribers, 1))

"""Candidates: the nodes that a repair may link. This is all that maintainers differ in; one object per event."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    import numpy as np
    from numpy.typing import NDArray

    from topicweave.churn.difference import Gain, Loss
    from topicweave.churn.repair import Repair


class Candidates(ABC):
    """Says, for one event, which nodes its repair may link; the methods are called in the order they are defined here.

    Parameters
    ----------
    repair
        The event.
    """

    def __init__(self, repair: Repair) -> None:
        self.repair = repair
        self.state = repair.state

    @abstractmethod
    def for_losses(self, losses: Sequence[Loss]) -> NDArray[np.int32] | None:
        """The nodes to link when topics are lost, asked for before anything is removed.

        None for no repair at this point.
        """

    def after_losses(self) -> None:  # noqa: B027
        """Called when lost topics and links have been removed and what that broke has been repaired."""

    def after_gain(self, gain: Gain) -> None:  # noqa: B027
        """Called when a node has been given its topics, before it is linked."""

    @abstractmethod
    def for_gains(self, gains: Sequence[Gain]) -> NDArray[np.int32] | None:
        """The nodes that newcomers may be linked to, besides each other; None for no links at this point."""

    def finish(self) -> None:  # noqa: B027
        """Called when the repair is done; nodes that left still have their slots."""

    def save_links(self) -> None:  # noqa: B027
        """Called if ``trim`` is set, after redundant links have been dropped, to save more links around the event."""

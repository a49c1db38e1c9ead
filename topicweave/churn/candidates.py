"""Candidates: whom a repair may link. All that maintainers differ in; one object for each event."""

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
    """Answers, for one event, whom its repair may link; the calls come in the order in which they stand here.

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
        """Whom to link when topics are lost, asked before anything is removed; None for no repair at this moment."""

    def after_losses(self) -> None:  # noqa: B027
        """Called when the topics and links lost are gone, and what that broke has been repaired."""

    def after_gain(self, gain: Gain) -> None:  # noqa: B027
        """Called when a node has been given its topics, before it is linked."""

    @abstractmethod
    def for_gains(self, gains: Sequence[Gain]) -> NDArray[np.int32] | None:
        """Whom the newcomers may be linked to, besides each other; None for no links at this moment."""

    def finish(self) -> None:  # noqa: B027
        """Called when the repair is done; nodes that left still have their slots."""

    def save_links(self) -> None:  # noqa: B027
        """Called with ``trim`` when redundant links have been dropped: save more links around the event."""

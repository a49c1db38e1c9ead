"""Candidates: the class that decides which nodes a repair may link. Maintainers differ only in their subclass of it."""

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
    """Decides which nodes the repair of one event may link; the methods are called in the order of their definition.

    Parameters
    ----------
    repair
        The repair; there is one object of this class for each.
    """

    def __init__(self, repair: Repair) -> None:
        self.repair = repair
        self.state = repair.state

    @abstractmethod
    def for_losses(self, losses: Sequence[Loss]) -> NDArray[np.int32] | None:
        """The nodes that may be linked when a node loses topics; called before anything is removed.

        None for no repair at this point.
        """

    def after_losses(self) -> None:  # noqa: B027
        """Called after lost topics and links were removed, and topics that fell apart were reconnected."""

    def after_gain(self, gain: Gain) -> None:  # noqa: B027
        """Called when a node has been given its topics, before it is linked."""

    @abstractmethod
    def for_gains(self, gains: Sequence[Gain]) -> NDArray[np.int32] | None:
        """The nodes to which newcomers may be linked, besides each other; None means that no links are made at this
        point.
        """

    def finish(self) -> None:  # noqa: B027
        """Called at the end of the repair, while the nodes that leave still have their internal numbers."""

    def save_links(self) -> None:  # noqa: B027
        """Called last if ``trim`` is set, after redundant links were dropped; tries to save more links near the
        event.
        """

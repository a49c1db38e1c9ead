"""What algorithms take and give besides the interest: progress in, outcome out."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from topicweave.model.design import Round


@dataclass(frozen=True)
class Progress:
    """Where a running design stands.

    Attributes
    ----------
    phase
        What is being done, in a word or two.
    links
        Links so far, those of ``start`` not counted.
    support
        TCO support reached so far.
    level
        The contribution that the sweep is looking at; it only falls until Δ rises.
    """

    phase: str
    links: int
    support: float
    level: int = 0


ProgressCallback: TypeAlias = Callable[[Progress], None]


@dataclass(frozen=True)
class Outcome:
    """The links an algorithm added, in order, what each contributed (in its own pass), and what is worth saying."""

    edges: NDArray[np.int64]
    contribution: NDArray[np.int64]
    pass_starts: tuple[int, ...] = (0,)
    notes: tuple[str, ...] = ()
    rounds: tuple[Round, ...] = ()

"""Prefers the links of an earlier plan, and counts how many of them a new plan keeps."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from topicweave.errors import OverlayError
from topicweave.model import Overlay
from topicweave.pipeline.plan.reader import read_plan

if TYPE_CHECKING:
    from typing import TypeAlias

    PreferLike: TypeAlias = "Overlay | str | os.PathLike[str] | None"


def preferred_overlay(given: PreferLike) -> Overlay | None:
    """The overlay to prefer: from a plan folder, or given directly."""
    if given is None or isinstance(given, Overlay):
        return given
    if not isinstance(given, str | os.PathLike):
        raise OverlayError(
            f"prefer= needs the folder of a plan or an Overlay, but got a {type(given).__name__}; give one of these."
        )
    return read_plan(given).overlay


def describe_preferred(given: PreferLike, preferred: Overlay | None, made: Overlay) -> dict[str, Any] | None:
    """Describe the preferred plan, with the numbers of links kept, added and removed; None if there was none.

    Links of nodes that no longer exist count as removed, too.
    """
    if preferred is None:
        return None
    before, after = ({tuple(sorted(pair)) for pair in overlay.pairs()} for overlay in (preferred, made))
    return {
        "plan": None if isinstance(given, Overlay) else os.path.abspath(os.path.expanduser(str(given))),
        "kept": len(before & after),
        "added": len(after - before),
        "removed": len(before - after),
    }

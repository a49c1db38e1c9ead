"""The data types that everything else uses: immutable, validated when made, picklable; they need neither numba nor
Spark. Requirements are loaded when they are first used.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from topicweave.model.design import Design as Design
from topicweave.model.design import Trace as Trace
from topicweave.model.interest import Interest as Interest
from topicweave.model.overlay import Overlay as Overlay

if TYPE_CHECKING:
    from topicweave.model.link_cost import LinkCost as LinkCost
    from topicweave.model.requirements import Requirements as Requirements
    from topicweave.model.resolved import Resolved as Resolved

_LATER = {"LinkCost": "link_cost", "Requirements": "requirements", "Resolved": "resolved"}

__all__ = ["Design", "Interest", "LinkCost", "Overlay", "Requirements", "Resolved", "Trace"]


def __getattr__(name: str) -> Any:
    if name in _LATER:
        return getattr(import_module(f"topicweave.model.{_LATER[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")

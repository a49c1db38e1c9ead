"""The data types that everything else uses: immutable, validated when made, and picklable; they need neither numba nor
Spark. Requirements are loaded on first use.
"""

from typing import TYPE_CHECKING

from topicweave.lazy import loader
from topicweave.model.design import Design as Design
from topicweave.model.design import Trace as Trace
from topicweave.model.interest import Interest as Interest
from topicweave.model.overlay import Overlay as Overlay

if TYPE_CHECKING:
    from topicweave.model.link_cost import LinkCost as LinkCost
    from topicweave.model.requirements import Requirements as Requirements
    from topicweave.model.resolved import Resolved as Resolved

_LATER = {
    "LinkCost": "topicweave.model.link_cost",
    "Requirements": "topicweave.model.requirements",
    "Resolved": "topicweave.model.resolved",
}

__all__ = ["Design", "Interest", "LinkCost", "Overlay", "Requirements", "Resolved", "Trace"]
__getattr__ = loader(__name__, _LATER)

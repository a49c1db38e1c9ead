"""The data types that everything else uses: immutable, validated when made, picklable; they need neither numba nor
Spark.
"""

from topicweave.model.design import Design as Design
from topicweave.model.design import Trace as Trace
from topicweave.model.interest import Interest as Interest
from topicweave.model.link_cost import LinkCost as LinkCost
from topicweave.model.overlay import Overlay as Overlay
from topicweave.model.requirements import Requirements as Requirements
from topicweave.model.resolved import Resolved as Resolved

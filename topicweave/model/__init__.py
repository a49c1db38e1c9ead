"""The data types that everything else uses: immutable, validated when made, picklable; they need neither numba nor
Spark.
"""

from topicweave.model.design import Design as Design
from topicweave.model.design import Trace as Trace
from topicweave.model.interest import Interest as Interest
from topicweave.model.overlay import Overlay as Overlay

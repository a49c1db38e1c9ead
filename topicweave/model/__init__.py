"""The data types that everything else works with: frozen, validated once, picklable; without numba and Spark."""

from topicweave.model.design import Design as Design
from topicweave.model.design import Trace as Trace
from topicweave.model.interest import Interest as Interest
from topicweave.model.overlay import Overlay as Overlay

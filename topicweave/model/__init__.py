"""The nouns that everything speaks: frozen, validated once, picklable; no numba, no Spark."""

from topicweave.model.design import Design as Design
from topicweave.model.design import Trace as Trace
from topicweave.model.interest import Interest as Interest
from topicweave.model.overlay import Overlay as Overlay

"""The static algorithms and the one verb that runs them."""

from topicweave.algorithms.design import design as design
from topicweave.algorithms.outcome import Progress as Progress
from topicweave.algorithms.registry import ALGORITHMS as ALGORITHMS
from topicweave.algorithms.registry import Algorithm as Algorithm

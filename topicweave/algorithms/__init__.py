"""The algorithms that design an overlay from scratch, and design(), which runs them."""

from topicweave.algorithms.design import design as design
from topicweave.algorithms.options import Options as Options
from topicweave.algorithms.options import check_options as check_options
from topicweave.algorithms.registry import ALGORITHMS as ALGORITHMS
from topicweave.algorithms.registry import Algorithm as Algorithm
from topicweave.algorithms.registry import Progress as Progress

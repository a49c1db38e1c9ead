"""topicweave plans and maintains the overlay network of a publish/subscribe system.

    >>> import topicweave as tw
    >>> interest = tw.Interest.from_pairs([("a", "news"), ("b", "news"), ("b", "sport"), ("c", "sport")])
    >>> plan = tw.design(interest, "gm")
    >>> plan.overlay.pairs(), tw.verify(interest, plan.overlay).topic_connected
    ([('a', 'b'), ('b', 'c')], True)

Compiled code and SciPy are loaded when first needed, so that importing the package is quick.
"""

from typing import TYPE_CHECKING

from topicweave.errors import InfeasibleError as InfeasibleError
from topicweave.errors import InputError as InputError
from topicweave.errors import TopicweaveError as TopicweaveError
from topicweave.lazy import loader
from topicweave.model import Design as Design
from topicweave.model import Interest as Interest
from topicweave.model import Overlay as Overlay

if TYPE_CHECKING:
    from topicweave import algorithms as algorithms
    from topicweave import churn as churn
    from topicweave import content as content
    from topicweave import deploy as deploy
    from topicweave import metrics as metrics
    from topicweave import optimise as optimise
    from topicweave import outages as outages
    from topicweave import workloads as workloads
    from topicweave.algorithms import ALGORITHMS as ALGORITHMS
    from topicweave.algorithms import design as design
    from topicweave.metrics import verify as verify
    from topicweave.model import Requirements as Requirements
    from topicweave.optimise import Bound as Bound
    from topicweave.optimise import improve as improve
    from topicweave.optimise import lower_bound as lower_bound

__version__ = "0.1.0"

_LATER = {
    "ALGORITHMS": "topicweave.algorithms",
    "design": "topicweave.algorithms",
    "verify": "topicweave.metrics",
    "Requirements": "topicweave.model",
    "Bound": "topicweave.optimise",
    "improve": "topicweave.optimise",
    "lower_bound": "topicweave.optimise",
}
_ROOMS = ("algorithms", "churn", "content", "deploy", "metrics", "optimise", "outages", "workloads")

__all__ = [
    "ALGORITHMS",
    "Bound",
    "Design",
    "InfeasibleError",
    "InputError",
    "Interest",
    "Overlay",
    "Requirements",
    "TopicweaveError",
    "__version__",
    "algorithms",
    "churn",
    "content",
    "deploy",
    "design",
    "improve",
    "lower_bound",
    "metrics",
    "optimise",
    "outages",
    "verify",
    "workloads",
]
__getattr__ = loader(__name__, _LATER | {room: f"topicweave.{room}" for room in _ROOMS})


def __dir__() -> list[str]:
    return __all__

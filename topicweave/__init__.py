"""topicweave plans and maintains the overlay network of a publish/subscribe system.

    >>> import topicweave as tw
    >>> interest = tw.Interest.from_pairs([("a", "news"), ("b", "news"), ("b", "sport"), ("c", "sport")])
    >>> plan = tw.design(interest, "gm")
    >>> plan.overlay.pairs(), tw.verify(interest, plan.overlay).topic_connected
    ([('a', 'b'), ('b', 'c')], True)

Compiled code and SciPy are loaded when first needed, so that importing the package is quick.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from topicweave.errors import InfeasibleError as InfeasibleError
from topicweave.errors import InputError as InputError
from topicweave.errors import TopicweaveError as TopicweaveError
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
    "ALGORITHMS": "algorithms",
    "design": "algorithms",
    "verify": "metrics",
    "Requirements": "model",
    "Bound": "optimise",
    "improve": "optimise",
    "lower_bound": "optimise",
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


def __getattr__(name: str) -> Any:
    if name in _ROOMS:
        return import_module(f"topicweave.{name}")
    if name in _LATER:
        return getattr(import_module(f"topicweave.{_LATER[name]}"), name)
    raise AttributeError(f"module 'topicweave' has no attribute {name!r}")


def __dir__() -> list[str]:
    return __all__

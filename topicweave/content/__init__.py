"""Content-based overlays: users, brokers and prices, and the cheapest network that serves them."""

from typing import TYPE_CHECKING, Any

from topicweave.content.adapt import adapt as adapt
from topicweave.content.assign import assign as assign
from topicweave.content.assignment import Assignment as Assignment
from topicweave.content.assignment import Moves as Moves
from topicweave.content.bound import LowerBound as LowerBound
from topicweave.content.bound import lower_bound as lower_bound
from topicweave.content.channels import Channels as Channels
from topicweave.content.channels import summarize as summarize
from topicweave.content.core import CORES as CORES
from topicweave.content.cost import Cost as Cost
from topicweave.content.cost import broker_links as broker_links
from topicweave.content.cost import cost as cost
from topicweave.content.evaluation import evaluation_instance as evaluation_instance
from topicweave.content.evaluation import sparse_instance as sparse_instance
from topicweave.content.instance import Instance as Instance
from topicweave.content.places import read_places as read_places
from topicweave.content.prices import Prices as Prices
from topicweave.content.prices import read_prices as read_prices
from topicweave.content.quotes import quotes_instance as quotes_instance
from topicweave.content.quotes import read_quotes as read_quotes
from topicweave.content.registry import METHODS as METHODS
from topicweave.content.registry import Method as Method
from topicweave.content.routing import Routing as Routing
from topicweave.content.transition import Transition as Transition
from topicweave.content.transition import transition as transition

if TYPE_CHECKING:
    from topicweave.content.processes.client import connect as connect


def __getattr__(name: str) -> Any:
    if name == "connect":  # asyncio is only needed by programs that talk to a network
        from topicweave.content.processes.client import connect

        return connect
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")

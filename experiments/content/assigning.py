"""Runs that assign users to brokers, and compare the cost with that of a random assignment, under several cost
models.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

import topicweave as tw
from experiments.content.market import Market, instance_of
from topicweave.content.core import spanning_tree

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from experiments.run import Find

METHODS = {
    "packing": "greedy_packing",
    "clustering": "clustering",
    "mixing": "steiner_mixing",
}
SECONDS = {"random": 1e-9, "greedy_packing": 1e-9, "clustering": 1e-8, "steiner_mixing": 5e-8}
"""Rough costs per pair of users."""


@dataclass(frozen=True)
class Assigned:
    """A run of one method of ``tw.content.assign``; ``timed`` if its time is judged; ``draw`` is a parameter of mixing.

    Traffic between brokers is priced as in the paper: along a minimum spanning tree for every broker and channel.
    """

    method: str
    timed: bool = False
    draw: str = "weighted"

    @property
    def path(self) -> str:
        return self.method + ("_heaviest" if self.draw == "heaviest" else "") + ("_timed" if self.timed else "")

    @property
    def is_timed(self) -> bool:
        return self.timed

    def reduced(self) -> Assigned:
        return self

    def cost(self, subject: Market) -> float:
        return 0.05 + SECONDS[self.method] * subject.num_users**2

    def measure(self, subject: Market, seed: int, find: Find) -> dict[str, Any]:
        instance = instance_of(subject, seed)
        if self.timed:
            tw.content.assign(tw.content.evaluation_instance(50, 3), self.method)  # compile and load
        drawn = {"draw": self.draw} if self.method == "steiner_mixing" else {}
        made = tw.content.assign(instance, self.method, core="multicast", seed=seed, **drawn)
        chance = tw.content.assign(instance, "random", core="multicast", seed=seed)
        answer: dict[str, Any] = {"access": made.cost.access, "core": made.cost.core, "seconds": made.seconds}
        answer["load"] = os.getloadavg()[0]  # how busy the machine was, so that readers can judge the times
        answer["random_access"], answer["random_core"] = chance.cost.access, chance.cost.core
        answer["random_per_user"] = chance.cost.total / instance.num_users
        answer["reduction"] = chance.cost.total / made.cost.total
        answer["core_reduction"] = chance.cost.core / made.cost.core
        for name, core in (("tree", _tree), ("unicast", unicast_core), ("relays", _relays)):
            totals = [one.cost.access + core(instance, one.broker) for one in (chance, made)]
            answer[f"reduction_{name}"] = totals[0] / totals[1]
        answer["unicast_core"] = unicast_core(instance, made.broker)
        return answer


def _tree(instance: tw.content.Instance, broker: NDArray[np.int64]) -> float:
    return float(tw.content.cost(instance, broker, core="tree", tree=spanning_tree(instance)).core)


def _relays(instance: tw.content.Instance, broker: NDArray[np.int64]) -> float:
    return float(tw.content.cost(instance, broker, core="steiner").core)


def unicast_core(instance: tw.content.Instance, broker: NDArray[np.int64]) -> float:
    """The cost between brokers if every subscriber gets its own copy, even where copies use the same link."""
    brokers, channels = instance.num_brokers, instance.num_channels
    published, wanted = np.zeros((brokers, channels)), np.zeros((brokers, channels))
    np.add.at(published, broker, instance.rate)
    np.add.at(wanted, broker, instance.subscribe.astype(np.float64))
    return float(np.vdot(published @ wanted.T, instance.path_price))

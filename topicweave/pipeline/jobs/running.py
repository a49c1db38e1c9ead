"""The jobs that compare a plan with running brokers: are its bridges connected, and does every message arrive exactly
once? They do not need Spark.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING

from topicweave.pipeline.plan.reader import plan_trees, read_plan

if TYPE_CHECKING:
    from collections.abc import Callable

    from topicweave.deploy.inventory import Inventory
    from topicweave.deploy.probe import ProbeReport, Send
    from topicweave.deploy.status import Status
    from topicweave.trees import Trees

    Place = str | os.PathLike[str]
    Login = Callable[[str], tuple[str, str] | None]


def login_from_environment(credentials: str) -> tuple[str, str] | None:
    """The user name and password of a credential, read from environment variables; None for those that are not set."""
    found = [os.environ.get(f"{credentials}_{part}") for part in ("USERNAME", "PASSWORD")]
    return (found[0], found[1]) if found[0] is not None and found[1] is not None else None


def status(
    plan: Place, inventory: Place | Inventory, *, layout: str = "inside", login: Login = login_from_environment
) -> Status:
    """Ask every broker, or its sidecar, which bridges it holds and whether they are connected.

    Parameters
    ----------
    plan
        A plan folder.
    inventory
        Where the brokers are.
    layout
        Whether bridges are ``"inside"`` the brokers, or in a ``"sidecar"`` beside each.
    login
        User name and password of a credential in the inventory; by default the environment's ``NAME_USERNAME`` and
        ``NAME_PASSWORD``.
    """
    from topicweave.deploy.bridges import deployment
    from topicweave.deploy.inventory import read_inventory
    from topicweave.deploy.status import status as ask

    listed = read_inventory(inventory)
    found = plan_trees(read_plan(plan))
    return ask(deployment(found, listed), listed, layout, login=login)


@dataclass(frozen=True)
class Probe:
    """Messages to publish at running brokers; nothing is published before :meth:`run` is called.

    Attributes
    ----------
    trees
        Along which they should travel.
    inventory
        Where the brokers are.
    sends
        What is published where.
    """

    trees: Trees
    inventory: Inventory
    sends: tuple[Send, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """The topics on which messages will be published, sorted: all their subscribers will receive them."""
        return tuple(sorted({send.name for send in self.sends}))

    def run(
        self, *, login: Login = login_from_environment, progress: Callable[[int, int], None] | None = None
    ) -> ProbeReport:
        """Publish the messages, and count the copies that arrive at each broker.

        Parameters
        ----------
        login
            As for :func:`status`.
        progress
            Called with how many messages have been published, of how many.
        """
        from topicweave.deploy.probe import probe as publish

        return publish(self.trees, self.inventory, self.sends, login=login, progress=progress)


def probe(plan: Place, inventory: Place | Inventory, *, sample: int | None = None, seed: int = 0) -> Probe:
    """Choose marked messages that show whether running brokers deliver each message exactly once; ``run()`` publishes
    them.

    Parameters
    ----------
    plan
        A plan folder.
    inventory
        Where its brokers are.
    sample
        How many of the messages to publish; None for all: each topic at each broker that may publish it.
    seed
        Which ones ``sample`` takes.
    """
    from topicweave.deploy.inventory import read_inventory
    from topicweave.deploy.probe import plan_probe

    listed = read_inventory(inventory)
    found = plan_trees(read_plan(plan))
    listed.check_covers(found.interest.nodes)
    return Probe(found, listed, tuple(plan_probe(found, sample, seed=seed)))

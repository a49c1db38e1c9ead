"""The jobs that compare a plan with running brokers: are its bridges connected, and does every message arrive exactly
once? They do not need Spark.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING

from topicweave.pipeline.plan.reader import plan_trees, read_plan
from topicweave.pipeline.spark.progress import Observer, Stages
from topicweave.wording import counted

if TYPE_CHECKING:
    from collections.abc import Callable

    from topicweave.deploy.inventory import Inventory
    from topicweave.deploy.probe import ProbeReport, Send
    from topicweave.deploy.status import Status
    from topicweave.trees import Trees

    Place = str | os.PathLike[str]
    Login = Callable[[str], tuple[str, str] | None]


def login_from_environment(credentials: str) -> tuple[str, str] | None:
    """The user name and password of a credential, read from environment variables; None unless both are set."""
    found = [os.environ.get(f"{credentials}_{part}") for part in ("USERNAME", "PASSWORD")]
    return (found[0], found[1]) if found[0] is not None and found[1] is not None else None


def status(
    plan: Place,
    inventory: Place | Inventory,
    *,
    layout: str = "inside",
    login: Login = login_from_environment,
    progress: Observer | None = None,
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
        A function that returns the user name and password of a credential named in the inventory; by default they are
        read from the environment variables ``NAME_USERNAME`` and ``NAME_PASSWORD``.
    progress
        Who is told what is going on.
    """
    from topicweave.deploy.bridges import deployment
    from topicweave.deploy.inventory import read_inventory
    from topicweave.deploy.status import status as ask

    stages = Stages(progress)
    listed = read_inventory(inventory)
    with stages.stage("read plan"):
        stored = read_plan(plan)
    with stages.stage("trees"):
        planned = deployment(plan_trees(stored), listed)
    with stages.stage("ask"):
        seen = ask(planned, listed, layout, login=login)
        stages.say(counted(len(listed), "broker"))
    return seen


@dataclass(frozen=True)
class Probe:
    """Messages to publish at running brokers; nothing is published before :meth:`run` is called.

    Attributes
    ----------
    trees
        The trees along which the messages should travel.
    inventory
        Where the brokers are.
    sends
        Which message is published at which broker.
    """

    trees: Trees
    inventory: Inventory
    sends: tuple[Send, ...]

    @property
    def names(self) -> tuple[str, ...]:
        """The topics on which messages will be published, sorted: all their subscribers will receive them."""
        return tuple(sorted({send.name for send in self.sends}))

    def run(
        self,
        *,
        login: Login = login_from_environment,
        progress: Observer | Callable[[int, int], None] | None = None,
    ) -> ProbeReport:
        """Publish the messages, and count the copies that arrive at each broker.

        Parameters
        ----------
        login
            As for :func:`status`.
        progress
            Who is told what is going on; or a function, called with how many messages have been published, of how many.
        """
        from topicweave.deploy.probe import probe as publish

        observer, told = (progress, progress.on_count) if isinstance(progress, Observer) else (None, progress)
        stages = Stages(observer)
        with stages.stage("probe"):
            report = publish(self.trees, self.inventory, self.sends, login=login, progress=told)
            stages.say(counted(report.num_published, "message"))
        return report


def probe(
    plan: Place,
    inventory: Place | Inventory,
    *,
    sample: int | None = None,
    seed: int = 0,
    progress: Observer | None = None,
) -> Probe:
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
        Decides which of the messages ``sample`` takes.
    progress
        Who is told what is going on.
    """
    from topicweave.deploy.bridges import check_topics
    from topicweave.deploy.inventory import read_inventory
    from topicweave.deploy.probe import plan_probe

    stages = Stages(progress)
    listed = read_inventory(inventory)
    with stages.stage("read plan"):
        stored = read_plan(plan)
    listed.check_covers(stored.interest.nodes)
    check_topics(stored.interest.topics)
    with stages.stage("trees"):
        found = plan_trees(stored)
        stages.say(f"{found!r}")
    return Probe(found, listed, tuple(plan_probe(found, sample, seed=seed)))

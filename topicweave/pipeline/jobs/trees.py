"""The jobs about the trees by which a plan is deployed, and about the changes between two plans. They do not need
Spark.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from topicweave.pipeline.plan.reader import plan_trees, plans_trees, read_plan
from topicweave.pipeline.spark.progress import Stages

if TYPE_CHECKING:
    import os

    from topicweave.deploy.difference import PlanDifference
    from topicweave.deploy.inventory import Inventory
    from topicweave.pipeline.spark.progress import Observer
    from topicweave.trees import Trees

    Place = str | os.PathLike[str]


def trees(plan: Place, *, objective: str | None = None, progress: Observer | None = None) -> Trees:
    """The trees of a plan folder: those stored in it, or new ones if there are none or another objective is asked for.

    Parameters
    ----------
    plan
        A plan folder.
    objective
        ``"depth"`` or ``"load"``, see :func:`topicweave.deploy.trees`; by default that of the trees written with the
        plan, else ``"depth"``.
    progress
        Who is told what is going on.

    Raises
    ------
    ReadError
        It is not a plan folder, or a file of it is missing or damaged.
    """
    stages = Stages(progress)
    with stages.stage("read plan"):
        stored = read_plan(plan)
    with stages.stage("trees"):
        return plan_trees(stored, objective)


def diff(
    old: Place,
    new: Place,
    *,
    inventory: Place | Inventory | None = None,
    layout: str = "inside",
    prefixes: bool = True,
    html: Place | None = None,
    progress: Observer | None = None,
) -> PlanDifference:
    """The changes from one plan to another: brokers, links, trees, and lines of the brokers' configuration files.

    Parameters
    ----------
    old, new
        Plan folders.
    inventory
        The addresses of the brokers of both plans; without it, each broker is taken to run on a host of its own name.
    layout, prefixes
        As for :func:`topicweave.pipeline.export`.
    html
        A file to which the changes are written as an HTML page as well.
    progress
        Who is told what is going on.
    """
    from topicweave.deploy.difference import plan_difference
    from topicweave.deploy.inventory import read_inventory

    stages = Stages(progress)
    listed = None if inventory is None else read_inventory(inventory)
    with stages.stage("read plans"):
        stored = [read_plan(folder) for folder in (old, new)]
    with stages.stage("trees"):
        before, after = plans_trees(*stored)
    with stages.stage("compare"):
        found = plan_difference(before, after, listed, layout=layout, prefixes=prefixes)
    if html is not None:
        from topicweave.files import write_atomically
        from topicweave.reports.difference_page import difference_page

        write_atomically(html, difference_page(found, str(old), str(new)).encode())
    return found

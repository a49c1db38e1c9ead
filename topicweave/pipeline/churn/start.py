"""Reads the overlay from which maintain and follow start: a plan folder, or separate links and subscriptions."""

from __future__ import annotations

import itertools
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any

from topicweave.churn.change_table import RecordedEvents
from topicweave.churn.registry import DEFAULT, MAINTAINERS
from topicweave.columns import SOURCE, TARGET
from topicweave.errors import ReadError
from topicweave.files import sha256
from topicweave.model import Interest, Overlay
from topicweave.model.event_schema import GREATEST_SEQUENCE, LEAST_SEQUENCE
from topicweave.parameters import check_seed, fill, find_entry
from topicweave.pipeline.job import as_source, check_present
from topicweave.pipeline.loading import load_in
from topicweave.pipeline.plan.reader import StoredPlan, plan_trees, read_plan
from topicweave.pipeline.plan.requirements import read_requirements
from topicweave.pipeline.plan.source import PlanFolder, read_edges
from topicweave.pipeline.plan.target import EDGES, SUBSCRIPTIONS, TREES, plan_folder
from topicweave.pipeline.sources.formats.table import Table
from topicweave.trees.filters import is_filter

if TYPE_CHECKING:
    import os
    from collections.abc import Mapping
    from pathlib import Path

    from topicweave.churn.maintainer import Maintainer
    from topicweave.model import Requirements
    from topicweave.pipeline.job import Job, SourceLike, Spark
    from topicweave.trees import Trees

# the name of the table of subscriptions in error messages, to distinguish it from the table of events
SUBSCRIPTIONS_ROLE = "subscriptions"
STRICT = "strict"  # the maintainer that supports requirements
CHANGES = "changes.parquet"  # only a plan that is the result of events has this file


@dataclass(frozen=True)
class StartingOverlay:
    """The subscriptions and links to start from.

    Attributes
    ----------
    interest, overlay
        The subscriptions and links.
    folder
        The plan folder that the links come from; None if there is none.
    manifest
        The manifest of that folder.
    subscriptions_elsewhere
        Whether the interest comes from elsewhere than the folder.
    """

    interest: Interest
    overlay: Overlay
    folder: Path | None = None
    manifest: Mapping[str, Any] = field(default_factory=dict, repr=False)
    subscriptions_elsewhere: bool = False

    @property
    def last_sequence(self) -> int | None:
        """The number of the last event contained in the plan; None if the plan is not the result of events."""
        return self._events.get("last_sequence")

    @property
    def _events(self) -> dict[str, Any]:
        return dict(self.manifest.get("events") or {})

    def recorded_events(self) -> RecordedEvents:
        """The plan's records about the events that led to it."""
        changes = None if self.folder is None else self.folder / CHANGES
        whole = (LEAST_SEQUENCE, GREATEST_SEQUENCE)
        return RecordedEvents([(changes, whole)] if changes is not None and changes.is_file() else [])

    def left_out(self, number: int) -> bool:
        """Whether the log behind the plan skipped this number: it is not above the last number in the plan, but the
        plan has no record of it.

        Only the latest log is recorded, so that numbers up to the first of it count as applied.
        """
        first = self._events.get("first_sequence")
        return first is not None and number > first

    def left_out_runs(self) -> list[list[int]]:
        """All numbers that the log skipped, as pairs of first and last."""
        first, last = self._events.get("first_sequence"), self.last_sequence
        if first is None or last is None:
            return []
        numbers = [number for number in self.recorded_events().numbers() if first <= number <= last]
        return [[one + 1, other - 1] for one, other in itertools.pairwise(numbers) if other - one > 1]

    def trees(self) -> Trees | None:
        """The trees that were written with the plan; None if there are none."""
        if self.folder is None or self.subscriptions_elsewhere or not (self.folder / TREES).is_file():
            return None
        return plan_trees(StoredPlan(self.interest, self.overlay, self.manifest, self.folder))

    @cached_property
    def requirements(self) -> Requirements | None:
        """The requirements of the plan; None if it has none."""
        return None if self.folder is None else read_requirements(self.folder)

    def describe(self) -> list[dict[str, Any]]:
        """How a manifest describes the plan folder as an input."""
        if self.folder is None:
            return []
        files = [self.folder / name for name in (EDGES, SUBSCRIPTIONS) if (self.folder / name).is_file()]
        described = [{"path": str(file), "bytes": file.stat().st_size, "sha256": sha256(file)} for file in files]
        return [{"role": "plan", "kind": PlanFolder.kind, "columns": {}, "options": {}, "files": described}]


@dataclass(frozen=True)
class MaintainerChoice:
    """The arguments that choose the maintainer, checked before anything is started.

    Attributes
    ----------
    name, seed
        None if not given: then the default applies, or what an existing state has.
    parameters
        The given parameters.
    """

    name: str | None
    parameters: Mapping[str, Any]
    seed: int | None = None

    def __post_init__(self) -> None:
        if self.name is not None:
            find_entry("maintainer", self.name, MAINTAINERS)
        if self.seed is not None:
            check_seed(self.seed)
        self.check_for(self.name or DEFAULT)

    def check_for(self, name: str) -> None:
        """Raise an error if a parameter does not belong to this maintainer."""
        fill(name, MAINTAINERS[name].parameters, self.parameters)

    def begin(self, job: Job, start: StartingOverlay, trees: bool | None = None) -> Maintainer:
        """The maintainer of an overlay; it follows the trees written with the plan, or new ones.

        For a plan with requirements it is the one that keeps them, unless another than the default was named.

        Parameters
        ----------
        job
            The run, which reports which trees are followed.
        start
            The overlay.
        trees
            Whether trees are followed; by default they are if the plan has trees and none of its topics is a filter.
        """
        name, given = self.name or DEFAULT, dict(self.parameters)
        if start.requirements is not None and name in (DEFAULT, STRICT):
            name, given["requirements"] = STRICT, start.requirements
            self.check_for(name)
        made = MAINTAINERS[name](start.interest, start.overlay, seed=self.seed or 0, **given)
        written = None if trees is False else start.trees()
        if not trees and written is None:
            return made
        with job.stages.stage("trees"):
            wild = next((topic for topic in start.interest.topics if is_filter(topic)), None)
            if wild is None or trees:
                made.follow_trees(written)
                job.stages.say("new ones" if written is None else "those of the plan are followed")
            else:
                job.stages.say(f"those of the plan cannot be followed, because topic {wild!r} is a filter")
        return made

    def differences(self, present: Maintainer) -> dict[str, tuple[Any, Any]]:
        """For each parameter in which an existing maintainer differs from the requested one, both values."""
        found: dict[str, tuple[Any, Any]] = {}
        said = {**self.parameters, **({} if self.seed is None else {"seed": self.seed})}
        if self.name not in (None, present.name):
            found["maintainer"] = (present.name, self.name)
        for name, value in said.items():
            if present.parameters.get(name) != value:
                found[name] = (present.parameters.get(name), value)
        return found

    def instead_of(self, present: Maintainer) -> Maintainer:
        """Replace an existing maintainer by the requested one, keeping its links and every setting that was not
        given.
        """
        name = self.name or present.name
        known = {parameter.name for parameter in MAINTAINERS[name].parameters}
        kept = {key: value for key, value in present.parameters.items() if key in known}
        seed = present.parameters["seed"] if self.seed is None else self.seed
        given = {**kept, **self.parameters}
        from topicweave.churn import Strict

        if name == STRICT and isinstance(present, Strict):
            given["requirements"] = present.requirements
        made = MAINTAINERS[name](present.interest, present.overlay, seed=seed, **given)
        if present.followed_trees is not None:
            made.follow_trees(present.trees)
        return made


def check_start(plan: str | os.PathLike[str] | None, subscriptions: SourceLike | None, spark: Spark) -> None:
    """Report unreadable plans or subscriptions, as far as this is possible before Spark starts."""
    if plan is None:
        return
    check_present([Table(plan)], spark)
    if subscriptions is not None:
        check_present(as_source(subscriptions).tables, spark)
    elif plan_folder(plan) is None:
        raise ReadError(
            f"{plan} is not a plan folder, so it does not contain the subscriptions of its nodes; "
            f"give a plan folder, or name the subscriptions as well."
        )


def read_start(
    job: Job, plan: str | os.PathLike[str] | None, subscriptions: SourceLike | None = None
) -> StartingOverlay:
    """Read the overlay to start from; without one, start without nodes.

    Parameters
    ----------
    job
        Starts Spark only if the subscriptions are not in the plan folder.
    plan
        A plan folder, or a list of links.
    subscriptions
        The subscriptions, if the plan does not contain them.
    """
    if plan is None:
        nobody = Interest.from_sets({})
        return StartingOverlay(nobody, Overlay.empty(nobody.nodes))
    folder = plan_folder(plan)
    interest = None
    if subscriptions is not None:
        interest = _read_subscriptions(job, subscriptions)
    if folder is not None:
        with job.stages.stage("read plan"):
            stored = read_plan(folder, interest)
            is_other = subscriptions is not None
            return StartingOverlay(stored.interest, stored.overlay, folder, stored.manifest, is_other)
    assert interest is not None, "check_start refuses links without subscriptions"
    rows = read_edges(job.spark, Table(plan)).select(SOURCE, TARGET).collect()
    return StartingOverlay(interest, Overlay.from_pairs(((row[0], row[1]) for row in rows), labels=interest.nodes))


def _read_subscriptions(job: Job, subscriptions: SourceLike) -> Interest:
    try:
        loaded = load_in(job, as_source(subscriptions))
    except ReadError as error:
        if error.fields:  # lets the interface name the right table in the message, subscriptions or events
            error.fields["role"] = SUBSCRIPTIONS_ROLE
        raise
    loaded.records.release()
    return loaded.interest

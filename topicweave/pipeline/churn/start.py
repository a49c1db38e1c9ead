"""The overlay that maintain and follow start from: a plan folder, or links and subscriptions given separately."""

from __future__ import annotations

from dataclasses import dataclass, field
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
from topicweave.pipeline.plan.source import PlanFolder, read_edges
from topicweave.pipeline.plan.target import EDGES, SUBSCRIPTIONS, TREES, plan_folder
from topicweave.pipeline.quality.reasons import MAX_BAD_FRACTION
from topicweave.pipeline.sources.formats.table import Table

if TYPE_CHECKING:
    import os
    from collections.abc import Mapping
    from pathlib import Path

    from topicweave.churn.maintainer import Maintainer
    from topicweave.pipeline.job import Job, SourceLike, Spark
    from topicweave.trees import Trees

SUBSCRIPTIONS_ROLE = "subscriptions"  # what errors call this table, as opposed to that of the events
CHANGES = "changes.parquet"  # this file is in the folder of a plan that is the result of events


@dataclass(frozen=True)
class StartingOverlay:
    """The subscriptions and links at the start.

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
        """The number of the last event that the plan contains; None if it is not the result of events."""
        return self._events.get("last_sequence")

    @property
    def _events(self) -> dict[str, Any]:
        return dict(self.manifest.get("events") or {})

    def recorded_events(self) -> RecordedEvents:
        """What the plan records about the events of the log that it is the result of."""
        changes = None if self.folder is None else self.folder / CHANGES
        whole = (LEAST_SEQUENCE, GREATEST_SEQUENCE)
        return RecordedEvents([(changes, whole)] if changes is not None and changes.is_file() else [])

    def left_out(self, number: int) -> bool:
        """Whether a number that the plan does not record, and that is not above its last, never arrived.

        Only the latest log is recorded: earlier numbers count as applied.
        """
        first = self._events.get("first_sequence")
        return first is not None and number > first

    def trees(self) -> Trees | None:
        """The trees that were written with the plan; None if there are none."""
        if self.folder is None or self.subscriptions_elsewhere or not (self.folder / TREES).is_file():
            return None
        return plan_trees(StoredPlan(self.interest, self.overlay, self.manifest, self.folder))

    def describe(self) -> list[dict[str, Any]]:
        """The plan folder as an input in a manifest."""
        if self.folder is None:
            return []
        files = [self.folder / name for name in (EDGES, SUBSCRIPTIONS) if (self.folder / name).is_file()]
        described = [{"path": str(file), "bytes": file.stat().st_size, "sha256": sha256(file)} for file in files]
        return [{"role": "plan", "kind": PlanFolder.kind, "columns": {}, "options": {}, "files": described}]


@dataclass(frozen=True)
class MaintainerChoice:
    """The arguments about the maintainer, checked before anything is started.

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
        """Raise if a parameter does not belong to this maintainer."""
        fill(name, MAINTAINERS[name].parameters, self.parameters)

    def begin(self, start: StartingOverlay, *, trees: bool = False) -> Maintainer:
        """The maintainer of an overlay; with ``trees`` it follows the trees written with the plan, or new ones."""
        made = MAINTAINERS[self.name or DEFAULT](start.interest, start.overlay, seed=self.seed or 0, **self.parameters)
        if trees:
            made.follow_trees(start.trees())
        return made

    def differences(self, present: Maintainer) -> dict[str, tuple[Any, Any]]:
        """Where a maintainer differs from what was asked for: by parameter, its value and the given one."""
        found: dict[str, tuple[Any, Any]] = {}
        said = {**self.parameters, **({} if self.seed is None else {"seed": self.seed})}
        if self.name not in (None, present.name):
            found["maintainer"] = (present.name, self.name)
        for name, value in said.items():
            if present.parameters.get(name) != value:
                found[name] = (present.parameters.get(name), value)
        return found

    def instead_of(self, present: Maintainer) -> Maintainer:
        """The maintainer asked for, with the links of an existing one; what was not given stays as it is."""
        name = self.name or present.name
        known = {parameter.name for parameter in MAINTAINERS[name].parameters}
        kept = {key: value for key, value in present.parameters.items() if key in known}
        seed = present.parameters["seed"] if self.seed is None else self.seed
        made = MAINTAINERS[name](present.interest, present.overlay, seed=seed, **{**kept, **self.parameters})
        if present.followed_trees is not None:
            made.follow_trees(present.trees)
        return made


def check_start(plan: str | os.PathLike[str] | None, subscriptions: SourceLike | None, spark: Spark) -> None:
    """Raise for an unreadable plan or subscriptions, as far as that can be detected before Spark starts."""
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
    """Read what to start from; without a plan, there are no nodes.

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
        loaded = load_in(job, as_source(subscriptions), MAX_BAD_FRACTION)
    except ReadError as error:
        if error.fields:  # so that a front end can tell this table from that of the events
            error.fields["role"] = SUBSCRIPTIONS_ROLE
        raise
    loaded.records.release()
    return loaded.interest

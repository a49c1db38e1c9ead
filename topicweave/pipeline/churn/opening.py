"""Opens the state of a stream, which is either new or continues an earlier one."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from topicweave.churn.event_store import PASS, Beginning, EventStore
from topicweave.churn.numbers import FIRST, Numbers
from topicweave.churn.state_folder import check_new, has_state
from topicweave.errors import Argument, ParameterError, TargetError
from topicweave.files import sha256
from topicweave.pipeline.churn.checkpoint import CHECKPOINT
from topicweave.pipeline.churn.start import read_start
from topicweave.pipeline.plan.target import MANIFEST, plan_folder

if TYPE_CHECKING:
    from topicweave.churn.pace import Pace
    from topicweave.pipeline.churn.start import MaintainerChoice, StartingOverlay
    from topicweave.pipeline.job import Job, SourceLike


@dataclass(frozen=True)
class Opening:
    """The arguments that decide how the state of a stream is opened.

    Attributes
    ----------
    state
        The folder.
    choice
        The maintainer.
    plan, subscriptions, empty
        What a new state starts from; ``empty`` for no nodes.
    first
        The number of the log's first event; None if not given.
    gaps, max_gap, pace
        How the log is applied; these may differ from run to run.
    reconfigure
        Whether an existing state gets the maintainer that was asked for.
    trees
        Whether trees are followed. By default an existing state goes on as before, and a new one follows trees if the
        plan has any.
    """

    state: str | os.PathLike[str]
    choice: MaintainerChoice
    plan: str | os.PathLike[str] | None
    subscriptions: SourceLike | None
    empty: bool
    first: int | None
    gaps: str
    max_gap: int
    pace: Pace
    reconfigure: bool
    trees: bool | None = None

    def check(self) -> None:
        """Report every error that can be detected before anything is started or created."""
        if plan_folder(self.state) is not None:
            raise TargetError(
                "{state} is a plan, not the state of a stream; name another folder, and this one as {plan}.",
                state=self.state, plan=Argument("plan"),
            )  # fmt: skip
        if has_state(self.state):
            return
        check_new(self.state, (CHECKPOINT,))
        if (self.plan is None) != self.empty:
            wrong = "nothing to start from was given" if self.plan is None else "two things to start from were given"
            raise ParameterError(
                "There is no state in {state} yet, and {wrong}; check the path, or give either {plan} or {empty}, "
                "which starts without nodes.",
                state=os.path.abspath(self.state), wrong=wrong, plan=Argument("plan"), empty=Argument("empty"),
            )  # fmt: skip

    def open(self, job: Job) -> EventStore:
        """Open the state; the caller must hold its lock."""
        is_new = not has_state(self.state)
        store = EventStore(self.state, lambda: self._begin(job), gaps=self.gaps, max_gap=self.max_gap, pace=self.pace)
        if not is_new:
            self._compare(store)
        if self.trees and store.maintainer.followed_trees is None:
            store.maintainer.follow_trees()
            store.save()
        return store

    def _begin(self, job: Job) -> Beginning:
        start = read_start(job, self.plan, self.subscriptions)
        numbers = self._numbers(start)
        origin = {**_origin(self.plan), "first": numbers.following}
        return Beginning(self.choice.begin(job, start, self.trees), numbers, origin)

    def _numbers(self, start: StartingOverlay) -> Numbers:
        last = start.last_sequence
        if last is None:
            usual = None if self.gaps == PASS else FIRST
            return Numbers(usual if self.first is None else self.first)
        if self.first not in (None, last + 1):
            raise ParameterError(
                "The plan contains the events up to {last}, so that the next is {following}, not {first}; leave "
                "{argument} out.",
                last=last, following=last + 1, first=self.first, argument=Argument("first"),
            )  # fmt: skip
        return Numbers(None, last, start.left_out_runs())

    def _compare(self, store: EventStore) -> None:
        """Raise an error if settings differ from the settings of the stored state; with ``reconfigure``, the
        maintainer's settings may differ.
        """
        fixed: dict[str, tuple[Any, Any]] = {}
        origin = dict(store.origin or {})
        if self.plan is not None and origin and not _is_origin(self.plan, origin):
            fixed["plan"] = (origin.get("plan"), os.fspath(self.plan))
        if self.empty and origin.get("plan") is not None:
            fixed["empty"] = (False, True)
        begun = origin.get("first", store.numbers.first)
        if self.first not in (None, begun):
            fixed["first"] = (begun, self.first)
        if self.trees is False and store.maintainer.followed_trees is not None:
            fixed["trees"] = (True, False)
        other = self.choice.differences(store.maintainer)
        if fixed:
            it = "it" if len(fixed) == 1 else "them"
            raise _differs(store, fixed, f"it was started with {it}; leave {it} out, or name another folder.")
        if other and not self.reconfigure:
            it = "it" if len(other) == 1 else "them"
            raise _differs(store, other, f"leave {it} out, or change {it} by {{reconfigure}}.")
        if other:
            store.maintainer = self.choice.instead_of(store.maintainer)
            store.save()


def _differs(store: EventStore, differences: dict[str, tuple[Any, Any]], advice: str) -> ParameterError:
    parts: list[str] = []
    fields: dict[str, Any] = {}
    for name, (has, said) in differences.items():
        parts.append(f"{{of_{name}}} is {{has_{name}!r}} there and {{said_{name}!r}} here")
        fields |= {f"of_{name}": Argument(name), f"has_{name}": has, f"said_{name}": said}
    return ParameterError(
        "The state in {folder} is another: " + ", ".join(parts) + "; " + advice,
        folder=store.folder, reconfigure=Argument("reconfigure"), **fields,
    )  # fmt: skip


def _origin(plan: str | os.PathLike[str] | None) -> dict[str, Any]:
    """Where a new state comes from: a path and, for a plan folder, the checksum of its manifest."""
    if plan is None:
        return {"plan": None}
    folder = plan_folder(plan)
    return {"plan": os.path.abspath(plan), "sha256": None if folder is None else sha256(folder / MANIFEST)}


def _is_origin(plan: str | os.PathLike[str], origin: dict[str, Any]) -> bool:
    """Whether the plan is the recorded one: the same path, or a copy at another path."""
    here = _origin(plan)
    return here["plan"] == origin.get("plan") or (here["sha256"] is not None and here["sha256"] == origin.get("sha256"))

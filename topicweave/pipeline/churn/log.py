"""The steps of applying a complete log of events: read, apply, write, verify, publish."""

from __future__ import annotations

import os
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from topicweave.churn.change import Change
from topicweave.churn.change_table import ADDED, REMOVED, TREES, VIOLATIONS, as_parquet, change_rows
from topicweave.churn.pace import carry_out, reoptimised
from topicweave.churn.replay import Recorder
from topicweave.columns import CONTRIBUTION, LINE, NODE, REASON, SEQUENCE, TOPIC
from topicweave.errors import Argument, BadRowsError, ParameterError, TargetError, VerificationError
from topicweave.model.event_schema import REUSED_SEQUENCE
from topicweave.pipeline.churn.start import CHANGES, STRICT
from topicweave.pipeline.plan.manifest import describe_inputs, new_manifest, write_manifest
from topicweave.pipeline.plan.plan import (
    diameter_figures,
    nodes_table,
    topics_table,
    write_subscriptions,
    write_trees,
)
from topicweave.pipeline.plan.requirements import write_requirements
from topicweave.pipeline.plan.target import EDGES, NODES, QUARANTINE, REPORT, SUBSCRIPTIONS, TOPICS, plan_folder
from topicweave.pipeline.publishing import ABOUT_TREES, describe_check
from topicweave.pipeline.quality.quarantine import write_entries
from topicweave.pipeline.quality.reasons import Counts
from topicweave.pipeline.required import verify_required
from topicweave.pipeline.sources.event_rows import read_event_rows
from topicweave.pipeline.sources.events import EventLog
from topicweave.pipeline.sources.formats.files import as_paths, read_local_parquet
from topicweave.pipeline.sources.formats.table import Table, as_table
from topicweave.wording import counted, shortened

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from pyspark.sql import DataFrame

    from topicweave.churn.events import Event
    from topicweave.churn.maintainer import Maintainer
    from topicweave.churn.pace import Pace
    from topicweave.churn.replay import Replay
    from topicweave.model import Requirements
    from topicweave.pipeline.churn.start import MaintainerChoice, StartingOverlay
    from topicweave.pipeline.connectivity import Verification
    from topicweave.pipeline.job import Job, Out
    from topicweave.pipeline.sources.event_rows import EventRows
    from topicweave.trees import Trees

SNAPSHOT = "snapshot"


@dataclass(frozen=True)
class Maintained:
    """The result of applying a log to a plan.

    Attributes
    ----------
    maintainer
        The state after the last event.
    replay
        Figures on each event.
    num_applied, num_refused, num_known, num_bad
        Events applied, invalid or late events, events already known, and rows that are not events.
    verification
        The result of the independent check of the written links.
    manifest
        Inputs, counts, parameters, versions and times.
    folder
        Where it was written; None if it was not written.
    """

    maintainer: Maintainer
    replay: Replay
    num_applied: int
    num_refused: int
    num_known: int
    num_bad: int
    verification: Verification
    manifest: Mapping[str, Any] = field(repr=False)
    folder: Path | None = None

    def summary(self) -> str:
        """A few lines to print."""
        maintainer, replay = self.maintainer, self.replay
        said = [f"{counted(self.num_applied, 'event')} applied"]
        said += [f"{self.num_refused:,} refused"] if self.num_refused else []
        said += [f"{self.num_known:,} known before"] if self.num_known else []
        said += [f"{counted(self.num_bad, 'row')} put aside in {QUARANTINE}/"] if self.num_bad else []
        links = "{links_added:,} added, {links_removed:,} removed".format(**self.manifest["events"])
        trees = "{tree_changes:,} changes of {trees_changed:,}".format(**self.manifest["events"])
        median = 1e3 * float(np.median(replay.seconds)) if len(replay.actions) else 0.0
        lines = [
            ", ".join(said),
            f"  nodes           {maintainer.num_nodes:,}",
            f"  links           {maintainer.num_edges:,} ({links})",
            f"  average degree  {maintainer.average_degree:.2f}",
            f"  maximum degree  {maintainer.maximum_degree}",
            *([f"  trees           {trees}"] if maintainer.followed_trees is not None else []),
            f"  per event       {median:.2f} ms (median)",
            "  verified        every topic is connected",
            *self._required(),
        ]
        return "\n".join(lines if self.folder is None else [*lines, f"  written to      {self.folder}"])

    def _required(self) -> list[str]:
        """Whether the requirements, if any, are met, and which events violated some of them on the way."""
        required = self.manifest.get("requirements")
        if required is None:
            return []
        met = "all met" if required["met"] else f"NOT met: {counted(required['violations'], 'violation')}"
        during = self.manifest["events"]["violating"]
        between = f"; violated after {counted(during, 'event')} (see {CHANGES})" if during else ""
        return [f"  requirements    {met}{between}"]


class Log:
    """A log that is being applied; its methods are called in the order of their definition.

    Parameters
    ----------
    job
        The run.
    start
        The overlay to which the events are applied.
    choice
        The maintainer.
    pace
        How many events are repaired together, and when to reoptimise: without ``every``, once, after the last event.
    trees
        Whether trees are followed; by default they are if the plan has trees and none of its topics is a filter.
    """

    rows: EventRows
    verification: Verification
    trees: Trees | None

    def __init__(
        self, job: Job, start: StartingOverlay, choice: MaintainerChoice, pace: Pace, *, trees: bool | None = None
    ) -> None:
        self.job, self.start, self.pace = job, start, pace
        self.maintainer = choice.begin(job, start, trees)
        self.first: int | None = None  # the number of the first event that the plan does not contain yet
        self.last = start.last_sequence
        self.changes: list[dict[str, Any]] = []
        self.bad: list[dict[str, Any]] = []
        self.num_applied = self.num_refused = self.num_known = 0
        self.recorder = Recorder()

    @property
    def requirements(self) -> Requirements | None:
        """The maintainer's requirements; None if there are none, or if it does not support any."""
        return self.start.requirements if self.maintainer.name == STRICT else None

    def read(self, log: EventLog) -> None:
        """Read the events."""
        table = log.table
        with self.job.stages.stage("read events"):
            self.rows = read_event_rows(self.job.spark, table, is_whole_log=True, max_label_length=log.max_label_length)
            self.bad = list(self.rows.bad)
            if self.bad and not self.rows.events:
                raise BadRowsError(
                    f"None of the {counted(len(self.bad), 'row')} in {table.name} is an event: "
                    f"{shortened([self.bad[0][LINE]], width=60)} is not, because: {self.bad[0][REASON]}."
                )
            aside = f", {counted(len(self.bad), 'bad row')} put aside" if self.bad else ""
            self.job.stages.say(counted(len(self.rows.events), "event") + aside)

    def apply(self) -> None:
        """Apply the events that the plan does not contain yet."""
        with self.job.stages.stage("apply events"):
            for group in self.pace.groups(self._new_events()):
                self._apply_group(group)
            if self.pace.budget and self.pace.every is None and self.last is not None:
                self.changes += reoptimised(self.maintainer, self.pace.budget, self.last)
            refused = f", {self.num_refused:,} refused" if self.num_refused else ""
            before = f", {self.num_known:,} known before" if self.num_known else ""
            applied = counted(self.num_applied, "event")
            self.job.stages.say(f"{applied} applied{refused}{before}; {self.maintainer!r}")

    def _new_events(self) -> list[Event]:
        """The events that the plan does not contain yet; all others are counted, refused or quarantined."""
        seen, found = self.start.last_sequence, {}
        known = self.start.recorded_events()
        for row in self.rows.events:
            number = row.event.sequence
            if number in found:  # all rows of one log that have the same number are equal at this point
                self.num_known += 1
            elif seen is None or number > seen:
                found[number] = row.event
            elif known.has(number):
                if known.agrees(row.event):
                    self.num_known += 1
                else:
                    self.bad.append(row.entry(REUSED_SEQUENCE))
            elif self.start.left_out(number):
                self._refuse_late(row.event, seen)
            else:
                self.num_known += 1
        return list(found.values())

    def _apply_group(self, group: list[Event]) -> None:
        before = self.last
        for done in carry_out(self.maintainer, group):
            self.num_applied += done.refused is None
            self.num_refused += done.refused is not None
            self.changes += done.rows()
            self.recorder.note(done.event, done.change, self.maintainer)
        self.first = group[0].sequence if self.first is None else self.first
        self.last = group[-1].sequence
        if self.pace.is_due(before, self.last):
            self.changes += reoptimised(self.maintainer, self.pace.budget, self.last)

    def _refuse_late(self, event: Event, last: int) -> None:
        reason = f"Event {event.sequence} came after the plan had been brought to {last}; it was not applied."
        self.changes += change_rows(event, Change(), reason)
        self.num_refused += 1

    def write(self) -> None:
        """Write the result: links, nodes, subscriptions, changes, snapshot and quarantine."""
        import pyarrow as pa
        import pyarrow.parquet as pq

        from topicweave.churn.snapshot import save

        folder, interest, overlay = self.job.folder, self.maintainer.interest, self.maintainer.overlay
        with self.job.writing(), self.job.stages.stage("write"):
            links = overlay.to_arrow()
            pq.write_table(links.append_column(CONTRIBUTION, pa.nulls(links.num_rows, pa.int64())), folder / EDGES)
            write_subscriptions(interest, folder)
            pq.write_table(nodes_table(interest, overlay), folder / NODES)
            (folder / CHANGES).write_bytes(as_parquet(sorted(self.changes, key=lambda row: row[SEQUENCE])))
            self.trees = self.maintainer.trees
            if self.trees is not None:
                write_trees(self.trees, folder)
            save(self.maintainer, folder / SNAPSHOT)
            (folder / QUARANTINE).mkdir()
            if self.requirements is not None:
                write_requirements(self.requirements, folder, interest.nodes)
            if self.bad:
                write_entries(self.bad, folder / QUARANTINE)
            self.job.stages.say(counted(overlay.num_edges, "link"))

    def verify(self) -> None:
        """Read the files that were written, and check that every topic is connected."""
        spark, folder = self.job.spark, self.job.folder
        with self.job.stages.stage("verify"):
            subscriptions = read_local_parquet(spark, folder / SUBSCRIPTIONS).select(NODE, TOPIC)
            written = read_local_parquet(spark, folder / EDGES)
            found = verify_required(subscriptions, written, self.requirements, diameters=True)
            if not found.topic_connected:
                raise VerificationError(
                    f"The links written leave {counted(len(found.disconnected_topics), 'topic')} disconnected; "
                    f"nothing was published, please report this."
                )
            violated = counted(len(found.violations), "violation") + " of the requirements"
            self.job.stages.say("every topic is connected" + (f"; {violated}" if found.violations else ""))
        self.verification = found

    def publish(self) -> Maintained:
        """Write the report and the manifest, and rename the folder to its final name."""
        import pyarrow.parquet as pq

        from topicweave.reports.churn_page import churn_page

        job, replay = self.job, self.recorder.replay(float(sum(self.recorder.seconds())))
        with job.writing(), job.stages.stage("report"):
            topics = topics_table(self.maintainer.interest, self.verification, self.trees)
            pq.write_table(topics, job.folder / TOPICS)
            (job.folder / REPORT).write_text(churn_page(self.maintainer, replay, self.trees), encoding="utf-8")
            manifest = self._manifest(diameter_figures(topics))
        with job.writing():
            write_manifest(job.folder, manifest, job.stages.seconds)
        folder = job.publish()
        return Maintained(
            self.maintainer,
            replay,
            self.num_applied,
            self.num_refused,
            self.num_known,
            len(self.bad),
            self.verification,
            manifest,
            folder,
        )

    def _manifest(self, diameters: dict[str, Any]) -> dict[str, Any]:
        maintainer, interest = self.maintainer, self.maintainer.interest
        return new_manifest(
            "maintain",
            inputs=[*self.start.describe(), *describe_inputs([self.rows.part], EventLog.kind)],
            rows={"inputs": {"events": self._counts().to_dict()}, "duplicates": self.num_known},
            parameters={name: value for name, value in maintainer.parameters.items() if name != "seed"},
            seed=maintainer.parameters["seed"],
            counts={
                "nodes": maintainer.num_nodes,
                "topics": interest.num_topics,
                "subscriptions": interest.num_subscriptions,
                "links": maintainer.num_edges,
            },
            seconds=self.job.stages.seconds,
            spark=self.job.spark,
            maintainer=maintainer.name,
            events={
                "first_sequence": self.first,
                "last_sequence": self.last,
                "applied": self.num_applied,
                "refused": self.num_refused,
                "known_before": self.num_known,
                "links_added": sum(len(row[ADDED]) for row in self.changes),
                "links_removed": sum(len(row[REMOVED]) for row in self.changes),
                "violating": sum(bool(row[VIOLATIONS]) for row in self.changes),
                "tree_changes": sum(len(row[TREES]) for row in self.changes),
                "trees_changed": len({each[TOPIC] for row in self.changes for each in row[TREES]}),
            },
            trees=ABOUT_TREES if self.trees is None else {**ABOUT_TREES, **self.trees.figures()},
            overlay={
                "links": maintainer.num_edges,
                "average_degree": maintainer.average_degree,
                "maximum_degree": maintainer.maximum_degree,
            },
            verification={
                "topic_connected": self.verification.topic_connected,
                "support": self.verification.support,
                "components": self.verification.components,
                "disconnected_topics": len(self.verification.disconnected_topics),
            },
            diameters=diameters,
            requirements=describe_check(self.verification),
        )

    def _counts(self) -> Counts:
        """What became of every row, including the events that the plan already contains."""
        counts, reused = self.rows.counts, len(self.bad) - len(self.rows.bad)
        bad = dict(counts.bad)
        if reused:
            bad[REUSED_SEQUENCE] = bad.get(REUSED_SEQUENCE, 0) + reused
        return Counts(counts.valid - reused, bad, counts.ignored)


def as_log(events: EventLog | Table | DataFrame | str | os.PathLike[str]) -> EventLog:
    """Return an event log unchanged, and make one of anything else; naming a column for a field that events do not have
    is an error.
    """
    if not isinstance(events, EventLog):
        return EventLog(as_table(events))
    if events.at is not None:
        raise ParameterError(
            "A log is applied to its end, but {at} was given; leave it out.", at=Argument("at", events.at)
        )
    return events


def check_target(out: Out, plan: str | os.PathLike[str], tables: Iterable[Table]) -> None:
    """Raise an error if the output would replace the plan to start from, or any other input."""
    if not isinstance(out, str | os.PathLike) or not os.path.exists(out):
        return
    with suppress(OSError):
        if plan_folder(plan) is not None and os.path.samefile(out, plan):
            raise TargetError(f"{out} is the plan to start from, which must stay; choose another folder.")
    read = [path for table in tables if not table.is_frame for path in as_paths(table.path)]  # type: ignore[arg-type]
    for path in [os.fspath(plan), *read]:
        if os.path.exists(path) and Path(path).resolve().is_relative_to(Path(out).resolve()):
            raise TargetError(f"{path} is read by this run, so {out} must stay; choose another folder.")

"""Checkpoints: results of the finished stages of a killed run, for the next run of the same job.

Reading and designing a large input takes minutes. The results of both are kept in a hidden folder beside the target
until the plan is published; verification is always repeated. If that folder cannot be written, the run continues
without checkpoints.
"""

from __future__ import annotations

import json
import logging
import shutil
from typing import TYPE_CHECKING, Any, Self, TypeAlias, TypeVar

from topicweave.errors import TargetError
from topicweave.model import Design, Interest, Overlay, Trace
from topicweave.model.design import Round
from topicweave.pipeline.plan.checkpoints.files import load, packed_labels, save, unpacked_labels
from topicweave.pipeline.plan.checkpoints.keys import design_key, input_key
from topicweave.pipeline.quality.reasons import Counts
from topicweave.pipeline.spark.progress import DESIGN, ENCODE

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from pathlib import Path

    from numpy.typing import NDArray
    from pyspark.sql import SparkSession

    from topicweave.pipeline.plan.target import Target
    from topicweave.pipeline.sources.source import Records, Source

    Made = TypeVar("Made")
    Account: TypeAlias = tuple[Interest, Mapping[str, Counts], int]
    """An interest, the counts of the input's rows by part, and how many subscriptions were repeated."""

log = logging.getLogger("topicweave.pipeline")

# Only inputs with at least this many rows, and designs that took at least this many seconds, are worth storing.
ROWS_WORTH_SAVING, SECONDS_WORTH_SAVING = 1_000_000, 10.0


class Checkpoints:
    """The checkpoints that earlier runs with the same output have left, and those that this run leaves until it is
    done.

    Parameters
    ----------
    target
        Where the plan will be; it is locked, so that no other run uses these checkpoints. With None, nothing is kept.
    fresh
        Discard existing checkpoints.

    Attributes
    ----------
    resumed
        The stages that were not repeated, each with the seconds it originally took.
    """

    def __init__(self, target: Target | None = None, *, fresh: bool = False) -> None:
        self.resumed: dict[str, float] = {}
        self._folder = None if target is None else target.checkpoints
        self._input: str | None = None
        self._design: str | None = None
        if fresh:
            self.clear()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: object) -> None:
        """If the user interrupts the run, say that finished stages are stored."""
        if isinstance(error, KeyboardInterrupt) and self._folder is not None and self._folder.is_dir():
            error.add_note(f"Finished stages are kept in {self._folder}; the same command continues from there.")

    def identify(self, spark: SparkSession, source: Source, records: Records) -> None:
        """Identify the input that is going to be read; before this is called, nothing is stored or resumed."""
        if self._folder is None:
            return
        try:
            self._input = input_key(spark, source, records)
        except (OSError, TargetError) as error:
            log.warning("the stages of this run are not kept: %s", error)
        self._drop_others(ENCODE, self._input)

    def find_account(self) -> Account | None:
        """The stored result of reading the same input, if there is one."""
        return self._resume(ENCODE, self._input, _account)

    def save_account(self, made: Account, seconds: float) -> None:
        """Store the result of reading, if the input is large."""
        interest, account, duplicates = made
        if self._input is None or sum(counts.read for counts in account.values()) < ROWS_WORTH_SAVING:
            return
        facts = {
            "seconds": seconds,
            "duplicates": duplicates,
            "counts": {
                role: {"valid": counts.valid, "bad": dict(counts.bad), "ignored": dict(counts.ignored)}
                for role, counts in account.items()
            },
        }
        arrays: dict[str, NDArray[Any]] = {"indptr": interest.indptr, "indices": interest.indices}
        if interest.roles is not None:
            arrays["roles"] = interest.roles
        arrays["node_starts"], arrays["nodes"] = packed_labels(interest.nodes)
        arrays["topic_starts"], arrays["topics"] = packed_labels(interest.topics)
        self._save(ENCODE, self._input, facts, arrays)

    def find_design(
        self, interest: Interest, algorithm: str, parameters: Mapping[str, Any], seed: int
    ) -> Design | None:
        """The stored design of the same input by the same algorithm with the same parameters, if there is one."""
        if self._input is None:
            return None
        self._design = design_key(self._input, algorithm, parameters, seed)
        self._drop_others(DESIGN, self._design)
        return self._resume(DESIGN, self._design, lambda facts, arrays: _designed(interest, facts, arrays))

    def save_design(self, made: Design, seconds: float) -> None:
        """Store a design, if it took long."""
        facts = {
            "seconds": seconds,
            "design": {
                "algorithm": made.algorithm,
                "parameters": dict(made.parameters),
                "seconds": made.seconds,
                "notes": made.notes,
            },
            "trace": {
                "components_before": made.trace.components_before,
                "components_least": made.trace.components_least,
                "support_base": made.trace.support_base,
                "pass_starts": made.trace.pass_starts,
            },
            "rounds": made.trace.rounds,
        }
        if self._design is None or seconds < SECONDS_WORTH_SAVING or not _survives(dict(made.parameters)):
            return
        self._save(DESIGN, self._design, facts, {"edges": made.overlay.edges, "contribution": made.trace.contribution})

    def remark(self, stage: str) -> str:
        """What the report says about a stage that was taken from a checkpoint."""
        return " (resumed from an interrupted run)" if stage in self.resumed else ""

    def clear(self) -> None:
        """Delete all checkpoints."""
        if self._folder is not None:
            shutil.rmtree(self._folder, ignore_errors=True)

    def _file(self, stage: str, key: str) -> Path | None:
        return None if self._folder is None else self._folder / f"{stage.replace(' ', '-')}-{key}.npz"

    def _resume(
        self, stage: str, key: str | None, build: Callable[[dict[str, Any], dict[str, NDArray[Any]]], Made]
    ) -> Made | None:
        path = None if key is None else self._file(stage, key)
        found = None if path is None else load(path)
        if found is None:
            return None
        try:
            made = build(*found)
        except Exception as error:  # the file is complete, but its content is not what it should be
            log.warning("%s does not hold what was expected and is not used (%s)", path, error)
            return None
        self.resumed[stage] = round(found[0]["seconds"], 3)
        return made

    def _save(self, stage: str, key: str, facts: Mapping[str, Any], arrays: Mapping[str, NDArray[Any]]) -> None:
        path = self._file(stage, key)
        if path is None:
            return
        try:
            path.parent.mkdir(exist_ok=True)
            save(path, facts, arrays)
        except (OSError, TargetError) as error:
            log.warning("the stage %r is not kept for a later run: %s", stage, error)

    def _drop_others(self, stage: str, key: str | None) -> None:
        """Delete the checkpoints that other runs have left for this stage: only the latest one is kept."""
        if self._folder is None or not self._folder.is_dir():
            return
        own = None if key is None else self._file(stage, key)
        try:
            for left in self._folder.iterdir():
                if left != own and left.name.startswith(f"{stage.replace(' ', '-')}-"):
                    left.unlink()
        except OSError as error:
            log.warning("%s cannot be cleared: %s", self._folder, error)


def _account(facts: dict[str, Any], arrays: dict[str, NDArray[Any]]) -> Account:
    for name in {"indptr", "indices", "roles"} & arrays.keys():
        # made read-only, which is safe because nobody else holds these arrays; otherwise an Interest would copy them
        arrays[name].setflags(write=False)
    interest = Interest(
        unpacked_labels(arrays["node_starts"], arrays["nodes"]),
        unpacked_labels(arrays["topic_starts"], arrays["topics"]),
        arrays["indptr"],
        arrays["indices"],
        arrays.get("roles"),
    )
    counts = {role: Counts(**counted) for role, counted in facts["counts"].items()}
    return interest, counts, facts["duplicates"]


def _designed(interest: Interest, facts: dict[str, Any], arrays: dict[str, NDArray[Any]]) -> Design:
    trace = Trace(
        arrays["contribution"],
        **{**facts["trace"], "pass_starts": tuple(facts["trace"]["pass_starts"])},
        rounds=tuple(Round(*numbers) for numbers in facts["rounds"]),
    )
    told = {**facts["design"], "notes": tuple(facts["design"]["notes"])}
    return Design(overlay=Overlay(interest.nodes, arrays["edges"]), trace=trace, **told)


def _survives(parameters: dict[str, Any]) -> bool:
    """Whether these values stay the same when written as JSON and read again."""
    try:
        return bool(json.loads(json.dumps(parameters)) == parameters)
    except (TypeError, ValueError):
        return False

"""The whole way: read, clean, encode, design, write, verify, measure, publish."""

from __future__ import annotations

import json
import tempfile
import time
from contextlib import closing, contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from topicweave.errors import VerificationError
from topicweave.pipeline.load import Loaded, load
from topicweave.pipeline.plan import manifest as notes
from topicweave.pipeline.plan.checkpoints.store import DESIGN, Kept
from topicweave.pipeline.plan.plan import EDGES, EDGES_CSV, NODES, QUARANTINE, REPORT, TOPICS, Plan
from topicweave.pipeline.plan.tables import diameter_figures, edges_table, nodes_table, topics_table
from topicweave.pipeline.plan.target import MANIFEST, Target
from topicweave.pipeline.quality.counts import MAX_BAD_FRACTION
from topicweave.pipeline.quality.quarantine import write_quarantine
from topicweave.pipeline.sources.links import read_local_parquet
from topicweave.pipeline.spark.progress import Stages
from topicweave.pipeline.spark.session import session
from topicweave.pipeline.verify import Verification, verify
from topicweave.reports.candidates import describe_candidates, in_words
from topicweave.reports.comparison import Comparison, comparisons
from topicweave.wording import counted

if TYPE_CHECKING:
    import os
    from collections.abc import Iterator

    import pyarrow as pa
    from pyspark.sql import SparkSession

    from topicweave.model import Design, Interest
    from topicweave.pipeline.sources.kinds import SourceLike


def design(
    spark: SparkSession | None,
    source: SourceLike,
    algorithm: str = "low",
    *,
    out: str | os.PathLike[str] | Target | None = None,
    overwrite: bool = False,
    fresh: bool = False,
    csv: bool = False,
    max_bad_fraction: float = MAX_BAD_FRACTION,
    stages: Stages | None = None,
    seed: int = 0,
    **parameters: Any,
) -> Plan:
    """Design an overlay for raw subscription data, and prove on what was written that it connects every topic.

    Parameters
    ----------
    spark
        The session to use; ``None`` for the running one, or a new embedded one.
    source
        What to read: a path, a table's name or a data frame of subscriptions, a :class:`Table` saying how to read it,
        or one of :class:`Subscriptions`, :class:`SocialGraph`, :class:`EventLog`, :class:`Clients`.
    algorithm
        A name from ``topicweave.ALGORITHMS``.
    out
        The folder to write the plan to, or a :class:`Target` that has been entered already, so that nobody else can
        take the place meanwhile; without it nothing is kept on disk.
    overwrite
        Whether a plan that is there already may be replaced.
    fresh
        Whether to do everything again. Otherwise, where a run to the same folder was killed, what the same input, read
        in the same way, has given, and what the same algorithm with the same parameters and seed has made of it, is
        taken over: of inputs with a million rows or more, and of designs that took 10 seconds or more.
    csv
        Whether to write the links as ``edges.csv`` as well.
    max_bad_fraction
        The share of bad rows up to which the good ones are used.
    stages
        Told what is going on, and keeps the time; what it has timed before, such as the start of Spark, comes into the
        manifest, too.
    seed
        Same seed, same plan, on any number of cores, partitions and machines.
    parameters
        What :func:`topicweave.design` takes besides.

    Raises
    ------
    TargetError
        The folder exists already, is being written by another run, or cannot be written.
    ReadError, BadRowsError
        The input cannot be read, or too much of it is bad.
    VerificationError
        The written links do not connect what the algorithm said they connect.
    """
    stages = stages or Stages()
    with _folder(out, overwrite) as target, Kept(target if isinstance(target, Target) else None, fresh=fresh) as kept:
        folder = target.folder if isinstance(target, Target) else target
        if spark is None:
            with stages.stage("start Spark"):
                spark = session()
        loaded = load(spark, source, max_bad_fraction=max_bad_fraction, stages=stages, kept=kept)
        try:
            planned = _design(spark, loaded.interest, algorithm, kept, stages, seed, parameters)
            with _refusals(target), stages.stage("write"):
                _write_edges(planned, folder, csv)
                _write_quarantine(loaded, folder)
                aside = f", {counted(loaded.num_bad, 'bad row')} put aside" if loaded.num_bad else ""
                stages.say(counted(planned.overlay.num_edges, "link") + aside)
            with stages.stage("verify"):
                written = read_local_parquet(spark, folder / EDGES)
                verification = verify(loaded.records.subscriptions, written, diameters=True)
                _check(planned, verification, parameters.get("topics"))
                stages.say("every topic is connected" if verification.topic_connected else "some topics are in pieces")
        except VerificationError:
            kept.clear()  # what was taken over may be to blame, if the input changed unnoticed
            raise
        finally:
            loaded.records.release()
        with _refusals(target), stages.stage("measure"):
            topics = topics_table(loaded.interest, verification)
            ways = comparisons(loaded.interest, planned.overlay)
            _write_tables(loaded.interest, planned, topics, folder)
        with _refusals(target), stages.stage("report"):
            manifest = _manifest(spark, loaded, planned, verification, topics, ways, kept, stages, seed, parameters)
            _write_report(loaded.interest, planned, verification, topics, ways, manifest, folder)
        with _refusals(target):
            manifest |= {"seconds": _rounded(stages.seconds), "outputs": notes.describe_outputs(folder)}
            text = json.dumps(manifest, indent=2, ensure_ascii=False, allow_nan=False)
            (folder / MANIFEST).write_text(text + "\n", encoding="utf-8")
        kept.clear()
        published = target.publish() if isinstance(target, Target) else None
    return Plan(loaded.interest, planned, verification, manifest, published)


@contextmanager
def _folder(out: str | os.PathLike[str] | Target | None, overwrite: bool) -> Iterator[Target | Path]:
    """The target, or a folder that goes away again."""
    if isinstance(out, Target):
        yield out
    elif out is None:
        with tempfile.TemporaryDirectory(prefix="topicweave-") as folder:
            yield Path(folder)
    else:
        with Target(out, overwrite) as target:
            yield target


@contextmanager
def _refusals(target: Target | Path) -> Iterator[None]:
    if isinstance(target, Target):
        with target.writing():
            yield
    else:
        yield


def _design(
    spark: SparkSession,
    interest: Interest,
    algorithm: str,
    kept: Kept,
    stages: Stages,
    seed: int,
    parameters: dict[str, Any],
) -> Design:
    from topicweave.algorithms import design as plan_links
    from topicweave.pipeline.workers.near_search import SparkSearch

    with stages.stage(DESIGN), closing(SparkSearch(spark)) as search:
        before = time.perf_counter()
        planned = kept.design(interest, algorithm, parameters, seed)
        if planned is None:
            planned = plan_links(
                interest, algorithm, search=search, progress=stages.observer.on_design, seed=seed, **parameters
            )
            kept.keep_design(planned, time.perf_counter() - before)
        way = in_words(describe_candidates(planned, parameters))
        stages.say(
            f"{counted(planned.overlay.num_edges, 'link')}, {planned.overlay.average_degree:.2f} per node, "
            f"at most {planned.overlay.maximum_degree}{way and f'; {way}'}{kept.remark(DESIGN)}"
        )
    return planned


def _write_edges(planned: Design, folder: Path, csv: bool) -> None:
    import pyarrow.csv
    import pyarrow.parquet as pq

    edges = edges_table(planned)
    pq.write_table(edges, folder / EDGES)
    if csv:
        pyarrow.csv.write_csv(edges, folder / EDGES_CSV)


def _write_quarantine(loaded: Loaded, folder: Path) -> None:
    (folder / QUARANTINE).mkdir()
    if not loaded.num_bad:
        return
    written = write_quarantine(loaded.records.quarantine, folder / QUARANTINE)
    if written != loaded.num_bad:
        raise VerificationError(
            f"{loaded.num_bad:,} bad rows were counted, but {written:,} are in the quarantine: the input has changed "
            f"while it was read; run again on input that stands still."
        )


def _write_tables(interest: Interest, planned: Design, topics: pa.Table, folder: Path) -> None:
    import pyarrow.parquet as pq

    pq.write_table(nodes_table(interest, planned.overlay), folder / NODES)
    pq.write_table(topics, folder / TOPICS)


def _write_report(
    interest: Interest,
    planned: Design,
    verification: Verification,
    topics: pa.Table,
    ways: tuple[Comparison, ...],
    manifest: dict[str, Any],
    folder: Path,
) -> None:
    from topicweave.reports.plan_page import plan_page

    page = plan_page(interest, planned, verification, topics, ways, manifest)
    (folder / REPORT).write_text(page, encoding="utf-8")


def _check(planned: Design, verification: Verification, only_topics: Any) -> None:
    """The verifier must find what the algorithm claims; anything else is a defect of ours, and no plan.

    When the algorithm was to look at some topics only, its links may connect others by the way: then it claims less.
    """
    if only_topics is None and verification.components != planned.components:
        raise VerificationError(
            f"The links written leave {verification.components:,} topic components, but {planned.algorithm} said "
            f"{planned.components:,}; nothing was published, please report this."
        )


def _manifest(
    spark: SparkSession,
    loaded: Loaded,
    planned: Design,
    verification: Verification,
    topics: pa.Table,
    ways: tuple[Comparison, ...],
    kept: Kept,
    stages: Stages,
    seed: int,
    parameters: dict[str, Any],
) -> dict[str, Any]:
    return {
        "created": notes.now(),
        "inputs": notes.describe_inputs(loaded.records.files),
        "rows": loaded.to_dict(),
        "algorithm": planned.algorithm,
        "parameters": notes.plain(dict(planned.parameters)),
        "seed": seed,
        "candidates": describe_candidates(planned, parameters),
        "overlay": {
            "links": planned.overlay.num_edges,
            "average_degree": planned.overlay.average_degree,
            "maximum_degree": planned.overlay.maximum_degree,
            "notes": list(planned.notes),
        },
        "verification": {
            "topic_connected": verification.topic_connected,
            "support": verification.support,
            "components": verification.components,
            "disconnected_topics": len(verification.disconnected_topics),
        },
        "diameters": {
            **diameter_figures(topics),
            "meaning": "hops between the two farthest subscribers within the topic; null where a topic is in pieces; "
            "where diameter_exact is false, a lower bound from a few searches",
        },
        "comparison": [asdict(way) for way in ways],
        "versions": notes.versions(spark),
        "master": spark.conf.get("spark.master", "unknown"),
        "seconds": _rounded(stages.seconds),
        "taken_over": _rounded(kept.taken_over),
    }


def _rounded(seconds: dict[str, float]) -> dict[str, float]:
    return {stage: round(spent, 3) for stage, spent in seconds.items()}

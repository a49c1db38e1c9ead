"""manifest.json: inputs, results, versions and times of a plan. All kinds of plans use the same schema.

    schema, kind            2; "design", "maintain", "assign", …
    topicweave, versions    of this package; of this and everything it runs on
    created, master         when (UTC), and where Spark ran
    inputs                  for each table: role, kind of source, columns, options, files (path, bytes, sha256)
    rows                    counts of the rows of the inputs
    parameters, seed        what was asked for
    counts                  nodes, links, … of the result
    seconds                 by stage
    outputs                 path, bytes and sha256 of every other file of the folder

Each kind adds its own sections. Manifests without ``schema`` come from earlier versions.
"""

from __future__ import annotations

import json
import math
import os
import platform
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import TYPE_CHECKING, Any

from topicweave import __version__
from topicweave.errors import ReadError
from topicweave.files import sha256
from topicweave.pipeline.plan.target import MANIFEST

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pyspark.sql import SparkSession

    from topicweave.pipeline.sources.source import Part

SCHEMA = 2
ASSIGN = "assign"  # the kind of plan that assigns users and links brokers
PACKAGES = ("numpy", "scipy", "numba", "pyarrow", "pandas", "pyspark")


def new_manifest(
    kind: str,
    *,
    inputs: list[dict[str, Any]],
    rows: Mapping[str, Any],
    parameters: Mapping[str, Any],
    seed: int,
    counts: Mapping[str, Any],
    seconds: Mapping[str, float],
    spark: SparkSession | None = None,
    **sections: Any,
) -> dict[str, Any]:
    """The manifest of a plan that is about to be published; :func:`write_manifest` completes it.

    Parameters
    ----------
    kind
        The job that made the plan.
    inputs
        From :func:`describe_inputs`.
    rows, parameters, seed, counts, seconds
        See above; ``seconds`` come from the job's stages.
    spark
        The session it ran on, if any.
    sections
        Sections that only this kind of plan has.
    """
    return {
        "schema": SCHEMA,
        "kind": kind,
        "topicweave": __version__,
        "versions": versions(spark),
        "created": datetime.now(UTC).isoformat(timespec="seconds"),
        "master": None if spark is None else spark.conf.get("spark.master", "unknown"),
        "inputs": inputs,
        "rows": plain(rows),
        "parameters": plain(parameters),
        "seed": seed,
        "counts": plain(counts),
        "seconds": _rounded(seconds),
        **plain(sections),
    }


def write_manifest(folder: Path, manifest: dict[str, Any], seconds: Mapping[str, float]) -> None:
    """Complete a manifest with times and a list of the files, and write it as the last file of the folder."""
    manifest["seconds"] = _rounded(seconds)
    manifest["outputs"] = describe_outputs(folder)
    text = json.dumps(manifest, indent=2, ensure_ascii=False, allow_nan=False)
    (folder / MANIFEST).write_text(text + "\n", encoding="utf-8")


def read_manifest(folder: str | os.PathLike[str]) -> dict[str, Any]:
    """Read the manifest of a plan folder; manifests of early versions, which name no schema, get ``"schema": 1``.

    Raises
    ------
    ReadError
        It is missing or damaged, or a later version wrote it.
    """
    path = Path(folder) / MANIFEST
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise ReadError(f"{folder} is not a plan folder: it has no {MANIFEST}; check the path.") from None
    except (OSError, ValueError) as error:
        raise ReadError(f"{path} cannot be read ({error}); restore it, or make the plan again.") from error
    schema = found.setdefault("schema", 1) if isinstance(found, dict) else None
    if schema not in (1, SCHEMA):
        raise ReadError(
            f"{path} has schema {schema!r}, but this topicweave ({__version__}) reads up to {SCHEMA}; "
            f"read it with the version that wrote it."
        )
    return dict(found)


def describe_inputs(parts: Iterable[Part], kind: str, options: Mapping[str, Any] | None = None) -> list[dict[str, Any]]:
    """Describe the inputs, table by table; only local files get checksums, because others would have to be fetched
    again.

    Parameters
    ----------
    parts
        The tables.
    kind
        The kind of source they make up.
    options
        Further options of the source, such as the time of an event log.
    """
    listed = list(parts)
    files = list(dict.fromkeys(file for part in listed for file in part.files))
    with ThreadPoolExecutor() as pool:
        checksum = dict(zip(files, pool.map(lambda file: file.sha256(), files), strict=True))
    return [
        {
            "role": part.role,
            "kind": kind,
            "columns": {} if part.table is None else dict(part.table.columns),
            "options": plain({**({} if part.table is None else part.table.told()), **(options or {})}),
            "files": [{"path": file.path, "bytes": file.size, "sha256": checksum[file]} for file in part.files],
        }
        for part in listed
    ]


def describe_files(role: str, paths: Iterable[str | os.PathLike[str]]) -> dict[str, Any]:
    """Describe an input that is read without Spark, by its files; an object in memory has none."""
    files = [Path(os.path.abspath(os.path.expanduser(path))) for path in paths]
    return {
        "role": role,
        "kind": role,
        "columns": {},
        "options": {},
        "files": [{"path": str(file), "bytes": file.stat().st_size, "sha256": sha256(file)} for file in files],
    }


def describe_outputs(folder: Path) -> list[dict[str, Any]]:
    """List every file written so far, with path, size and checksum."""
    return [
        {"path": file.relative_to(folder).as_posix(), "bytes": file.stat().st_size, "sha256": sha256(file)}
        for file in sorted(path for path in folder.rglob("*") if path.is_file() and path != folder / MANIFEST)
    ]


def versions(spark: SparkSession | None = None) -> dict[str, str]:
    """The versions of topicweave and of everything that it runs on."""
    found = {"topicweave": __version__, "python": platform.python_version()}
    if spark is not None:
        found["spark"] = spark.version
    for package in PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            continue
    return found


def plain(value: Any) -> Any:
    """Turn a value into something JSON can represent: NumPy numbers into Python's, arrays into their shape, anything
    else into text.

    JSON has no infinity and no NaN, so these become strings, too.
    """
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    if hasattr(value, "shape") and value.shape:
        return f"array {tuple(value.shape)}"
    if hasattr(value, "item"):
        return plain(value.item())
    if isinstance(value, Mapping):
        return {str(name): plain(part) for name, part in value.items()}
    if isinstance(value, list | tuple | set | frozenset):
        return [plain(part) for part in value]
    return str(value)


def _rounded(seconds: Mapping[str, float]) -> dict[str, float]:
    return {stage: round(spent, 3) for stage, spent in seconds.items()}

"""manifest.json: what went in, what came out, with what, and how long it took."""

from __future__ import annotations

import hashlib
import math
import platform
from collections.abc import Mapping
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from typing import TYPE_CHECKING, Any

from topicweave._version import __version__

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from pyspark.sql import SparkSession

    from topicweave.pipeline.sources.formats.files import InputFile

PACKAGES = ("numpy", "scipy", "numba", "pyarrow", "pandas", "pyspark")


def describe_inputs(files: Iterable[InputFile]) -> list[dict[str, Any]]:
    """Path, size and checksum of every file; checksums of local files only."""
    listed = list(files)
    with ThreadPoolExecutor() as pool:
        checksums = list(pool.map(lambda file: file.sha256(), listed))
    return [
        {"path": file.path, "bytes": file.size, "sha256": checksum}
        for file, checksum in zip(listed, checksums, strict=True)
    ]


def describe_outputs(folder: Path) -> dict[str, str]:
    """The checksum of every file written so far, by its path in the folder."""
    found = {}
    for file in sorted(path for path in folder.rglob("*") if path.is_file()):
        with open(file, "rb") as opened:
            found[file.relative_to(folder).as_posix()] = hashlib.file_digest(opened, "sha256").hexdigest()
    return found


def versions(spark: SparkSession) -> dict[str, str]:
    """What this ran on."""
    found = {"topicweave": __version__, "python": platform.python_version(), "spark": spark.version}
    for package in PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            continue
    return found


def now() -> str:
    """The time, in UTC."""
    return datetime.now(UTC).isoformat(timespec="seconds")


def plain(value: Any) -> Any:
    """A value as JSON can hold it: numbers of NumPy as Python's, arrays by their shape, anything else as text.

    JSON has no infinity and no NaN: they become texts, too.
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

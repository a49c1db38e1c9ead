"""Packs a Python package as a zip file, the form in which Spark sends code to its workers."""

from __future__ import annotations

import hashlib
import io
import os
import tempfile
import zipfile
from functools import cache
from pathlib import Path


def zipped_package(package: Path) -> str:
    """Zip the Python files of a package; returns the path.

    The name depends on the content, and the folder is always the same within a process, because a Spark session takes a
    file of one name from one place only. The folder is deleted when the process ends.
    """
    sources = sorted(file for file in package.rglob("*.py") if "__pycache__" not in file.parts)
    content = io.BytesIO()
    digest = hashlib.sha256()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as archive:
        for file in sources:
            name, text = file.relative_to(package.parent).as_posix(), file.read_bytes()
            archive.writestr(name, text)
            digest.update(name.encode() + b"\0" + text + b"\0")
    target = Path(_folder(os.getpid()).name) / f"{package.name}-{digest.hexdigest()[:16]}.zip"
    target.write_bytes(content.getvalue())
    return str(target)


@cache
def _folder(_process: int) -> tempfile.TemporaryDirectory[str]:
    return tempfile.TemporaryDirectory(prefix="topicweave-code-")

"""Spark's checkpoint of a stream, which records the files already processed. Losing it costs only time: the files are
then read again.
"""

from __future__ import annotations

import json
from contextlib import suppress
from typing import TYPE_CHECKING

from topicweave.churn.state_folder import set_aside

if TYPE_CHECKING:
    from pathlib import Path

CHECKPOINT = "checkpoint"
# Subfolders of the checkpoint. Each has one file per micro-batch: a line with a version, and then lines of JSON.
LOGS = ("offsets", "commits", "sources/0")


def usable_checkpoint(state: Path) -> tuple[Path, bool]:
    """The folder for Spark's checkpoint, and whether a damaged checkpoint had to be moved out of the way.

    Without a checkpoint all files are read again. The events in them are then already known, so nothing is lost or
    duplicated.
    """
    folder = state / CHECKPOINT
    if not folder.exists() or _is_whole(folder):
        return folder, False
    set_aside(folder)
    return folder, True


def _is_whole(folder: Path) -> bool:
    if not folder.is_dir():
        return False
    metadata = folder / "metadata"
    if not metadata.exists():  # the stream was started, but has not processed anything yet
        return not any((folder / name).is_dir() and any((folder / name).iterdir()) for name in LOGS)
    if not _is_json(_text(metadata)):
        return False
    for name in LOGS:
        logged = [file for file in (folder / name).glob("*") if not file.name.startswith(".")]
        if not all(_is_log(file) for file in logged if file.suffix != ".tmp"):
            return False
        if not (folder / name).is_dir() and any((folder / other).is_dir() for other in LOGS):
            return False
    return True


def _is_log(file: Path) -> bool:
    version, *lines = _text(file).splitlines() or [""]
    # in this file, Spark writes "-" for a source that has no position of its own
    return version == "v1" and all(line == "-" or _is_json(line) for line in lines)


def _is_json(text: str) -> bool:
    with suppress(ValueError):
        return isinstance(json.loads(text), dict)
    return False


def _text(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return ""

"""The files that a stream has read, with size and time: a name is read once, and a file mended under it is noticed."""

from __future__ import annotations

import json
import os
from contextlib import suppress
from typing import TYPE_CHECKING, NamedTuple

from topicweave.churn.state_folder import is_folder, set_aside
from topicweave.errors import TargetError

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

FILES = "files.jsonl"


class Stamp(NamedTuple):
    """How a file was when it was read: bytes, and nanoseconds of its last change."""

    size: int
    modified: int


class SeenFiles:
    """A list in the folder of the state: a line of JSON for each file that was read, the latest of a name counts.

    Lines that cannot be read, such as the last one that a killed process has begun, mean nothing.

    Parameters
    ----------
    state
        The folder.
    """

    def __init__(self, state: Path) -> None:
        self._path = state / FILES
        self._stamps: dict[str, Stamp] = {}
        self._said: set[tuple[str, Stamp]] = set()
        if is_folder(self._path):
            set_aside(self._path)
        with suppress(OSError):
            for line in self._path.read_bytes().splitlines():
                with suppress(ValueError, KeyError, TypeError):
                    entry = json.loads(line)
                    self._stamps[str(entry["path"])] = Stamp(int(entry["size"]), int(entry["modified"]))

    def add(self, stamps: Iterable[tuple[str, Stamp]]) -> None:
        """Note that these files were read as they were then."""
        lines = []
        for path, stamp in stamps:
            self._stamps[path] = stamp
            lines.append(json.dumps({"path": path, **stamp._asdict()}) + "\n")
        if not lines:
            return
        try:
            with open(self._path, "ab") as file:
                if file.tell():
                    file.write(b"\n")  # ends the line that a killed process may have left unfinished
                file.write("".join(lines).encode())
        except OSError as error:
            raise TargetError(f"{self._path} cannot be written ({error.strerror}); free space there.") from error

    def changed(self) -> list[str]:
        """Files of this machine that are others now than when they were read; each is named once."""
        found = []
        for path, seen in self._stamps.items():
            now = stamp_of(path)
            if now is not None and now != seen and (path, now) not in self._said:
                self._said.add((path, now))
                found.append(path)
        return sorted(found)


def stamp_of(path: str) -> Stamp | None:
    """How a file is now; None if it is not there, or not on this machine."""
    try:
        found = os.stat(path)
    except (OSError, ValueError):
        return None
    return Stamp(found.st_size, found.st_mtime_ns)

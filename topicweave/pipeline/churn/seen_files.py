"""The files that a stream has read, with size and time, so that each is read once and later changes are noticed."""

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
    """The state in which a file was read: its size in bytes, and the time of its last change in nanoseconds."""

    size: int
    modified: int


class SeenFiles:
    """A list in the state folder with one line of JSON per file that was read; if a name occurs twice, the last line
    counts.

    Lines that cannot be read, such as an unfinished last line of a killed process, are ignored.

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
        """Record the state in which these files were read."""
        lines = []
        for path, stamp in stamps:
            self._stamps[path] = stamp
            lines.append(json.dumps({"path": path, **stamp._asdict()}) + "\n")
        if not lines:
            return
        try:
            with open(self._path, "ab") as file:
                if file.tell():
                    file.write(b"\n")  # complete a line that a killed process may have left unfinished
                file.write("".join(lines).encode())
        except OSError as error:
            raise TargetError(f"{self._path} cannot be written ({error.strerror}); free space there.") from error

    def changed(self) -> list[str]:
        """Local files that have changed since they were read; each is listed once."""
        found = []
        for path, seen in self._stamps.items():
            now = stamp_of(path)
            if now is not None and now != seen and (path, now) not in self._said:
                self._said.add((path, now))
                found.append(path)
        return sorted(found)


def stamp_of(path: str) -> Stamp | None:
    """The current state of a file; None if it does not exist or is not local."""
    try:
        found = os.stat(path)
    except (OSError, ValueError):
        return None
    return Stamp(found.st_size, found.st_mtime_ns)

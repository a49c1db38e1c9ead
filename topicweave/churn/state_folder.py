"""The files of a folder that keeps the state of a stream.

| file | holds |
|---|---|
| ``snapshot`` | the maintainer, how far the log was applied, and the events that wait |
| ``changes/FIRST-LAST.parquet`` | what each event did; the name has the first and the last sequence number |
| ``edges.parquet`` | the links after the last event, as a table for other tools |
| ``trees.parquet`` | the trees after the last event, if they are followed |
| ``quarantine/`` | rows and files that are not events |
| ``lock`` | taken by the process that uses the folder |
"""

from __future__ import annotations

import io
import re
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from topicweave.churn.change_table import as_parquet, read_changes
from topicweave.columns import SEQUENCE
from topicweave.errors import ReadError, TargetError
from topicweave.files import local_target, locked, write_atomically

if TYPE_CHECKING:
    import os
    from contextlib import AbstractContextManager

    from topicweave.churn.maintainer import Maintainer

SNAPSHOT, CHANGES, EDGES, TREES, LOCK = "snapshot", "changes", "edges.parquet", "trees.parquet", "lock"
QUARANTINE = "quarantine"  # subfolder for rows and files that could not be read
LAST_EVENT = b"last_sequence"  # key in the metadata of the tables of links and trees


class StateFolder:
    """A state folder and its files; whoever uses it must hold the lock of :func:`lock_state`.

    Parameters
    ----------
    path
        The folder; created if it does not exist.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = local_target(path)
        make_folder(self.path / CHANGES)

    @property
    def snapshot(self) -> Path:
        return self.path / SNAPSHOT

    def change_files(self) -> list[tuple[Path, tuple[int, int]]]:
        """The files of changes, with the first and last sequence number in each."""
        found = []
        for file in sorted((self.path / CHANGES).glob("*.parquet")):
            match = re.fullmatch(r"(-?\d{1,20})-(-?\d{1,20})\.parquet", file.name)
            if match and file.is_file():
                found.append((file, (int(match[1]), int(match[2]))))
        return found

    def changes(self) -> list[dict[str, Any]]:
        """All changes so far, in sequence order."""
        rows = [row for file, _ in self.change_files() for row in read_changes(file)]
        return sorted(rows, key=lambda row: row[SEQUENCE])

    def write_changes(self, rows: list[dict[str, Any]]) -> None:
        """Write the changes made by some events to a new file, in order."""
        first, last = rows[0][SEQUENCE], rows[-1][SEQUENCE]
        write_atomically(self.path / CHANGES / f"{first:020d}-{last:020d}.parquet", as_parquet(rows))

    def write_links(self, maintainer: Maintainer, last: int | None) -> None:
        """Write the current links and trees as tables, with the number of the last event in their metadata."""
        import pyarrow.parquet as pq

        tables = {EDGES: maintainer.overlay.to_arrow()}
        if (trees := maintainer.trees) is not None:
            tables[TREES] = trees.to_arrow()
        for name, table in tables.items():
            buffer = io.BytesIO()
            pq.write_table(table.replace_schema_metadata({LAST_EVENT: str(last).encode()}), buffer)
            write_atomically(self.path / name, buffer.getvalue())

    def has_links_after(self, last: int | None, *, trees: bool) -> bool:
        """Whether the stored table of links, and with ``trees`` that of trees, shows the state after event ``last``."""
        import pyarrow as pa
        import pyarrow.parquet as pq

        try:
            found = [pq.read_schema(self.path / name).metadata or {} for name in (EDGES, *([TREES] if trees else []))]
        except (OSError, pa.ArrowException):
            return False
        return all(each.get(LAST_EVENT) == str(last).encode() for each in found)

    def tidy(self, following: int | None) -> None:
        """Remove what a killed process left: half-written files, and change files newer than the last snapshot.

        Parameters
        ----------
        following
            The number of the event whose turn it is; None if any number may come next, and so none has been applied.
        """
        for folder in (self.path, self.path / CHANGES, self.path / QUARANTINE):
            for file in folder.iterdir() if folder.is_dir() else ():
                if re.fullmatch(r"\..+\.\d+", file.name) and (file.is_file() or file.is_symlink()):
                    _remove(file)
        written = (
            self.path / EDGES,
            self.path / TREES,
            *self.path.glob(f"{CHANGES}/*.parquet"),
            *self.path.glob(f"{QUARANTINE}/*.gz"),
        )
        for file in filter(is_folder, written):
            set_aside(file)
        for file, (_, last) in self.change_files():
            if following is None or last >= following:
                _remove(file)


def has_state(folder: str | os.PathLike[str]) -> bool:
    """Whether the folder holds a state from which to continue."""
    return (Path(folder) / SNAPSHOT).exists()


def check_new(folder: str | os.PathLike[str], others: tuple[str, ...] = ()) -> None:
    """Raise an error if a folder without a snapshot holds files left by a stream: going on would silently skip its
    events.

    Parameters
    ----------
    folder
        The folder.
    others
        Names of other subfolders, besides that of the changes, in which a stream leaves files.
    """
    for name in (CHANGES, *others):
        inside = Path(folder) / name
        if inside.is_dir() and any(not entry.name.startswith(".") for entry in inside.iterdir()):
            raise ReadError(
                f"{folder} has lost its snapshot: there is none, but {name}/ is not empty; take the snapshot from a "
                f"copy, or name another folder to start from scratch."
            )


def is_folder(path: Path) -> bool:
    """Whether there is a folder at a path where a file is expected."""
    return path.is_dir() and not path.is_symlink()


def set_aside(path: Path) -> None:
    """Rename whatever exists at this path to a new name beside it."""
    number = 1
    while (beside := path.with_name(f"{path.name}.damaged-{number}")).exists():
        number += 1
    path.rename(beside)


def make_folder(folder: Path) -> None:
    """Create a folder, and its parent folders if necessary."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise TargetError(f"{folder} cannot be written ({error.strerror}); choose another folder.") from error


def lock_state(folder: str | os.PathLike[str]) -> AbstractContextManager[None]:
    """Keep other processes from using a state folder; the operating system releases the lock when a process dies."""
    folder = local_target(folder)
    make_folder(folder)
    return locked(
        folder / LOCK, f"Another process is using the state in {folder}; wait for it or choose another folder."
    )


def _remove(file: Path) -> None:
    with suppress(FileNotFoundError):
        file.unlink()

"""The folder of a plan: its files by name, how to tell it, and the Target, by which it appears finished or not at all.

Everything is written to a hidden folder beside it, which is renamed at the end. A lock beside both keeps two runs to
one target from mixing; it ends with the process, whatever ends the process, and the next run clears away what is left.
"""

from __future__ import annotations

import os
import shutil
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from topicweave.errors import Remedy, TargetError
from topicweave.files import Lock, local_target, remove, swapped

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import TracebackType

MANIFEST = "manifest.json"
EDGES, EDGES_CSV, NODES, TOPICS = "edges.parquet", "edges.csv", "nodes.parquet", "topics.parquet"
SUBSCRIPTIONS, TREES = "subscriptions.parquet", "trees.parquet"
ASSIGNMENT, ROUTING, MOVES = "assignment.parquet", "routing.jsonl", "moves.parquet"  # of content plans
REPORT, QUARANTINE = "report.html", "quarantine"


class Target:
    """A folder in the making; a context manager.

    Parameters
    ----------
    path
        The folder that shall appear; where it is a link, what the link leads to.
    overwrite
        Whether a plan that is there already may be replaced. Anything else that is there is never touched.

    Attributes
    ----------
    folder
        Where to write until :meth:`publish`.
    checkpoints
        Where finished stages may be kept until then, for the next run if this one is killed.
    """

    def __init__(self, path: str | os.PathLike[str], overwrite: bool = False) -> None:
        self.path = local_target(os.path.expanduser(path))
        self.overwrite = overwrite
        self.folder = self.path.with_name(f".{self.path.name}.partial")
        self.checkpoints = self.path.with_name(f".{self.path.name}.stages")
        self._replaced = self.path.with_name(f".{self.path.name}.replaced")
        self._lock = Lock(self.path.with_name(f".{self.path.name}.lock"))

    def __enter__(self) -> Self:
        with self.writing():
            self._check_free()
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self._take()
            # Another run may have finished between the first look and the lock.
            try:
                self._put_back()
                self._check_free()
                if self.folder.is_symlink():
                    self.folder.unlink()  # what it leads to is not ours to clear
                self.folder.mkdir(exist_ok=True)
                self._clear()
            except BaseException:
                self._withdraw()
                raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._withdraw()

    @contextmanager
    def writing(self) -> Iterator[None]:
        """Turn what the operating system refuses into one sentence."""
        try:
            yield
        except TargetError:
            raise
        except OSError as error:
            # By its number, for libraries put words of their own around what the operating system says.
            reason = os.strerror(error.errno) if error.errno else str(error).rstrip(".")
            raise TargetError(
                f"{self.path} cannot be written: {reason}; choose another folder or make room there."
            ) from error

    def publish(self) -> Path:
        """Give the folder its name. From here on it is finished."""
        with self.writing():
            if self.overwrite and self.path.exists() and swapped(self.folder, self.path):
                shutil.rmtree(self.folder, ignore_errors=True)  # by this name, the old one
            else:
                self._replace()
        self._lock.release(remove=True)
        return self.path

    def _replace(self) -> None:
        """Where two names cannot be swapped: a run that is killed between two steps leaves the old one beside."""
        if self.overwrite and self.path.exists():
            remove(self._replaced)  # left by a run that was killed here
            os.rename(self.path, self._replaced)
        try:
            os.rename(self.folder, self.path)
        except OSError:
            self._put_back()
            raise
        shutil.rmtree(self._replaced, ignore_errors=True)

    def _put_back(self) -> None:
        if self._replaced.exists() and not self.path.exists():
            os.rename(self._replaced, self.path)

    def _check_free(self) -> None:
        if self.path.is_dir():
            is_empty = not any(self.path.iterdir())
            if is_empty:
                return
            if not self.overwrite:
                raise TargetError(
                    "{path} exists already; choose another folder, or {remedy}.",
                    path=self.path, remedy=Remedy.OVERWRITE,
                )  # fmt: skip
            if not (self.path / MANIFEST).is_file():
                raise TargetError(f"{self.path} is no plan folder, so it is not overwritten; choose another folder.")
        elif self.path.exists():
            raise TargetError(f"{self.path} is a file; choose the name of a folder.")

    def _take(self) -> None:
        self._lock.take(f"Another run is writing {self.path} at this moment; wait for it, or choose another folder.")

    def _clear(self) -> None:
        for left in self.folder.iterdir():
            remove(left)

    def _withdraw(self) -> None:
        """Leave nothing behind; after publishing there is nothing to leave."""
        if self._lock.is_held:
            shutil.rmtree(self.folder, ignore_errors=True)
            self._lock.release(remove=True)


def plan_folder(given: Any) -> Path | None:
    """The folder if one path is given and it leads to a plan of this machine; None for everything else."""
    if isinstance(given, list | tuple) and len(given) == 1:
        given = given[0]
    if not isinstance(given, str | os.PathLike):
        return None
    folder = Path(os.path.expanduser(given))
    return folder if (folder / MANIFEST).is_file() and (folder / EDGES).is_file() else None


def no_subscriptions(folder: str | os.PathLike[str]) -> str:
    """Why a plan folder is refused that does not hold what it was made for."""
    return (
        f"{folder} does not say what its nodes subscribe to (there is no {SUBSCRIPTIONS} in it, as in plans of earlier "
        f"versions); name the subscriptions it was made for, or make the plan again."
    )

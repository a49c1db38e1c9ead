"""The folder of a plan: the names of its files, and the class Target, which makes it appear completely or not at all.

Everything is written to a hidden folder beside it, which is renamed at the end. A lock beside both keeps two runs to
the same target apart; the lock ends with the process, however that ends, and the next run deletes what is left.
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
NETWORK = "network.json"  # of content plans too: what the plan's brokers need to know when they run
REQUIREMENTS, LINK_COST = "requirements.json", "link_cost.parquet"
TRADEOFF, TRADEOFF_PAGE = "tradeoff.json", "tradeoff.html"
REPORT, QUARANTINE = "report.html", "quarantine"


class Target:
    """The output folder while it is being written; a context manager.

    Parameters
    ----------
    path
        The folder to create; if it is a symbolic link, the folder that it leads to.
    overwrite
        Whether an existing plan may be replaced. Any other existing folder or file is never touched.

    Attributes
    ----------
    folder
        The folder to write to until :meth:`publish`.
    checkpoints
        The folder that keeps the results of finished stages until then, for the next run in case this one is killed.
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
            # Check again: another run may have finished between the first check and the lock.
            try:
                self._put_back()
                self._check_free()
                if self.folder.is_symlink():
                    self.folder.unlink()  # delete only the symbolic link, because its target belongs to someone else
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
        """Turn errors of the operating system into one-sentence messages."""
        try:
            yield
        except TargetError:
            raise
        except OSError as error:
            # Use the error number, because libraries add words of their own to the system's message.
            reason = os.strerror(error.errno) if error.errno else str(error).rstrip(".")
            raise TargetError(
                f"{self.path} cannot be written: {reason}; choose another folder or make room there."
            ) from error

    def publish(self) -> Path:
        """Rename the folder to its final name, which completes it."""
        with self.writing():
            if self.overwrite and self.path.exists() and swapped(self.folder, self.path):
                shutil.rmtree(self.folder, ignore_errors=True)  # the old folder, which has this name after the swap
            else:
                self._replace()
        self._lock.release(remove=True)
        return self.path

    def _replace(self) -> None:
        """Replace the old folder on systems that cannot swap names; if the run is killed meanwhile, the old folder
        remains beside it.
        """
        if self.overwrite and self.path.exists():
            remove(self._replaced)  # a folder left behind by a run that was killed between the two renames
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
                raise TargetError(f"{self.path} is not a plan folder, so it is not overwritten; choose another folder.")
        elif self.path.exists():
            raise TargetError(f"{self.path} is a file; choose the name of a folder.")

    def _take(self) -> None:
        self._lock.take(f"Another run is writing {self.path}; wait for it, or choose another folder.")

    def _clear(self) -> None:
        for left in self.folder.iterdir():
            remove(left)

    def _withdraw(self) -> None:
        """Delete the unfinished output; after publishing there is nothing to delete."""
        if self._lock.is_held:
            shutil.rmtree(self.folder, ignore_errors=True)
            self._lock.release(remove=True)


def plan_folder(given: Any) -> Path | None:
    """The folder, if the input is a single path to a local plan; otherwise None."""
    if isinstance(given, list | tuple) and len(given) == 1:
        given = given[0]
    if not isinstance(given, str | os.PathLike):
        return None
    folder = Path(os.path.expanduser(given))
    # unlike Path.is_file, do not raise an error for names that no file can have
    return folder if all(os.path.isfile(folder / name) for name in (MANIFEST, EDGES)) else None


def no_subscriptions(folder: str | os.PathLike[str]) -> str:
    """The error message for a plan folder that does not contain its subscriptions."""
    return (
        f"{folder} does not contain its subscriptions (there is no {SUBSCRIPTIONS} in it, as in plans of earlier "
        f"versions); name the subscriptions it was made for, or make the plan again."
    )

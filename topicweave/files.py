"""Writes files in one step, so that other processes never see half a file; also provides locks and checksums, and
checks paths.
"""

from __future__ import annotations

import glob
import hashlib
import os
import re
import shutil
import sys
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from topicweave.errors import InputError, TargetError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

MOMENT = 0.2  # seconds to keep trying to take a lock


def write_atomically(path: str | os.PathLike[str], content: bytes | Callable[[IO[bytes]], object]) -> None:
    """Write a file so that readers see either the old content or the new one, never a part of it.

    Parameters
    ----------
    path
        The file to write or replace.
    content
        Its bytes, or a function that writes them to an open file.

    Raises
    ------
    TargetError
        The operating system refuses.
    """
    if not Path(path).name:  # paths such as "." and "/" have no name, so no temporary file can be put beside them
        raise TargetError(f"{path} cannot be written (it is a folder); name a file in it.")
    path = local_target(path)
    beside = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        remove(beside)  # if someone placed a symbolic link there, writing would follow it
        with open(beside, "xb") as file:
            if callable(content):
                content(file)
            else:
                file.write(content)
            file.flush()
            os.fsync(file.fileno())
        os.replace(beside, path)
        _sync_folder(path.parent)
    except OSError as error:
        raise TargetError(
            f"{path} cannot be written ({error.strerror}); free space or choose another place."
        ) from error
    finally:
        with suppress(OSError):
            beside.unlink(missing_ok=True)


def _sync_folder(folder: Path) -> None:
    """Make sure that the new file name is on disk as well, if the system can do that."""
    if os.name != "posix":
        return
    opened = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(opened)
    finally:
        os.close(opened)


def swapped(one: Path, other: Path) -> bool:
    """Swap two paths in one step, so that neither is ever missing; returns False if the system cannot do that.

    Linux can do it on most file systems; Python has no function for it, so the system call is made through ctypes.
    """
    import ctypes

    if sys.platform != "linux":
        return False
    here, exchange = -100, 2  # the system constants AT_FDCWD and RENAME_EXCHANGE
    try:
        rename = ctypes.CDLL(None).renameat2
    except (AttributeError, OSError):
        return False
    return bool(rename(here, os.fsencode(one), here, os.fsencode(other), exchange) == 0)


class Lock:
    """An exclusive lock on a name: on this machine, only one owner can hold it at a time.

    The lock ends with its owner's process, however that ends. The lock file may then stay behind; that it exists does
    not mean that anyone holds the lock.

    Parameters
    ----------
    path
        The lock file.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        from filelock import FileLock

        self._path = Path(path)
        self._lock = FileLock(self._path, thread_local=False)

    @property
    def is_held(self) -> bool:
        """Whether this object holds the lock."""
        return self._lock.is_locked

    def take(self, refusal: str) -> None:
        """Try for a moment to take the lock; if another owner holds it, raise a :class:`TargetError` with the text
        ``refusal``.

        One try is not enough: it also fails if the former owner deletes the lock file just after this process opened
        it, although nobody holds the lock any more.
        """
        from filelock import Timeout

        try:
            self._lock.acquire(timeout=MOMENT, poll_interval=MOMENT / 10)
        except Timeout:
            self._check_possible()  # filelock tries again, too, if the system refuses to create the file
            raise TargetError(refusal) from None

    def _check_possible(self) -> None:
        try:
            os.close(os.open(self._path, os.O_RDWR | os.O_CREAT))
        except OSError as error:
            raise TargetError(
                f"{self._path.parent} cannot be written ({error.strerror}); choose another place."
            ) from error

    def release(self, *, remove: bool = False) -> None:
        """Release the lock; with ``remove``, the lock file is deleted as well."""
        if remove and self.is_held:
            with suppress(OSError):
                self._path.unlink()  # delete the file before releasing the lock, because only its owner may delete it
        self._lock.release()


@contextmanager
def locked(path: str | os.PathLike[str], refusal: str, *, remove: bool = False) -> Iterator[None]:
    """Hold a :class:`Lock` for the duration of a ``with`` block."""
    lock = Lock(path)
    lock.take(refusal)
    try:
        yield
    finally:
        lock.release(remove=remove)


def sha256(path: str | os.PathLike[str]) -> str:
    """The checksum of a file."""
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def local_target(given: str | os.PathLike[str]) -> Path:
    """The absolute path to write to; symbolic links are followed, so that their target is replaced and not the link.

    Raises
    ------
    TargetError
        The path is an address such as ``s3a://bucket/plan``, for which a local folder named ``s3a:`` would be created;
        or it is empty, the root of the file system, or a symbolic link that leads back to itself.
    """
    as_path(given, "the target")
    text = os.fspath(given)  # use the text as given, because Path turns two slashes into one
    if not text:  # Path would take it for the current folder
        raise TargetError("The path to write to is empty; give the name of a folder or file.")
    if re.match(r"[A-Za-z][\w+.-]+:/", text):
        raise TargetError(
            f"{text} is an address, but results are written to this machine's own file system; give a local path, and "
            f"copy the result from there."
        )
    path = Path(os.path.realpath(text))
    if not path.name:  # no temporary folder can be put beside it
        raise TargetError(f"{text} is the root of the file system; choose a folder in it.")
    try:
        is_loop = path.is_symlink()
    except OSError as error:  # the name is too long
        raise TargetError(f"{text!r} cannot be written ({error.strerror}); choose another name.") from error
    if is_loop:
        raise TargetError(f"{text} is a symbolic link that leads back to itself; choose another place.")
    return path


def clear_leftovers(path: Path) -> None:
    """Delete what killed processes left beside a file they were writing; files of running processes are not touched."""
    import psutil

    with suppress(OSError):
        for file in path.parent.glob(f".{glob.escape(path.name)}.*"):
            writer = file.name.rpartition(".")[2]
            if writer.isdecimal() and not psutil.pid_exists(int(writer)):
                remove(file)


def remove(path: Path) -> None:
    """Delete a file, a symbolic link (but not its target), or a folder with all its content; a missing path is not an
    error.
    """
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    else:
        path.unlink(missing_ok=True)


def as_path(given: Any, what: str) -> Path:
    """Return ``given`` as a path, or raise an error that says what the path is for."""
    try:
        path = Path(given)
        if b"\0" in os.fsencode(path):
            raise InputError(f"{given!r} cannot be the path of {what}, because it contains a zero character.")
        return path
    except UnicodeEncodeError:
        raise InputError(
            f"{given!r} cannot be the path of {what}, because it contains a lone surrogate; "
            f"decode the name again, from its original bytes."
        ) from None
    except TypeError:
        raise InputError(
            f"The path of {what} is needed, but got a {type(given).__name__}; give a string or a pathlib.Path."
        ) from None

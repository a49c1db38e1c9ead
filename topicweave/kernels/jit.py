"""The one way kernels are compiled: cached on disk, in a folder named after the content of all files a kernel needs.

Numba's cache looks only at the file a kernel is written in; a kernel that calls another file's function would go on
giving the old answer after that file changed. So the cache folder is named after the kernel's file together with all
kernel files it imports. The bounds-checked variant has folders of its own, because numba ignores the flag when it finds
a cached build.
"""

import hashlib
import inspect
import os
import re
import tempfile
from functools import cache
from pathlib import Path

import numba
from numba import prange as prange

_known_compiled: set[Path] = set()

_IMPORTS = re.compile(r"^from ((?:topicweave\.kernels|benchmarks)\.\w+) import", re.MULTILINE)


def _files_needed(file: Path) -> set[Path]:
    """A kernel file and those it imports, directly or not."""
    needed, to_read = set(), [file]
    while to_read:
        file = to_read.pop()
        if file not in needed:
            needed.add(file)
            for module in _IMPORTS.findall(file.read_text()):
                inside = Path(*module.split(".")).with_suffix(".py")
                to_read.extend(folder / inside for folder in file.parents if (folder / inside).exists())
    return needed


@cache
def cache_folder(file: Path) -> str:
    """Where builds of the kernels in this file are kept; empty if no folder can be written."""
    digest = hashlib.sha256()
    for needed in sorted(_files_needed(file)):
        digest.update(needed.read_bytes())
    name = f"{file.stem}-{digest.hexdigest()[:16]}" + ("-checked" if numba.config.BOUNDSCHECK else "")
    caches = os.environ.get("NUMBA_CACHE_DIR") or os.path.join(
        os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache"), "topicweave"
    )
    for parent in (caches, os.path.join(tempfile.gettempdir(), f"topicweave-{os.getuid()}")):
        folder = os.path.join(parent, name)
        try:
            os.makedirs(folder, exist_ok=True)
        except OSError:
            continue
        if os.access(folder, os.W_OK):
            return folder
    return ""


def is_compiled(file: Path) -> bool:
    """Whether builds of this file's kernels are on disk, so that the first call will be quick."""
    if file not in _known_compiled:  # looking takes longer than a small design
        builds = (name for _, _, names in os.walk(cache_folder(file)) for name in names if name.endswith(".nbc"))
        if numba.config.DISABLE_JIT or any(builds):
            _known_compiled.add(file)
    return file in _known_compiled


def njit(function=None, **options):
    """``numba.njit`` with our cache folders; the same options."""
    if function is None:
        return lambda decorated: njit(decorated, **options)
    folder = cache_folder(Path(inspect.getfile(function)))
    options.setdefault("cache", bool(folder))
    options.setdefault("nogil", True)
    before = numba.config.CACHE_DIR
    numba.config.CACHE_DIR = folder or before
    try:
        return numba.njit(**options)(function)
    finally:
        numba.config.CACHE_DIR = before


# A kernel that was built while a parallel one it calls came from the cache does not know that it needs threads, and
# would crash when it is itself taken from the cache. So they are there before any kernel is.
numba.get_num_threads()

"""The one way kernels are compiled: cached on disk, in a folder named after the content of all kernel files.

Numba's cache looks only at the file a kernel is written in; a kernel that calls another file's function would go on
giving the old answer after that file changed. A folder per content of the whole room cures that. The bounds-checked
variant has a folder of its own, because numba ignores the flag when it finds a cached build.
"""

import hashlib
import os
import tempfile
from pathlib import Path

import numba
from numba import prange as prange


def _cache_folder() -> str:
    digest = hashlib.sha256()
    for file in sorted(Path(__file__).parent.glob("*.py")):
        digest.update(file.name.encode())
        digest.update(file.read_bytes())
    name = f"kernels-{digest.hexdigest()[:16]}" + ("-checked" if numba.config.BOUNDSCHECK else "")
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


CACHE_FOLDER = _cache_folder()


def njit(function=None, **options):
    """``numba.njit`` with our cache folder; the same options."""
    if function is None:
        return lambda decorated: njit(decorated, **options)
    options.setdefault("cache", bool(CACHE_FOLDER))
    options.setdefault("nogil", True)
    before = numba.config.CACHE_DIR
    numba.config.CACHE_DIR = CACHE_FOLDER or before
    try:
        return numba.njit(**options)(function)
    finally:
        numba.config.CACHE_DIR = before

"""How kernels are compiled: cached on disk, in a folder named after the content of all files that a kernel needs.

Numba's cache looks only at the file that a kernel is written in; a kernel that calls a function of another file would
keep returning the old answer after that file changed. So the cache folder is named after the kernel's file together
with all files of this package that it imports, directly or not. Imports are read from the syntax tree, so every form of
import counts, also of sub-packages. The bounds-checked variant has its own folders, because numba ignores the flag when
it finds a cached build.
"""

import ast
import hashlib
import inspect
import os
import tempfile
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path
from typing import Any

import numba
import numpy as np
from numba import prange as prange

_known_compiled: set[Path] = set()

_OUR_PACKAGES = ("topicweave", "benchmarks")
_OUR_ROOT = Path(__file__).parents[2]


def _files_needed(file: Path) -> set[Path]:
    """A kernel file and the files of this package that it imports, directly or not."""
    needed, to_read = set(), [file]
    while to_read:
        file = to_read.pop()
        if file not in needed:
            needed.add(file)
            to_read.extend(_imported_files(file, file.read_bytes()))
    return needed


# cached by content, because a file may change while the process runs and parsing takes long
@cache
def _imported_files(file: Path, content: bytes) -> list[Path]:
    """The files that a file with this content imports, from the same top-level package or from topicweave."""
    package = _package_of(file)
    root = file.parents[len(package)]
    ours = {package[0] if package else "", *_OUR_PACKAGES}
    found = []
    for name in _imported_names(ast.parse(content), package):
        parts = name.split(".")
        path = _module_file(root, parts) or _module_file(_OUR_ROOT, parts)
        if path is not None and (parts[0] in ours or not package):
            found.append(path)
    return found


def _package_of(file: Path) -> list[str]:
    """The package that a file is in, as a list of names; empty if it is in none."""
    parts: list[str] = []
    for folder in file.parents:
        if not (folder / "__init__.py").exists():
            break
        parts.insert(0, folder.name)
    return parts


def _imported_names(tree: ast.AST, package: list[str]) -> list[str]:
    """Every module that the code may import, by its full name.

    For ``from a import b`` both ``a`` and ``a.b``.
    """
    names = []
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            above = package[: len(package) - node.level + 1] if node.level else []
            module = ".".join([*above, *([node.module] if node.module else [])])
            names += [module, *(f"{module}.{alias.name}" for alias in node.names)]
        elif isinstance(node, ast.Call) and node.args and _is_text(node.args[0]) and _is_dynamic_import(node.func):
            names.append(node.args[0].value)
    return names


def _is_text(node: ast.AST) -> bool:
    return isinstance(node, ast.Constant) and isinstance(node.value, str)


def _is_dynamic_import(function: ast.AST) -> bool:
    name = function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")
    return name in ("import_module", "__import__")


def _module_file(root: Path, parts: list[str]) -> Path | None:
    """The file of a module below a folder, or None; a package's file is its ``__init__.py``."""
    base = root.joinpath(*parts)
    return next((path for path in (base.with_name(base.name + ".py"), base / "__init__.py") if path.is_file()), None)


@cache
def cache_folder(file: Path) -> str:
    """The folder in which to cache the compiled kernels of this file; empty if no folder is writable."""
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
    """Whether this file's kernels are compiled and on disk, so that the first call will be fast."""
    if file not in _known_compiled:  # remember the answer, because checking takes longer than a small design
        builds = (name for _, _, names in os.walk(cache_folder(file)) for name in names if name.endswith(".nbc"))
        if numba.config.DISABLE_JIT or any(builds):
            _known_compiled.add(file)
    return file in _known_compiled


def njit(function=None, **options):
    """``numba.njit`` with the cache folders of topicweave; takes the same options."""
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


def inner_njit(function=None, **options):
    """:func:`njit` for functions that are only called from compiled code.

    They get no entry point for Python, which for a dozen arrays takes longer to compile than the function itself.
    """
    if function is None:
        return lambda decorated: inner_njit(decorated, **options)
    if numba.config.DISABLE_JIT:
        return function
    dispatcher = njit(function, no_cpython_wrapper=True, no_cfunc_wrapper=True, **options)

    def refuse(*arguments, **keywords):
        raise TypeError(f"{function.__name__} is called by compiled code only; wrap it in a function under njit")

    # Numba cannot forbid calls from Python; without this override such a call would jump to address 0.
    vars(dispatcher).update(_insert=lambda *arguments, **keywords: None, _compile_for_args=refuse)
    return dispatcher


def on_threads(num_threads: int, kernel: Callable[..., None], *arguments: Any) -> None:
    """Call a kernel on several threads at once; its last argument is a work counter (see ``intrinsics.take_next``).

    Kernels do not hold the GIL. Numba's ``parallel=True`` does the same, but takes seconds to compile; it is used for
    short loops that alternate with the sweep, and its threads spin for a while after each loop and so slow down others.
    The calling thread takes part, and the other threads are kept for the next call, because new ones share a core for
    their first milliseconds.
    """
    counter = np.zeros(1, dtype=np.int64)
    if numba.config.DISABLE_JIT:  # without compilation the counter would not be atomic
        num_threads = 1
    helpers = [_pool(os.getpid()).submit(kernel, *arguments, counter) for _ in range(num_threads - 1)]
    try:
        kernel(*arguments, counter)
    finally:  # wait even after Ctrl-C, because no thread may write to the arrays once this function has returned
        for helper in helpers:
            helper.result()


@cache
def _pool(process: int) -> ThreadPoolExecutor:
    """The pool of helper threads; the process id is an argument because a forked process has none of its parent's
    threads.
    """
    return ThreadPoolExecutor(numba.config.NUMBA_NUM_THREADS, thread_name_prefix=f"kernels-of-{process}")


# Start numba's threads before any kernel is loaded. A kernel that was compiled while a parallel kernel that it calls
# came from the cache does not record that it needs threads, and would crash when it is itself loaded from the cache.
numba.get_num_threads()

"""Kernels are compiled once: a second process loads what the first one built, and changed files are compiled again."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import topicweave
from topicweave.kernels import jit
from topicweave.kernels.greedy import pair_table, sweep

SCRIPT = """
import topicweave as tw
from topicweave.kernels.greedy import sweep
interest = tw.workloads.synthetic(num_nodes=40, num_topics=10, subscriptions=3)
tw.design(interest, "low")
stats = sweep.sweep.stats
print(sum(stats.cache_hits.values()), sum(stats.cache_misses.values()))
"""


@pytest.mark.compiled
def test_a_second_process_compiles_nothing():
    """Count cache hits and misses: once one process has compiled, there are no misses."""
    for _ in range(2):
        run = subprocess.run([sys.executable, "-c", SCRIPT], capture_output=True, text=True, check=True)
    hits, misses = map(int, run.stdout.split())
    assert (hits, misses) == (1, 0)


def test_the_cache_folder_follows_every_file_a_kernel_needs(tmp_path):
    """sweep calls pair_table, so a change of that file must move sweep's folder."""
    package, room = Path(topicweave.__file__).parent, tmp_path / "topicweave" / "kernels"
    for file in [package / "__init__.py", *(package / "kernels").rglob("*.py")]:
        copy = tmp_path / "topicweave" / file.relative_to(package)
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_bytes(file.read_bytes())
    copied_sweep = tmp_path / "topicweave" / Path(sweep.__file__).relative_to(package)
    copied_table = tmp_path / "topicweave" / Path(pair_table.__file__).relative_to(package)
    before = jit.cache_folder(copied_sweep)
    jit.cache_folder.cache_clear()
    assert jit.cache_folder(copied_sweep) == before
    copied_table.write_text(copied_table.read_text() + "\n# changed\n")
    jit.cache_folder.cache_clear()
    assert jit.cache_folder(copied_sweep) != before
    assert jit.cache_folder(room / "rng.py") == jit.cache_folder(Path(jit.__file__).with_name("rng.py"))


IMPORT_FORMS = [
    "from house.kernels.inner.helper import f",
    "from house.kernels.inner import helper",
    "import house.kernels.inner.helper",
    "import house.kernels.inner.helper as h",
    "from .inner.helper import f",
    "from .inner import helper",
    "from ..kernels.inner import helper as h",
    "from .inner import *",  # re-exported by inner/__init__.py
    "from house.kernels.inner.helper import (\n    f,\n)",
    "def late():\n    from house.kernels.inner import helper",
    "if True:\n    from house.kernels.inner.helper import f",
    "import os; from house.kernels.inner.helper import f",
    "import importlib\nh = importlib.import_module('house.kernels.inner.helper')",
]


@pytest.mark.parametrize("form", IMPORT_FORMS)
def test_no_form_of_import_hides_a_dependency(form, tmp_path):
    """However a kernel file imports another, also from a sub-package, a change there gives it another cache folder."""
    inner = tmp_path / "house" / "kernels" / "inner"
    inner.mkdir(parents=True)
    for folder in (inner.parent.parent, inner.parent):
        (folder / "__init__.py").write_text("")
    (inner / "__init__.py").write_text("from .helper import f\n")
    (inner / "helper.py").write_text("def f():\n    return 1\n")
    kernel = inner.parent / "kernel.py"
    kernel.write_text(form + "\n")
    before = jit.cache_folder(kernel)
    (inner / "helper.py").write_text("def f():\n    return 2\n")
    jit.cache_folder.cache_clear()
    assert jit.cache_folder(kernel) != before


def test_libraries_are_not_dependencies(tmp_path):
    """Numba knows its own version and the processor; the files of NumPy and the like are not read."""
    (tmp_path / "package").mkdir()
    (tmp_path / "package" / "__init__.py").write_text("")
    kernel = tmp_path / "package" / "kernel.py"
    kernel.write_text("import numpy as np\nfrom scipy import sparse\n")
    before = jit.cache_folder(kernel)
    for library in ("numpy", "scipy"):
        (tmp_path / library).mkdir()
        (tmp_path / library / "__init__.py").write_text("")
    jit.cache_folder.cache_clear()
    assert jit.cache_folder(kernel) == before


CHANGING = {
    "house/__init__.py": "",
    "house/kernels/__init__.py": "",
    "house/kernels/inner/__init__.py": "",
    "house/kernels/inner/helper.py": "from topicweave.kernels.jit import njit\n\n@njit\ndef f():\n    return 1\n",
    "house/kernels/outer.py": (
        "from topicweave.kernels.jit import njit\nfrom .inner import helper\n\n@njit\ndef g():\n    return helper.f()\n"
    ),
}


@pytest.mark.compiled
def test_a_changed_helper_in_a_sub_package_is_compiled_again(tmp_path):
    """End to end: the old answer would come from a stale build."""
    for name, text in CHANGING.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path / "cache")}
    environment["PYTHONPATH"] = os.pathsep.join([str(tmp_path), environment.get("PYTHONPATH", "")])
    helper, answers = tmp_path / "house/kernels/inner/helper.py", []
    for value in (1, 2):
        helper.write_text(helper.read_text().replace("return 1", f"return {value}"))
        run = subprocess.run(
            [sys.executable, "-c", "from house.kernels import outer; print(outer.g())"],
            capture_output=True, text=True, env=environment, check=True,
        )  # fmt: skip
        answers.append(int(run.stdout))
    assert answers == [1, 2]


def test_an_unwritable_home_is_no_obstacle(tmp_path, monkeypatch):
    """Without a place in the home folder, builds go to the temporary one."""
    blocked = tmp_path / "file"
    blocked.write_text("")
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(blocked))
    jit.cache_folder.cache_clear()
    folder = jit.cache_folder(Path(pair_table.__file__))
    jit.cache_folder.cache_clear()
    assert os.path.isdir(folder) and str(blocked) not in folder


KERNELS = """
import numpy as np
from topicweave.kernels.jit import njit, prange

@njit(parallel=True)
def inner(numbers):
    for i in prange(len(numbers)):
        numbers[i] += i

@njit
def outer(numbers):
    inner(numbers)
    return numbers.sum()
"""


@pytest.mark.compiled
def test_a_cached_kernel_finds_the_threads_of_a_parallel_one_it_calls(tmp_path):
    """Built while the parallel one came from the cache, numba does not know that it needs threads: it crashed."""
    (tmp_path / "kernels.py").write_text(KERNELS)
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path / "cache"), "PYTHONPATH": str(tmp_path)}
    for call in ("inner", "outer", "outer"):
        script = f"import numpy as np, kernels; print(kernels.{call}(np.zeros(5)))"
        run = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, env=environment)
        assert run.returncode == 0, (call, run.returncode, run.stderr)
    assert run.stdout.strip() == "10.0"

"""Kernels are compiled once: a second process loads what the first one built; changed files are built anew."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from topicweave.kernels import jit, pairs, sweep

SCRIPT = """
import topicweave as tw
from topicweave.kernels import sweep
interest = tw.workloads.synthetic(num_nodes=40, num_topics=10, subscriptions=3)
tw.design(interest, "low")
stats = sweep.sweep.stats
print(sum(stats.cache_hits.values()), sum(stats.cache_misses.values()))
"""


@pytest.mark.compiled
def test_a_second_process_compiles_nothing():
    """Cache hits, no misses, once somebody has compiled."""
    for _ in range(2):
        run = subprocess.run([sys.executable, "-c", SCRIPT], capture_output=True, text=True, check=True)
    hits, misses = map(int, run.stdout.split())
    assert (hits, misses) == (1, 0)


def test_the_cache_folder_follows_every_file_a_kernel_needs(tmp_path):
    """sweep calls pairs, so a change of pairs.py must move sweep's folder."""
    room = tmp_path / "topicweave" / "kernels"
    room.mkdir(parents=True)
    for file in Path(sweep.__file__).parent.glob("*.py"):
        (room / file.name).write_bytes(file.read_bytes())
    before = jit.cache_folder(room / "sweep.py")
    jit.cache_folder.cache_clear()
    assert jit.cache_folder(room / "sweep.py") == before
    (room / "pairs.py").write_text((room / "pairs.py").read_text() + "\n# changed\n")
    jit.cache_folder.cache_clear()
    assert jit.cache_folder(room / "sweep.py") != before
    assert jit.cache_folder(room / "bits.py") == jit.cache_folder(Path(sweep.__file__).with_name("bits.py"))


def test_an_unwritable_home_is_no_obstacle(tmp_path, monkeypatch):
    """Without a place in the home folder, builds go to the temporary one."""
    blocked = tmp_path / "file"
    blocked.write_text("")
    monkeypatch.setenv("NUMBA_CACHE_DIR", str(blocked))
    jit.cache_folder.cache_clear()
    folder = jit.cache_folder(Path(pairs.__file__))
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

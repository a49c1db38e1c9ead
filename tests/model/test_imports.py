"""The model is cheap to import: Spark starts many workers, and each of them imports it."""

from __future__ import annotations

import subprocess
import sys

import pytest

HEAVY = ("numba", "scipy", "pandas", "pyspark", "networkx", "pyarrow", "matplotlib")


@pytest.mark.parametrize("module", ["topicweave.model", "topicweave.errors"])
def test_import_loads_nothing_heavy(module):
    """In a fresh interpreter: what tests have imported does not count."""
    code = f"import sys, {module}; print(*sorted({set(HEAVY)!r} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == []

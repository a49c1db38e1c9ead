"""The table of algorithms can be read quickly, and everything it names exists."""

from __future__ import annotations

import inspect
import json
import subprocess
import sys

import pytest

from topicweave import pipeline
from topicweave.algorithms.registry import ALGORITHMS, DEFAULT
from topicweave.parameters import Deferred


@pytest.mark.parametrize("name", ALGORITHMS)
def test_every_function_is_where_the_table_says_and_takes_its_parameters(name):
    entry = ALGORITHMS[name]
    assert isinstance(entry.function, Deferred)
    taken = inspect.signature(entry.function.load()).parameters
    assert {parameter.name for parameter in entry.parameters} <= taken.keys()
    for parameter in entry.parameters:
        written = taken[parameter.name].default
        assert written is inspect.Parameter.empty or written == parameter.default


def test_reading_the_table_loads_no_compiled_code():
    heavy = ("numba", "scipy", "pandas", "pyarrow", "pyspark")
    program = (
        f"import json, sys, topicweave.algorithms.registry\n"
        f"print(json.dumps([name for name in {heavy!r} if name in sys.modules]))"
    )
    finished = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert json.loads(finished.stdout) == []


def test_the_default_is_the_same_in_the_pipeline():
    assert DEFAULT == "low"
    assert inspect.signature(pipeline.design).parameters["algorithm"].default == DEFAULT

"""The rules for the source tree, checked on the syntax trees of the package.

``python -m tests.house --list`` prints the figures behind them and every case.
"""

import statistics
import subprocess
import sys

import pytest

from tests.house.__main__ import CHECKOUT
from tests.house.calls import core_of, count_calls, long_signatures
from tests.house.imports import circles
from tests.house.names import LIBRARIES, private_uses, renamed_modules
from tests.house.source import read_package

MOST_CORE_FILES = 11
MOST_CROSSING = 1 / 3
MEDIAN_LINES, MOST_LINES, LEAST_LINES = 150, 400, 25

SHORT = {
    "topicweave/__main__.py": "python -m topicweave",
    "topicweave/algorithms/parameters.py": "the old place of parameters, for one release",
}
"""Files below 25 lines that are a whole idea, and which."""

INNERMOST: dict[str, str] = {
    "topicweave/kernels/greedy/near.py: _meet": "called for every list that is walked, where a record is slow",
    "topicweave/kernels/greedy/pair_table.py: _list_looks": "called for every row, where a record is slow",
    "topicweave/kernels/greedy/pair_table.py: _lower_maxima": "called for every row, where a record is slow",
}
"""Kernels of the greedy core that take more than eight parameters, and why no record can hold them."""

NOT_YET: dict[str, set[str]] = {
    "private names": set(),
    "file sizes": set(),
    "core files": set(),
    "core parameters": set(),
    "core calls": set(),
    "circular imports": set(),
    "renamed modules": set(),
    "spark": set(),
}
"""What does not keep to a rule yet. It only shrinks: what keeps to its rule again must be taken out."""


@pytest.fixture(scope="module")
def tree():
    return read_package(CHECKOUT)


@pytest.fixture(scope="module")
def core(tree):
    return core_of(tree)


def judge(rule, offenders):
    """The offenders must be exactly those that are listed."""
    offenders = set(offenders)
    new = sorted(offenders - NOT_YET[rule])
    assert not new, f"against the rule on {rule}:\n  " + "\n  ".join(new)
    mended = sorted(NOT_YET[rule] - offenders)
    assert not mended, f"keeps to the rule on {rule} now; take it out of NOT_YET:\n  " + "\n  ".join(mended)


def test_no_file_uses_the_private_names_of_another(tree):
    judge("private names", private_uses(tree))
    used = {name.rpartition(".")[2] for name in private_uses(tree, libraries=())}
    unused = sorted(LIBRARIES.keys() - used)
    assert not unused, f"no longer used; take them out of LIBRARIES: {unused}"


def test_no_module_is_given_another_name(tree):
    judge("renamed modules", renamed_modules(tree))


def test_imports_make_no_circle(tree):
    """Imports inside functions count too, because they would only hide a circle until the function is called."""
    judge("circular imports", (" <-> ".join(group) for group in circles(tree, in_functions=True)))


def test_files_are_neither_long_nor_crumbs(tree):
    sizes = {source.path: source.num_lines for source in tree.values() if not source.is_package}
    offenders = {path for path, size in sizes.items() if size > MOST_LINES}
    offenders |= {path for path, size in sizes.items() if size < LEAST_LINES and path not in SHORT}
    if statistics.median(sizes.values()) > MEDIAN_LINES:
        offenders.add("median")
    judge("file sizes", offenders)
    needless = [path for path in SHORT if not 0 < sizes.get(path, 0) < LEAST_LINES]
    assert not needless, f"no longer short, or gone; take it out of SHORT: {needless}"


def test_the_greedy_core_is_a_few_files(core):
    assert len(core) >= 5, "the greedy core was not found"
    judge("core files", {f"more than {MOST_CORE_FILES}"} if len(core) > MOST_CORE_FILES else ())


def test_functions_of_the_greedy_core_take_few_parameters(core):
    found = long_signatures(core)
    judge("core parameters", found - INNERMOST.keys())
    assert all("/kernels/" in name for name in INNERMOST), "only kernels are innermost"
    needless = sorted(INNERMOST.keys() - found)
    assert not needless, f"take few parameters, or are gone; take them out of INNERMOST: {needless}"


def test_most_calls_of_the_greedy_core_stay_in_their_file(tree, core):
    calls = count_calls(tree, core)
    assert len(calls.within) + len(calls.across) >= 50, "the calls of the greedy core were not found"
    judge("core calls", {"more than a third cross a file"} if calls.share > MOST_CROSSING else ())


def test_nothing_outside_the_pipeline_loads_spark(tree):
    """Uses one fresh process and checks after each import, so that the first module to load Spark is named."""
    wanted = [module for module in tree if module.split(".")[1:2] != ["pipeline"] and not module.endswith("__main__")]
    assert len(wanted) > 50
    program = (
        "import importlib, sys\n"
        "for module in sys.argv[1:]:\n"
        "    importlib.import_module(module)\n"
        "    if 'pyspark' in sys.modules:\n"
        "        sys.exit(print(module))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, *wanted], cwd=CHECKOUT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    judge("spark", done.stdout.split())

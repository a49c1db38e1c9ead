"""The count of files that a command executes."""

import pytest

from benchmarks.children import CHECKOUT
from benchmarks.house import files_executed

MOST_FILES = 57  # 60 % of the number of files when counting began


def test_only_files_that_are_executed_are_counted():
    """Drawing a workload needs no algorithm and no Spark."""
    arguments = ["generate", "--nodes", "5", "--topics", "3", "--subscriptions", "1", "--out"]
    found = files_executed(CHECKOUT, arguments, "drawn.csv")
    assert {"topicweave/cli/main.py", "topicweave/cli/generate.py", "topicweave/model/interest.py"} <= set(found)
    assert not any(file.startswith(("topicweave/pipeline", "topicweave/churn")) for file in found)
    assert not any(file.endswith("__init__.py") for file in found)


@pytest.mark.slow
def test_whoever_follows_a_design_opens_few_files():
    """The main job on the example: command line, Spark, sweep, verifier and report."""
    found = [file for file in files_executed(CHECKOUT) if file.endswith(".py")]
    assert {"topicweave/pipeline/jobs/design.py", "topicweave/kernels/greedy/sweep.py"} <= set(found)
    assert len(found) <= MOST_FILES, found

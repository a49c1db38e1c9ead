"""The count of files that a command executes."""

from benchmarks.children import CHECKOUT
from benchmarks.house import files_executed


def test_only_files_that_are_executed_are_counted():
    """Drawing a workload needs no algorithm and no Spark."""
    arguments = ["generate", "--nodes", "5", "--topics", "3", "--subscriptions", "1", "--out"]
    found = files_executed(CHECKOUT, arguments, "drawn.csv")
    assert {"topicweave/cli/main.py", "topicweave/cli/generate.py", "topicweave/model/interest.py"} <= set(found)
    assert not any(file.startswith(("topicweave/pipeline", "topicweave/churn")) for file in found)
    assert not any(file.endswith("__init__.py") for file in found)

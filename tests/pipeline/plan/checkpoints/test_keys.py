"""By what the stages of a run are known again: its input, its parameters, the code itself."""

import importlib

import numpy as np
import pytest

from topicweave.pipeline import Table
from topicweave.pipeline.plan.checkpoints import keys as kept_keys

load_module = importlib.import_module("topicweave.pipeline.loading")


@pytest.mark.slow
def test_files_elsewhere_are_told_by_size_and_time(spark, write, monkeypatch):
    """Spark lists what this process cannot see."""
    source = Table(write("in.csv", "node,topic\na,x\nb,x\n"))
    monkeypatch.setattr("topicweave.pipeline.sources.formats.files.InputFile.is_local", False)

    def key():
        readable = load_module.as_source(source)
        return kept_keys.input_key(spark, readable, readable.read(spark))

    before = key()
    assert before is not None and before == key()
    write("in.csv", "node,topic\na,x\nb,x\nnew,x\n")
    assert key() != before


def test_the_package_itself_counts(monkeypatch, tmp_path):
    """A changed line of code is another version."""
    monkeypatch.setattr(kept_keys, "PACKAGE", tmp_path)
    (tmp_path / "a.py").write_text("x = 1")
    before = kept_keys._own_code()
    (tmp_path / "a.py").write_text("x = 2")
    assert kept_keys._own_code() != before


def test_parameters_that_cannot_be_written_down():
    assert kept_keys.design_key("1", "gm", {"topics": (topic for topic in "xy")}, 0) is None
    assert kept_keys.design_key("1", "gm", {"pairs": np.arange(4)}, 0) != kept_keys.design_key(
        "1", "gm", {"pairs": np.arange(5)}, 0
    )

"""Inputs that are refused before Spark starts, and those that are left to Spark."""

import pytest

from topicweave.errors import ReadError
from topicweave.pipeline import SparkSettings, Table
from topicweave.pipeline.job import SITE_SETTINGS, check_present


@pytest.fixture(autouse=True)
def clean_site(monkeypatch, tmp_path):
    for name in SITE_SETTINGS:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr("topicweave.pipeline.job.is_running", lambda: False)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "there.csv").write_text("node,topic\n")


@pytest.mark.parametrize("path", ["away.csv", "away.csv.gz", "away/", "folder/away", "/away", "~/no-such-file.csv"])
def test_a_missing_file_is_named_at_once(path):
    with pytest.raises(ReadError, match="There is no file or folder at /"):
        check_present([Table(path)], None)


@pytest.mark.parametrize(
    "path", ["there.csv", ".", "*.csv", "part-[0-9].csv", "{a,b}.csv", "hdfs://host/away.csv", "file:/away.csv"]
)
def test_what_may_be_there_is_left_to_spark(path):
    check_present([Table(path)], None)


@pytest.mark.parametrize("name", ["subs", "catalog.schema.subs"])
def test_names_that_may_be_tables_are_left_to_spark(name):
    check_present([Table(name)], None)
    with pytest.raises(ReadError):
        check_present([Table(name, format="csv")], None)


def test_a_format_that_is_no_file_is_left_to_spark():
    check_present([Table("away.csv", format="delta")], None)
    check_present([Table("away.csv", format="table")], None)


@pytest.mark.parametrize(
    "elsewhere",
    [{"master": "spark://host:7077"}, {"master": "yarn"}, {"conf": {"spark.hadoop.fs.defaultFS": "hdfs://h"}}],
)
def test_paths_may_lie_elsewhere(elsewhere):
    """On a cluster a path may be one of the workers', so that nothing is said too early."""
    check_present([Table("away.csv")], SparkSettings(**elsewhere))


@pytest.mark.parametrize("name", SITE_SETTINGS)
def test_a_site_may_have_its_own_file_system(monkeypatch, name):
    monkeypatch.setenv(name, "/etc/site")
    check_present([Table("away.csv")], None)


@pytest.mark.parametrize("master", ["local", "local[4]", "local[*]"])
def test_embedded_is_here(master):
    """In this process a path that is not here is nowhere."""
    with pytest.raises(ReadError):
        check_present([Table("away.csv")], SparkSettings(master))


def test_a_session_that_runs_is_asked_itself(monkeypatch):
    """It answers at once, and may know more than this check."""
    monkeypatch.setattr("topicweave.pipeline.job.is_running", lambda: True)
    check_present([Table("away.csv")], None)

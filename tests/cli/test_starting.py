"""What is refused before Spark starts, and what is left to Spark."""

import pytest

from topicweave.cli.starting import SITE_SETTINGS, check_paths
from topicweave.errors import ReadError

HERE = {"conf": (), "master": None}


@pytest.fixture(autouse=True)
def clean_site(monkeypatch, tmp_path):
    for name in SITE_SETTINGS:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "there.csv").write_text("node,topic\n")


@pytest.mark.parametrize("path", ["away.csv", "away.csv.gz", "away/", "folder/away", "/away", "~/no-such-file.csv"])
def test_a_missing_file_is_named_at_once(path):
    with pytest.raises(ReadError, match="There is no file or folder at /"):
        check_paths([path], HERE, None)


@pytest.mark.parametrize(
    "path", ["there.csv", ".", "*.csv", "part-[0-9].csv", "{a,b}.csv", "hdfs://host/away.csv", "file:/away.csv", None]
)
def test_what_may_be_there_is_left_to_spark(path):
    check_paths([path], HERE, None)


@pytest.mark.parametrize("name", ["subs", "catalog.schema.subs"])
def test_names_that_may_be_tables_are_left_to_spark(name):
    check_paths([name], HERE, None)
    with pytest.raises(ReadError):
        check_paths([name], HERE, "csv")


def test_a_format_that_is_no_file_is_left_to_spark():
    check_paths(["away.csv"], HERE, "delta")
    check_paths(["away.csv"], HERE, "table")


@pytest.mark.parametrize(
    "elsewhere",
    [{"master": "spark://host:7077"}, {"master": "yarn"}, {"conf": ("spark.hadoop.fs.defaultFS=hdfs://h",)}],
)
def test_paths_may_lie_elsewhere(elsewhere):
    check_paths(["away.csv"], {**HERE, **elsewhere}, None)


@pytest.mark.parametrize("name", SITE_SETTINGS)
def test_a_site_may_have_its_own_file_system(monkeypatch, name):
    monkeypatch.setenv(name, "/etc/site")
    check_paths(["away.csv"], HERE, None)


@pytest.mark.parametrize("master", ["local", "local[4]", "local[*]"])
def test_embedded_is_here(master):
    with pytest.raises(ReadError):
        check_paths(["away.csv"], {**HERE, "master": master}, None)


# Each of these must answer without Spark: a session would be an error here.
EARLY = [
    (["design", "away.csv", "--out", "plan"], "There is no file or folder at "),
    (["design", "there.csv", "--out", "taken"], "taken exists already; choose another folder, or add --overwrite."),
    (["design", "there.csv", "--out", "there.csv"], "there.csv is a file; choose the name of a folder."),
    (["design", "there.csv", "--out", "plan", "--algorithm", "loww"], "no algorithm 'loww'; did you mean 'low'?"),
    (["design", "there.csv", "--out", "plan", "--algorithm", "gpa"], "'gpa' needs --m or --budget-ratio: "),
    (["design", "there.csv", "--out", "plan", "--m", "3"], "'low' has no parameter 'm'; its parameters are: k."),
    (["design", "there.csv", "--out", "plan", "--k", "0"], "k must be a number, 1 or more, but is 0.0."),
    (["design", "there.csv", "--out", "plan", "--at", "3"], "--at is for --as events"),
    (["design", "there.csv", "--out", "plan", "--as", "clients", "--brokers", "b.csv"], "There is no file or folder"),
    (["verify", "there.csv", "away/"], "There is no file or folder at "),
    (["profile", "away.csv"], "There is no file or folder at "),
]


@pytest.mark.parametrize(("arguments", "sentence"), EARLY)
def test_refused_before_spark_starts(run, monkeypatch, tmp_path, arguments, sentence):
    monkeypatch.setattr("topicweave.pipeline.session", lambda *_, **__: pytest.fail("Spark was started"))
    (tmp_path / "taken").mkdir()
    (tmp_path / "taken" / "thesis.tex").write_text("mine")
    before = sorted(path.name for path in tmp_path.rglob("*"))
    refused = run(*arguments)
    assert refused.code == 2
    assert not refused.out
    assert sentence in refused.err
    assert refused.err.count("\n") == 1
    assert sorted(path.name for path in tmp_path.rglob("*")) == before, "nothing is left behind"

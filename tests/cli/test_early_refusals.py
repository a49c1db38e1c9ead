"""Requests that are refused before Spark starts."""

import pytest

from topicweave.pipeline.job import SITE_SETTINGS


@pytest.fixture(autouse=True)
def clean_site(monkeypatch, tmp_path):
    for name in SITE_SETTINGS:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr("topicweave.pipeline.job.is_running", lambda: False)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "there.csv").write_text("node,topic\n")
    (tmp_path / "loop").symlink_to("loop")


# Each of these must answer without Spark: a session would be an error here.
EARLY = [
    (["design", "away.csv", "--out", "plan"], "There is no file or folder at "),
    (["design", "there.csv", "--out", "taken"], "taken exists already; choose another folder, or add --overwrite."),
    (["design", "there.csv", "--out", "there.csv"], "there.csv is a file; choose the name of a folder."),
    (["design", "there.csv", "--out", "loop"], "loop is a symbolic link that leads back to itself; choose another"),
    (["design", "there.csv", "--out", "/"], "/ is the root of the file system; choose a folder in it."),
    (["design", "there.csv", "--out", ""], "The path to write to is empty; give the name of a folder or file."),
    (["design", "there.csv", "--out", "plan", "--algorithm", "loww"], "no algorithm 'loww'; did you mean 'low'?"),
    (["design", "there.csv", "--out", "plan", "--algorithm", "gpa"], "'gpa' needs --m or --budget-ratio: "),
    (["design", "there.csv", "--out", "plan", "--m", "3"], "'low' has no parameter 'm'; its parameters are: k."),
    (["design", "there.csv", "--out", "plan", "--k", "0"], "--k must be a number, 1 or more, but is 0.0."),
    (["design", "there.csv", "--out", "plan", "--at", "3"], "--at is for --as events"),
    (["design", "there.csv", "--out", "plan", "--as", "clients", "--brokers", "b.csv"], "There is no file or folder"),
    (["design", "there.csv", "--out", "s3a://bucket/p"], "s3a://bucket/p is an address, but results are written to"),
    (["design", "there.csv", "--out", "plan", "--memory-limit", "2X"], "--memory-limit must be a number of bytes such"),
    (["churn", "--follow", ".", "--state", "s3a://b/s", "--empty"], "s3a://b/s is an address"),
    (["churn", "--follow", "away", "--state", "s", "--empty"], "There is no folder at "),
    (["churn", "--follow", "there.csv", "--state", "s", "--empty"], "there.csv is a file, but a folder of event files"),
    (["churn", "p", "there.csv", "--out", "q", "--gaps", "pass"], "--gaps goes with --follow."),
    (["churn", "p", "there.csv", "--out", "q", "--interval", "3"], "--interval goes with --follow."),
    (["churn", "p", "there.csv", "--out", "q", "--max-gap", "3"], "--max-gap goes with --follow."),
    (["churn", "--follow", ".", "--state", "s", "--empty", "--max-gap", "3"], "--max-gap goes with --gaps pass."),
    (["churn", "--follow", ".", "--state", "s", "--empty", "--overwrite"], "--overwrite goes with --out."),
    (
        ["churn", "p", "there.csv", "--out", "q", "--column", "subscriptions.node=a"],
        "--column subscriptions.... goes with --subscriptions PATH.",
    ),
    (["verify", "there.csv"], "There are no links to verify"),
    (["verify", "there.csv", "away/"], "There is no file or folder at "),
    (["profile", "away.csv"], "There is no file or folder at "),
]


@pytest.mark.parametrize(("arguments", "sentence"), EARLY)
def test_refused_before_spark_starts(run, monkeypatch, tmp_path, arguments, sentence):
    """What cannot succeed is reported at once in a sentence, and no file has changed."""
    monkeypatch.setattr("topicweave.pipeline.spark.session.session", lambda *_, **__: pytest.fail("Spark was started"))
    (tmp_path / "taken").mkdir()
    (tmp_path / "taken" / "thesis.tex").write_text("mine")
    before = sorted(path.name for path in tmp_path.rglob("*"))
    refused = run(*arguments)
    assert refused.code == 2
    assert not refused.out
    assert sentence in refused.err
    assert refused.err.count("\n") == 1
    assert sorted(path.name for path in tmp_path.rglob("*")) == before, "nothing is left behind"

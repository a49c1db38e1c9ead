"""``topicweave content adapt``: the command calls pipeline.adapt and prints."""

import json

import pyarrow.parquet as pq
import pytest

from topicweave import pipeline

LOG = "user,value\n" + "".join(f"{user},{value}\n" for user in ("Bern", "Kiel", "Rome") for value in range(20))
WISHES = "user,attribute,low,high\nBern,value,0,9\nRome,value,5,19\nKiel,value,0,19\n"
PRICES = ",Bern,Kiel,Rome\nBern,0,2,9\nKiel,2,0,4\nRome,9,4,0\n"


@pytest.fixture
def given(write):
    return [write("log.csv", LOG), write("wishes.csv", WISHES), write("prices.csv", PRICES)]


@pytest.mark.usefixtures("spark")
def test_from_a_plan_to_the_next(run, given, tmp_path):
    """The earlier plan's folder is given; its core is kept, and nobody has to move where nothing has changed."""
    first = run("content", "assign", *given, "--core", "multicast", "--method", "migrate", "--channels", "5",
                "--out", tmp_path / "plan")  # fmt: skip
    assert first.code == 0, first.err
    again = run("content", "adapt", *given, "--from", tmp_path / "plan", "--channels", "5", "--max-moves", "0",
                "--out", tmp_path / "next")  # fmt: skip
    assert again.code == 0, again.err
    assert "adapt on Instance(3 users, 3 brokers, 5 channels)" in again.out and "(multicast)" in again.out
    assert "  to move         0 users" in again.out
    assert "adapt" in again.err
    seats = [pq.read_table(tmp_path / name / "assignment.parquet")["broker"].to_pylist() for name in ("plan", "next")]
    assert seats[0] == seats[1]


@pytest.mark.usefixtures("spark")
def test_moves_from_a_table_as_json(run, given, write, tmp_path):
    """All users are at one broker that cannot carry them all: the manifest counts the moves; if too few are allowed,
    the exit code is 3.
    """
    today = write("today.csv", "user,broker\nBern,Rome\nKiel,Rome\nRome,Rome\n")
    made = run("content", "adapt", *given, "--from", today, "--core", "tree", "--spare", "1.5", "--json",
               "--out", tmp_path / "plan")  # fmt: skip
    assert made.code == 0, made.err
    manifest = json.loads(made.out, parse_constant=pytest.fail)
    assert manifest["core"] == "tree" and manifest["transition"]["moves"] >= 1
    refused = run("content", "adapt", *given, "--from", today, "--spare", "1.5", "--max-moves", "0",
                  "--out", tmp_path / "none")  # fmt: skip
    assert refused.code == 3 and "more than --max-moves 0 allows" in refused.err
    assert not (tmp_path / "none").exists()


@pytest.mark.parametrize(
    ("option", "value", "sentence"),
    [
        ("--max-moves", "-1", "--max-moves must be a whole number, 0 or more, but is -1."),
        ("--from", "nowhere.csv", "The placement in nowhere.csv cannot be read: "),
        ("--broker", "Atlantis", "There is no place 'Atlantis' in the prices"),
    ],
)
def test_what_cannot_succeed_is_refused_before_spark_starts(run, given, write, tmp_path, monkeypatch, option, value,
                                                            sentence):  # fmt: skip
    monkeypatch.setattr(pipeline.SparkSettings, "start", lambda self: pytest.fail("Spark was started"))
    today = write("today.csv", "user,broker\nBern,Rome\n")
    refused = run("content", "adapt", *given, "--from", today, "--out", tmp_path / "plan", option, value)
    assert refused.code == 2
    assert refused.err.startswith(f"Error: {sentence}")

"""``topicweave content``: the command calls pipeline.assign and prints; the old form gets a hint."""

import json

import numpy as np
import pyarrow.parquet as pq
import pytest

from topicweave import pipeline
from topicweave.content import METHODS, Method
from topicweave.content.assignment import MethodResult
from topicweave.parameters import Parameter

LOG = "user,value\n" + "".join(f"{user},{value}\n" for user in ("Bern", "Rome") for value in range(20))
WISHES = "user,attribute,low,high\nBern,value,0,4\nRome,value,5,10\n"
PRICES = ",Bern,Rome\nBern,0,9\nRome,9,0\n"


@pytest.fixture
def given(write):
    return [write("log.csv", LOG), write("wishes.csv", WISHES), write("prices.csv", PRICES)]


@pytest.mark.usefixtures("spark")
def test_assign(run, given, tmp_path):
    """The method and its parameters reach the job, and the summary agrees with the folder."""
    made = run("content", "assign", *given, "--channels", "5", "--method", "migrate", "--passes", "1",
               "--start", "random", "--out", tmp_path / "plan")  # fmt: skip
    assert made.code == 0, made.err
    assert "migrate on Instance(2 users, 2 brokers, 5 channels)" in made.out
    assert made.out.endswith(f"  report          {tmp_path / 'plan' / 'report.html'}\n")
    assert "read traffic" in made.err
    parameters = json.loads((tmp_path / "plan" / "manifest.json").read_text())["parameters"]
    assert parameters == {"start": "random", "passes": 1}


@pytest.mark.usefixtures("spark")
def test_as_json(run, given, tmp_path):
    """``--json`` prints the manifest that the folder holds, and nothing else."""
    made = run("content", "assign", *given, "--cuts", "value=0,5,20", "--broker", "Rome", "--out", tmp_path / "plan",
               "--json")  # fmt: skip
    assert made.code == 0 and not made.err
    manifest = json.loads(made.out, parse_constant=pytest.fail)
    assert (manifest["counts"]["brokers"], manifest["cuts"]) == (1, {"value": [0, 5, 20]})
    assert manifest == json.loads((tmp_path / "plan" / "manifest.json").read_text())


@pytest.mark.usefixtures("spark")
def test_one_tree_and_the_moves_from_today(run, given, write, tmp_path):
    today = write("today.csv", "user,broker\nBern,Rome\nRome,Rome\n")
    made = run("content", "assign", *given, "--core", "tree", "--from", today, "--method", "greedy_packing",
               "--capacity", "1e9", "--out", tmp_path / "plan")  # fmt: skip
    assert made.code == 0, made.err
    assert "(tree)" in made.out and "  to move         1 users, which saves " in made.out
    (move,) = pq.read_table(tmp_path / "plan" / "moves.parquet").to_pylist()
    assert (move["step"], move["user"], move["from"], move["to"]) == (1, "Bern", "Rome", "Bern")
    manifest = json.loads((tmp_path / "plan" / "manifest.json").read_text())
    assert manifest["core"] == "tree" and manifest["transition"]["saved"] == pytest.approx(move["saved"])
    assert "Users to move" in (tmp_path / "plan" / "report.html").read_text()


@pytest.mark.usefixtures("spark")
def test_links_that_do_not_exist_are_in_no_plan(run, given, write, tmp_path):
    """Bern and Rome have no link, nor reach each other's broker: what one wants of the other goes by Kiel."""
    prices = write("apart.csv", ",Bern,Kiel,Rome\nBern,0,2,inf\nKiel,2,0,4\nRome,inf,4,0\n")
    made = run("content", "assign", *given[:2], prices, "--core", "multicast", "--method", "steiner_mixing", "--draw",
               "heaviest", "--capacity", "1e9", "--out", tmp_path / "plan")  # fmt: skip
    assert made.code == 0, made.err
    assert json.loads((tmp_path / "plan" / "manifest.json").read_text())["parameters"] == {"draw": "heaviest"}
    links = pq.read_table(tmp_path / "plan" / "edges.parquet").to_pylist()
    assert all({link["source"], link["target"]} != {"Bern", "Rome"} for link in links)
    seated = {row["user"]: row["broker"] for row in pq.read_table(tmp_path / "plan" / "assignment.parquet").to_pylist()}
    assert seated["Bern"] in ("Bern", "Kiel") and seated["Rome"] in ("Rome", "Kiel")


@pytest.mark.usefixtures("spark")
def test_a_user_who_can_reach_no_broker_is_named(run, given, write, tmp_path):
    prices = write("apart.csv", ",Bern,Kiel,Rome\nBern,0,2,inf\nKiel,2,0,4\nRome,inf,4,0\n")
    refused = run("content", "assign", *given[:2], prices, "--broker", "Bern", "--out", tmp_path / "plan")
    assert refused.code == 3 and not (tmp_path / "plan").exists()
    assert "User 'Rome' can reach no broker: every access price is infinite" in refused.err


@pytest.mark.parametrize(
    ("option", "value", "sentence"),
    [
        ("--method", "bets", "There is no method 'bets'; did you mean 'best'?"),
        ("--broker", "Atlantis", "There is no place 'Atlantis' in the prices, which know 2; check the spelling."),
        ("--passes", "3", "'best' has no parameter 'passes'; its parameters are: seeds."),
        ("--seeds", "-1", "--seeds must be a whole number, 0 or more, but is -1."),
        ("--channels", "0", "--channels must be a whole number, 1 or more, but is 0."),
        ("--cuts", "value=a,b", "--cuts value=a,b does not consist of numbers separated by commas."),
        ("--from", "nowhere.csv", "The placement in nowhere.csv cannot be read: "),
        ("--places", "nowhere.csv", "The places in nowhere.csv cannot be read: "),
    ],
)
def test_what_cannot_succeed_is_refused_before_spark_starts(run, given, tmp_path, monkeypatch, option, value, sentence):
    monkeypatch.setattr(pipeline.SparkSettings, "start", lambda self: pytest.fail("Spark was started"))
    refused = run("content", "assign", *given, "--out", tmp_path / "plan", option, value)
    assert refused.code == 2
    assert refused.err.startswith(f"Error: {sentence}")


def test_an_input_that_is_not_there(run, given, tmp_path, monkeypatch):
    monkeypatch.setattr(pipeline.SparkSettings, "start", lambda self: pytest.fail("Spark was started"))
    monkeypatch.setattr("topicweave.pipeline.job.is_running", lambda: False)
    refused = run("content", "assign", given[0], tmp_path / "none.csv", given[2], "--out", tmp_path / "plan")
    assert (refused.code, refused.err) == (
        2,
        f"Error: There is no file or folder at {tmp_path / 'none.csv'}; check the path.\n",
    )


@pytest.mark.parametrize("arguments", [["log.csv", "w.csv", "p.csv", "--out", "x"], ["--out", "x", "log.csv"]])
def test_the_old_form_is_answered_with_the_new_one(run, arguments):
    refused = run("content", *arguments)
    assert refused.code == 2
    assert f"is 'topicweave content assign {arguments[0]} ...' now." in refused.err


def test_a_slip_of_the_pen(run):
    refused = run("content", "asign", "log.csv")
    assert refused.code == 2 and "did you mean 'assign'?" in refused.err


def test_help_lists_commands_methods_and_their_parameters(run):
    assert "assign Assign users to brokers" in " ".join(run("content", "--help").out.split())
    told = " ".join(run("content", "assign", "--help").out.split())
    assert ", ".join(METHODS) in told
    for method, entry in METHODS.items():
        for parameter in entry.parameters:
            assert f"--{parameter.name.replace('_', '-')}" in told
            assert f"{method}: {parameter.help}" in told


def same(instance, *, where, seed):
    """A toy method: all users at one broker."""
    return MethodResult(np.full(instance.num_users, where))


@pytest.mark.usefixtures("spark")
def test_a_method_added_to_the_table_is_used_from_the_command_line(run, given, tmp_path, monkeypatch):
    where = Parameter("where", int, "the broker of all users", 0, minimum=0)
    monkeypatch.setitem(METHODS, "same", Method(same, (where,), "one broker", "nowhere"))
    told = " ".join(run("content", "assign", "--help").out.split())
    assert "--where INTEGER same: the broker of all users (0 by default)." in told
    made = run("content", "assign", *given, "--method", "same", "--where", "1", "--capacity", "1e9", "--json",
               "--out", tmp_path / "plan")  # fmt: skip
    assert made.code == 0, made.err
    assert json.loads(made.out)["parameters"] == {"where": 1}
    assert set(pq.read_table(tmp_path / "plan" / "assignment.parquet")["broker"].to_pylist()) == {"Rome"}


@pytest.mark.usefixtures("spark")
def test_files_in_the_wrong_order(run, given, tmp_path):
    """It has no --column to answer with, so it must not name it."""
    log, wishes, prices = given
    failed = run("content", "assign", wishes, log, prices, "--out", tmp_path / "plan")
    assert failed.code == 2, failed.err
    assert "check the order of the files" in failed.err and "--column" not in failed.err
    assert not (tmp_path / "plan").exists()

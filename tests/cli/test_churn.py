"""``topicweave churn``: both forms call one function each and print its result."""

from __future__ import annotations

import json

import pytest

pytestmark = pytest.mark.usefixtures("spark")


@pytest.fixture
def events(tmp_path):
    """A folder with one file of two events and a row that is none."""
    (tmp_path / "events").mkdir()
    rows = ['{"sequence": 1, "node": "d", "action": "join", "topic": ["t"]}', "nothing",
            '{"sequence": 2, "node": "a", "action": "drain"}']  # fmt: skip
    (tmp_path / "events" / "1.jsonl").write_text("\n".join(rows) + "\n")
    return tmp_path / "events"


def test_a_log_and_a_stream_from_one_plan(run, tmp_path, events):
    """The plan needs no input again; --json is JSON in both forms, and both end with the same links."""
    (tmp_path / "in.csv").write_text("broker,filter\na,t\nb,t\nc,t\na,u\nc,u\n")
    made = run("design", tmp_path / "in.csv", "--column", "node=broker", "--column", "topic=filter",
               "--out", tmp_path / "plan", "--quiet")  # fmt: skip
    assert made.code == 0, made.err
    (tmp_path / "in.csv").unlink()
    log = run("churn", tmp_path / "plan", events / "1.jsonl", "--out", tmp_path / "after", "--trim", "--json")
    assert log.code == 0, log.err
    manifest = json.loads(log.out)
    assert manifest["kind"] == "maintain" and manifest["events"]["applied"] == 2
    assert manifest["parameters"]["trim"] is True
    stream = run("churn", "--follow", events, "--state", tmp_path / "state", "--plan", tmp_path / "plan", "--once",
                 "--trim", "--json")  # fmt: skip
    assert stream.code == 0, stream.err
    figures = json.loads(stream.out)
    assert (figures["applied"], figures["quarantined"], figures["last_sequence"]) == (2, 1, 2)
    assert figures["links"] == manifest["counts"]["links"]
    again = run("churn", "--follow", events, "--state", tmp_path / "state", "--once")
    assert again.out.startswith("Shadow(3 nodes, 2 links) after event 2; 0 applied, 0 events known before")
    assert run("verify", tmp_path / "after").code == 0
    # the log again on what it made: everything is known; the plan to begin with is never replaced
    twice = run("churn", tmp_path / "after", events / "1.jsonl", "--out", tmp_path / "twice", "--quiet")
    assert twice.code == 0 and twice.out.startswith("0 events applied, 2 known before")
    same = run("churn", tmp_path / "plan", events / "1.jsonl", "--out", tmp_path / "plan", "--overwrite")
    assert same.code == 2 and "is the plan to start from, which must stay" in same.err
    # a plan is not the state of a stream
    plan = run("churn", "--follow", events, "--state", tmp_path / "after", "--once")
    assert plan.code == 2 and "after is a plan, not the state of a stream; name another folder" in plan.err
    assert not (tmp_path / "after" / "changes").exists() and not (tmp_path / "after" / "lock").exists()
    # options that the state does not have
    other = run("churn", "--follow", events, "--state", tmp_path / "state", "--once", "--maintainer", "naive")
    assert other.code == 2
    assert "--maintainer is 'shadow' there and 'naive' here; leave it out, or change it by --reconfigure" in other.err


def test_clients_and_their_brokers(run, tmp_path, events):
    """A plan made from several tables contains its subscriptions; batches and the budget are options."""
    (tmp_path / "filters.csv").write_text("client,filter\nc1,t\nc2,t\nc3,t\nc3,u\nc4,u\n")
    (tmp_path / "brokers.csv").write_text("client,broker\nc1,a\nc2,b\nc3,c\nc4,e\n")
    made = run("design", tmp_path / "filters.csv", "--as", "clients", "--brokers", tmp_path / "brokers.csv",
               "--out", tmp_path / "plan", "--quiet")  # fmt: skip
    assert made.code == 0, made.err
    log = run("churn", tmp_path / "plan", events / "1.jsonl", "--out", tmp_path / "after", "--batch", 2, "--reoptimise",
              4, "--ties", "balanced", "--json")  # fmt: skip
    assert log.code == 0, log.err
    manifest = json.loads(log.out)
    assert (manifest["events"]["applied"], manifest["counts"]["nodes"]) == (2, 4)
    assert manifest["parameters"]["ties"] == "balanced"
    stream = run("churn", "--follow", events, "--state", tmp_path / "state", "--plan", tmp_path / "plan", "--once",
                 "--batch", 2, "--reoptimise", 4, "--reoptimise-every", 1, "--quiet", "--json")  # fmt: skip
    assert json.loads(stream.out)["applied"] == 2


def test_subscriptions_with_other_columns(run, tmp_path, events):
    """The message names the option that helps, not the one for the columns of the events; with it, it works."""
    (tmp_path / "links.csv").write_text("source,target\na,b\nb,c\n")
    (tmp_path / "who.csv").write_text("broker,topic\na,t\nb,t\nc,t\n")
    given = ("churn", tmp_path / "links.csv", events / "1.jsonl", "--subscriptions", tmp_path / "who.csv", "--quiet",
             "--out", tmp_path / "after")  # fmt: skip
    refused = run(*given)
    assert refused.code == 2
    assert "say which column holds the node (--column subscriptions.node=NAME), or add a header." in refused.err
    helped = run(*given, "--column", "subscriptions.node=broker")
    assert helped.code == 0, helped.err


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("--follow", "."), "--follow needs --state"),
        (("plan", "--follow", ".", "--state", "s"), "--follow takes no further arguments"),
        (("--follow", ".", "--state", "s", "--out", "x"), "leave --out out"),
        (("--follow", ".", "--state", "s"), "give either --plan or --empty"),
        (("--follow", ".", "--state", "s", "--plan", "p", "--empty"), "two things to start from were given"),
        (("plan", "events.jsonl", "--out", "x", "--first", "0"), "--first goes with --follow"),
        (("plan",), "PLAN and EVENTS are needed"),
        (("plan", "events.jsonl"), "--out is needed"),
        (("plan", "events.jsonl", "--out", "x", "--state", "s"), "--state goes with --follow"),
        (("plan", "events.jsonl", "--out", "x", "--k", "0"), "--k must be a number, 1 or more, but is 0"),
        (("plan", "events.jsonl", "--out", "x", "--maintainer", "naive", "--coverage", "2"), "no parameter"),
        (("plan", "events.jsonl", "--out", "x", "--maintainer", "shade"), "shadow"),
    ],
)
def test_what_is_missing_or_does_not_fit_is_said(run, tmp_path, monkeypatch, arguments, says):
    """Before Spark starts, with exit code 2."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("topicweave.pipeline.job.Job.start", lambda *_, **__: pytest.fail("Spark was started"))
    found = run("churn", *arguments)
    assert found.code == 2
    assert says in found.err

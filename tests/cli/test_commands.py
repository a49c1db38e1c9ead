"""design, verify and profile as users call them, on one session in this process."""

import json

import pyarrow.parquet as pq
import pytest

import topicweave as tw
from topicweave.errors import TargetError
from topicweave.pipeline import Target

pytestmark = pytest.mark.usefixtures("spark")


def links(plan):
    table = pq.read_table(plan / "edges.parquet")
    return set(zip(table["source"].to_pylist(), table["target"].to_pylist(), strict=True))


def designed(run, tmp_path, *arguments):
    plan = tmp_path / "plan"
    made = run("design", *arguments, "--algorithm", "gm", "--out", plan, "--quiet")
    assert made.code == 0, made.err
    return links(plan)


def test_design_then_verify(run, subscriptions, tmp_path):
    """A plan is made, summarised, verified with and without its input, and replaced only if asked."""
    plan = tmp_path / "plan"
    made = run("design", subscriptions, "--algorithm", "low", "--k", "3", "--out", plan, "--csv")
    assert made.code == 0, made.err
    assert links(plan) == {("a", "b"), ("b", "c"), ("c", "d")}
    assert (plan / "edges.csv").is_file()
    assert "every topic is connected" in made.out
    assert made.out.endswith(f"  report          {plan / 'report.html'}\n")
    stages = [line.split("  ")[0].removeprefix("✓ ") for line in made.err.splitlines()]
    # where Spark is available at once, the work done during its start becomes visible
    assert [name for name in stages if name != "prepare"] == [
        "start Spark", "read", "clean and encode", "design", "write", "verify", "measure", "report",
    ]  # fmt: skip

    good = run("verify", subscriptions, plan)
    assert (good.code, good.out) == (0, "Topic-connected: all 3 topics, 6 subscriptions.\n")
    alone = run("verify", plan)
    assert (alone.code, alone.out) == (0, good.out), "a plan holds what it was made for"
    again = run("design", subscriptions, "--out", plan)
    assert again.code == 2
    assert again.err == f"Error: {plan} exists already; choose another folder, or add --overwrite.\n"
    assert run("design", subscriptions, "--out", plan, "--overwrite", "--quiet").code == 0


def test_verify_lists_the_topics_that_are_cut(run, subscriptions, tmp_path):
    bridges = tmp_path / "bridges.csv"
    bridges.write_text("from,to\na,b\n")
    arguments = ("verify", subscriptions, bridges, "--edge-column", "source=from", "--edge-column", "target=to")
    cut = run(*arguments, "--quiet")
    assert cut.code == 1
    assert cut.out == "Not topic-connected: 2 topics are cut, of 3 (support 0.3333):\n  y\n  z\n"
    assert not cut.err
    for_programs = run(*arguments, "--json", "--diameters")
    assert for_programs.code == 1
    assert not for_programs.err
    found = json.loads(for_programs.out)
    assert found["topic_connected"] is False
    assert found["disconnected_topics"] == ["y", "z"]
    assert found["diameters"] == {"x": 1, "y": None, "z": None}
    assert "Largest topic diameter: 1, of topic 'x'" in run(*arguments, "--diameters").out
    assert found["rows"]["subscriptions"]["read"] == 6
    assert found["links"] == {"rows": 1, "repeated": 0, "to_themselves": 0, "strangers": 0, "stranger": None}
    bridges.write_text("from,to\na,b\nA,b\n")
    assert run(*arguments).out.endswith(
        "  y\n  z\nIn the 2 rows of links: 1 node, such as 'A', subscribed to nothing.\n"
    )
    bridges.write_text("source\ttarget\na\tb\n")
    refused = run("verify", subscriptions, bridges)
    assert refused.code == 2 and r"--edge-separator '\t' where a list of links is verified" in refused.err
    assert run("verify", subscriptions, bridges, "--edge-separator", r"\t").out.startswith("Not topic-connected: 2")


@pytest.mark.parametrize(
    ("command", "option", "fields"),
    [
        (("design", "SUBSCRIPTIONS", "--out", "plan"), "--column", "node, topic"),
        (("design", "SUBSCRIPTIONS", "--out", "plan", "--as", "social"), "--column", "source, target"),
        (("design", "SUBSCRIPTIONS", "--out", "plan", "--as", "events"), "--column", "sequence, node, action"),
        (("verify", "SUBSCRIPTIONS", "SUBSCRIPTIONS"), "--edge-column", "source, target"),
        (("churn", "SUBSCRIPTIONS", "SUBSCRIPTIONS", "--out", "after"), "--column", "sequence, node, action"),
        (("churn", "--follow", ".", "--state", "state"), "--column", "sequence, node, action"),
    ],
)
def test_a_column_for_no_field_is_refused_before_spark_starts(
    run, subscriptions, tmp_path, monkeypatch, command, option, fields
):
    monkeypatch.setattr("topicweave.pipeline.session", lambda *_, **__: pytest.fail("Spark was started"))
    monkeypatch.chdir(tmp_path)
    given = (subscriptions if word == "SUBSCRIPTIONS" else word for word in command)
    refused = run(*given, option, "colour=3")
    assert refused.code == 2
    assert "named for the field 'colour', but " in refused.err and f"is read for {fields}" in refused.err


def test_a_place_that_another_run_writes_is_refused_before_spark_starts(run, subscriptions, tmp_path, monkeypatch):
    monkeypatch.setattr("topicweave.pipeline.session", lambda *_, **__: pytest.fail("Spark was started"))
    with Target(tmp_path / "plan"):
        second = run("design", subscriptions, "--out", tmp_path / "plan")
    assert second.code == 2
    assert second.err.startswith(f"Error: Another run is writing {tmp_path / 'plan'}; wait for it")


def test_the_place_is_taken_while_spark_starts(run, subscriptions, tmp_path, monkeypatch):
    from topicweave import pipeline

    begin = pipeline.session

    def start(*arguments, **options):
        with pytest.raises(TargetError, match="Another run is writing"), Target(tmp_path / "plan"):
            pass
        return begin(*arguments, **options)

    monkeypatch.setattr("topicweave.pipeline.session", start)
    assert run("design", subscriptions, "--out", tmp_path / "plan", "--quiet").code == 0
    assert (tmp_path / "plan" / "report.html").is_file()


def test_design_as_json(run, subscriptions, tmp_path):
    """``--json`` prints the manifest and nothing else, and infinity is written as text."""
    plan = tmp_path / "plan"
    made = run("design", subscriptions, "--k", "inf", "--out", plan, "--json")
    assert made.code == 0, made.err
    assert not made.err
    manifest = json.loads(made.out, parse_constant=pytest.fail)
    assert manifest["verification"]["topic_connected"] is True
    assert manifest["overlay"]["links"] == 3
    assert manifest["parameters"]["k"] == "inf"
    assert "start Spark" in manifest["seconds"]


def test_profile(run, subscriptions):
    """Figures of the input as a table and as JSON, with the rows that were read."""
    told = run("profile", subscriptions, "--quiet")
    assert told.code == 0, told.err
    assert not told.err
    assert told.out.splitlines()[0].split() == ["nodes", "4"]
    figures = json.loads(run("profile", subscriptions, "--json").out)
    assert (figures["nodes"], figures["topics"], figures["subscriptions"]) == (4, 3, 6)
    assert figures["rows"]["inputs"]["subscriptions"]["read"] == 6


def test_columns_by_name_and_by_position(run, tmp_path):
    named, bare = tmp_path / "named.csv", tmp_path / "bare.txt"
    named.write_text("when;wants;who\n1;x;a\n2;x;b\n")
    bare.write_text("1|x|a\n2|x|b\n")
    by_name = designed(run, tmp_path, named, "--separator", ";", "--column", "node=who", "--column", "topic=wants")
    by_place = designed(run, tmp_path, bare, "--format", "csv", "--separator", "|", "--no-header", "--overwrite",
                        "--column", "node=2", "--column", "topic=1")  # fmt: skip
    assert by_name == by_place == {("a", "b")}


def test_wrong_columns_say_which_option_helps(run, tmp_path):
    path = tmp_path / "s.csv"
    path.write_text("broker,filter\na,x\n")
    failed = run("design", path, "--out", tmp_path / "plan", "--quiet")
    assert failed.code == 2
    assert "'broker', 'filter'" in failed.err
    assert "(--column node=NAME)" in failed.err
    assert "--no-header" in failed.err
    assert not (tmp_path / "plan").exists()


@pytest.mark.slow
def test_a_social_graph(run, tmp_path):
    """Two who follow the same user are linked."""
    path = tmp_path / "follows.txt"
    path.write_text("# who whom\nann star\nbob star\n")
    assert designed(run, tmp_path, path, "--as", "social", "--directed") == {("ann", "bob")}


@pytest.mark.slow
def test_an_event_log(run, tmp_path):
    """The links are those of the nodes that are there at the time asked for, or in the end."""
    path = tmp_path / "events.csv"
    path.write_text(
        "sequence,time,node,action,topic\n1,10,a,join,\n2,10,a,subscribe,x\n3,20,b,join,\n4,20,b,subscribe,x\n"
        "5,30,c,join,\n6,30,c,subscribe,x\n7,40,a,leave,\n"
    )
    assert designed(run, tmp_path, path, "--as", "events", "--at", "25") == {("a", "b")}
    assert designed(run, tmp_path, path, "--as", "events", "--overwrite") == {("b", "c")}


@pytest.mark.slow
def test_clients_with_filters(run, tmp_path):
    """Brokers whose clients' filters match the same topic are linked."""
    (tmp_path / "filters.csv").write_text("client,filter\n1,plant/+\n2,plant/one\n3,office\n")
    (tmp_path / "sessions.csv").write_text("client,broker\n1,a\n2,b\n3,b\n")
    (tmp_path / "topics.csv").write_text("topic\nplant/one\nplant/two\noffice\n")
    made = designed(run, tmp_path, tmp_path / "filters.csv", "--as", "clients", "--brokers", tmp_path / "sessions.csv",
                    "--topics-file", tmp_path / "topics.csv")  # fmt: skip
    assert made == {("a", "b")}


def test_too_many_bad_rows(run, tmp_path):
    """More bad rows than allowed are refused in one line; with a higher limit the plan is made."""
    path = tmp_path / "s.csv"
    path.write_text("node,topic\na,x\n,x\n")
    failed = run("design", path, "--out", tmp_path / "plan", "--quiet")
    assert failed.code == 2
    assert failed.err.count("\n") == 1
    assert run("design", path, "--out", tmp_path / "plan", "--max-bad-fraction", "0.5", "--quiet").code == 0


@pytest.mark.slow
def test_bad_rows_are_told_where_nothing_is_written(run, tmp_path):
    subscriptions, links = tmp_path / "s.csv", tmp_path / "links.csv"
    subscriptions.write_text("node,topic\na,x\nb,x\n,x\nlonely\n")
    links.write_text("source,target\na,b\n")
    told = "Left out: 2 of 4 rows (1 × node is missing; 1 × wrong number of columns).\n"
    for command in (("verify", subscriptions, links), ("profile", subscriptions)):
        done = run(*command, "--max-bad-fraction", "0.5", "--quiet")
        assert (done.code, done.out.splitlines(keepends=True)[-1]) == (0, told)


def test_what_does_not_fit_is_infeasible(run, subscriptions, tmp_path):
    failed = run("design", subscriptions, "--out", tmp_path / "plan", "--memory-limit", "1", "--quiet")
    assert failed.code == 3
    assert failed.err.startswith("Error: ")
    assert "--memory-limit" in failed.err
    assert not (tmp_path / "plan").exists()


@pytest.mark.slow
def test_a_sample_is_verified_with_its_seed(run, tmp_path):
    graph = tw.workloads.synthetic(60, 60, subscriptions=4, seed=1)
    path = tmp_path / "follows.txt"
    pairs = [f"{node} {topic.replace('topic', 'node')}" for node in graph.nodes for topic in graph.topics_of(node)]
    path.write_text("\n".join(pair for pair in pairs if len(set(pair.split())) == 2) + "\n")
    social = ("--as", "social", "--directed", "--sample", "20", "--seed", "5")
    made = run("design", path, *social, "--out", tmp_path / "plan", "--quiet")
    assert made.code == 0, made.err
    assert run("verify", path, tmp_path / "plan", *social, "--quiet").code == 0


def test_links_that_a_spreadsheet_does_not_run(run, tmp_path):
    """``--csv`` keeps labels as they are; ``--csv-safe`` puts ' before those that would run as a formula."""
    (tmp_path / "in.csv").write_text("node,topic\n=cmd|' /C calc'!A0,x\nb,x\n")
    for option, cell in (("--csv", '"=cmd|'), ("--csv-safe", "\"'=cmd|")):
        made = run("design", tmp_path / "in.csv", "--out", tmp_path / "plan", option, "--overwrite")
        assert made.code == 0, made.err
        assert cell in (tmp_path / "plan" / "edges.csv").read_text()

"""trees, export, diff, rollout, probe and status from the command line."""

import json

import networkx as nx
import pytest
from click.testing import CliRunner

import topicweave as tw
from demo.cluster import Cluster
from tests.deploy.conftest import example, inventory_of, needs_brokers
from tests.deploy.plans import write_inventory, write_plan
from topicweave.cli.diff import diff
from topicweave.cli.errors import exit_code, one_sentence
from topicweave.cli.export import export
from topicweave.cli.main import cli
from topicweave.cli.probe import probe
from topicweave.cli.rollout import rollout
from topicweave.cli.status import status
from topicweave.cli.trees import trees
from topicweave.pipeline.plan.reader import plan_trees
from topicweave.pipeline.plan.requirements import write_requirements

COMMANDS = {command.name: command for command in (diff, export, probe, rollout, status, trees)}


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """Two plans and an inventory of the brokers of both."""
    folder = tmp_path_factory.mktemp("plans")
    interest = example(12)
    write_plan(folder / "old", interest)
    gone = interest.nodes[3]
    write_plan(folder / "new", interest.remove([gone]))
    write_inventory(folder / "brokers.csv", inventory_of(interest.nodes))
    return folder


def run(name, *arguments):
    done = CliRunner().invoke(COMMANDS[name], [str(each) for each in arguments])
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        return exit_code(done.exception), one_sentence(done.exception)
    return done.exit_code, done.stdout


def test_trees_shows_figures_a_tree_and_a_path(place):
    code, text = run("trees", place / "old", "--json")
    assert code == 0
    assert json.loads(text)["links_used"] > 10
    interest = example(12)
    topic = max(interest.topics, key=lambda t: len(interest.subscribers_of(t)))
    code, text = run("trees", place / "old", "--topic", topic)
    assert {line.strip() for line in text.splitlines()[:-1]} == interest.subscribers_of(topic)
    one, *_, other = sorted(interest.subscribers_of(topic))
    code, text = run("trees", place / "old", "--topic", topic, "--path", one, other)
    assert text.startswith(one)
    assert text.strip().endswith(other)
    assert run("trees", place / "old", "--path", one, other)[0] == 2
    code, text = run("trees", place / "old", "--fail", one)
    assert text.splitlines()[-1].startswith(f"Without {one}:")
    parent, child = json.loads(run("trees", place / "old", "--topic", topic, "--json")[1])[0]
    code, text = run("trees", place / "old", "--fail-link", parent, child)
    assert (code, text.splitlines()[-1].startswith(f"Without {parent} - {child}:")) == (0, True)
    assert any(line.startswith(f"  + {topic} over ") or f"{topic} is cut" in line for line in text.splitlines())
    assert "has no link 'x' - 'y'" in run("trees", place / "old", "--fail-link", "x", "y")[1]
    assert run("trees", place / "old", "--fail-link", "x", "y", "--fail", "x")[0] == 2


def test_a_plan_that_must_survive_failures_is_exported_with_what_to_do_then(place, tmp_path):
    """standby.json has the idle links and the changes for each failure; other plans have no such file."""
    interest = tw.Interest.from_pairs([(node, "x") for node in "abcde"])
    plan = write_plan(tmp_path / "plan", interest, "ring")
    listed = write_inventory(tmp_path / "brokers.csv", inventory_of(interest.nodes))
    assert run("export", plan, "--inventory", listed, "--out", tmp_path / "plain")[0] == 0
    write_requirements(tw.Requirements(connectivity=2), plan, interest.nodes)
    code, said = run("export", plan, "--inventory", listed, "--out", tmp_path / "configs")
    assert (code, "1 link on standby" in said) == (0, True)
    facts = json.loads((tmp_path / "configs" / "standby.json").read_text())
    assert [tuple(each["link"]) for each in facts["links"]] == list(plan_trees(tw.pipeline.read_plan(plan)).unused)
    assert [len(each["changes"]) for each in facts["failures"]] == [1] * 7  # three inner brokers and four links
    assert not (tmp_path / "plain" / "standby.json").exists()


def test_the_command_line_has_them_all():
    for name in COMMANDS:
        done = CliRunner().invoke(cli, [name, "--help"])
        assert (done.exit_code, f"topicweave {name}" in done.stdout) == (0, True)


def test_standby_lists_every_idle_link_with_the_failures_it_is_there_for(place):
    found = plan_trees(tw.pipeline.read_plan(place / "old"))
    facts = json.loads(run("trees", place / "old", "--standby", "--json")[1])
    assert [tuple(each["link"]) for each in facts] == sorted(found.unused)
    by_node = {f.node: {c.link for c in f.changes if c.is_added} for f in tw.deploy.failures(found)}
    for each in facts:
        assert each["failures"] == sorted(node for node, links in by_node.items() if tuple(each["link"]) in links)
        assert each["failures"] or each["link_failures"] or not each["topics"]
    by_link = {f.link: {c.link for c in f.changes if c.is_added} for f in tw.deploy.link_failures(found)}
    listed = {(tuple(each["link"]), tuple(link)) for each in facts for link in each["link_failures"]}
    assert listed == {(link, gone) for gone, links in by_link.items() for link in links & set(found.unused)}
    text = run("trees", place / "old", "--standby")[1]
    assert text.splitlines()[-1].startswith(f"{len(facts)} of {found.overlay.num_edges} links are used by no tree")


def test_export_writes_a_file_for_each_broker(place, tmp_path):
    code, text = run("export", place / "old", "--inventory", place / "brokers.csv", "--out", tmp_path / "configs")
    assert code == 0, text
    names = {path.parent.name for path in (tmp_path / "configs").glob("*/topicweave.conf")}
    assert names == set(example(12).nodes)
    assert (place / "old" / "trees.parquet").is_file()
    again = run("export", place / "old", "--inventory", place / "brokers.csv", "--out", tmp_path / "configs")
    assert again[0] == 2
    assert "add --overwrite" in again[1]


@pytest.mark.parametrize("kind", ["graphml", "gexf", "json", "dot"])
def test_graph_formats_are_read_by_networkx(place, tmp_path, kind):
    assert run("export", place / "old", "--to", kind, "--out", tmp_path / "graph")[0] == 0
    path = tmp_path / "graph" / f"overlay.{kind}"
    links = {frozenset(pair) for pair in tw.pipeline.read_plan(place / "old").overlay.pairs()}
    if kind == "dot":
        lines = [line.split("[")[0] for line in path.read_text().splitlines() if " -- " in line]
        found = {frozenset(end.strip().strip('"') for end in line.split(" -- ")) for line in lines}
    else:
        content = path.read_text()
        read = {
            "graphml": lambda: nx.parse_graphml(content),
            "gexf": lambda: nx.read_gexf(path, version="1.3"),
            "json": lambda: nx.node_link_graph(json.loads(content), edges="links"),
        }[kind]
        found = {frozenset(pair) for pair in read().edges}
    assert found == links


def test_diff_names_what_changes(place, tmp_path):
    """The broker that has gone is named in the text, on the page and in JSON; a plan does not differ from itself."""
    code, text = run("diff", place / "old", place / "new", "--html", tmp_path / "page.html")
    gone = example(12).nodes[3]
    assert code == 0
    assert f"- broker {gone}" in text
    assert "What changes" in (tmp_path / "page.html").read_text()
    facts = json.loads(run("diff", place / "old", place / "new", "--json")[1])
    assert facts["left"] == [gone]
    assert run("diff", place / "old", place / "old")[1].strip() == "Nothing changes."


def test_rollout_writes_waves_with_a_way_back(place, tmp_path):
    given = ("rollout", place / "old", place / "new", "--inventory", place / "brokers.csv", "--layout", "sidecar")
    code, text = run(*given, "--out", tmp_path / "dry", "--dry-run")
    assert (code, (tmp_path / "dry").exists()) == (0, False)
    code, text = run(*given, "--out", tmp_path / "steps")
    assert code == 0, text
    waves = json.loads((tmp_path / "steps" / "waves.json").read_text())
    assert 1 <= len(waves) <= 2
    for number, wave in enumerate(waves, 1):
        folder = tmp_path / "steps" / f"wave-{number}"
        assert {path.parent.name for path in folder.glob("*/topicweave.conf")} == {*wave["restart"], *wave["start"]}
        assert {path.parent.name for path in folder.glob("back/*/*.conf")} == {*wave["restart"], *wave["stop"]}
        assert "To go back" in (folder / "README.md").read_text()


def test_a_rollout_that_holds_messages_takes_four_waves_and_announces_no_loss(place, tmp_path):
    given = ("rollout", place / "old", place / "new", "--inventory", place / "brokers.csv", "--hold")
    code, said = run(*given, "--out", tmp_path / "steps")
    assert code == 2
    assert "Only sidecars can hold" in said
    assert not (tmp_path / "steps").exists()
    code, said = run(*given, "--layout", "sidecar", "--out", tmp_path / "steps")
    assert code == 0, said
    waves = json.loads((tmp_path / "steps" / "waves.json").read_text())
    assert len(waves) == 4
    assert not any(wave["interrupted"] for wave in waves)
    assert [bool(wave["held"]) for wave in waves] == [True, True, True, False]
    assert set(waves[0]["restart"]) == set(waves[0]["held"])
    for name in waves[0]["held"]:
        text = (tmp_path / "steps" / "wave-1" / name / "topicweave.conf").read_text()
        assert f"connection topicweave.{name}.{name}\n" not in text
    assert "hold their messages back" in (tmp_path / "steps" / "wave-2" / "README.md").read_text()


def written_by(name, old, new, listed, folder):
    """The arguments of a command; whatever it writes is in this folder."""
    out = {"export": ["--out", folder / "configs"], "rollout": ["--out", folder / "steps"],
           "diff": ["--html", folder / "page.html"]}.get(name, [])  # fmt: skip
    return [name, old, *([new] if name in ("diff", "rollout") else []), "--inventory", listed, *out]


def everything_in(*folders):
    return {path: path.stat().st_mtime_ns for folder in folders for path in folder.rglob("*")}


@pytest.mark.parametrize("name", ["export", "rollout", "diff", "probe", "status"])
@pytest.mark.parametrize(
    ("bad", "code", "message"),
    [
        (lambda text: text.replace("ams-01,", "mas-01,"), 2, "lacks 1 of the plan's 12 brokers: 'ams-01'"),
        (lambda text: "name,host,port\na,h,1\n", 2, "lacks 12 of the plan's 12 brokers"),
        (lambda text: text.replace("sidecar_port", "password"), 2, "must hold no secrets"),
        (lambda text: text.replace(",10002,", ",10000,"), 2, "gives port 10000 of 127.0.0.1 to"),
        (lambda text: text.replace("\n", ",-\n").replace("port,-", "port,reachable_from"), 3, "neither can reach"),
        (lambda text: text.replace("\n", ",hunter2!\n").replace("port,hunter2!", "port,credentials"), 2, "not a name"),
    ],
)
def test_a_bad_inventory_is_one_sentence_and_nothing_is_written(place, tmp_path, name, bad, code, message):
    """Whichever command reads it. A probe connects to brokers only itself, so it does not look at firewalls."""
    (tmp_path / "bad.csv").write_text(bad((place / "brokers.csv").read_text()))
    if (name, code) == ("probe", 3):
        return
    before = everything_in(place, tmp_path)
    found, said = run(*written_by(name, place / "old", place / "new", tmp_path / "bad.csv", tmp_path))
    assert (found, message in said, said.count("\n")) == (code, True, 0), said
    assert "hunter2" not in said, "what may be a password is not shown"
    assert everything_in(place, tmp_path) == before


@pytest.mark.parametrize("name", ["export", "rollout", "diff", "probe", "status"])
@pytest.mark.parametrize("topic", ["a/#/b", "a#", "plant/+x"])
def test_a_topic_with_a_wildcard_inside_is_one_sentence_and_nothing_is_written(tmp_path, name, topic):
    plan = write_plan(tmp_path / "plan", tw.Interest.from_pairs([("a", topic), ("b", topic)]))
    listed = write_inventory(tmp_path / "brokers.csv", inventory_of("ab"))
    before = everything_in(tmp_path)
    code, said = run(*written_by(name, plan, plan, listed, tmp_path))
    assert (code, said.count("\n")) == (2, 0)
    assert f"Topic {topic!r} cannot be bridged" in said
    assert everything_in(tmp_path) == before


def test_progress_is_told_on_standard_error_and_never_with_json(place, tmp_path):
    given = ["--inventory", str(place / "brokers.csv"), "--out", str(tmp_path / "steps"), "--dry-run"]
    done = CliRunner().invoke(rollout, [str(place / "old"), str(place / "new"), *given])
    assert [stage in done.stderr for stage in ("read plans", "waves", "look at wave 1", "write")] == [True] * 4
    assert "look at wave" not in done.stdout
    for silent in ("--json", "--quiet"):
        assert CliRunner().invoke(rollout, [str(place / "old"), str(place / "new"), *given, silent]).stderr == ""
    done = CliRunner().invoke(export, [str(place / "old"), *given])
    assert [stage in done.stderr for stage in ("read plan", "trees", "bridges", "look for cycles")] == [True] * 4


@needs_brokers
def test_probe_and_status_tell_running_brokers_from_missing_ones(tmp_path):
    interest = example(6)
    inventory = inventory_of(interest.nodes, real=True)
    plan = write_plan(tmp_path / "plan", interest)
    listed = write_inventory(tmp_path / "brokers.csv", inventory)
    assert run("export", plan, "--inventory", listed, "--out", tmp_path / "configs")[0] == 0
    assert run("probe", plan, "--inventory", listed, "--dry-run")[0] == 0
    code, said = run("probe", plan, "--inventory", listed, "--yes")
    assert code == 2
    assert "does not answer" in said
    with Cluster(tmp_path / "run") as cluster:
        for broker in inventory:
            bridges = (tmp_path / "configs" / broker.name / "topicweave.conf").read_text()
            cluster.start_broker(broker.name, broker.port, bridges)
        cluster.wait()
        for _ in range(40):
            if run("status", plan, "--inventory", listed)[0] == 0:
                break
        code, said = run("probe", plan, "--inventory", listed, "--yes", "--sample", "20")
        assert code == 0, said
        cluster.stop(interest.nodes[0])
        assert run("status", plan, "--inventory", listed)[0] == 1

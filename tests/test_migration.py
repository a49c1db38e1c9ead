"""docs/migration.md: every old name and form it lists still works and warns, and every old command is answered."""

import importlib
import re
from pathlib import Path

import pytest

import topicweave as tw

PAGE = (Path(__file__).resolve().parents[1] / "docs" / "migration.md").read_text(encoding="utf-8")
TWO_NODES = "node,topic\na,x\nb,x\n"


def rows_of(heading):
    """The pairs of old and new in the table below a heading."""
    section = PAGE.split(f"\n## {heading}\n")[1].split("\n## ")[0]
    return re.findall(r"^\| `([^`]+)` \| `([^`]+)` \|$", section, re.MULTILINE)


def find(dotted):
    """What a full name means; the longest part of it that can be imported is a module."""
    parts = dotted.split(".")
    for length in range(len(parts), 0, -1):
        try:
            found = importlib.import_module(".".join(parts[:length]))
        except ModuleNotFoundError:
            continue
        for name in parts[length:]:
            found = getattr(found, name)
        return found
    raise AssertionError(f"nothing is called {dotted}")


@pytest.mark.parametrize(("old", "new"), rows_of("Names"))
def test_old_names_mean_the_new_ones(old, new):
    with pytest.warns(DeprecationWarning, match=new.rpartition(".")[2]):
        found = find(old)
    assert found is find(new)


def shadow():
    interest = tw.Interest.from_sets({"a": ["x"], "b": ["x"]})
    return tw.churn.Shadow(interest, tw.design(interest, "gm").overlay)


FORMS = {}
"""Old form of call -> a function that uses it and the new one, and compares the results."""


def form(old):
    def add(check):
        FORMS[old] = check
        return check

    return add


@form("maintainer.num_links")
def maintainer_num_links(request):
    maintainer = shadow()
    assert maintainer.num_links == maintainer.num_edges == 1


@form("maintainer.network")
def maintainer_network(request):
    maintainer = shadow()
    assert maintainer.network is maintainer.state


@form("change.num_links")
def change_num_links(request):
    change = shadow().join("c", {"x"})
    assert change.num_links == change.num_changed >= 1


@form("network.ledger")
def network_ledger(request):
    from topicweave.content.protocol import BrokerNetwork, InProcess

    network = BrokerNetwork(["b"], {"u": ("b", ["x"])}, InProcess())
    assert network.ledger is network.audit


def pipeline_of(request):
    """Spark and a file, for the forms that need them."""
    spark = request.getfixturevalue("spark")
    path = request.getfixturevalue("tmp_path") / "in.csv"
    path.write_text(TWO_NODES)
    return spark, str(path)


@form("pipeline.design(spark, source)")
def design_with_session_first(request):
    from topicweave import pipeline

    spark, source = pipeline_of(request)
    assert pipeline.design(spark, source, "gm").design.overlay.num_edges == 1


@form("pipeline.design(source, stages=stages)")
def design_with_stages(request):
    from topicweave import pipeline

    spark, source = pipeline_of(request)
    stages = pipeline.Stages()
    pipeline.design(source, "gm", stages=stages, spark=spark)
    assert "design" in stages.seconds


@form("pipeline.load(spark, source)")
def load_with_session_first(request):
    from topicweave import pipeline

    spark, source = pipeline_of(request)
    assert pipeline.load(spark, source).interest.num_nodes == 2


@form("pipeline.verify_files(spark, source, links)")
def verify_files(request):
    from topicweave import pipeline

    spark, source = pipeline_of(request)
    links = request.getfixturevalue("tmp_path") / "links.csv"
    links.write_text("source,target\na,b\n")
    assert pipeline.verify_files(spark, source, str(links)).verification.topic_connected


@form("pipeline.profile(interest)")
def profile_of_interest(request):
    from topicweave import pipeline

    assert pipeline.profile(tw.Interest.from_sets({"a": ["x"], "b": ["x"]})).num_nodes == 2


@pytest.mark.parametrize("old", [old for old, _ in rows_of("Forms of call")])
def test_old_forms_of_call_work_and_warn(old, request):
    with pytest.warns(DeprecationWarning):
        FORMS[old](request)


def test_every_form_is_listed():
    """The page and the forms tried here are the same."""
    assert sorted(FORMS) == sorted(old for old, _ in rows_of("Forms of call"))


@pytest.mark.parametrize(("old", "new"), rows_of("Commands"))
def test_old_commands_are_answered_with_the_new_one(old, new, capsys):
    from topicweave.cli.main import main

    with pytest.raises(SystemExit) as ended:
        main([*old.split()[1:], "some", "--argument"])
    assert ended.value.code == 2
    said = capsys.readouterr()
    assert not said.out and new in said.err and "Traceback" not in said.err


def test_plans_without_a_schema_are_read(tmp_path):
    from topicweave.pipeline.plan.manifest import read_manifest

    (tmp_path / "manifest.json").write_text('{"topicweave": "0.1.0", "algorithm": "gm"}')
    assert read_manifest(tmp_path)["schema"] == 1


def test_moved_modules_are_where_the_page_says():
    """Those that are named in full or beside one that is."""
    section = PAGE.split("\n## Modules that moved\n")[1]
    rows = [line.split("|")[1:3] for line in section.splitlines() if line.startswith("| `")]
    assert len(rows) > 10
    for _, new in rows:
        first, *rest = re.findall(r"`([\w.*]+)`", new)
        package = first.removesuffix(".*") if first.endswith(".*") else first.rpartition(".")[0]
        for name in (first, *rest):
            find(name.removesuffix(".*") if "." in name else f"{package}.{name}")

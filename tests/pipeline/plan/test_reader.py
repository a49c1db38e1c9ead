"""A plan folder read again: what it was made for and its links, without Spark."""

import json
import subprocess
import sys

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from topicweave import Interest, Overlay
from topicweave.errors import OverlayError, ReadError
from topicweave.model.labels import BLANKS
from topicweave.pipeline import read_plan
from topicweave.pipeline.plan.plan import write_subscriptions
from topicweave.pipeline.plan.reader import read_subscriptions

INTEREST = Interest.from_pairs([("b", "x"), ("a", "x"), ("ü", "y"), ("a", "y")])


@pytest.fixture
def plan(tmp_path):
    write_subscriptions(INTEREST, tmp_path)
    pq.write_table(Overlay.from_pairs([("a", "ü"), ("b", "a")]).to_arrow(), tmp_path / "edges.parquet")
    (tmp_path / "manifest.json").write_text(json.dumps({"schema": 2, "kind": "design"}))
    return tmp_path


def test_a_plan_is_what_was_written(plan):
    """Interest and links, in the order they were added; columns are plain text with a role."""
    found = read_plan(plan)
    assert found.interest == INTEREST and found.manifest["kind"] == "design" and found.folder == plan
    assert found.overlay == Overlay.from_pairs([("a", "ü"), ("b", "a")], labels=INTEREST.nodes)
    table = pq.read_table(plan / "subscriptions.parquet")
    assert table.schema.names == ["node", "topic", "role"] and {field.type for field in table.schema} == {pa.string()}
    assert set(table["role"].to_pylist()) == {"subscribe"}


LABELS = st.text(st.characters(codec="utf-8"), min_size=1).filter(lambda text: text.strip(BLANKS))


@given(st.dictionaries(LABELS, st.sets(st.sampled_from("äxyz")), min_size=1))
def test_any_interest_comes_back(tmp_path_factory, sets):
    """Nodes without a topic have no subscription, and come back from the list of nodes."""
    folder = tmp_path_factory.mktemp("plan")
    interest = Interest.from_sets(sets)
    write_subscriptions(interest, folder)
    pq.write_table(pa.table({"node": pa.array(interest.nodes, pa.string())}), folder / "nodes.parquet")
    assert read_subscriptions(folder) == interest


def test_many_row_groups(tmp_path, monkeypatch):
    """Written two rows at a time, one node in several groups: the same interest."""
    monkeypatch.setattr("topicweave.pipeline.plan.plan.ROWS_PER_GROUP", 2)
    interest = Interest.from_sets({"a": {"x", "y", "z"}, "b": {"z"}, "c": {"w", "x"}, "d": {"a"}})
    write_subscriptions(interest, tmp_path)
    assert pq.ParquetFile(tmp_path / "subscriptions.parquet").num_row_groups == 4
    assert read_subscriptions(tmp_path) == interest
    assert set(zip(*(pq.read_table(tmp_path / "subscriptions.parquet")[name].to_pylist() for name in ("node", "topic")),
                   strict=True)) == set(interest.pairs())  # fmt: skip


def test_the_subscriptions_may_be_given(plan):
    """As for plans of the version before, which did not keep them."""
    (plan / "subscriptions.parquet").unlink()
    (plan / "manifest.json").write_text("{}")
    with pytest.raises(ReadError, match=r"does not contain .*; name the subscriptions it was made for, or make"):
        read_plan(plan)
    found = read_plan(plan, INTEREST)
    assert found.interest is INTEREST and found.overlay.num_edges == 2 and found.manifest["schema"] == 1
    with pytest.raises(OverlayError):
        read_plan(plan, Interest.from_pairs([("a", "x")]))


def test_what_is_missing_or_damaged_is_said(plan, tmp_path):
    (plan / "edges.parquet").write_text("torn")
    with pytest.raises(ReadError, match=r"edges\.parquet cannot be read as Parquet"):
        read_plan(plan)
    (plan / "edges.parquet").unlink()
    with pytest.raises(ReadError, match=r"not a complete plan folder: there is no edges\.parquet"):
        read_plan(plan)
    with pytest.raises(ReadError, match="is not a plan folder"):
        read_plan(tmp_path / "away")


def test_spark_is_not_started(plan):
    """Reading a plan costs no JVM."""
    code = (
        f"from topicweave.pipeline import read_plan; read_plan({str(plan)!r}); "
        "from pyspark import SparkContext; print(SparkContext._gateway)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "None"

"""A plan that prefers the links of an earlier one says how many it kept."""

import json

import pytest

import topicweave as tw
from topicweave.errors import OverlayError, ReadError
from topicweave.pipeline import design
from topicweave.pipeline.plan.preferred import describe_preferred, preferred_overlay


def test_links_are_counted_by_their_labels():
    """Whatever the numbers of the nodes are, and in whichever order the ends come."""
    before = tw.Overlay(("b", "a", "gone"), [[0, 1], [1, 2]])
    made = tw.Overlay.from_pairs([("a", "b"), ("b", "c")])
    expected = {"plan": None, "kept": 1, "added": 1, "removed": 1}
    assert describe_preferred(before, before, made) == expected
    assert describe_preferred(None, None, made) is None


def test_what_is_no_plan_is_refused_before_spark_starts(tmp_path):
    with pytest.raises(ReadError, match="is not a plan folder"):
        preferred_overlay(tmp_path)
    with pytest.raises(OverlayError, match="needs the folder of a plan or an Overlay, but got a int"):
        preferred_overlay(3)


def test_a_plan_that_prefers_another(spark, tmp_path):
    """After one leave: the figures stand in manifest, summary and report, and are those of the written links."""
    interest = tw.workloads.synthetic(80, 20, subscriptions=(2, 6), seed=1)
    rest = interest.restrict(nodes=interest.nodes[1:])
    for name, wanted in (("before", interest), ("after", rest)):
        (tmp_path / f"{name}.csv").write_text("node,topic\n" + "".join(f"{n},{t}\n" for n, t in wanted.pairs()))
    before = design(tmp_path / "before.csv", "low", out=tmp_path / "before", spark=spark)
    after = design(tmp_path / "after.csv", "low", prefer=tmp_path / "before", out=tmp_path / "after", spark=spark)
    old, new = set(before.design.overlay.pairs()), set(after.design.overlay.pairs())
    assert new == set(tw.design(rest, "low", prefer=before.design.overlay).overlay.pairs())
    found = json.loads((tmp_path / "after" / "manifest.json").read_text())["prefer"]
    assert found == {
        "plan": str(tmp_path / "before"), "kept": len(old & new), "added": len(new - old), "removed": len(old - new),
    }  # fmt: skip
    words = f"{len(old & new)} links kept, {len(new - old)} added, {len(old - new)} removed"
    assert words in after.summary()
    assert words in (tmp_path / "after" / "report.html").read_text()
    assert "earlier plan" not in before.summary() and before.manifest["prefer"] is None

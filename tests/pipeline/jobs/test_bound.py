"""pipeline.bound: from a file and from a plan folder."""

import pytest

from topicweave.errors import ParameterError, ReadError
from topicweave.pipeline import PlanBound, bound, design

TRIANGLE = "node,topic\na,x\na,y\nb,x\nb,z\nc,y\nc,z\n"


def test_a_file_alone_and_with_its_plan(spark, write, tmp_path):
    """A triangle of topics needs three links; a plan is compared with that, by itself or with the file."""
    file = write("in.csv", TRIANGLE)
    plan = design(file, "gm", out=tmp_path / "plan", spark=spark).folder
    alone = bound(file, seconds=1, spark=spark)
    assert isinstance(alone, PlanBound) and alone.links is None and alone.gap is None
    assert alone.to_dict() == {"bound": 3.0, "least_links": 3}
    for found in (bound(file, plan, seconds=1, spark=spark), bound(plan, seconds=1), bound(plan, plan, seconds=1)):
        assert found.to_dict() == {"bound": 3.0, "least_links": 3, "links": 3, "gap": 0.0}
        assert "3 links are planned" in found.summary()


def test_a_plan_below_the_bound_is_in_pieces(spark, write, tmp_path):
    """A plan with too few links is not praised for it."""
    plan = design(write("in.csv", TRIANGLE), "gpm", d=1, out=tmp_path / "plan", spark=spark).folder
    assert "topics are not connected" in bound(plan, seconds=1).summary()


def test_bad_input_is_refused(tmp_path):
    """Numbers out of range, and a file that is not there."""
    with pytest.raises(ParameterError):
        bound("in.csv", seconds=-1)
    with pytest.raises(ReadError):
        bound(str(tmp_path / "missing.csv"))

"""The profile of a source: figures of the interest, and an account of the rows."""

import pytest

from topicweave import Interest
from topicweave.errors import ReadError
from topicweave.pipeline import Observer, profile
from topicweave.reports.profile import profile as profile_in_memory


def test_figures_and_rows(spark, write):
    """The figures are those of the interest in memory; the rows left out are said."""
    path = write("in.csv", "node,topic\na,x\nb,x\nb,y\nlonely\n")
    heard = []

    class Heard(Observer):
        def on_stage(self, name):
            heard.append(name)

    found = profile(path, max_bad_fraction=0.5, spark=spark, progress=Heard(), seed=3)
    expected = profile_in_memory(Interest.from_pairs([("a", "x"), ("b", "x"), ("b", "y")]), seed=3)
    facts = found.to_dict()
    assert facts.pop("rows")["inputs"]["subscriptions"]["quarantined"] == {"wrong number of columns": 1}
    assert facts == expected.to_dict()
    said = "Left out: 1 of 4 rows (1 × wrong number of columns)."
    assert found.summary() == f"{expected.summary()}\n{said}"
    assert heard == ["read", "clean and encode", "profile"]


def test_nothing_to_profile(spark, write):
    """An input without subscriptions is refused."""
    with pytest.raises(ReadError, match="There is no subscription"):
        profile(write("in.csv", "node,topic\n"), spark=spark)

"""Forms of call of the version before: they work, and say what to write instead."""

import pytest

from topicweave import Interest
from topicweave.pipeline import Observer, Stages, design, load, profile, verify_files


@pytest.fixture
def path(write):
    return write("in.csv", "node,topic\na,x\nb,x\n")


def test_the_session_in_front(spark, path):
    """Or None in its place."""
    with pytest.warns(DeprecationWarning, match=r"call pipeline\.load\(source, spark=\.\.\.\)"):
        assert load(spark, path).interest.num_nodes == 2
    with pytest.warns(DeprecationWarning, match=r"call pipeline\.design\(source, algorithm, spark=\.\.\.\)"):
        assert design(None, path, "gm").design.algorithm == "gm"


def test_stages_are_progress_now(spark, path):
    """The former argument still works, and says its new name."""
    heard = []

    class Heard(Observer):
        def on_stage(self, name):
            heard.append(name)

    with pytest.warns(DeprecationWarning, match="progress="):
        load(path, spark=spark, stages=Stages(Heard()))
    assert heard == ["read", "clean and encode"]


def test_verify_files(spark, path, write):
    """The former function still works, and says what to call now."""
    with pytest.warns(DeprecationWarning, match=r"call pipeline\.verify\(source, links, spark=\.\.\.\)"):
        found = verify_files(spark, path, write("links.csv", "source,target\na,b\n"))
    assert found.verification.topic_connected and found.links.rows == 1 and found.counts["subscriptions"].valid == 2


def test_the_profile_of_an_interest_in_memory():
    with pytest.warns(DeprecationWarning, match=r"topicweave\.reports\.profile"):
        assert profile(Interest.from_pairs([("a", "x")])).num_nodes == 1

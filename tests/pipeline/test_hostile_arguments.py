"""Every job reports an argument that cannot be valid in one sentence, before Spark starts and before anything is
written.
"""

import pytest

from topicweave import pipeline
from topicweave.errors import TopicweaveError

HOSTILE = {
    "None": None, "number": 5, "object": object(), "empty text": "", "empty list": [], "dictionary": {"a": 1},
    "list of numbers": [1, 2], "list of nothing": [None], "surrogate": "\ud800", "zero": "a\0b",
    "long": "a/" + "q" * 200_000,
}  # fmt: skip
VERBS = {
    "design": lambda given, out: pipeline.design(given, out=out),
    "verify": lambda given, out: pipeline.verify(given),
    "verify, links": lambda given, out: pipeline.verify("in.csv", given),
    "profile": lambda given, out: pipeline.profile(given),
    "load": lambda given, out: pipeline.load(given),
    "bound": lambda given, out: pipeline.bound(given),
    "improve": lambda given, out: pipeline.improve(given, out=out),
    "maintain, plan": lambda given, out: pipeline.maintain(given, "in.csv", out=out),
    "maintain, events": lambda given, out: pipeline.maintain("plan", given, out=out),
    "follow": lambda given, out: pipeline.follow(given, state=out, empty=True, once=True),
    "follow, state": lambda given, out: pipeline.follow(".", state=given, plan="away", once=True),
    "assign": lambda given, out: pipeline.assign(given, "in.csv", "in.csv", out=out),
    "assign, subscriptions": lambda given, out: pipeline.assign("in.csv", given, "in.csv", out=out),
    "assign, prices": lambda given, out: pipeline.assign("in.csv", "in.csv", given, out=out),
    "export": lambda given, out: pipeline.export(given, to="graphml", out=out),
    "rollout": lambda given, out: pipeline.rollout(given, given, inventory="in.csv", out=out),
    "trees": lambda given, out: pipeline.trees(given),
    "diff": lambda given, out: pipeline.diff(given, given),
}


@pytest.mark.parametrize("verb", VERBS)
@pytest.mark.parametrize("given", HOSTILE)
def test_what_no_input_can_be_is_told_in_a_sentence(tmp_path, monkeypatch, verb, given):
    """By an error of ours whose message can be read on one screen."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("topicweave.pipeline.job.is_running", lambda: False)
    monkeypatch.setattr("topicweave.pipeline.spark.session.session", lambda *_, **__: pytest.fail("Spark was started"))
    (tmp_path / "in.csv").write_text("node,topic\n")
    (tmp_path / "plan").mkdir()
    for name in ("manifest.json", "edges.parquet"):
        (tmp_path / "plan" / name).touch()
    with pytest.raises(TopicweaveError) as caught:
        VERBS[verb](HOSTILE[given], tmp_path / "out")
    assert len(str(caught.value)) < 2_000 and "\n" not in str(caught.value)
    assert not (tmp_path / "out").exists()

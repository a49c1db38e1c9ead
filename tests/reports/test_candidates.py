"""Which pairs a design chose from: said in the progress, in the manifest and on the page."""

import numpy as np
import pytest

from topicweave.algorithms import design as design_in_memory
from topicweave.pipeline import Observer, design
from topicweave.reports.candidates import describe_candidates, in_words
from topicweave.workloads import synthetic


@pytest.fixture(scope="module")
def interest():
    return synthetic(num_nodes=60, num_topics=15, popularity="zipf", alpha=0.5, subscriptions=3, seed=1)


@pytest.fixture
def near_beyond(monkeypatch):
    def set_bound(nodes):
        monkeypatch.setattr("topicweave.algorithms.options.AUTO_NODES", nodes)

    return set_bound


@pytest.mark.parametrize(
    ("bound", "algorithm", "parameters", "asked", "taken", "words"),
    [
        (59, "gm", {}, "auto", "near", "16 near candidates a node (auto: more than 59 nodes)"),
        (60, "gm", {}, "auto", "all", "all pairs (auto: up to 60 nodes)"),
        (59, "gm", {"candidates": "all"}, "all", "all", "all pairs"),
        (60, "low", {"candidates": "near"}, "near", "near", "16 near candidates a node"),
        (60, "low", {"num_candidates": 3}, "near", "near", "3 near candidates a node"),
        (59, "gm", {"pairs": np.array([(0, 1)])}, "pairs", "pairs", "the pairs given"),
    ],
)
def test_what_was_asked_and_what_was_taken(interest, near_beyond, bound, algorithm, parameters, asked, taken, words):
    near_beyond(bound)
    found = describe_candidates(design_in_memory(interest, algorithm, **parameters), parameters)
    assert (found["asked"], found["taken"], in_words(found)) == (asked, taken, words)
    assert ("rounds" in found) == (taken == "near")


def test_other_algorithms_choose_from_none(interest):
    found = describe_candidates(design_in_memory(interest, "ring"), {})
    assert found is None and in_words(found) == ""


def test_it_is_said_everywhere(spark, write, tmp_path, interest, near_beyond):
    """With its rounds, whose links are all there are, and whose last leaves nothing to do."""
    near_beyond(59)
    path = write("in.csv", "node,topic\n" + "".join(f"{node},{topic}\n" for node, topic in interest.pairs()))
    heard = {}

    class Heard(Observer):
        def on_stage_done(self, name, seconds, detail):
            heard[name] = detail

    plan = design(path, "gm", out=tmp_path / "plan", progress=Heard(), spark=spark)
    words = "16 near candidates a node (auto: more than 59 nodes)"
    assert heard["design"].endswith(f"; {words}")
    rounds = plan.manifest["candidates"]["rounds"]
    assert rounds and rounds[-1]["left"] == 0
    assert sum(one["links"] for one in rounds) == plan.design.overlay.num_edges
    page = (tmp_path / "plan" / "report.html").read_text()
    assert "Rounds of near candidates" in page and f"<td>{words}</td>" in page

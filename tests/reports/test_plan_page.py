"""The page about a plan, the pairs it was chosen from, and what it saves."""

from types import SimpleNamespace

import numpy as np
import pyarrow as pa
import pytest

from tests.reports.pages import Parsed
from topicweave import pipeline
from topicweave.algorithms import design
from topicweave.model import Interest
from topicweave.reports.plan_page import comparisons, describe_candidates, describe_rounds, in_words, plan_page
from topicweave.reports.tradeoff_page import TradeoffPoint
from topicweave.workloads import synthetic

ROUND = {"floor": 7, "searching": 1234, "pairs": 99, "links": 5, "left": 0}
ODD_NODE, ODD_TOPIC = "<b>&\"'node", "<script>alert('topic')</script>"


def page_of(*, pieces=0, rounds=0, most=None, lower_bounds=0, outages=None, required=None, points=()):
    """A page about five nodes with odd labels, so many of whose topics are said to be in pieces."""
    interest = Interest.from_sets(
        {ODD_NODE: [ODD_TOPIC, "x"], "two\x07": [ODD_TOPIC, "x"], "c": ["x"], "d": ["x"], "e": ["y"]}
    )
    plan = design(interest, "gm")
    cut = [ODD_TOPIC, *(f"topic-{number}" for number in range(pieces - 1))][:pieces]
    verification = SimpleNamespace(topic_connected=not cut, num_topics=30, support=0.5, disconnected_topics=cut)
    topics = pa.table({"subscribers": [2, 4, 1], "diameter": [1, 2, 0]})
    manifest = {
        "diameters": {"lower_bounds": lower_bounds},
        "candidates": {"asked": "near", "taken": "near", "num_candidates": 4, "rounds": [ROUND] * rounds},
        "rows": {
            "inputs": {
                "<input>": {"read": 9, "valid": 7, "ignored": {"header": 1}, "quarantined": {"no <topic>": 1}},
            },
            "duplicates": 0,
            "subscriptions": 7,
            "remarks": ["1 of 6 brokers is not in the plan ('<z>')."],
        },
        "algorithm": "gm",
        "parameters": {"ties": "balanced", "prefer": None},
        "resumed": {"read": 1.5},
        "seconds": {"design": 0.25},
        "versions": {"topicweave": "1"},
        "outages": outages,
        "requirements": required,
    }
    return plan_page(interest, plan, verification, topics, comparisons(interest, plan.overlay), manifest, points)


def test_a_lower_bound_is_not_called_the_most():
    """Where some diameters are lower bounds, so is the largest of them."""
    assert "hops at most within a connected topic" in page_of()
    page = page_of(lower_bounds=3)
    assert "hops at most" not in page and "hops or more between the farthest two" in page


def test_the_worst_single_failures_are_listed():
    """With what each breaks; a plan that no single failure breaks says so, and an older manifest nothing."""
    worst = [{"node": ODD_NODE, "broken": 3, "cut_off": 1234}]
    page = page_of(outages={"harmful_nodes": 1, "fragile_topics": 3, "most_cut_off": 1234, "worst": worst})
    assert "1 node of 5 would break topics by failing alone; 3 topics would break so." in page
    cells = Parsed(page).cells
    at = cells.index("1,234")
    assert cells[at - 2 : at + 1] == [ODD_NODE, "3", "1,234"]
    page = page_of(outages={"harmful_nodes": 0, "fragile_topics": 0, "most_cut_off": 0, "worst": []})
    assert "No topic breaks if any one node fails." in page and "The worst failures" not in page
    assert "If one node fails" not in page_of()


def test_requirements_are_shown_with_what_violates_them():
    """As a verdict of their own, in the settings, and with the total cost; nothing if nothing is required."""
    required = {"in_words": ["at most 2 links for each <node>"], "met": False, "first_violations": ["'<b>' has 3"]}
    page = page_of(required={**required, "cost": 1234.5})
    assert "Requirements are not met: at most 2 links for each &lt;node&gt;." in page
    assert "<li>&#39;&lt;b&gt;&#39; has 3</li>" in page and "1,234.5 in total" in page
    assert "All requirements are met" in page_of(required={**required, "met": True, "cost": None})
    assert "equirements" not in page_of()


def test_the_plan_is_marked_among_the_designs_of_a_trade_off():
    """One chart for each axis with designs; none without a trade-off."""
    points = [TradeoffPoint("hops", 4, "low", "met", "", 5, 2.0, 3, 4, 1.5)]
    assert "Links against hops" in page_of(points=points) and "this plan</text>" in page_of(points=points)
    assert "Links against" not in page_of()


def test_remarks_about_the_input_are_on_the_page():
    """For example that nodes are missing; shown after the verdict, which would be true all the same."""
    assert "1 of 6 brokers is not in the plan (&#39;&lt;z&gt;&#39;)." in page_of()


def test_labels_are_shown_as_they_are():
    """Nodes in the picture and in the table, topics in pieces, inputs and reasons: no label becomes markup."""
    page = page_of(pieces=2)
    seen = Parsed(page)
    assert ODD_NODE not in page and ODD_TOPIC not in page and not seen.fetched
    assert seen.tags.count("script") == 2, "the search and its data"
    assert "b" in seen.tags and seen.tags.count("b") == 6, "the cards' figures only"
    assert seen.cells.count(ODD_NODE) == 2 and ODD_TOPIC in seen.cells
    assert "<input>" in seen.cells and "in quarantine: no <topic>" in seen.cells
    assert "two\N{REPLACEMENT CHARACTER}" in seen.cells


@pytest.mark.parametrize(
    ("pieces", "words", "listed"),
    [
        (0, "Every topic is connected", 0),
        (2, "2 of 30 topics are not connected; support is 50 %.", 2),
        (25, "25 of 30 topics are not connected; support is 50 %.", 20),
    ],
)
def test_the_verdict_and_the_topics_in_pieces(pieces, words, listed):
    page, connected = page_of(pieces=pieces), page_of(pieces=0)
    assert words in page
    assert Parsed(page).tags.count("code") - Parsed(connected).tags.count("code") == listed
    assert (" and 5 more. All of them" in page) == (pieces == 25)
    assert ("They would connect every topic, though" in page) == bool(pieces)


def test_what_was_resumed_and_how_long_it_took_is_said():
    cells = Parsed(page_of()).cells
    assert "design, seconds" in cells and "0.25" in cells and any(cell.startswith("read, resumed") for cell in cells)
    assert "prefer" not in cells, "a parameter that was not given"


def test_rounds_are_shown_where_there_were_any():
    """A table and a picture; of many rounds the first and the last; nothing for other designs."""
    assert describe_rounds(None) is describe_rounds({"asked": "auto", "taken": "all"}) is None
    assert "Rounds of near candidates" not in page_of()
    few = page_of(rounds=1)
    assert "<td>1,234</td>" in few and "4 near candidates a node, looked for" in few and "The table has" not in few
    many = page_of(rounds=300)
    assert many.count("<td>1,234</td>") == 20 and "<td>300</td>" in many
    assert "The table has the first and the last of 300, manifest.json all." in many


def test_comparisons_by_hand():
    """Four nodes, two topics of three: rings have three links each, one of them shared."""
    interest = Interest.from_sets({"a": ["x", "y"], "b": ["x", "y"], "c": ["x"], "d": ["y"]})
    plan, ring, mesh = comparisons(interest, design(interest, "gm").overlay)
    assert (plan.links, ring.links, mesh.links) == (3, 5, 6)
    assert mesh.maximum_degree == 3


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
    found = describe_candidates(design(interest, algorithm, **parameters), parameters)
    assert (found["asked"], found["taken"], in_words(found)) == (asked, taken, words)
    assert ("rounds" in found) == (taken == "near")


def test_other_algorithms_choose_from_none(interest):
    found = describe_candidates(design(interest, "ring"), {})
    assert found is None and in_words(found) == ""


def test_it_is_said_everywhere(spark, write, tmp_path, interest, near_beyond):
    """With its rounds, whose links are all there are, and whose last leaves nothing to do."""
    near_beyond(59)
    path = write("in.csv", "node,topic\n" + "".join(f"{node},{topic}\n" for node, topic in interest.pairs()))
    heard = {}

    class Heard(pipeline.Observer):
        def on_stage_done(self, name, seconds, detail):
            heard[name] = detail

    plan = pipeline.design(path, "gm", out=tmp_path / "plan", progress=Heard(), spark=spark)
    words = "16 near candidates a node (auto: more than 59 nodes)"
    assert heard["design"].endswith(f"; {words}")
    rounds = plan.manifest["candidates"]["rounds"]
    assert rounds and rounds[-1]["left"] == 0
    assert sum(one["links"] for one in rounds) == plan.design.overlay.num_edges
    page = (tmp_path / "plan" / "report.html").read_text()
    assert "Rounds of near candidates" in page and f"<td>{words}</td>" in page

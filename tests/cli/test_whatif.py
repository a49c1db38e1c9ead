"""What would break if nodes failed, from the command line."""

import json

import pytest

import topicweave as tw
from tests.deploy.plans import write_plan
from topicweave import pipeline


@pytest.fixture(scope="module")
def plan(tmp_path_factory):
    """A chain of six brokers of one topic, and a second topic of two."""
    interest = tw.Interest.from_pairs([*((node, "news") for node in "abcdef"), ("a", "sport"), ("b", "sport")])
    return write_plan(tmp_path_factory.mktemp("plans") / "plan", interest, "chain")


def test_a_failure_is_told_topic_by_topic_with_its_repair(run, plan):
    """The summary names what breaks, who is cut off, and the links to add; JSON has the same."""
    done = run("whatif", plan, "--fail", "c", "--quiet")
    lines = done.out.splitlines()
    assert (done.code, lines[1].split()) == (0, ["news", "5", "2", "2"])
    assert lines[2] == "Without c, 1 of 1 topic break: 2 subscriptions of 2 nodes cut off."
    assert lines[3].startswith("Repair: 1 link to add, ")
    facts = json.loads(run("whatif", plan, "--fail", "c", "--json").out)
    assert facts["outage"]["broken"] == [{"topic": "news", "subscribers": 5, "pieces": 2, "cut_off": 2}]
    assert lines[4] == "  + " + " - ".join(facts["repair"]["added"][0])
    assert facts["outage"]["cut_off"] == 2


def test_a_harmless_failure_is_called_harmless(run, plan):
    """The end of a chain cuts off nobody."""
    done = run("whatif", plan, "--fail", "f", "--quiet")
    assert done.out.splitlines()[0] == "Without f, none of 1 topic breaks."


def test_the_worst_single_failures_are_ranked(run, plan, write):
    """Nodes, and regions if they are known; a list that is cut says how much is missing."""
    regions = write("nodes.csv", "node,region\nb,eu\nc,eu\nf,us\n")
    lines = run("whatif", plan, "--regions", regions, "--worst", 2, "--quiet").out.splitlines()
    assert [line.split() for line in lines[:7]] == [
        ["node", "topics", "broken", "cut", "off"], ["c", "1", "2"], ["d", "1", "2"], ["and", "2", "more"],
        ["region", "nodes", "topics", "broken", "cut", "off"], ["eu", "2", "1", "1"], ["us", "1", "0", "0"],
    ]  # fmt: skip
    assert lines[7] == "4 nodes of 6 would break topics by failing alone; 1 topic of 2 would break."
    facts = json.loads(run("whatif", plan, "--json").out)
    assert facts["single"] == pipeline.whatif(plan).single.figures()


def test_mistakes_are_told_in_one_sentence(run, plan):
    """A node that the plan does not have, a region without a table, and a folder that is no plan."""
    done = run("whatif", plan, "--fail", "z", "--quiet")
    assert (done.code, "no node 'z'" in done.err) == (2, True)
    done = run("whatif", plan, "--fail-region", "eu", "--quiet")
    assert (done.code, "give --regions" in done.err) == (2, True)
    assert run("whatif", plan.parent, "--quiet").code == 2

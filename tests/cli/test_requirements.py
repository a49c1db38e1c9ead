"""Requirements from the command line: the options become requirements, and mistakes are reported."""

import json

import pytest

import topicweave as tw
from tests.deploy.plans import write_plan
from topicweave.cli.requirements import NAMES, requirements_of, whole_number
from topicweave.pipeline.plan.requirements import write_requirements


def test_options_become_requirements(write):
    """Numbers and tables, each under its own option; no options, no requirements."""
    given = dict.fromkeys(NAMES)
    assert requirements_of(given) is None
    pairs = write("pairs.csv", "source,target\na,b\n")
    found = requirements_of({**given, "max_hops": 8, "connectivity": 2, "max_degree": "5", "forbidden": pairs})
    assert found == tw.Requirements(max_hops=8, connectivity=2, max_degree=5, forbidden=[("a", "b")])
    assert (whole_number("12"), whole_number("caps.csv")) == (12, "caps.csv")


@pytest.fixture
def plan(tmp_path):
    """A chain of five nodes in a plan folder that requires at most three hops."""
    interest = tw.Interest.from_pairs([(node, "news") for node in "abcde"])
    folder = write_plan(tmp_path / "plan", interest, "chain")
    write_requirements(tw.Requirements(max_hops=3), folder, interest.nodes)
    return folder


def test_verify_checks_what_the_plan_requires_and_what_is_asked_for(run, plan, spark, write):
    """The chain is four hops long; it keeps to five, but not to the pairs that are allowed; costs are summed."""
    done = run("verify", plan, "--quiet")
    assert (done.code, done.out.splitlines()[1:]) == (
        1, ["1 violation of the requirements:", "  topic 'news' is 4 hops across, more than the 3 allowed"],
    )  # fmt: skip
    done = run("verify", plan, "--max-hops", 5, "--quiet")
    assert (done.code, done.out.splitlines()[1]) == (0, "All requirements are met.")
    costs = write("rtt.csv", "node,x\na,0\nb,1\nc,3\nd,6\ne,10\n")
    pairs = write("pairs.csv", "source,target\na,b\nb,c\nc,d\n")
    done = run("verify", plan, "--allowed", pairs, "--link-cost", costs, "--json")
    facts = json.loads(done.out)
    assert (done.code, [each["nodes"] for each in facts["violations"]], facts["link_costs"]) == (1, [["d", "e"]], 10)
    done = run("verify", plan, "--required", write("none.csv", "a,b\n"), "--quiet")
    assert (done.code, "needs the columns" in done.err) == (2, True)


def test_design_meets_requirements_or_says_why_not(run, spark, write, tmp_path):
    """Met: 0, which verify confirms without options. Impossible: 3, with the proof and no plan.

    Not found: 3, and the best plan is written. Petersen's graph has ten nodes with three links each, two hops apart; a
    greedy search misses it.
    """
    ten = write("ten.csv", "node,topic\n" + "".join(f"n{v},news\n" for v in range(10)))
    done = run("design", ten, "--connectivity", 2, "--max-degree", 3, "--out", tmp_path / "met", "--quiet")
    assert done.code == 0
    assert "requirements    all met; every topic stays connected when any 1 node fails" in done.out
    assert run("verify", tmp_path / "met", "--quiet").code == 0
    assert "All requirements are met" in (tmp_path / "met" / "report.html").read_text()
    caps = write("caps.csv", "node,max_degree\nn3,1\n")
    done = run("design", ten, "--connectivity", 2, "--max-degree", caps, "--out", tmp_path / "impossible", "--quiet")
    assert (done.code, "'n3'" in done.err, (tmp_path / "impossible").exists()) == (3, True, False)
    done = run("design", ten, "--max-hops", 2, "--max-degree", 3, "--out", tmp_path / "missed", "--quiet")
    assert (done.code, "found no overlay" in done.err, "NOT met" in done.out) == (3, True, True)

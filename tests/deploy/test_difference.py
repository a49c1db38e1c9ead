"""What changes from one plan to another, against sets."""

import json

import pytest

from tests.deploy.conftest import random_plan
from topicweave.deploy.bridges import deployment
from topicweave.deploy.difference import plan_difference, unnamed_inventory
from topicweave.deploy.mosquitto import mosquitto_files
from topicweave.reports.difference_page import difference_page


def used(plan):
    """The links that some tree uses, and for each topic the links of its tree."""
    trees = {t: {tuple(sorted(pair)) for pair in plan.edges(t)} for t in plan.interest.topics}
    return set().union(*trees.values()), trees


@pytest.mark.parametrize("seed", range(4))
def test_it_is_the_difference_of_two_sets_of_links_and_brokers(seed):
    """Brokers, links and topics; every broker that gets another neighbour gets another file."""
    before, after = random_plan(seed), random_plan(seed + 1, start=seed % 3)
    found = plan_difference(before, after)
    (old_links, old_trees), (new_links, new_trees) = used(before), used(after)
    nodes = [set(plan.interest.nodes) for plan in (before, after)]
    assert (set(found.joined), set(found.left)) == (nodes[1] - nodes[0], nodes[0] - nodes[1])
    assert set(found.links_added) == new_links - old_links
    assert set(found.links_removed) == old_links - new_links
    moved = {t for t in old_trees.keys() | new_trees.keys() if old_trees.get(t, set()) != new_trees.get(t, set())}
    assert moved <= set(found.topics)
    assert set(found.files) <= nodes[0] | nodes[1]
    assert all(any(name in link for name in found.files) for link in old_links ^ new_links)
    assert json.loads(json.dumps(found.to_dict()))["files"].keys() == found.files.keys()


def test_there_and_back_is_the_opposite():
    """What comes one way goes the other way, line by line."""
    before, after = random_plan(1), random_plan(2)
    there, back = plan_difference(before, after), plan_difference(after, before)
    assert (there.links_added, there.links_removed) == (back.links_removed, back.links_added)
    for name, lines in there.files.items():
        opposite = {"+": "-", "-": "+", " ": " "}
        assert sorted(opposite[line[0]] + line[1:] for line in lines) == sorted(back.files[name])


@pytest.mark.parametrize("seed", range(4))
def test_changed_lines_stand_below_their_connection(seed):
    """With the lines of each connection taken from the files themselves, as sets."""
    before, after = random_plan(seed), random_plan(seed + 5)
    found = plan_difference(before, after)
    inventory = unnamed_inventory(before, after)
    everybody = [*before.interest.nodes, *after.interest.nodes]
    old, new = (
        mosquitto_files(deployment(plan, inventory, others=everybody), inventory, nodes=plan.interest.nodes)
        for plan in (before, after)
    )
    named = 0
    for name, lines in found.files.items():
        parts = [lines_by_connection(files.get(name, "")) for files in (old, new)]
        connection = ""
        for line in lines:
            text = line[1:]
            if text.startswith("connection "):
                connection = text
                named += line[0] == " "
            here = [text in part.get(connection, ()) for part in parts]
            assert here == {"+": [False, True], "-": [True, False], " ": [True, True]}[line[0]]
    assert named


def lines_by_connection(text):
    """The lines of a file as a set for each connection."""
    head, *rest = text.split("\nconnection ")
    return {"": set(head.splitlines())} | {
        f"connection {part.splitlines()[0]}": {f"connection {part}".splitlines()[0], *part.splitlines()[1:]}
        for part in rest
    }


def test_nothing_changes_from_a_plan_to_itself():
    """And that is said."""
    plan = random_plan(3)
    found = plan_difference(plan, plan)
    assert found.is_empty and found.summary() == found.text() == "Nothing changes."


def test_text_and_page_tell_the_same():
    """Every broker, link and file is on both; the page loads nothing from elsewhere."""
    found = plan_difference(random_plan(1), random_plan(2, start=1))
    text, page = found.text(), difference_page(found, "old", "new")
    assert text.endswith(found.summary())
    for name in [*found.joined, *found.left, *found.files]:
        assert name in text and name in page
    for sign, links in (("+", found.links_added), ("-", found.links_removed)):
        assert all(f"{sign} link {a} - {b}" in text for a, b in links)
    for topic in found.topics:
        assert f"~ tree of {topic}\n" in text and f"<td>{topic}</td>" in page
    for change in found.tree_changes:
        arrow = {"both": "↔", "forward": "→", "backward": "←"}[change.direction]
        line = f"{change.link[0]} {arrow} {change.link[1]}"
        after = text.split(f"~ tree of {change.topic}\n")[1].split("~")[0]
        assert f"{'+' if change.is_added else '-'} {line}" in after and line in page
    assert "What changes" in page and "http" not in page.replace("http-equiv", "")

"""The search on the pages: the data in the page, and the answers that a real browser shows."""

import json
from base64 import b64decode
from types import SimpleNamespace
from urllib.parse import quote

import networkx as nx
import numpy as np
import pyarrow as pa

from tests.content.cases import smooth
from tests.reports.browser import needs_browser
from topicweave.algorithms import design
from topicweave.content import assign, lower_bound
from topicweave.model import Interest
from topicweave.reports.content_page import content_page
from topicweave.reports.plan_page import comparisons, plan_page
from topicweave.reports.search import search_data, search_data_of_content
from topicweave.workloads import synthetic


def page_of(interest, plan):
    """The page about a plan, with as little of everything else as it takes."""
    verification = SimpleNamespace(
        topic_connected=True, num_topics=interest.num_topics, support=1.0, disconnected_topics=[]
    )
    manifest = {
        "diameters": {"lower_bounds": 0},
        "candidates": None,
        "rows": {"inputs": {}, "duplicates": 0, "subscriptions": interest.num_subscriptions},
        "algorithm": plan.algorithm,
        "parameters": {},
        "resumed": {},
        "seconds": {},
        "versions": {},
    }
    topics = pa.table({"subscribers": [2], "diameter": [1]})
    return plan_page(interest, plan, verification, topics, comparisons(interest, plan.overlay), manifest)


def answer(browser, page=None, question=""):
    """The text of the answer that the browser shows, on this page or the one it has."""
    if page is not None:
        browser.open(str(page), question)
    return " ".join(browser.run("document.getElementById('found').innerText").split())


def unpacked(packed):
    return np.frombuffer(b64decode(packed["base64"]), dtype=f"<u{packed['width']}").tolist()


def test_the_data_are_the_interest_and_its_links():
    """Unpacked by plain Python, they are what went in, labels that look like markup included."""
    interest = Interest.from_sets({"</script>": ["x", "y"], "b": ["x"], "c": ["y", "ü\u2028z"]})
    overlay = design(interest, "gm").overlay
    text = search_data(interest, overlay)
    assert "<" not in text and text.isascii()
    data = json.loads(text)
    assert data["nodes"] == list(interest.nodes) and data["topics"] == list(interest.topics)
    assert unpacked(data["links"]) == overlay.edges.ravel().tolist()
    assert unpacked(data["sizes"]) == np.diff(interest.indptr).tolist()
    assert unpacked(data["subscriptions"]) == interest.indices.tolist()


def test_too_much_is_left_out_with_a_sentence(monkeypatch):
    """Neither many links nor long labels may make the page too large to open."""
    interest = Interest.from_sets({"a" * 900: ["x"], "b": ["x"]})
    overlay = design(interest, "gm").overlay
    assert search_data(interest, overlay, most_bytes=20) is None
    assert search_data(interest, overlay, most_bytes=800) is None
    assert search_data(interest, overlay, most_bytes=2000) is not None
    plan = design(interest, "gm")
    monkeypatch.setattr("topicweave.reports.plan_page.search_data", lambda *_: None)
    page = page_of(interest, plan)
    assert "too large to be searched on this page" in page and "<script" not in page


@needs_browser
def test_a_node_is_found_with_its_links_neighbours_and_paths(browser):
    """A row of four nodes on one topic, and one node beside it: checked by hand."""
    interest = Interest.from_sets({"a": ["x"], "b": ["x", "<i>"], "c": ["x"], "d": ["x"], "e": ["z"]})
    page = page_of(interest, design(interest, "chain"))
    found = answer(browser, page, "#find=a")
    assert found.startswith("Node a 1 link, 1 topic. Neighbours: b Paths through the whole overlay: 2.00 hops")
    assert "3 at most; 1 node cannot be reached." in found and found.endswith("x 4 2.00 3 all reached")
    odd = answer(browser, page, "#topic=" + quote("<i>"))
    assert odd == "Topic <i> 1 subscriber, 0 links between them. Subscribers: b"
    assert answer(browser, page, "#find=nobody") == "No node or topic has this in its name."


@needs_browser
def test_typing_looks_a_name_up(browser):
    """What a reader types is answered at once; a part of a name offers the names that have it, each a link."""
    interest = Interest.from_sets({"broker-1": ["news"], "broker-2": ["news"], "other": ["sport"]})
    browser.open(str(page_of(interest, design(interest, "gm"))))
    browser.run("const b = document.getElementById('find'); b.value = 'ROKER'; b.dispatchEvent(new Event('input'))")
    assert answer(browser) == "2 nodes with this in the name: broker-1, broker-2"
    browser.run("document.querySelector('#found a').click()")
    browser.wait_for("document.querySelector('#found h3')")
    assert answer(browser).startswith("Node broker-1 1 link")


@needs_browser
def test_ten_thousand_nodes_are_searched_as_networkx_does(browser):
    """The page stays below 2 MB, and its figures for a node and a topic are those of another library."""
    interest = synthetic(10_000, 200, popularity="zipf", alpha=0.5, subscriptions=10, seed=3)
    plan = design(interest, "star")  # any overlay will do, and this one is made in no time
    page = page_of(interest, plan)
    assert len(search_data(interest, plan.overlay)) < 2_000_000
    graph = nx.Graph(plan.overlay.edges.tolist())
    graph.add_nodes_from(range(interest.num_nodes))
    node = int(np.argmax(plan.overlay.degrees))
    found = answer(browser, page, "#node=" + quote(interest.nodes[node]))
    far = [hops for hops in nx.single_source_shortest_path_length(graph, node).values() if hops]
    assert f"{graph.degree(node):,} links, {np.diff(interest.indptr)[node]:,} topics." in found
    assert f"whole overlay: {np.mean(far):.2f} hops on average, {max(far)} at most" in found
    sizes = np.bincount(interest.indices)
    topic = int(np.argmin(sizes))
    members = np.repeat(np.arange(interest.num_nodes), np.diff(interest.indptr))[interest.indices == topic].tolist()
    inside = graph.subgraph(members)
    found = answer(browser, page, "#topic=" + quote(interest.topics[topic]))
    assert f"{len(members):,} subscribers, {inside.number_of_edges():,} links between them." in found
    starts = sorted(members, key=lambda each: -graph.degree(each))[:200]
    paths = [nx.single_source_shortest_path_length(inside, each) for each in starts]
    hops = [value for each in paths for value in each.values() if value]
    assert f"{np.mean(hops):.2f} hops on average, {max(hops)} at most" in found
    assert found.endswith("The topic is connected.")


def content_page_of(assignment):
    """The page about a content plan."""
    return content_page(assignment, lower_bound(assignment.instance).total)


def test_the_data_of_a_content_plan_are_the_instance_and_its_assignment():
    """Unpacked by plain Python; an infinite capacity is None, because JSON has no such number."""
    instance = smooth(1, num_users=12).replace(capacity=np.inf)
    found = assign(instance, "best", seed=0)
    data = json.loads(search_data_of_content(found))
    assert unpacked(data["broker"]) == found.broker.tolist() and data["users"] == list(instance.users)
    assert data["capacity"] == [None] * instance.num_brokers
    for name, matrix in (("published", instance.publish > 0), ("subscribed", instance.subscribe)):
        pairs = set(zip(unpacked(data[name]["users"]), unpacked(data[name]["channels"]), strict=True))
        assert pairs == {(u, c) for u in range(12) for c in range(instance.num_channels) if matrix[u, c]}
    assert np.allclose(data["paid"], [instance.access_price[u, b] for u, b in enumerate(found.broker)], rtol=1e-5)
    assert search_data_of_content(found, most_bytes=20) is None


@needs_browser
def test_a_user_a_broker_and_a_channel_are_found(browser):
    """On a page whose labels are markup: what the browser shows is what the assignment says."""
    instance = smooth(1, num_users=30)
    instance = instance.replace(
        users=[f"</i>{u}" for u in range(30)], channels=[f"c{c}" for c in range(len(instance.channels))]
    )
    found = assign(instance, "best", seed=0)
    page = content_page_of(found)
    user, broker = instance.users[4], instance.brokers[found.broker[4]]
    seen = answer(browser, page, "#user=" + quote(user))
    assert seen.startswith(f"User {user} Served by: {broker} A unit of its traffic costs")
    wanted = ", ".join(label for label, wants in zip(instance.channels, instance.subscribe[4], strict=True) if wants)
    assert seen.endswith(f"Subscribes to: {wanted or 'none'}")
    seen = answer(browser, page, "#broker=" + quote(broker))
    users = [label for label, at in zip(instance.users, found.broker, strict=True) if at == found.broker[4]]
    links = sum(broker in pair for pair in found.overlay.pairs())
    assert f"{len(users)} user" in seen and f"{links} link" in seen and f"Users: {', '.join(users)}" in seen
    channel = int(instance.subscribe.sum(axis=0).argmax())
    seen = answer(browser, page, "#find=" + quote(instance.channels[channel]))
    assert f"{instance.subscribe[:, channel].sum()} subscribers" in seen
    assert answer(browser, page, "#find=nobody") == "No user, broker or channel has this in its name."

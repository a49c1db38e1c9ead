"""An overlay for graph tools, read back by networkx."""

import io
import json

import networkx as nx
import pytest

import topicweave as tw
from topicweave.deploy.graphs import graph_lines
from topicweave.errors import InputError

NASTY = ['say "hi"', "<b>&amp;</b>", "back\\slash", "ä/ö", "plain"]


@pytest.fixture(scope="module")
def trees():
    """A star and a chord, whose names need escaping everywhere."""
    pairs = [(node, "all") for node in NASTY] + [(node, "two") for node in NASTY[1:3]]
    interest = tw.Interest.from_pairs(pairs)
    links = [(NASTY[0], other) for other in NASTY[1:]] + [(NASTY[1], NASTY[2])]
    return tw.deploy.trees(interest, tw.Overlay.from_pairs(links, interest.nodes))


def expected(trees):
    """The overlay's links, and how many trees use each."""
    use = {frozenset(pair): 0 for pair in trees.overlay.pairs()}
    for topic in trees.interest.topics:
        for pair in trees.edges(topic):
            use[frozenset(pair)] += 1
    return use


@pytest.mark.parametrize(
    ("name", "read", "field"),
    [
        ("graphml", lambda text: nx.read_graphml(io.BytesIO(text.encode())), "topics"),
        ("gexf", lambda text: nx.read_gexf(io.BytesIO(text.encode())), "weight"),
        ("json", lambda text: nx.node_link_graph(json.loads(text), edges="links"), "topics"),
    ],
)
def test_networkx_reads_the_same_overlay_back(trees, name, read, field):
    """Labels as they are, with the topics of each link and what each node relays."""
    file, lines = graph_lines(trees, name)
    graph = read("\n".join(lines))
    assert file.startswith("overlay.")
    assert {frozenset((a, b)): data[field] for a, b, data in graph.edges(data=True)} == expected(trees)
    relayed = {node: data["relayed_topics"] for node, data in graph.nodes(data=True)}
    assert relayed == dict(zip(trees.interest.nodes, trees.relayed.tolist(), strict=True))


def test_dot_names_every_node_and_link_in_quotes(trees):
    """Quotes and backslashes inside a name are escaped, as Graphviz asks."""
    _, lines = graph_lines(trees, "dot")
    first, *body, last = lines
    assert (first, last) == ("graph overlay {", "}")
    quoted = {name: '"' + name.replace("\\", "\\\\").replace('"', '\\"') + '"' for name in NASTY}
    assert body[: len(NASTY)] == [f"  {quoted[name]};" for name in trees.interest.nodes]
    found = {line.strip() for line in body[len(NASTY) :]}
    use = expected(trees)
    assert found == {f"{quoted[a]} -- {quoted[b]} [label={use[frozenset((a, b))]}];" for a, b in trees.overlay.pairs()}


def test_an_unknown_format_is_refused_with_the_known_ones(trees):
    """And the one that was probably meant."""
    with pytest.raises(InputError, match="did you mean 'graphml'"):
        graph_lines(trees, "graphlm")


@pytest.mark.parametrize("kind", ["graphml", "gexf"])
def test_what_xml_cannot_hold_is_refused_by_name(kind):
    """Most control characters have no form in XML, not even an escaped one."""
    interest = tw.Interest.from_pairs([("bad\0", "t"), ("b", "t")])
    found = tw.deploy.trees(interest, tw.Overlay.from_pairs([("bad\0", "b")], interest.nodes))
    with pytest.raises(InputError, match=r"'bad.x00' has a character that XML cannot hold"):
        list(graph_lines(found, kind)[1])

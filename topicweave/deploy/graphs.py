"""Exports an overlay for graph tools as GraphML, GEXF, DOT or node-link JSON, written line by line.

No graph object is built, so that writing millions of links takes no more memory than the overlay itself.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING
from xml.sax.saxutils import quoteattr

from topicweave.errors import InputError
from topicweave.parameters import find_entry

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from topicweave.trees import Trees


NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def _in_xml(name: str) -> str:
    """A label as the value of an XML attribute; XML cannot represent most control characters."""
    if NOT_XML.search(name):
        raise InputError(f"Node {name!r} has a character that XML cannot hold; export to dot or json, or rename it.")
    return quoteattr(name)


def _links(trees: Trees) -> Iterator[tuple[str, str, int]]:
    label = trees.overlay.labels
    for (u, v), topics in zip(trees.overlay.edges.tolist(), trees.topics_per_link.tolist(), strict=True):
        yield label[u], label[v], topics


def graphml(trees: Trees) -> Iterator[str]:
    """The overlay as GraphML, which Gephi, Cytoscape, yEd, igraph and networkx can read."""
    yield '<?xml version="1.0" encoding="UTF-8"?>'
    yield '<graphml xmlns="http://graphml.graphdrawing.org/xmlns">'
    yield '<key id="relayed" for="node" attr.name="relayed_topics" attr.type="long"/>'
    yield '<key id="topics" for="edge" attr.name="topics" attr.type="long"/>'
    yield '<graph edgedefault="undirected">'
    for name, relayed in zip(trees.interest.nodes, trees.relayed.tolist(), strict=True):
        yield f'<node id={_in_xml(name)}><data key="relayed">{relayed}</data></node>'
    for one, other, topics in _links(trees):
        ends = f"source={_in_xml(one)} target={_in_xml(other)}"
        yield f'<edge {ends}><data key="topics">{topics}</data></edge>'
    yield "</graph></graphml>"


def gexf(trees: Trees) -> Iterator[str]:
    """The overlay as GEXF, the native format of Gephi."""
    yield '<?xml version="1.0" encoding="UTF-8"?>'
    yield '<gexf xmlns="http://gexf.net/1.3" version="1.3"><graph defaultedgetype="undirected">'
    yield '<attributes class="node"><attribute id="0" title="relayed_topics" type="long"/></attributes>'
    yield "<nodes>"
    for name, relayed in zip(trees.interest.nodes, trees.relayed.tolist(), strict=True):
        quoted = _in_xml(name)
        yield f'<node id={quoted} label={quoted}><attvalues><attvalue for="0" value="{relayed}"/></attvalues></node>'
    yield "</nodes><edges>"
    for number, (one, other, topics) in enumerate(_links(trees)):
        yield f'<edge id="{number}" source={_in_xml(one)} target={_in_xml(other)} weight="{topics}"/>'
    yield "</edges></graph></gexf>"


def dot(trees: Trees) -> Iterator[str]:
    """The overlay in DOT, the language of Graphviz."""

    def quoted(name: str) -> str:
        escaped = name.replace("\\", "\\\\").replace('"', '\\"')
        return f'"{escaped}"'

    yield "graph overlay {"
    for name in trees.interest.nodes:
        yield f"  {quoted(name)};"
    for one, other, topics in _links(trees):
        yield f"  {quoted(one)} -- {quoted(other)} [label={topics}];"
    yield "}"


def node_link(trees: Trees) -> Iterator[str]:
    """The overlay as node-link JSON, which networkx and D3 can read."""
    yield '{"directed": false, "multigraph": false, "graph": {}, "nodes": ['
    nodes = list(zip(trees.interest.nodes, trees.relayed.tolist(), strict=True))
    for number, (name, relayed) in enumerate(nodes):
        comma = "," if number + 1 < len(nodes) else ""
        yield json.dumps({"id": name, "relayed_topics": relayed}) + comma
    yield '], "links": ['
    for number, (one, other, topics) in enumerate(_links(trees)):
        comma = "," if number + 1 < trees.overlay.num_edges else ""
        yield json.dumps({"source": one, "target": other, "topics": topics}) + comma
    yield "]}"


FORMATS: dict[str, tuple[str, Callable[[Trees], Iterator[str]]]] = {
    "graphml": ("overlay.graphml", graphml),
    "gexf": ("overlay.gexf", gexf),
    "dot": ("overlay.dot", dot),
    "json": ("overlay.json", node_link),
}
"""For each format, its file name and the function that yields its lines."""


def graph_lines(trees: Trees, name: str) -> tuple[str, Iterator[str]]:
    """The file name and the lines of an exported graph."""
    file, lines = find_entry("format", name, FORMATS)
    return file, lines(trees)

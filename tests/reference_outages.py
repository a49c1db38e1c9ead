"""What failures break, from the definition, with sets: remove the nodes, and see what is left of each topic."""

from __future__ import annotations

import networkx as nx


def broken_by(interest, overlay, nodes):
    """For each topic that breaks: (subscribers that remain, pieces, members outside the largest piece of each former
    component).
    """
    graph, gone = overlay.to_networkx(), set(nodes)
    found = {}
    for topic in interest.topics:
        members = interest.subscribers_of(topic)
        if not members & gone:
            continue
        before = list(nx.connected_components(graph.subgraph(members)))
        after = list(nx.connected_components(graph.subgraph(members - gone)))
        cut_off = 0
        for whole in before:
            sizes = [len(piece) for piece in after if piece <= whole]
            cut_off += sum(sizes) - max(sizes, default=0)
        if cut_off:
            found[topic] = (len(members - gone), len(after), cut_off)
    return found

"""Statistics of dissemination trees, worded for pages and for the command line."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

WORDS = {
    "objective": "made for",
    "trees": "trees (topics with two members or more)",
    "links_used": "links that trees use",
    "links_unused": "links that no tree uses, which are not deployed",
    "largest_depth": "greatest depth",
    "mean_depth": "depth, on average",
    "most_hops": "most hops of a message",
    "mean_hops": "hops of a message, on average",
    "most_topics_relayed_by_a_node": "most topics that one node passes on",
    "most_topics_on_a_link": "most topics on one link",
    "publishers_that_relay": "publishers that must pass on what they do not subscribe to",
}
"""By the names of :meth:`topicweave.deploy.Trees.figures`, in the order of the page."""


def tree_rows(figures: Mapping[str, Any]) -> list[tuple[str, str]]:
    """A table row for each of the statistics; missing and other entries are skipped."""
    return [(words, _written(figures[name])) for name, words in WORDS.items() if name in figures]


def _written(value: Any) -> str:
    if isinstance(value, str):
        return value
    return f"{value:,.2f}" if isinstance(value, float) else f"{value:,}"

"""The page on the changes from one plan to another."""

from __future__ import annotations

from typing import TYPE_CHECKING

from topicweave.reports.page import render

if TYPE_CHECKING:
    from topicweave.deploy.difference import PlanDifference


def difference_page(found: PlanDifference, old: str, new: str) -> str:
    """HTML: figures, brokers and links, then every file with its lines."""
    figures = (
        (f"{len(found.files):,}", "files change"),
        (f"{len(found.links_added):,}", "links to add"),
        (f"{len(found.links_removed):,}", "links to remove"),
        (f"{len(found.topics):,}", "topics with another tree"),
    )
    brokers = [("start", name) for name in found.joined] + [("stop", name) for name in found.left]
    links = [("add", *link) for link in found.links_added] + [("remove", *link) for link in found.links_removed]
    page = render(
        "difference.html",
        title="What changes",
        figures=figures,
        plans=(("from", old), ("to", new)),
        brokers=brokers,
        links=links,
        files=[(name, "\n".join(lines)) for name, lines in found.files.items()],
    )
    return str(page)

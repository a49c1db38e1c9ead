"""The page about the changes from one plan to another."""

from __future__ import annotations

from typing import TYPE_CHECKING

from topicweave.reports.page import render

if TYPE_CHECKING:
    from topicweave.deploy.difference import PlanDifference


def difference_page(found: PlanDifference, old: str, new: str) -> str:
    """A self-contained HTML page: a summary, the brokers and links that change, the trees by topic, then the changed
    lines of every file.
    """
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
        trees=[(topic, ", ".join(added), ", ".join(gone)) for topic, (added, gone) in found.links_by_topic.items()],
        files=[(name, "\n".join(lines)) for name, lines in found.files.items()],
    )
    return str(page)

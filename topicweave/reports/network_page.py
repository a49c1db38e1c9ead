"""The page of a running network of brokers: loads, cost, moves, and who is where; it asks for new figures itself."""

from __future__ import annotations

from topicweave.reports.page import render


def network_page() -> str:
    """The page as HTML; it shows what ``/states`` answers, every second."""
    return str(render("network.html", title="Running network of brokers"))

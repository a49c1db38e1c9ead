"""The data for the search box of a page.

A page is one file that needs no network, so it contains what can be found on it: labels, and numbers of two or four
bytes each, as base64, in the order of :class:`~topicweave.model.Interest` or of the content instance.
``templates/search.js`` unpacks them when the box is first used; ``search_overlay.js`` and ``search_content.js`` show
what was found.
"""

from __future__ import annotations

import json
from base64 import b64encode
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

    from markupsafe import Markup
    from numpy.typing import ArrayLike, NDArray

    from topicweave.content import Assignment
    from topicweave.model import Interest, Overlay

MOST_BYTES = 8_000_000
"""The most that the search may add to a page. Browsers still open it at once; 10,000 nodes take about a tenth."""


def search_data(interest: Interest, overlay: Overlay, *, most_bytes: int = MOST_BYTES) -> Markup | None:
    """The data of an overlay, as JSON inside a ``script`` element; None if that would make the page too large.

    The nodes of both must be in the same order, as they are in every design.
    """

    def data() -> dict[str, Any]:
        return {
            "nodes": interest.nodes,
            "topics": interest.topics,
            "links": _packed(overlay.edges, interest.num_nodes),
            "sizes": _packed(np.diff(interest.indptr), interest.num_topics + 1),
            "subscriptions": _packed(interest.indices, interest.num_topics),
        }

    return _as_json(data, 2 * overlay.num_edges + interest.num_subscriptions + interest.num_nodes, most_bytes)


def search_data_of_content(assignment: Assignment, *, most_bytes: int = MOST_BYTES) -> Markup | None:
    """The same for a content plan: who serves each user and at what price, loads, links, and the users of channels."""
    instance, overlay = assignment.instance, assignment.overlay
    num_rates = int(np.count_nonzero(instance.publish)) + int(np.count_nonzero(instance.subscribe))

    def data() -> dict[str, Any]:
        users, nearest = np.arange(instance.num_users), instance.access_price.argmin(axis=1)
        return {
            "users": instance.users,
            "brokers": instance.brokers,
            "channels": instance.channels,
            "broker": _packed(assignment.broker, instance.num_brokers),
            "nearest": _packed(nearest, instance.num_brokers),
            "paid": _rounded(instance.access_price[users, assignment.broker]),
            "least": _rounded(instance.access_price[users, nearest]),
            "load": _rounded(assignment.cost.load),
            "capacity": _rounded(instance.capacity),
            "links": _packed(overlay.edges, instance.num_brokers),
            "prices": _rounded(instance.core_price[overlay.edges[:, 0], overlay.edges[:, 1]]),
            "published": _members(instance.publish > 0),
            "subscribed": _members(instance.subscribe),
        }

    return _as_json(data, 2 * overlay.num_edges + 2 * num_rates + 6 * instance.num_users, most_bytes)


def _as_json(data: Callable[[], dict[str, Any]], count: int, most_bytes: int) -> Markup | None:
    """The data as text; None if that is too long, which is often clear from the count of numbers alone."""
    from markupsafe import Markup

    if 4 * count > most_bytes:
        return None
    # ASCII with "<" escaped, so that no label can end the element that contains the data.
    text = json.dumps(data(), separators=(",", ":"), default=list).replace("<", "\\u003c")
    return Markup(text) if len(text) <= most_bytes else None


def _members(matrix: NDArray[np.bool_]) -> dict[str, Any]:
    """The pairs of user and channel for which a matrix is true."""
    users, channels = np.nonzero(matrix)
    return {"users": _packed(users, matrix.shape[0]), "channels": _packed(channels, matrix.shape[1])}


def _rounded(values: ArrayLike) -> list[float | None]:
    """Numbers as a page shows them, with six digits; None for an infinite one, which JSON does not have."""
    return [float(f"{value:.6g}") if np.isfinite(value) else None for value in np.asarray(values, dtype=float)]


def _packed(numbers: NDArray[Any], below: int) -> dict[str, Any]:
    """Whole numbers below a limit, packed in binary form (little-endian), with two bytes each if that is enough."""
    width = 2 if below <= 1 << 16 else 4
    return {"width": width, "base64": b64encode(np.ascontiguousarray(numbers, dtype=f"<u{width}").tobytes()).decode()}

"""Pages and pictures from templates: one environment for all of them, in which every text is escaped.

The templates stand in ``templates/``: ``base.html`` is the frame, ``style.css`` the look and ``parts.html`` the cards,
tables and figures of all pages. What is markup already, the pictures, comes as :class:`markupsafe.Markup`.

A page is one file that needs no network, so what the search on it looks in travels with it: numbers as base64 of two or
four bytes each, in the order of :class:`~topicweave.model.Interest`. ``templates/search.js`` unpacks them at the first
question only.
"""

from __future__ import annotations

import json
from base64 import b64encode
from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from jinja2 import Environment
    from markupsafe import Markup
    from numpy.typing import NDArray

    from topicweave.model import Interest, Overlay

MOST_BYTES = 8_000_000
"""The most that the search may add to a page. Browsers still open it at once; 10,000 nodes take about a tenth."""


def render(template: str, **values: Any) -> Markup:
    """Fill a template; a value that it names but that is not given is an error rather than a gap on the page."""
    from markupsafe import Markup

    return Markup(_environment().get_template(template).render(values))


@cache
def _environment() -> Environment:
    from jinja2 import Environment, PackageLoader, StrictUndefined

    return Environment(
        loader=PackageLoader("topicweave.reports", "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )


def search_data(interest: Interest, overlay: Overlay, *, most_bytes: int = MOST_BYTES) -> Markup | None:
    """JSON that can stand in a ``script`` element; None where it would make the page too large.

    The nodes of both must be in the same order, as they are in every design.
    """
    from markupsafe import Markup

    numbers = 2 * overlay.num_edges + interest.num_subscriptions + interest.num_nodes
    if 4 * numbers > most_bytes:  # spares the work for an interest of millions
        return None
    data = {
        "nodes": interest.nodes,
        "topics": interest.topics,
        "links": _packed(overlay.edges, interest.num_nodes),
        "sizes": _packed(np.diff(interest.indptr), interest.num_topics + 1),
        "subscriptions": _packed(interest.indices, interest.num_topics),
    }
    # ASCII with "<" escaped: whatever a label says, it cannot end the element that holds it.
    text = json.dumps(data, separators=(",", ":"), default=list).replace("<", "\\u003c")
    return Markup(text) if len(text) <= most_bytes else None


def _packed(numbers: NDArray[Any], below: int) -> dict[str, Any]:
    """Whole numbers from 0 to ``below``, little-endian, in two bytes each where they fit."""
    width = 2 if below <= 1 << 16 else 4
    return {"width": width, "base64": b64encode(np.ascontiguousarray(numbers, dtype=f"<u{width}").tobytes()).decode()}

"""Renders pages and pictures from templates, in one environment in which every text is escaped.

The templates are in ``templates/``: ``base.html`` is the frame, ``style.css`` the look and ``parts.html`` the cards,
tables and figures of all pages. Pictures are not escaped: they are passed as :class:`markupsafe.Markup`.

A page is one file that needs no network, so it contains the data of its search box: numbers of two or four bytes each,
as base64, in the order of :class:`~topicweave.model.Interest`. ``templates/search.js`` unpacks them when the box is
first used.
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
    """Fill a template; if a value that it names is missing, raise an error rather than leave a gap on the page."""
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
    """The data for the page's search box, as JSON inside a ``script`` element; None if it would make the page too
    large.

    The nodes of both must be in the same order, as they are in every design.
    """
    from markupsafe import Markup

    numbers = 2 * overlay.num_edges + interest.num_subscriptions + interest.num_nodes
    # decide before any work is done, because the interest may have millions of subscriptions
    if 4 * numbers > most_bytes:
        return None
    data = {
        "nodes": interest.nodes,
        "topics": interest.topics,
        "links": _packed(overlay.edges, interest.num_nodes),
        "sizes": _packed(np.diff(interest.indptr), interest.num_topics + 1),
        "subscriptions": _packed(interest.indices, interest.num_topics),
    }
    # ASCII with "<" escaped, so that no label can end the element that contains the data.
    text = json.dumps(data, separators=(",", ":"), default=list).replace("<", "\\u003c")
    return Markup(text) if len(text) <= most_bytes else None


def _packed(numbers: NDArray[Any], below: int) -> dict[str, Any]:
    """Whole numbers below a limit, packed in binary form (little-endian), with two bytes each if that is enough."""
    width = 2 if below <= 1 << 16 else 4
    return {"width": width, "base64": b64encode(np.ascontiguousarray(numbers, dtype=f"<u{width}").tobytes()).decode()}

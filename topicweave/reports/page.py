"""Renders pages and pictures from templates, in one environment in which every text is escaped.

The templates are in ``templates/``: ``base.html`` is the frame, ``style.css`` the look and ``parts.html`` the cards,
tables and figures of all pages. Pictures are not escaped: they are passed as :class:`markupsafe.Markup`.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from jinja2 import Environment
    from markupsafe import Markup


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

"""The frame of all pages."""

import pytest
from jinja2 import UndefinedError
from markupsafe import Markup

from topicweave.reports.page import render

CHURN = {"title": "t", "figures": [], "search_data": None, "charts": [], "events": [], "trees": [], "settings": []}


def test_text_is_escaped_and_markup_is_not():
    """In the title twice, in cards and in tables."""
    bad = "<b>&\"'"
    page = render("churn.html", **{**CHURN, "title": bad, "figures": [(bad, bad)], "settings": [(bad, Markup("<i>"))]})
    assert page.count("&lt;b&gt;&amp;&#34;&#39;") == 5 and bad not in page and "<td><i></td>" in page


def test_what_is_not_given_is_an_error():
    """A gap on a page would go unnoticed."""
    with pytest.raises(UndefinedError, match="settings"):
        render("churn.html", **{name: value for name, value in CHURN.items() if name != "settings"})

"""How the pages look in a real browser: readable light, dark and on paper, wide and narrow."""

import pytest

from tests.content.cases import smooth
from tests.reports.browser import needs_browser
from tests.reports.test_churn_page import page_of as churn_page_of
from tests.reports.test_content_page import running
from tests.reports.test_search import page_of as plan_page_of
from topicweave.algorithms import design
from topicweave.content import assign, lower_bound
from topicweave.reports.content_page import content_page
from topicweave.workloads import synthetic

pytestmark = needs_browser

PALE_TEXT = """
(() => {
  const light = (rgb) => rgb.map((c) => c / 255).map((c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4));
  const luminance = (rgb) => { const [r, g, b] = light(rgb); return 0.2126 * r + 0.7152 * g + 0.0722 * b; };
  const numbers = (colour) => colour.match(/[\\d.]+/g).map(Number);
  const behind = (element) => {
    for (let e = element; e; e = e.parentElement) {
      const [r, g, b, alpha = 1] = numbers(getComputedStyle(e).backgroundColor);
      if (alpha > 0) return [r, g, b];
    }
    return [255, 255, 255];
  };
  const found = [];
  for (const e of document.querySelectorAll("main *")) {
    const says = [...e.childNodes].some((n) => n.nodeType === 3 && n.textContent.trim());
    if (!says || e.closest("svg, script, style") || !e.getClientRects().length) continue;
    const [one, other] = [numbers(getComputedStyle(e).color).slice(0, 3), behind(e)].map(luminance);
    const contrast = (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05);
    if (contrast < 4.5) found.push(`${e.tagName} ${e.textContent.trim().slice(0, 30)} ${contrast.toFixed(1)}`);
  }
  return found;
})()
"""
"""Text whose contrast with what is behind it is below what WCAG asks for (AA); charts are looked at apart."""


@pytest.fixture(scope="module")
def pages():
    """A plan that connects everything, an overlay under churn, users at brokers, and brokers that run."""
    interest = synthetic(40, 12, subscriptions=(2, 6), seed=1)
    instance = smooth(1, num_users=30)
    return {
        "design": plan_page_of(interest, design(interest, "gm")),
        "churn": churn_page_of(30)[0],
        "content": content_page(assign(instance, "best", seed=0), lower_bound(instance).total),
        "network": running(),
    }


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("name", ["design", "churn", "content", "network"])
def test_text_can_be_read_in_both_schemes(browser, pages, name, scheme):
    """Every text stands out from its background; the dark page is dark, and its charts are turned round with it."""
    browser.look_as(scheme=scheme)
    browser.open(str(pages[name]))
    assert browser.run(PALE_TEXT) == []
    back = browser.run("getComputedStyle(document.body).backgroundColor.match(/\\d+/g).map(Number)")
    assert (max(back) < 64) == (scheme == "dark") and (min(back) > 224) == (scheme == "light")
    turned = browser.run("[...document.querySelectorAll('section svg')].map((svg) => getComputedStyle(svg).filter)")
    assert all(("invert" in one) == (scheme == "dark") for one in turned) and (turned or name == "network")


@pytest.mark.parametrize("width", [1200, 400])
@pytest.mark.parametrize("name", ["design", "churn", "content", "network"])
def test_nothing_sticks_out_at_the_side(browser, pages, name, width):
    """On a screen as on a phone, no horizontal scrolling is needed."""
    browser.look_as(width=width)
    browser.open(str(pages[name]))
    assert browser.run("document.documentElement.scrollWidth") <= width


@pytest.mark.parametrize("name", ["design", "churn", "content"])
def test_paper_is_white_even_where_the_screen_is_dark(browser, pages, name):
    """Printing from a dark screen gives dark text on white, without a search box, as a PDF of some pages."""
    browser.look_as("print", "dark", width=700)
    browser.open(str(pages[name]))
    assert browser.run(PALE_TEXT) == []
    assert browser.run("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    assert browser.run("getComputedStyle(document.querySelector('section svg')).filter") == "none"
    assert not browser.run("[...document.querySelectorAll('input')].some(e => e.getClientRects().length)")
    printed = browser.printed()
    assert printed.startswith(b"%PDF") and 1 <= printed.count(b"/Type /Page\n") <= 12


def test_an_answer_that_is_shown_is_printed(browser, pages):
    """The question and its box stay away, the answer does not."""
    browser.look_as("print", width=700)
    browser.open(str(pages["design"]), "#find=node-03")
    assert browser.run("document.querySelector('#found h3').getClientRects().length") == 1
    assert browser.run("document.querySelector('.search input').getClientRects().length") == 0


def test_charts_can_be_read_on_a_telephone(browser, pages):
    """A wide chart is not squeezed: its frame scrolls, and its text is at least nine pixels high."""
    browser.look_as(width=400)
    browser.open(str(pages["content"]))
    heights = "[...document.querySelectorAll('section svg text')].map(e => e.getBoundingClientRect().height)"
    assert min(browser.run(heights)) >= 9
    assert browser.run("document.documentElement.scrollWidth") <= 400

"""The page about a churn run."""

from tests.reports.pages import Parsed
from topicweave.algorithms import design
from topicweave.churn import Event, Shadow
from topicweave.churn.replay import replay
from topicweave.reports.churn_page import churn_page
from topicweave.workloads import random_churn, synthetic


def page_of(num_events):
    """A page about a small overlay after some events."""
    one, other = (synthetic(40, 8, popularity="uniform", subscriptions=3, seed=seed) for seed in (0, 1))
    maintainer = Shadow(one, design(one, "low").overlay, seed=0)
    rows = random_churn(one, other, num_events, seed=0) if num_events else []
    return churn_page(maintainer, replay(maintainer, [Event.from_record(row) for row in rows])), maintainer


def test_it_shows_the_state_and_what_the_events_did():
    """Four charts, the figures of now, the counts of the actions, the parameters; nothing is fetched."""
    page, maintainer = page_of(30)
    seen = Parsed(page)
    assert seen.tags.count("svg") == 4 and not seen.fetched
    assert f"{maintainer.num_edges:,}" in seen.cells and "of these leave" in seen.cells
    assert "Overlay after 30 events, kept by shadow" in seen.cells and "coverage" in seen.cells


def test_no_events_make_a_page_too():
    page, _ = page_of(0)
    assert "Overlay after 0 events, kept by shadow" in Parsed(page).cells

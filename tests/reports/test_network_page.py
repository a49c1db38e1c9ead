"""The page of a running network."""

from topicweave.reports.network_page import network_page


def test_the_page_needs_nothing_but_its_own_server():
    """It asks for the states of the brokers, and shows names as text, never as HTML."""
    page = network_page()
    assert 'fetch("states")' in page and "innerHTML" not in page
    assert "http://" not in page and "https://" not in page

"""A browser for the tests that look at pages."""

import pytest

from tests.reports.browser import Browser


@pytest.fixture(scope="session")
def chromium(tmp_path_factory):
    """One for all tests, for starting it takes longer than looking at a page."""
    running = Browser(tmp_path_factory.mktemp("chromium"))
    yield running
    running.close()


@pytest.fixture
def browser(chromium):
    """The browser as a reader has it: a light screen."""
    chromium.look_as()
    return chromium

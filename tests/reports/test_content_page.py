"""The page about a content plan."""

import re
import xml.etree.ElementTree as ElementTree

import pytest

from tests.content.cases import smooth
from tests.reports.pages import Parsed
from topicweave.content import assign, lower_bound
from topicweave.reports.content_page import content_page, network_page

ODD = ["<b>&\"'", "$\\alpha", "font: 1px;"]


@pytest.fixture(scope="module")
def instance():
    """Users and brokers whose names are markup, mathematics and style."""
    found = smooth(1, num_users=30)
    return found.replace(users=[f"</td>{number}" for number in range(30)], brokers=ODD)


def test_it_shows_costs_loads_and_moves(instance):
    """Against random and the bound; every name as it is, in tables and in pictures, and nothing is fetched."""
    found = assign(instance, "best", seed=0)
    page = content_page(found, lower_bound(instance).total)
    seen = Parsed(page)
    assert "30 users at 3 brokers by best" in seen.cells and not seen.fetched
    assert f"The random assignment costs {found.reduction:.2f} times as much." in seen.cells
    drawn = [ElementTree.fromstring(svg) for svg in re.findall(r"<svg.*?</svg>", page, re.DOTALL)]
    names = [text.text for svg in drawn for text in svg.iter("{http://www.w3.org/2000/svg}text")]
    assert all(names.count(odd) == 3 for odd in ODD), "at the bars, and on both sides of the map"
    assert f"The {min(10, len(found.moves))} steps that saved most, of {len(found.moves)}:" in seen.cells
    assert any(cell.startswith("</td>") for cell in seen.cells) and "<b>&" not in page


def test_without_moves_and_random_cost(instance):
    """The random assignment itself has nothing to be compared with."""
    found = assign(instance, "random", seed=0)
    seen = Parsed(content_page(found, lower_bound(instance).total))
    assert "No user was moved after the first assignment." in seen.cells


def test_the_page_of_a_running_network_needs_nothing_but_its_own_server():
    """It asks for the states of the brokers, and shows names as text, never as HTML."""
    page = network_page()
    assert 'fetch("states")' in page and "innerHTML" not in page
    assert "http://" not in page and "https://" not in page

"""The page about a content plan."""

import json
import re
import xml.etree.ElementTree as ElementTree

import pytest

from tests.content.cases import smooth
from tests.reports.browser import needs_browser
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


def running(states=None):
    """The page of a running network whose brokers answer these states."""
    names = [*ODD, "silent"]
    many = {f"{user} of many": 1 / (user + 1) for user in range(70)}
    found = states or {
        name: {
            "name": name, "address": f"[fd00::{number}]:7000", "unit": "bytes", "load": 40.0,
            "capacity": (50.0, None, 50.0)[number],
            "users": ({"<i>ann": 2.5, "bob": 4.0}, {}, many)[number],
            "suspected": ["silent"], "peers": names, "access": 10.0, "core": 5.0, "moved": 7, "saved": 3.0,
            "moves": [{"ago": 8.4 - number, "user": "</td>x", "from": name, "to": "silent", "saved": 1.25}],
        }
        for number, name in enumerate(ODD)
    }  # fmt: skip
    answer = {"brokers": names, "states": found, "expected": {"total": 60.0, "core": 9.0, "lower_bound": 30.0}}
    told = json.dumps(answer).replace("<", "\\u003c")
    return network_page().replace(
        "<script>", f"<script>window.fetch = async () => ({{json: async () => ({told})}});</script><script>", 1
    )


CELLS = "[...document.querySelectorAll('#{} tr')].map((line) => [...line.cells].map((cell) => cell.textContent))"


@needs_browser
def test_the_page_of_a_running_network_shows_what_brokers_say(browser):
    """Loads against capacity, cost against the plan's and the bound, moves, who is where; names as they are."""
    browser.open(running())
    browser.wait_for("document.querySelectorAll('#brokers tr').length")
    shown = {name: browser.run(CELLS.format(name)) for name in ("brokers", "moves", "users")}
    assert [line[:2] for line in shown["brokers"]] == [[odd, "does not hear silent"] for odd in ODD] + [
        ["silent", "does not answer"]
    ]
    assert [line[3] for line in shown["brokers"]] == ["50", "no limit", "50", ""]
    heads = browser.run("[...document.querySelectorAll('th')].map((head) => head.textContent)")
    assert heads[2] == "load, bytes a second"
    meters = browser.run("[...document.querySelectorAll('meter')].map((meter) => meter.value)")
    assert meters == [0.8, 0.8]
    assert shown["moves"][0] == ["6", "</td>x", ODD[2], "silent", "1.25"] and len(shown["moves"]) == 3
    assert shown["users"][0] == [ODD[0], "bob (4), <i>ann (2.5)"] and shown["users"][1] == [ODD[1], ""]
    assert shown["users"][2][1].startswith("0 of many (1), ") and shown["users"][2][1].endswith(", and 10 more")
    said = browser.run("document.getElementById('summary').textContent")
    assert said == (
        "72 users; cost a second now 45 (access 30, core 15); the plan's 60, no placement is below 30; 21 users moved."
    )

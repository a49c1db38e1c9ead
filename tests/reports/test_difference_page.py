"""The page of what changes between two plans: everything that the text says is on it, and nothing can run."""

from html.parser import HTMLParser

import topicweave as tw
from tests.deploy.conftest import random_plan
from topicweave.deploy.difference import plan_difference
from topicweave.reports.difference_page import difference_page


class Words(HTMLParser):
    """The text of a page, and its tags."""

    def __init__(self, page):
        super().__init__()
        self.text, self.tags = "", []
        self.feed(page)

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)

    def handle_data(self, data):
        self.text += data


def test_every_broker_link_and_line_is_there():
    found = plan_difference(random_plan(1), random_plan(40, num_nodes=9, start=1))
    seen = Words(difference_page(found, "old plan", "new plan"))
    assert found.joined
    assert found.left
    for name in (*found.joined, *found.left, *found.files, "old plan", "new plan"):
        assert name in seen.text
    for link in (*found.links_added, *found.links_removed):
        assert all(end in seen.text for end in link)
    for lines in found.files.values():
        assert all(line in seen.text for line in lines)


def test_names_are_text_and_never_tags():
    hostile = "<script>alert(1)</script>"
    one, other = (
        tw.deploy.trees(interest, tw.Overlay.from_pairs([("a", name)], interest.nodes))
        for name in ("b", hostile)
        for interest in [tw.Interest.from_pairs([("a", "x"), (name, "x")])]
    )
    page = difference_page(plan_difference(one, other), "old", hostile)
    assert hostile not in page
    assert hostile in Words(page).text

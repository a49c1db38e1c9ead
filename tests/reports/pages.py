"""Looking at pages as a browser does: what is well-formed, what is shown, and what would be fetched."""

from __future__ import annotations

from html.parser import HTMLParser

VOID = {"meta", "input", "path", "rect", "circle", "use", "image", "line"}


class Parsed(HTMLParser):
    """A page: its text, its tags, and whether every tag that was opened has been closed."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: list[str] = []
        self.cells: list[str] = []
        self.fetched: list[str] = []
        self.feed(page)
        self.close()
        assert not self.open, f"not closed: {self.open}"

    def handle_starttag(self, tag, attributes):
        self.tags.append(tag)
        self.fetched += [
            value
            for name, value in attributes
            if name in {"src", "href", "xlink:href"} and not value.startswith(("#", "data:"))
        ]
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.tags.append(tag)

    def handle_endtag(self, tag):
        if tag not in VOID:
            assert self.open and self.open.pop() == tag

    def handle_data(self, data):
        if self.open and self.open[-1] not in {"style", "script", "main", "svg", "g"} and data.strip():
            self.cells.append(data.strip())

"""An independent check of broker configuration files: could a message circulate forever under these files, or under a
mixture of old and new ones?

It reads mosquitto files as text, as the broker does, and knows nothing of plans, trees and waves. It never misses a
cycle. Where there are too many combinations to try all of them, it assumes the worst.
"""

from __future__ import annotations

from collections import defaultdict
from itertools import product, zip_longest
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    Files = Mapping[str, str]

# If a file both loses and gains bridges of a topic, its old and its new version are tried separately, in combination
# with the versions of the other such files. That is done for at most this many files; for further files, the old and
# the new bridges are assumed to exist at the same time.
MOST_CHOICES = 12
# If filters overlap, there is a narrower filter for the names that some of them have in common. If there are at most
# this many such filters, they are tried one by one; otherwise a message is assumed to match all overlapping filters.
MOST_COMMON = 2000


class Line(NamedTuple):
    """A ``topic`` line of a configuration file: the file, the connection it belongs to, the addresses of both brokers,
    and the topic filter.
    """

    file: str
    connection: str
    here: str
    there: str
    pattern: str


class Edge(NamedTuple):
    """A connection; however many of its lines let a message pass, a broker sends each message over it only once."""

    file: str
    connection: str
    here: str
    there: str


def read_lines(files: Files, addresses: Mapping[str, str]) -> list[Line]:
    """All ``topic`` lines in the files that let messages pass.

    Parameters
    ----------
    files
        The content of each broker's file.
    addresses
        The address (host:port) at which the broker that reads each file listens.
    """
    found = []
    for name, text in files.items():
        connection = address = ""
        for raw in text.splitlines():
            words = raw.split()
            if not words or words[0].startswith("#"):
                continue
            if words[0] == "connection":
                connection, address = words[1], ""
            elif words[0] == "address":
                address = words[1]
            elif words[0] == "topic" and len(words) < 5:  # a line with both prefixes only unsubscribes
                found.append(Line(name, connection, addresses[name], address, words[1]))
    return found


def find_cycle(files: Files, addresses: Mapping[str, str]) -> str | None:
    """Look for a topic whose bridges form a cycle or connect two brokers twice; return its name, or None."""
    return find_cycle_between(files, files, addresses)


def find_cycle_between(before: Files, after: Files, addresses: Mapping[str, str]) -> str | None:
    """Look for a cycle in every mixture of old and new files, because mixtures occur while brokers change one by one.

    Returns the name of a topic that could loop, or None if there is none.
    """
    old, new = (_by_pattern(read_lines(files, addresses)) for files in (before, after))
    patterns = old.keys() | new.keys()
    tree = _Tree(patterns)

    def can_close(found: Iterable[str]) -> bool:
        matching = list(found)
        one, other = ({edge for pattern in matching for edge in lines.get(pattern, ())} for lines in (old, new))
        return _can_close(one, other)

    for name in sorted(pattern for pattern in patterns if not _is_wild(pattern)):
        if can_close(tree.touching(name)):
            return name
    for family in _families(patterns, tree):
        everything = {other for one in family for other in tree.touching(one)}
        if not can_close(everything):
            continue
        common = _in_common(family, tree)
        if common is None:
            return min(family)
        for pattern in sorted(common):
            name = "/".join("any" if level in ("+", "#") else level for level in pattern.split("/"))
            if can_close(tree.touching(name)):
                return name
    return None


def _by_pattern(lines: Iterable[Line]) -> dict[str, set[Edge]]:
    found: dict[str, set[Edge]] = defaultdict(set)
    for line in lines:
        found[line.pattern].add(Edge(*line[:4]))
    return found


def _can_close(old: set[Edge], new: set[Edge]) -> bool:
    """Whether these connections form a cycle in some mixture of old and new files."""
    if not _has_cycle(old | new):
        return False
    lost, gained = old - new, new - old
    # Only files that both lose and gain bridges are tried old and new: of any other file, one version contains all
    # bridges of the other version, and is therefore the worse case.
    both = sorted({edge.file for edge in lost} & {edge.file for edge in gained})
    if not both:
        return True
    tried = both[:MOST_CHOICES]
    always = {edge for edge in old | new if edge.file not in tried} | (old & new)
    for choice in product((False, True), repeat=len(tried)):
        is_new = dict(zip(tried, choice, strict=True))
        chosen = {edge for edge in lost if is_new.get(edge.file) is False}
        chosen |= {edge for edge in gained if is_new.get(edge.file) is True}
        if _has_cycle(always | chosen):
            return True
    return False


def _has_cycle(edges: Iterable[Edge]) -> bool:
    """Whether connections form a cycle; two connections between the same pair count as a cycle."""
    above: dict[str, str] = {}

    def top(node: str) -> str:
        while node in above:
            node = above[node]
        return node

    for edge in edges:
        a, b = top(edge.here), top(edge.there)
        if a == b:
            return True
        above[a] = b
    return False


def _families(patterns: Iterable[str], tree: _Tree) -> Iterator[set[str]]:
    """Group the patterns with wildcards: patterns that can match the same name, directly or through other patterns, are
    in the same group.
    """
    wild = {pattern for pattern in patterns if _is_wild(pattern)}
    while wild:
        family, new = set[str](), {min(wild)}
        while new:
            family |= new
            new = {other for one in new for other in tree.touching(one) if other in wild} - family
        wild -= family
        yield family


def _in_common(family: set[str], tree: _Tree) -> set[str] | None:
    """These patterns, and for any of them that overlap, a pattern of the names that all of these match; None if there
    are too many.

    For every name that any pattern matches, one of the results lies inside exactly the patterns that match the name. So
    to know what can happen to a message, it is enough to try one name for each result.
    """
    found, new = set(family), set(family)
    while new:
        pairs = ((one, other) for one in new for other in tree.touching(one) if other in family)
        new = {_intersection(one, other) for one, other in pairs} - found
        found |= new
        if len(found) > len(family) + MOST_COMMON:
            return None
    return found


def _intersection(one: str, other: str) -> str:
    """The pattern of all names that match both patterns, which must overlap."""
    found: list[str] = []
    mine, theirs = one.split("/"), other.split("/")
    for depth, (a, b) in enumerate(zip_longest(mine, theirs)):
        if "#" in (a, b):  # "#" stands for all further levels of the other pattern, or for none: x/# matches x
            return "/".join([*found, *(theirs if a == "#" else mine)[depth:]])
        found.append(b if a == "+" else a)
    return "/".join(found)


def _is_wild(pattern: str) -> bool:
    return "+" in pattern or "#" in pattern


class _Tree:
    """Patterns, stored as a tree of their levels. To find the patterns that overlap with a given pattern, only part of
    the tree has to be searched.
    """

    def __init__(self, patterns: Iterable[str] = ()) -> None:
        self._below: dict[str, _Tree] = {}
        self._here: list[str] = []
        for pattern in patterns:
            at = self
            for level in pattern.split("/"):
                at = at._below.setdefault(level, _Tree())
            at._here.append(pattern)

    def touching(self, pattern: str) -> Iterator[str]:
        """The patterns that overlap with the given one: some name matches both."""
        return self._touching(pattern.split("/"))

    def _touching(self, levels: list[str]) -> Iterator[str]:
        if levels == ["#"]:
            yield from self._all()
            return
        if "#" in self._below:
            yield from self._below["#"]._here
        if not levels:
            yield from self._here
            return
        found = self._below.keys() - {"#"} if levels[0] == "+" else self._below.keys() & {levels[0], "+"}
        for level in found:
            yield from self._below[level]._touching(levels[1:])

    def _all(self) -> Iterator[str]:
        yield from self._here
        for below in self._below.values():
            yield from below._all()

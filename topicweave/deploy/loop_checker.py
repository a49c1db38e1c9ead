"""An independent check of broker configuration files: could a message circulate forever under these files, or under a
mixture of old and new ones?

It reads mosquitto files as text, as the broker does, and knows nothing of plans, trees and waves.
"""

from __future__ import annotations

from collections import defaultdict
from itertools import product
from random import Random
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    Files = Mapping[str, str]

# most combinations of old and new files that are checked per topic; if there are more, this many are chosen at random
MOST_MIXTURES = 4096


class Line(NamedTuple):
    """A ``topic`` line of a configuration file: the file, the addresses of both brokers, and the topic filter."""

    file: str
    here: str
    there: str
    pattern: str


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
        address = ""
        for raw in text.splitlines():
            words = raw.split()
            if not words or words[0].startswith("#"):
                continue
            if words[0] == "address":
                address = words[1]
            elif words[0] == "topic" and len(words) < 5:  # a line with both prefixes only unsubscribes
                found.append(Line(name, addresses[name], address, words[1]))
    return found


def find_cycle(files: Files, addresses: Mapping[str, str]) -> str | None:
    """Look for a topic whose bridges form a cycle or connect two brokers twice; return its name, or None."""
    lines = read_lines(files, addresses)
    at = _by_pattern(lines)
    for name in _names(line.pattern for line in lines):
        if _has_cycle([(line.here, line.there) for line in _on(at, name)]):
            return name
    return None


def find_cycle_between(before: Files, after: Files, addresses: Mapping[str, str]) -> str | None:
    """Look for a cycle in every mixture of old and new files, because mixtures occur while brokers change one by one.

    For a topic whose bridges differ in few files all mixtures are tried; otherwise many are drawn, with a fixed seed.
    """
    old, new = read_lines(before, addresses), read_lines(after, addresses)
    patterns = [line.pattern for line in (*old, *new)]
    at_old, at_new = _by_pattern(old), _by_pattern(new)
    by_name = {name: (_on(at_old, name), _on(at_new, name)) for name in _names(patterns)}
    draw = Random(0)
    for name, (one, other) in by_name.items():
        together = {(line.here, line.there) for line in (*one, *other)}
        if not _has_cycle(list(together)):
            continue
        differ = sorted({line.file for line in set(one) ^ set(other)})
        choices = (
            product((False, True), repeat=len(differ))
            if 2 ** len(differ) <= MOST_MIXTURES
            else ([draw.random() < 0.5 for _ in differ] for _ in range(MOST_MIXTURES))
        )
        for choice in choices:
            is_new = dict(zip(differ, choice, strict=True))
            mixed = [line for line in one if not is_new.get(line.file, False)]
            mixed += [line for line in other if is_new.get(line.file, True)]
            kept = {(line.file, line.here, line.there, line.pattern) for line in mixed}
            if _has_cycle([(here, there) for _, here, there, _ in kept]):
                return name
    return None


class _ByPattern(NamedTuple):
    plain: Mapping[str, list[Line]]
    wild: list[Line]


def _by_pattern(lines: Iterable[Line]) -> _ByPattern:
    """Group lines by their filter, with wildcard filters apart: most filters are plain names, which can be looked up
    directly.
    """
    found = _ByPattern(defaultdict(list), [])
    for line in lines:
        (found.wild if "+" in line.pattern or "#" in line.pattern else found.plain[line.pattern]).append(line)
    return found


def _on(lines: _ByPattern, name: str) -> list[Line]:
    return [*lines.plain.get(name, ()), *(line for line in lines.wild if _matches(line.pattern, name))]


def _names(patterns: Iterable[str]) -> list[str]:
    """For each pattern a topic name that matches it, and for each two patterns that may overlap a name that matches
    both.
    """
    listed = sorted(set(patterns))
    plain = [text for text in listed if "+" not in text and "#" not in text]
    wild = [text for text in listed if "+" in text or "#" in text]
    filled = {"/".join("any" if level in ("+", "#") else level for level in text.split("/")) for text in wild}
    for one in wild:
        for other in wild:
            if one != other:
                mine, theirs = one.split("/"), other.split("/")
                size = max(len(mine), len(theirs))
                mine += ["#"] * (size - len(mine))
                theirs += ["#"] * (size - len(theirs))
                pairs = zip(mine, theirs, strict=True)
                filled.add(
                    "/".join(b if a in ("+", "#") else a for a, b in pairs).replace("+", "any").replace("#", "any")
                )
    return sorted({*plain, *filled})


def _matches(pattern: str, name: str) -> bool:
    levels = name.split("/")
    wanted = pattern.split("/")
    for depth, level in enumerate(wanted):
        if level == "#":
            return True
        if depth >= len(levels) or level not in ("+", levels[depth]):
            return False
    return len(wanted) == len(levels)


def _has_cycle(pairs: list[tuple[str, str]]) -> bool:
    """Whether links form a cycle; two links between the same pair count as a cycle."""
    above: dict[str, str] = defaultdict(str)

    def top(node: str) -> str:
        while above[node]:
            node = above[node]
        return node

    for one, other in pairs:
        a, b = top(one), top(other)
        if a == b:
            return True
        above[a] = b
    return False

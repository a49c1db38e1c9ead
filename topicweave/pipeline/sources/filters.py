"""Topic filters of MQTT and NATS: the syntax of wildcards, and which topics a filter matches.

MQTT: ``+`` stands for one level, ``#`` at the end for any number of levels, including the parent; a filter that begins
with a wildcard does not match topics that begin with ``$``; a shared subscription ``$share/group/filter`` counts as a
subscription to ``filter``. NATS: ``*`` stands for one token, ``>`` at the end for one or more.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    import pyarrow as pa

SHARE = "$share/"

# the key under which a trie node stores the filter that ends there; names of levels are strings, so they cannot be
# equal to it
_END = 0


class Language(NamedTuple):
    """The wildcard syntax of a protocol.

    Attributes
    ----------
    name
        The name in messages.
    separator, one, rest
        The separator of levels; the wildcards for one level, and for all that follow.
    includes_parent
        Whether ``a/#`` matches ``a``.
    hides_dollar
        Whether a wildcard at the beginning does not match topics that begin with ``$``.
    """

    name: str
    separator: str
    one: str
    rest: str
    includes_parent: bool
    hides_dollar: bool

    @property
    def wildcard(self) -> str:
        """A regular expression that matches the wildcards in a filter."""
        between = re.escape(self.separator)
        return f"(^|{between})({re.escape(self.one)}|{re.escape(self.rest)})({between}|$)"


MQTT = Language("MQTT", "/", "+", "#", includes_parent=True, hides_dollar=True)
NATS = Language("NATS", ".", "*", ">", includes_parent=False, hides_dollar=False)
LANGUAGES = {"mqtt": MQTT, "nats": NATS}


class FilterTrie:
    """Filters as a tree of their levels (a trie), so that a single walk finds all filters that match a topic."""

    def __init__(self, filters: Iterable[str], language: Language = MQTT) -> None:
        self.language = language
        self.root: dict[Any, Any] = {}
        for text in filters:
            branch = self.root
            for level in text.split(language.separator):
                branch = branch.setdefault(level, {})
            branch[_END] = text

    def matching(self, topic: str) -> Iterator[str]:
        """The filters that match a topic name."""
        language = self.language
        levels = topic.split(language.separator)
        hidden = language.hides_dollar and topic.startswith("$")
        open_branches = [(self.root, 0)]
        while open_branches:
            branch, depth = open_branches.pop()
            is_end = depth == len(levels)
            if is_end and _END in branch:
                yield branch[_END]
            wildcards_count = not (hidden and depth == 0)
            rest_counts = wildcards_count and (language.includes_parent or not is_end)
            if rest_counts and _END in branch.get(language.rest, ()):
                yield branch[language.rest][_END]
            if is_end:
                continue
            if levels[depth] in branch:
                open_branches.append((branch[levels[depth]], depth + 1))
            if wildcards_count and language.one in branch:
                open_branches.append((branch[language.one], depth + 1))


class TopicMatcher:
    """Finds the filters that match each topic of a partition; made on the driver, used on the workers."""

    def __init__(self, filters: list[str], language: Language = MQTT) -> None:
        self.filters = filters
        self.language = language

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Yield (filter, topic) pairs, given batches of topics."""
        import pyarrow as pa

        trie = FilterTrie(self.filters, self.language)
        for batch in batches:
            found = [(text, topic) for topic in batch.column(0).to_pylist() for text in trie.matching(topic)]
            columns = [pa.array([pair[side] for pair in found], pa.string()) for side in (0, 1)]
            yield pa.record_batch(columns, ["filter", "topic"])

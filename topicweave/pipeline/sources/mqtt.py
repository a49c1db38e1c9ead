"""MQTT topic filters: which filters are well-formed, and which topics they match.

The rules are those of the MQTT standard: ``+`` stands for one level, ``#`` at the end for any number of levels, the
parent included; a filter that begins with a wildcard does not match topics that begin with ``$``; a shared
subscription ``$share/group/filter`` is, for who wants what, a subscription to ``filter``.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    import pyarrow as pa

ONE, REST = "+", "#"
SHARE = "$share/"

_END = 0  # key under which a trie keeps the filter that ends here; level names are strings, so it cannot clash


class FilterTrie:
    """Filters by level, so that all that match a topic are found by one walk."""

    def __init__(self, filters: Iterable[str]) -> None:
        self.root: dict[Any, Any] = {}
        for text in filters:
            branch = self.root
            for level in text.split("/"):
                branch = branch.setdefault(level, {})
            branch[_END] = text

    def matching(self, topic: str) -> Iterator[str]:
        """The filters that match a topic name."""
        levels = topic.split("/")
        hidden = topic.startswith("$")
        open_branches = [(self.root, 0)]
        while open_branches:
            branch, depth = open_branches.pop()
            if depth == len(levels) and _END in branch:
                yield branch[_END]
            wildcards_count = not (hidden and depth == 0)
            if wildcards_count and _END in branch.get(REST, ()):
                yield branch[REST][_END]
            if depth == len(levels):
                continue
            if levels[depth] in branch:
                open_branches.append((branch[levels[depth]], depth + 1))
            if wildcards_count and ONE in branch:
                open_branches.append((branch[ONE], depth + 1))


class TopicMatcher:
    """Finds the filters that match each topic of a partition; made on the driver, used on the workers."""

    def __init__(self, filters: list[str]) -> None:
        self.filters = filters

    def __call__(self, batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """Topics in, (filter, topic) out."""
        import pyarrow as pa

        trie = FilterTrie(self.filters)
        for batch in batches:
            found = [(text, topic) for topic in batch.column(0).to_pylist() for text in trie.matching(topic)]
            columns = [pa.array([pair[side] for pair in found], pa.string()) for side in (0, 1)]
            yield pa.record_batch(columns, ["filter", "topic"])

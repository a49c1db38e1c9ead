"""Plan: an overlay that was designed, written and verified; and the tables in which it is stored: links, nodes,
topics.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import chain
from typing import TYPE_CHECKING, Any

import numpy as np

from topicweave.columns import (
    COMPONENTS,
    CONTRIBUTION,
    DEGREE,
    DIAMETER,
    DIAMETER_EXACT,
    NODE,
    NUMBER,
    ROLE,
    SOURCE,
    SUBSCRIBERS,
    TARGET,
    TOPIC,
    TOPICS,
    TREE_DEPTH,
    TREE_HOPS,
)
from topicweave.errors import VerificationError
from topicweave.pipeline.plan.target import SUBSCRIPTIONS, TREES
from topicweave.wording import counted, gap_in_words, link_changes

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from pathlib import Path

    import pyarrow as pa
    from numpy.typing import NDArray

    from topicweave.model import Design, Interest, Overlay
    from topicweave.pipeline.connectivity import Verification
    from topicweave.trees import Trees


MOST_SHOWN = 5  # how many violations of requirements a summary lists

ROLE_NAMES = ("subscribe", "publish", "both")
"""By the bits of a role, from 1; of what the event schema says, the plan's own table needs no more than this."""
# rows per group of a Parquet file, and the size limit of its dictionaries in bytes
ROWS_PER_GROUP, LARGEST_DICTIONARY = 1_000_000, 1 << 30


@dataclass(frozen=True)
class Plan:
    """A finished plan, as the design job returns it.

    Attributes
    ----------
    interest, design
        The interest, and the design for it.
    verification
        The result of the independent check of the written links.
    manifest
        Inputs, counts, parameters, versions and times.
    folder
        Where it was written; ``None`` if it was not written.
    """

    interest: Interest
    design: Design
    verification: Verification
    manifest: Mapping[str, Any] = field(repr=False)
    folder: Path | None = None

    def summary(self) -> str:
        """A few lines to print."""
        rows = self.manifest["rows"]
        bad = sum(sum(part["quarantined"].values()) for part in rows["inputs"].values())
        ring = self.manifest["comparison"][1]
        lines = [
            self.design.summary(),
            f"  verified        {'every topic is connected' if self.verification.topic_connected else self._cut()}",
            f"  a ring per topic would have {counted(ring['links'], 'link')}, a full mesh "
            f"{self.manifest['comparison'][2]['links']:,}",
            f"  rows            {sum(part['read'] for part in rows['inputs'].values()):,} read, {bad:,} in quarantine, "
            f"{rows['duplicates']:,} repeated",
        ]
        for name, section in (("improved", "improved"), ("earlier plan", "prefer")):
            if self.manifest.get(section):
                lines.append(f"  {name:<14}  {link_changes(self.manifest[section])}")
        trees = self.manifest.get("trees") or {}
        if "trees" in trees:  # without trees, the section only says what they are for
            lines.append(
                f"  trees           {trees['trees']:,} with at most {counted(trees['largest_depth'], 'hop')} from the "
                f"root, on {trees['links_used']:,} of the links"
            )
        required = self.manifest.get("requirements")
        if required:
            violated = "all met" if required["met"] else f"NOT met: {counted(required['violations'], 'violation')}"
            lines.append(f"  requirements    {violated}; {'; '.join(required['in_words'])}")
            lines += [f"    {violation}" for violation in required["first_violations"][:MOST_SHOWN]]
            if required["cost"] is not None:
                lines.append(f"  link costs      {required['cost']:,.1f}")
        if self.manifest.get("bound"):
            known = self.manifest["bound"]
            lines.append(f"  bound           at least {known['least_links']:,} links; {gap_in_words(known['gap'])}")
        lines += [f"  note: {remark}" for remark in rows.get("remarks", ())]
        if self.folder is not None:
            lines.append(f"  written to      {self.folder}")
        return "\n".join(lines)

    def _cut(self) -> str:
        cut = len(self.verification.disconnected_topics)
        return f"{cut:,} of {self.verification.num_topics:,} topics are not connected"


def edges_table(design: Design) -> pa.Table:
    """The links in the order they were added, with their contributions (null for links that existed before)."""
    import pyarrow as pa

    table = design.overlay.to_arrow()
    given = table.num_rows - len(design.trace.contribution)
    contribution = pa.chunked_array([pa.nulls(given, pa.int64()), pa.array(design.trace.contribution, pa.int64())])
    return pa.table(
        {SOURCE: table[SOURCE], TARGET: table[TARGET], CONTRIBUTION: contribution.combine_chunks()},
    )


def safe_for_spreadsheets(table: pa.Table) -> pa.Table:
    """Put an apostrophe in front of every string that a spreadsheet might execute as a formula.

    OWASP's page about CSV injection lists the characters with which such strings begin.
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    for place, column in enumerate(table.schema):
        if pa.types.is_string(column.type):
            cells = pc.replace_substring_regex(table.column(place), r"^([=+\-@\t\r\n＝＋－＠])", r"'\1")
            table = table.set_column(place, column, cells)
    return table


def subscriptions_table(interest: Interest, first: int = 0, rows: int | None = None) -> pa.Table:
    """A table of the plan's subscriptions (node, topic, role), sorted; ``first`` and ``rows`` select a part of it."""
    topic = interest.indices[first : None if rows is None else first + rows]
    node = np.searchsorted(interest.indptr, np.arange(first, first + len(topic)), side="right") - 1
    low, high = (int(node[0]), int(node[-1]) + 1) if len(node) else (0, 0)
    roles = None if interest.roles is None else interest.roles[first : first + len(topic)]
    return pairs_table(node - low, interest.nodes[low:high], topic, interest.topics, roles)


def pairs_table(
    node_of: NDArray[Any],
    nodes: Sequence[str],
    topic_of: NDArray[Any],
    topics: Sequence[str],
    roles: NDArray[np.uint8] | None = None,
) -> pa.Table:
    """A table of subscriptions given as numbers, with labels; dictionary-encoded, because labels repeat."""
    import pyarrow as pa

    columns = {
        NODE: (node_of, nodes),
        TOPIC: (topic_of, topics),
        ROLE: (np.zeros(len(node_of), dtype=np.int32) if roles is None else roles - 1, ROLE_NAMES),
    }
    return pa.table(
        {
            name: pa.DictionaryArray.from_arrays(pa.array(numbers, pa.int32()), pa.array(labels, pa.string()))
            for name, (numbers, labels) in columns.items()
        }
    )


def write_subscriptions(interest: Interest, folder: Path) -> None:
    """Write the subscriptions of a plan into its folder."""
    starts = range(ROWS_PER_GROUP, interest.num_subscriptions, ROWS_PER_GROUP)
    later = (subscriptions_table(interest, first, ROWS_PER_GROUP) for first in starts)
    write_pairs(subscriptions_table(interest, 0, ROWS_PER_GROUP), folder, later)


def write_pairs(table: pa.Table, folder: Path, later: Iterable[pa.Table] = ()) -> None:
    """Write a table of subscriptions into a plan folder, as a Parquet file.

    The columns of the table are dictionary-encoded, but readers of the file get ordinary columns of strings. ``table``
    and each of ``later`` becomes a row group, in which every label is stored once however many rows use it.
    """
    import pyarrow.parquet as pq

    options = {"store_schema": False, "dictionary_pagesize_limit": LARGEST_DICTIONARY}
    with pq.ParquetWriter(folder / SUBSCRIPTIONS, table.schema, **options) as writer:
        for group in chain((table,), later):
            writer.write_table(group)


def write_trees(trees: Trees, folder: Path) -> None:
    """Write the dissemination trees of an overlay into a plan folder."""
    import pyarrow.parquet as pq

    pq.write_table(trees.to_arrow(), folder / TREES)


def nodes_table(interest: Interest, overlay: Overlay) -> pa.Table:
    """A table of the nodes by number: label, number of links, number of topics."""
    import pyarrow as pa

    return pa.table(
        {
            NUMBER: pa.array(np.arange(interest.num_nodes), pa.int64()),
            NODE: pa.array(interest.nodes, pa.string()),
            DEGREE: pa.array(overlay.degrees, pa.int64()),
            TOPICS: pa.array(np.diff(interest.indptr), pa.int64()),
        }
    )


def topics_table(interest: Interest, verification: Verification, trees: Trees | None = None) -> pa.Table:
    """A table of the topics by number: label, subscribers, components, diameter (null if not connected), and whether
    that is exact.

    If there are trees, also the depth of the topic's tree and the most hops in it. The other figures are the
    verifier's; it is checked here that its topics and subscriber counts match the interest.
    """
    import pyarrow as pa

    found = verification.topics
    expected = np.bincount(interest.indices, minlength=interest.num_topics)
    if tuple(found[TOPIC].to_pylist()) != tuple(interest.topics) or not np.array_equal(
        found[SUBSCRIBERS].to_numpy(), expected
    ):
        raise VerificationError(
            f"The input changed while the plan was made: {verification.num_subscriptions:,} of "
            f"{verification.num_topics:,} topics were verified, {interest.num_subscriptions:,} of "
            f"{interest.num_topics:,} were designed for; rerun on a stable copy."
        )
    return pa.table(
        {
            NUMBER: pa.array(np.arange(interest.num_topics), pa.int64()),
            TOPIC: found[TOPIC].combine_chunks(),
            SUBSCRIBERS: found[SUBSCRIBERS].combine_chunks(),
            COMPONENTS: found[COMPONENTS].combine_chunks(),
            DIAMETER: found[DIAMETER].combine_chunks(),
            DIAMETER_EXACT: found[DIAMETER_EXACT].combine_chunks(),
            **(
                {}
                if trees is None
                else {
                    TREE_DEPTH: pa.array(trees.depths, pa.int64()),
                    TREE_HOPS: pa.array(trees.arrays.hops[trees.class_of], pa.int64()),
                }
            ),
        }
    )


def diameter_figures(topics: pa.Table) -> dict[str, Any]:
    """Some statistics of the topic diameters, and how many of them are only lower bounds."""
    values = topics[DIAMETER].drop_null().to_numpy()
    exact = topics[DIAMETER_EXACT].drop_null().to_numpy(zero_copy_only=False)
    shared = topics[SUBSCRIBERS].to_numpy()[topics[DIAMETER].is_valid().to_numpy(zero_copy_only=False)] > 1
    return {
        "largest": int(values.max(initial=0)),
        "mean_of_shared_topics": float(values[shared].mean()) if shared.any() else 0.0,
        "exact": int(exact.sum()),
        "lower_bounds": int((~exact).sum()),
    }

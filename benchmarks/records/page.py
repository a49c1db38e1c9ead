"""The page of the docs that lists all records."""

from __future__ import annotations

from typing import TYPE_CHECKING

from benchmarks.records.instances import INSTANCES

if TYPE_CHECKING:
    from benchmarks.records.checker import Proved

WORDS = """\
# Records: overlays to beat

Instances with the best overlay known to this project and a certified bound: no topic-connected overlay has fewer links.
The gap is that to the bound rounded up, because no overlay has a fraction of a link; where both meet, the overlay is
optimal. Whoever finds fewer links, or proves a higher bound, has beaten the record.

Instances are drawn by `tw.workloads.synthetic` with the parameters listed; the digest is the beginning of the SHA-256
of all subscriptions (`digest_of` in `benchmarks/records/checker.py`). Searches begin with Greedy Merge and keep to its
maximum degree, so an overlay with a busier hub and fewer links may exist.

`python -m benchmarks records` checks all existing records and writes this page; with `--seconds 60` it first searches
for that long per instance, and keeps what is better. Small records are in `benchmarks/records/stored`; the others are
made by that command in `build/records`, and their rows say what was proved when they were made. The checker imports
nothing of topicweave: `python benchmarks/records/checker.py FILE`.

"""


def page(rows: dict[str, Proved]) -> str:
    """The page as Markdown, with a row for every instance that has a record."""
    lines = [
        "| instance | digest | links | maximum degree | certified bound | gap | record |",
        "|---|---|--:|--:|--:|--:|---|",
    ]
    for name in (each for each in INSTANCES if each in rows):
        found = rows[name]
        gap = "optimal" if found.links == found.least_links else f"{found.links / found.least_links - 1:.2%}"
        kept = "in the tree" if INSTANCES[name].is_stored else "made by the command"
        proved = f"{found.links:,} | {found.maximum_degree} | {found.bound:,.2f} | {gap}"
        lines.append(f"| {name} | `{found.digest}` | {proved} | {kept} |")
    lines += ["", "## Parameters", "", "| instance | parameters |", "|---|---|"]
    for name, instance in INSTANCES.items():
        told = ", ".join(f"{key}={value!r}" for key, value in instance.parameters.items())
        lines.append(f"| {name} | `{told}` |")
    return WORDS + "\n".join(lines) + "\n"

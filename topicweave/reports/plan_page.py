"""report.html: a self-contained page about a plan, and statistics that the manifest contains as well.

The statistics are about the pairs that the design chose from, and compare the overlay's links with those of a ring per
topic and of a full mesh.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from topicweave.columns import DIAMETER, SUBSCRIBERS
from topicweave.model import Overlay
from topicweave.reports import charts
from topicweave.reports.drawing import Drawing, draw
from topicweave.reports.page import render
from topicweave.reports.search import search_data
from topicweave.wording import counted, label_in_words, link_changes, percent

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import pyarrow as pa

    from topicweave.model import Design, Interest
    from topicweave.reports.tradeoff_page import TradeoffPoint

_MOST_LISTED = 20


@dataclass(frozen=True)
class Comparison:
    """Another way to build the overlay, and the number of links it needs."""

    name: str
    links: int
    average_degree: float
    maximum_degree: int


def comparisons(interest: Interest, overlay: Overlay) -> tuple[Comparison, ...]:
    """Compare this overlay with two others: a ring for every topic, and links between all pairs of nodes."""
    from topicweave.algorithms.per_topic import ring

    n = interest.num_nodes
    rings = Overlay(interest.nodes, ring(interest))
    return (
        Comparison("this plan", overlay.num_edges, overlay.average_degree, overlay.maximum_degree),
        Comparison("a ring for every topic", rings.num_edges, rings.average_degree, rings.maximum_degree),
        Comparison("full mesh", n * (n - 1) // 2, float(max(n - 1, 0)), max(n - 1, 0)),
    )


def describe_candidates(planned: Design, parameters: Mapping[str, Any]) -> dict[str, Any] | None:
    """Which kind of candidates was asked for and used, and the rounds; None for algorithms without candidates.

    ``parameters`` are those that were given, without defaults.
    """
    from topicweave.algorithms import ALGORITHMS

    if not ALGORITHMS[planned.algorithm].goes_on:
        return None
    is_near = planned.parameters.get("candidates") == "near"
    given = parameters.get("candidates") or ("auto" if parameters.get("num_candidates") is None else "near")
    found: dict[str, Any] = {
        "asked": given if parameters.get("pairs") is None else "pairs",
        "taken": "near" if is_near else "all" if parameters.get("pairs") is None else "pairs",
    }
    if is_near:
        found["num_candidates"] = planned.parameters["num_candidates"]
        found["rounds"] = [
            {name: int(number) for name, number in one._asdict().items()} for one in planned.trace.rounds
        ]
    return found


def in_words(candidates: Mapping[str, Any] | None) -> str:
    """A few words on which candidates were used and why; empty if there was no choice."""
    from topicweave.algorithms.options import AUTO_NODES

    if candidates is None:
        return ""
    way = {"near": "near candidates", "all": "all pairs", "pairs": "the pairs given"}[candidates["taken"]]
    if candidates["taken"] == "near":
        way = f"{candidates['num_candidates']} {way} a node"
    if candidates["asked"] != "auto":
        return way
    return f"{way} (auto: {'more than' if candidates['taken'] == 'near' else 'up to'} {AUTO_NODES:,} nodes)"


class Verdict(Protocol):
    """The part of a verification that the page shows."""

    @property
    def topic_connected(self) -> bool: ...
    @property
    def num_topics(self) -> int: ...
    @property
    def support(self) -> float: ...
    @property
    def disconnected_topics(self) -> Sequence[str]: ...


def plan_page(
    interest: Interest,
    design: Design,
    verification: Verdict,
    topics: pa.Table,
    compared: tuple[Comparison, ...],
    manifest: Mapping[str, Any],
    points: Sequence[TradeoffPoint] = (),
) -> str:
    """Make a self-contained HTML page about a plan; ``points`` are designs of a trade-off, among which it is shown."""
    overlay = design.overlay
    drawing = draw(interest, overlay)
    sizes = np.diff(interest.indptr)
    shared = topics.filter(np.asarray(topics[SUBSCRIBERS]) > 1)
    diameters = shared[DIAMETER].drop_null().to_numpy()
    given = overlay.num_edges - len(design.trace.contribution)
    required = manifest.get("requirements")
    return render(
        "plan.html",
        title=f"Overlay of {interest.num_nodes:,} nodes and {interest.num_topics:,} topics by {design.algorithm}",
        topic_connected=verification.topic_connected,
        verdict=_verdict(verification),
        notes=[*design.notes, *manifest["rows"].get("remarks", ())],
        figures=[
            *_figures(interest, design, verification, diameters, bool(manifest["diameters"]["lower_bounds"])),
            *_gap(manifest.get("bound")),
        ],
        search_data=search_data(interest, overlay),
        saving=_saving(compared, verification.topic_connected),
        comparison_chart=charts.comparison_chart(compared),
        comparison_rows=[
            (each.name, f"{each.links:,}", f"{each.average_degree:,.2f}", f"{each.maximum_degree:,}")
            for each in compared
        ],
        degrees=charts.degree_histogram(overlay.degrees),
        support=charts.support_curve(_first_support(design), design.trace.support, given),
        distributions=charts.distributions(sizes, np.bincount(interest.indices, minlength=interest.num_topics)),
        diameters=charts.diameter_chart(diameters),
        diameter_note=_diameter_note(manifest["diameters"]),
        drawing=drawing.svg,
        drawing_note=_drawing_note(drawing),
        rounds=describe_rounds(manifest["candidates"]),
        disconnected=_disconnected(verification.disconnected_topics),
        hubs=_hubs(overlay.labels, overlay.degrees, sizes),
        rows=_row_counts(manifest["rows"]),
        required=required,
        tradeoff=_tradeoff(points, overlay, diameters, required),
        outages=_outages(manifest.get("outages"), interest.num_nodes),
        trees=_trees(manifest.get("trees", {})),
        settings=_settings(manifest),
    )


def _first_support(design: Design) -> float:
    """The support before any link was added."""
    trace = design.trace
    span = trace.support_base - trace.components_least
    return (trace.support_base - trace.components_before) / span if span else 1.0


def _verdict(verification: Verdict) -> str:
    if verification.topic_connected:
        return "Every topic is connected: its subscribers reach each other through subscribers of that topic alone."
    cut = len(verification.disconnected_topics)
    return (
        f"{cut:,} of {verification.num_topics:,} topics are not connected; support is {percent(verification.support)}."
    )


def _figures(
    interest: Interest, design: Design, verification: Verdict, diameters: Any, has_lower_bounds: bool
) -> list[tuple[str, str]]:
    overlay = design.overlay
    farthest = (
        "hops or more between the farthest two of a connected topic"
        if has_lower_bounds
        else "hops at most within a connected topic"
    )
    return [
        (f"{overlay.num_edges:,}", "links"),
        (f"{overlay.average_degree:.2f}", "links per node, on average"),
        (f"{overlay.maximum_degree:,}", "links of the busiest node"),
        (percent(verification.support), "support"),
        (f"{int(diameters.max(initial=0))}", farthest),
        (f"{interest.num_subscriptions:,}", "subscriptions"),
    ]


def _gap(bound: Mapping[str, Any] | None) -> list[tuple[str, str]]:
    """How far the plan is from a certified lower bound, if one was computed."""
    if not bound:
        return []
    least = bound["least_links"]
    if bound["gap"] < 0:
        return [(f"{least:,}", "links, at least, are needed to connect every topic (certified)")]
    return [(percent(bound["gap"]), f"above the certified bound of {least:,} links")]


def _saving(compared: tuple[Comparison, ...], topic_connected: bool) -> str:
    plan, ring, mesh = compared
    if not plan.links:
        return "This plan needs no links at all." if topic_connected else "This plan has no links at all."
    return (
        f"A ring for every topic would take {_times(ring.links / plan.links)} as many links, "
        f"a full mesh {_times(mesh.links / plan.links)}."
        + ("" if topic_connected else " They would connect every topic, though, which this plan does not.")
    )


def _times(ratio: float) -> str:
    return f"{ratio:,.1f} times" if ratio < 100 else f"{ratio:,.0f} times"


def _tradeoff(
    points: Sequence[TradeoffPoint], overlay: Overlay, diameters: Any, required: Mapping[str, Any] | None
) -> Any:
    """The charts that show where this plan lies among the designs of a trade-off, if there was one."""
    if not points:
        return ()
    from topicweave.reports.tradeoff_page import tradeoff_charts

    given = {
        "links": overlay.num_edges,
        "maximum_degree": overlay.maximum_degree,
        "largest_hops": int(diameters.max(initial=0)),
        "cost": required["cost"] if required else None,
    }
    return tradeoff_charts(points, given)


def _diameter_note(figures: Mapping[str, Any]) -> str:
    if not figures["lower_bounds"]:
        return "All diameters are exact."
    return f"{figures['lower_bounds']:,} of the largest topics were searched from a few ends only: lower bounds."


def _drawing_note(drawing: Drawing) -> str:
    note = "All nodes and links."
    if drawing.num_shown < drawing.num_nodes:
        note = (
            f"The {drawing.num_shown:,} nodes nearest to the one with most links, of {drawing.num_nodes:,}, "
            f"and the links among them."
        )
    hubs = " Orange: the busiest nodes, with at least twice as many links as the average." if drawing.num_hubs else ""
    return f"{note} Point at a node to see its name.{hubs}"


def _disconnected(topics: Sequence[str]) -> dict[str, Any] | None:
    if not topics:
        return None
    return {
        "listed": [label_in_words(topic) for topic in topics[:_MOST_LISTED]],
        "more": max(0, len(topics) - _MOST_LISTED),
    }


def describe_rounds(candidates: Mapping[str, Any] | None) -> dict[str, Any] | None:
    """The table of rounds with near candidates; None for designs without rounds."""
    rounds = candidates["rounds"] if candidates and candidates["taken"] == "near" else []
    if not rounds:
        return None
    rows = [[f"{number:,}" for number in (place, *one.values())] for place, one in enumerate(rounds, 1)]
    return {
        "candidates": in_words(candidates),
        "chart": charts.rounds_chart(rounds),
        "head": ("round", "contributing at least", "searches by nodes", "candidates", "links made", "merges left"),
        "rows": rows if len(rows) <= _MOST_LISTED else [*rows[: _MOST_LISTED - 5], *rows[-5:]],
        "total": len(rows),
    }


def _hubs(labels: Sequence[str], degrees: Any, topics: Any) -> list[tuple[str, str, str]]:
    busiest = np.argsort(-degrees, kind="stable")[:10].tolist()
    return [(label_in_words(labels[node]), f"{degrees[node]:,}", f"{topics[node]:,}") for node in busiest]


def _outages(found: Mapping[str, Any] | None, num_nodes: int) -> dict[str, Any] | None:
    """What the failures of single nodes would break, as text and as a table; None if it is not known."""
    if found is None:
        return None
    harmful, fragile = counted(found["harmful_nodes"], "node"), counted(found["fragile_topics"], "topic")
    return {
        "words": f"{harmful} of {num_nodes:,} would break topics by failing alone; {fragile} would break so."
        if found["harmful_nodes"]
        else "No topic breaks if any one node fails.",
        "rows": [
            (label_in_words(each["node"]), f"{each['broken']:,}", f"{each['cut_off']:,}") for each in found["worst"]
        ],
    }


def _trees(about: Mapping[str, Any]) -> list[tuple[str, str]]:
    """A description of the trees; empty if there are none."""
    if "objective" not in about:
        return []
    from topicweave.reports.trees import tree_rows

    return tree_rows(about)


def _row_counts(rows: Mapping[str, Any]) -> list[tuple[str, str, str]]:
    lines = []
    for name, counts in rows["inputs"].items():
        lines.append((name, "read", f"{counts['read']:,}"))
        lines.append(("", "used", f"{counts['valid']:,}"))
        lines += [("", f"ignored: {reason}", f"{number:,}") for reason, number in counts["ignored"].items()]
        lines += [("", f"in quarantine: {reason}", f"{number:,}") for reason, number in counts["quarantined"].items()]
    lines.append(("subscriptions", "repeated", f"{rows['duplicates']:,}"))
    lines.append(("", "distinct", f"{rows['subscriptions']:,}"))
    return lines


def _settings(manifest: Mapping[str, Any]) -> list[tuple[str, str]]:
    lines = [("algorithm", manifest["algorithm"])]
    if manifest["candidates"]:
        lines.append(("chosen from", in_words(manifest["candidates"])))
    if manifest.get("requirements"):
        lines += [("required", words) for words in manifest["requirements"]["in_words"]]
    if manifest.get("improved"):
        lines.append(("improved", manifest["improved"]["plan"]))
        lines.append(("links", link_changes(manifest["improved"])))
    if manifest.get("prefer"):
        lines.append(("preferred", manifest["prefer"]["plan"] or "an overlay"))
        lines.append(("against it", link_changes(manifest["prefer"])))
    lines += [(str(name), str(value)) for name, value in manifest["parameters"].items() if value is not None]
    lines += [
        (f"{stage}, resumed from an interrupted run, seconds then", f"{seconds:.2f}")
        for stage, seconds in manifest["resumed"].items()
    ]
    lines += [(f"{stage}, seconds", f"{seconds:.2f}") for stage, seconds in manifest["seconds"].items()]
    lines += [(name, str(version)) for name, version in manifest["versions"].items()]
    return lines

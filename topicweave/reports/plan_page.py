"""report.html: one self-contained page about a plan."""

from __future__ import annotations

from html import escape
from pathlib import Path
from string import Template
from typing import TYPE_CHECKING, Any

import numpy as np

from topicweave.columns import DIAMETER, SUBSCRIBERS
from topicweave.reports import charts
from topicweave.reports.candidates import in_words
from topicweave.reports.drawing import Drawing, draw
from topicweave.wording import percent

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    import pyarrow as pa

    from topicweave.model import Design, Interest
    from topicweave.pipeline.plan.tables import Comparison
    from topicweave.pipeline.verify import Verification

_MOST_LISTED = 20


def report_page(
    interest: Interest,
    design: Design,
    verification: Verification,
    topics: pa.Table,
    ways: tuple[Comparison, ...],
    manifest: Mapping[str, Any],
) -> str:
    """The page."""
    overlay = design.overlay
    drawing = draw(interest, overlay)
    template = Template(Path(__file__).with_name("plan_page.html").read_text(encoding="utf-8"))
    shared = topics.filter(np.asarray(topics[SUBSCRIBERS]) > 1)
    diameters = shared[DIAMETER].drop_null().to_numpy()
    given = overlay.num_edges - len(design.trace.contribution)
    return template.substitute(
        title=escape(_title(interest, design)),
        verdict=_verdict(verification),
        verdict_class="good" if verification.topic_connected else "partial",
        cards=_cards(interest, design, verification, diameters),
        saving=_saving(ways, verification.topic_connected),
        comparison=charts.comparison_chart(ways),
        comparison_rows=_comparison_rows(ways),
        degrees=charts.degree_histogram(overlay.degrees),
        support=charts.support_curve(_first_support(design), design.trace.support, given),
        distributions=charts.distributions(
            np.diff(interest.indptr), np.bincount(interest.indices, minlength=interest.num_topics)
        ),
        diameters=charts.diameter_chart(diameters),
        diameter_note=_diameter_note(manifest["diameters"]),
        drawing=drawing.svg,
        drawing_note=_drawing_note(drawing),
        rounds=_rounds(manifest["candidates"]),
        disconnected=_disconnected(verification),
        hubs=_hubs(overlay.labels, overlay.degrees, np.diff(interest.indptr)),
        rows=_row_counts(manifest["rows"]),
        settings=_settings(manifest),
    )


def _title(interest: Interest, design: Design) -> str:
    return f"Overlay of {interest.num_nodes:,} nodes and {interest.num_topics:,} topics by {design.algorithm}"


def _first_support(design: Design) -> float:
    """The support before the first link was added."""
    trace = design.trace
    span = trace.support_base - trace.components_least
    return (trace.support_base - trace.components_before) / span if span else 1.0


def _verdict(verification: Verification) -> str:
    if verification.topic_connected:
        return "Every topic is connected: any subscriber reaches all others of its topic through subscribers alone."
    cut = len(verification.disconnected_topics)
    return f"{cut:,} of {verification.num_topics:,} topics are in pieces; support is {percent(verification.support)}."


def _cards(interest: Interest, design: Design, verification: Verification, diameters: Any) -> str:
    overlay = design.overlay
    cards = (
        (f"{overlay.num_edges:,}", "links"),
        (f"{overlay.average_degree:.2f}", "links of a node, on average"),
        (f"{overlay.maximum_degree:,}", "links of the busiest node"),
        (percent(verification.support), "support"),
        (f"{int(diameters.max(initial=0))}", "hops at most within a connected topic"),
        (f"{interest.num_subscriptions:,}", "subscriptions"),
    )
    return "".join(f"<div class=card><b>{escape(value)}</b><span>{escape(name)}</span></div>" for value, name in cards)


def _saving(ways: tuple[Comparison, ...], topic_connected: bool) -> str:
    plan, ring, mesh = ways
    if not plan.links:
        return "This plan needs no links at all."
    return (
        f"A ring for every topic would take {_times(ring.links / plan.links)} as many links, "
        f"a full mesh {_times(mesh.links / plan.links)}."
        + ("" if topic_connected else " They would connect every topic, though, which this plan does not.")
    )


def _times(ratio: float) -> str:
    return f"{ratio:,.1f} times" if ratio < 100 else f"{ratio:,.0f} times"


def _comparison_rows(ways: tuple[Comparison, ...]) -> str:
    return _table_rows(
        (way.name, f"{way.links:,}", f"{way.average_degree:,.2f}", f"{way.maximum_degree:,}") for way in ways
    )


def _diameter_note(figures: Mapping[str, Any]) -> str:
    if not figures["lower_bounds"]:
        return "All diameters are exact."
    return f"{figures['lower_bounds']:,} of the largest topics were searched from a few ends only: lower bounds."


def _drawing_note(drawing: Drawing) -> str:
    note = "Every node and every link."
    if drawing.num_shown < drawing.num_nodes:
        note = (
            f"The {drawing.num_shown:,} nodes nearest to the one with most links, of {drawing.num_nodes:,}, "
            f"and the links among them."
        )
    hubs = " Orange: the busiest nodes, with at least twice as many links as the average." if drawing.num_hubs else ""
    return f"{note} Point at a node to see its name.{hubs}"


def _disconnected(verification: Verification) -> str:
    cut = verification.disconnected_topics
    if not cut:
        return ""
    listed = ", ".join(f"<code>{escape(topic[:60])}</code>" for topic in cut[:_MOST_LISTED])
    more = f" and {len(cut) - _MOST_LISTED:,} more" if len(cut) > _MOST_LISTED else ""
    return f"<section><h2>Topics in pieces</h2><p>{listed}{more}. All of them are in topics.parquet.</p></section>"


def _rounds(candidates: Mapping[str, Any] | None) -> str:
    """The section about the rounds of near candidates; nothing for designs without."""
    rounds = candidates["rounds"] if candidates and candidates["taken"] == "near" else []
    if not rounds:
        return ""
    names = ("round", "merging at least", "searches of nodes", "candidates", "links made", "merges left")
    rows = [(number, *one.values()) for number, one in enumerate(rounds, 1)]
    shown = rows if len(rows) <= _MOST_LISTED else [*rows[: _MOST_LISTED - 5], *rows[-5:]]
    note = (
        "" if len(rows) == len(shown) else f" The table has the first and the last of {len(rows):,}, manifest.json all."
    )
    return (
        f"<section><h2>Rounds of near candidates</h2><p>Links were chosen from "
        f"{escape(in_words(candidates))}, looked for again from round to round.{note}</p>{charts.rounds_chart(rounds)}"
        f"<table class=numbers><thead><tr>{''.join(f'<th>{name}</th>' for name in names)}</tr></thead>"
        f"<tbody>{_table_rows([f'{number:,}' for number in row] for row in shown)}</tbody></table></section>"
    )


def _hubs(labels: Sequence[str], degrees: Any, topics: Any) -> str:
    busiest = np.argsort(-degrees, kind="stable")[:10].tolist()
    return _table_rows((labels[node][:60], f"{degrees[node]:,}", f"{topics[node]:,}") for node in busiest)


def _row_counts(rows: Mapping[str, Any]) -> str:
    lines = []
    for name, counts in rows["inputs"].items():
        lines.append((name, "read", f"{counts['read']:,}"))
        lines.append(("", "used", f"{counts['valid']:,}"))
        lines += [("", f"ignored: {reason}", f"{number:,}") for reason, number in counts["ignored"].items()]
        lines += [("", f"in quarantine: {reason}", f"{number:,}") for reason, number in counts["quarantined"].items()]
    lines.append(("subscriptions", "repeated", f"{rows['duplicates']:,}"))
    lines.append(("", "distinct", f"{rows['subscriptions']:,}"))
    return _table_rows(lines)


def _settings(manifest: Mapping[str, Any]) -> str:
    lines = [("algorithm", manifest["algorithm"])]
    if manifest["candidates"]:
        lines.append(("chosen from", in_words(manifest["candidates"])))
    lines += [(str(name), str(value)) for name, value in manifest["parameters"].items() if value is not None]
    lines += [
        (f"{stage}, taken over from a run that did not end, seconds then", f"{seconds:.2f}")
        for stage, seconds in manifest["taken_over"].items()
    ]
    lines += [(f"{stage}, seconds", f"{seconds:.2f}") for stage, seconds in manifest["seconds"].items()]
    lines += [(name, str(version)) for name, version in manifest["versions"].items()]
    return _table_rows(lines)


def _table_rows(rows: Any) -> str:
    return "".join("<tr>" + "".join(f"<td>{escape(str(cell))}</td>" for cell in row) + "</tr>" for row in rows)

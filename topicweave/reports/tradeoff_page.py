"""tradeoff.html: designs of the same subscriptions along several axes, as curves and as a table to choose from."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from topicweave.reports.charts import BLUE, GREY, INK, ORANGE, chart, write_out
from topicweave.reports.page import render

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from markupsafe import Markup

HOPS, DEGREE, COST = "hops", "degree", "cost"
AXES = {
    HOPS: ("Links against hops", "largest_hops", "hops between the two farthest subscribers of a topic"),
    DEGREE: ("Links against maximum degree", "maximum_degree", "links of the busiest node"),
    COST: ("Links against cost", "cost", "total cost of the links"),
}
"""For each axis: the title of its chart, the figure on the horizontal axis, and what that is in words."""
MET = "met"


@dataclass(frozen=True)
class TradeoffPoint:
    """One design of a trade-off.

    Attributes
    ----------
    axis
        ``"hops"``, ``"degree"`` or ``"cost"``; ``"none"`` for designs without a limit.
    limit
        What was asked for on the axis: the most hops, the most links of a node, or the weight of costs.
    algorithm
        The algorithm.
    outcome
        ``"met"``, ``"impossible"`` or ``"not found"``.
    words
        Why it was not met; empty if it was.
    links, average_degree, maximum_degree, largest_hops, mean_hops, cost
        Figures of the overlay; all are None if there is none, and ``cost`` if links have no costs.
    """

    axis: str
    limit: float | None
    algorithm: str
    outcome: str
    words: str = ""
    links: int | None = None
    average_degree: float | None = None
    maximum_degree: int | None = None
    largest_hops: int | None = None
    mean_hops: float | None = None
    cost: float | None = None


def tradeoff_page(points: Sequence[TradeoffPoint], commands: Sequence[str], about: Mapping[str, Any]) -> str:
    """A self-contained HTML page.

    Parameters
    ----------
    points
        The designs; their numbers on the page begin at 1.
    commands
        For each, the command that makes a plan of it.
    about
        ``nodes``, ``topics`` and ``subscriptions``, and ``required``: what all of the designs honour, in words.
    """
    has_costs = any(point.cost is not None for point in points)
    head = ["", "asked for", "links", "average degree", "maximum degree", "largest hops"]
    return render(
        "tradeoff.html",
        title=f"Choices for {about['nodes']:,} nodes and {about['topics']:,} topics",
        required=about["required"],
        charts=tradeoff_charts(points),
        head=[*head, "cost"] if has_costs else head,
        rows=[_row(number, point, has_costs) for number, point in enumerate(points, 1)],
        commands=[(number, command) for number, command in enumerate(commands, 1)],
        failed=[(number, point.words) for number, point in enumerate(points, 1) if point.outcome != MET],
    )


def tradeoff_charts(
    points: Sequence[TradeoffPoint], plan: Mapping[str, float | None] | None = None
) -> list[tuple[str, Markup]]:
    """A chart for each axis that has designs, with its title; ``plan`` has the figures of a plan to mark in each."""
    found = []
    for axis, (title, figure, words) in AXES.items():
        drawn = [
            (number, point)
            for number, point in enumerate(points, 1)
            if point.axis in (axis, "none") and point.links is not None and getattr(point, figure) is not None
        ]
        if any(point.axis == axis for _, point in drawn):
            found.append((title, _chart(drawn, axis, words, plan)))
    return found


def _chart(
    drawn: Sequence[tuple[int, TradeoffPoint]], axis: str, words: str, plan: Mapping[str, float | None] | None
) -> Markup:
    figure = AXES[axis][1]

    def paint(axes: Any) -> None:
        curve = sorted((getattr(point, figure), point.links) for _, point in drawn if point.axis == axis)
        axes.plot(*zip(*curve, strict=True), color=BLUE, linewidth=1.4, alpha=0.6)
        for number, point in drawn:
            place = getattr(point, figure), point.links
            colour = (BLUE if point.axis == axis else INK) if point.outcome == MET else GREY
            axes.plot(*place, "o", color=colour, markersize=5)
            axes.annotate(str(number), place, textcoords="offset points", xytext=(5, 5), fontsize=9)
        if plan is not None and plan.get(figure) is not None:
            axes.plot(plan[figure], plan["links"], "*", color=ORANGE, markersize=14, label="this plan")
            axes.legend(frameon=False)
        write_out(axes.xaxis, "{:,.0f}")
        write_out(axes.yaxis, "{:,.0f}")
        axes.set_ylim(bottom=0)
        axes.set_xlim(left=0)
        axes.set_xlabel(words)
        axes.set_ylabel("links")

    return chart(paint)


def _row(number: int, point: TradeoffPoint, has_costs: bool) -> list[str]:
    values = (point.links, point.average_degree, point.maximum_degree, point.largest_hops)
    cells = [f"{number}", in_words(point), *map(_written, values)]
    return [*cells, _written(point.cost)] if has_costs else cells


def in_words(point: TradeoffPoint) -> str:
    """What a design was asked for, and whether it was achieved."""
    asked = {
        HOPS: f"at most {point.limit} hops",
        DEGREE: f"at most {point.limit} links a node",
        COST: f"cost weight {point.limit}",
    }.get(point.axis, "no limit")
    return f"{point.algorithm}, {asked}" + ("" if point.outcome == MET else f" ({point.outcome})")


def _written(value: float | None) -> str:
    if value is None:
        return "–"
    return f"{value:,}" if isinstance(value, int) else f"{value:,.2f}"

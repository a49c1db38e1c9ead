"""The page about a churn run: the effects of the events, in order (SHADOW Fig. 4-8)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from topicweave.reports.charts import BLUE, ORANGE, chart, whole_numbers, write_out
from topicweave.reports.page import render
from topicweave.reports.search import search_data
from topicweave.reports.trees import tree_rows
from topicweave.wording import counted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from markupsafe import Markup
    from numpy.typing import NDArray

    from topicweave.churn.maintainer import Maintainer
    from topicweave.churn.replay import Replay
    from topicweave.trees import Trees

# at most this many points are drawn; a page with every point of a long trace would be too large to load
MOST_POINTS = 2000


def churn_page(maintainer: Maintainer, replay: Replay, trees: Trees | None = None) -> str:
    """A self-contained HTML page; with ``trees``, also statistics of the trees after the last event."""
    left = replay.where("leave")
    return render(
        "churn.html",
        title=f"Overlay after {counted(len(replay.actions), 'event')}, kept by {maintainer.name}",
        figures=[
            (f"{maintainer.num_nodes:,}", "nodes now"),
            (f"{maintainer.num_edges:,}", "links now"),
            (f"{maintainer.average_degree:.2f}", "links per node, on average"),
            (f"{maintainer.maximum_degree:,}", "links of the busiest node"),
            (f"{_median(replay.changed):,.0f}", "links changed by an event (median)"),
            (f"{1e3 * _median(replay.seconds):.2f} ms", "for an event (median)"),
        ],
        search_data=search_data(maintainer.interest, maintainer.overlay),
        charts=[
            ("Maximum degree after each event", _line(replay.maximum_degree, "links")),
            ("Average degree after each event", _line(replay.average_degree, "links")),
            ("Links changed by each event", _dots(replay, replay.changed, "links", log=False)),
            ("Time of each event", _dots(replay, 1e3 * replay.seconds, "milliseconds", log=True)),
        ],
        events=[
            ("events", f"{len(replay.actions):,}"),
            *((f"of these {action}", f"{count:,}") for action, count in _actions(replay)),
            ("links added", f"{replay.added.sum():,}"),
            ("links removed", f"{replay.removed.sum():,}"),
            ("links looked at by a leave (median)", f"{_median(replay.visited_links[left]):,.0f}"),
        ],
        trees=[] if trees is None else tree_rows(trees.figures()),
        settings=[("maintainer", maintainer.name), *maintainer.parameters.items()],
    )


def _actions(replay: Replay) -> list[tuple[str, int]]:
    names, counts = np.unique(np.asarray(replay.actions, dtype=str), return_counts=True)
    return list(zip(names.tolist(), counts.tolist(), strict=True))


def _median(values: NDArray[Any]) -> float:
    return float(np.median(values)) if len(values) else 0.0


def _line(values: NDArray[Any], unit: str) -> Markup:
    step = max(1, -(-len(values) // MOST_POINTS))

    def paint(axes: Any) -> None:
        axes.plot(np.arange(len(values))[::step], values[::step], color=BLUE, linewidth=1.2)
        if np.issubdtype(values.dtype, np.integer):
            whole_numbers(axes.yaxis)
        axes.set_xlabel("event")
        axes.set_ylabel(unit)

    return chart(paint)


def _dots(replay: Replay, values: NDArray[Any], unit: str, *, log: bool) -> Markup:
    step = max(1, -(-len(values) // MOST_POINTS))
    left = replay.where("leave")
    kinds: Sequence[tuple[str, NDArray[np.bool_], str]] = (("leave", left, ORANGE), ("other", ~left, BLUE))

    def paint(axes: Any) -> None:
        for name, rows, colour in kinds:
            place = np.flatnonzero(rows)[::step]
            axes.plot(place, values[place], ".", markersize=3, color=colour, label=name)
        if log and len(values) and values.max() > 0:
            axes.set_yscale("log")
            write_out(axes.yaxis, "{:,.10g}")
        axes.set_xlabel("event")
        axes.set_ylabel(unit)
        if len(values):
            axes.legend(frameon=False, ncols=2, loc="lower right", bbox_to_anchor=(1, 1), markerscale=3)

    return chart(paint)

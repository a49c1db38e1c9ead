"""The page about a churn run: what the events did, along the trace (SHADOW Fig. 4-8)."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING, Any

import numpy as np

from topicweave.reports.charts import BLUE, ORANGE, chart

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from topicweave.churn.maintainer import Maintainer
    from topicweave.churn.replay import Replay

MOST_POINTS = 2000  # drawn along the trace; a page with every point of a long one would not load
STYLE = (
    "body{font:16px/1.5 system-ui,sans-serif;max-width:70rem;margin:2rem auto;padding:0 1rem;color:#1f2933}"
    "figure{margin:1rem 0;display:inline-block;width:32rem;max-width:100%}svg{width:100%;height:auto}"
    "td{padding:.1rem 1rem .1rem 0}figcaption{color:#52606d}"
)


def churn_page(maintainer: Maintainer, replay: Replay) -> str:
    """One self-contained HTML page."""
    charts = [
        ("Maximum degree after each event", _line(replay.maximum_degree, "links", BLUE)),
        ("Average degree after each event", _line(replay.average_degree, "links", BLUE)),
        ("Links changed by each event", _dots(replay, replay.changed, "links", log=False)),
        ("Time of each event", _dots(replay, 1e3 * replay.seconds, "milliseconds", log=True)),
    ]
    facts = {
        "maintainer": maintainer.name,
        **{name: value for name, value in maintainer.parameters.items()},
        "events": f"{len(replay.actions):,}",
        "nodes now": f"{maintainer.num_nodes:,}",
        "links now": f"{maintainer.num_links:,}",
        "average degree now": f"{maintainer.average_degree:.2f}",
        "maximum degree now": maintainer.maximum_degree,
        "links added, removed": f"{replay.added.sum():,}, {replay.removed.sum():,}",
        "median milliseconds per event": f"{1e3 * _median(replay.seconds):.2f}",
        "median links looked at per leave": f"{_median(replay.visited_links[replay.where('leave')]):,.0f}",
    }
    table = "".join(f"<tr><td>{escape(name)}</td><td>{escape(str(value))}</td></tr>" for name, value in facts.items())
    figures = "".join(f"<figure>{svg}<figcaption>{escape(title)}</figcaption></figure>" for title, svg in charts)
    return (
        f'<!doctype html><html lang="en"><meta charset="utf-8"><title>Churn</title><style>{STYLE}</style>'
        f"<h1>An overlay under churn</h1><table>{table}</table>{figures}</html>\n"
    )


def _median(values: NDArray[Any]) -> float:
    return float(np.median(values)) if len(values) else 0.0


def _line(values: NDArray[Any], unit: str, colour: str) -> str:
    step = max(1, -(-len(values) // MOST_POINTS))

    def paint(axes: Any) -> None:
        axes.plot(np.arange(len(values))[::step], values[::step], color=colour, linewidth=1.2)
        axes.set_xlabel("event")
        axes.set_ylabel(unit)

    return chart(paint)


def _dots(replay: Replay, values: NDArray[Any], unit: str, *, log: bool) -> str:
    step = max(1, -(-len(values) // MOST_POINTS))
    left = replay.where("leave")
    kinds: Sequence[tuple[str, NDArray[np.bool_], str]] = (("leave", left, ORANGE), ("other", ~left, BLUE))

    def paint(axes: Any) -> None:
        for name, which, colour in kinds:
            place = np.flatnonzero(which)[::step]
            axes.plot(place, values[place], ".", markersize=3, color=colour, label=name)
        if log and len(values) and values.max() > 0:
            axes.set_yscale("log")
        axes.set_xlabel("event")
        axes.set_ylabel(unit)
        if len(values):
            axes.legend(frameon=False)

    return chart(paint)

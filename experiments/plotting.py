"""The common style of all figures: curves whose bars or bands show the spread over the seeds."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence
    from pathlib import Path

    from matplotlib.axes import Axes
    from matplotlib.figure import Figure as Canvas
    from numpy.typing import NDArray

    from experiments.experiment import Figure
    from experiments.results import Results

# Colours that colour-blind readers can tell apart (after Okabe and Ito), and marks that can be told apart in print.
COLOURS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000", "#999999")
MARKS = ("o", "s", "^", "D", "v", "P", "X", "*")
STYLE = {
    "font.size": 9,
    "axes.grid": True,
    "grid.alpha": 0.3,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "legend.frameon": False,
    "legend.fontsize": 8,
    "svg.hashsalt": "topicweave",
    "svg.fonttype": "none",
}
RESOLUTION = 110


def curve(
    axes: Axes, x: Sequence[float], values: Sequence[NDArray[np.float64]], label: str, place: int, dashed: bool = False
) -> None:
    """A line through the means, with bars of one standard deviation over the seeds."""
    means = [float(v.mean()) for v in values]
    bars = [float(v.std(ddof=1)) if len(v) > 1 else 0.0 for v in values]
    axes.errorbar(
        x, means, yerr=bars, label=label, color=COLOURS[place % len(COLOURS)], marker=MARKS[place % len(MARKS)],
        markersize=4, linewidth=1.3, capsize=2, elinewidth=0.9, linestyle="--" if dashed else "-",
    )  # fmt: skip


def band(axes: Axes, x: Sequence[float], rows: NDArray[np.float64], label: str, place: int) -> None:
    """A line through the means of many points, with a band of one standard deviation; ``rows`` has a row for
    each seed.
    """
    middle = rows.mean(axis=0)
    colour = COLOURS[place % len(COLOURS)]
    style = ("-", "--", ":")[place // len(COLOURS) % 3]
    axes.plot(x, middle, label=label, color=colour, linewidth=1.3, linestyle=style)
    if len(rows) > 1:
        width = rows.std(axis=0, ddof=1)
        axes.fill_between(x, middle - width, middle + width, color=colour, alpha=0.15, linewidth=0)


def dots(axes: Axes, x: NDArray[np.float64], y: NDArray[np.float64], name: str, place: int, num_bins: int = 8) -> None:
    """The points of the first seed, and a line through the means of bins, with bars of one standard deviation over the
    seeds.

    ``x`` and ``y`` have a row for each seed; nan if a point does not count. All bins hold equally many points.
    """
    colour = COLOURS[place % len(COLOURS)]
    axes.plot(x[0], y[0], ".", markersize=2, color=colour, alpha=0.35, rasterized=True)
    ends = np.unique(np.nanquantile(x, np.linspace(0, 1, num_bins + 1)))
    middles, values = [], []
    for least, most in pairwise(ends):
        inside = (x >= least) & ((x < most) | (most == ends[-1]))
        if not inside.any():
            continue
        values.append(np.array([row[chosen].mean() for row, chosen in zip(y, inside, strict=True) if chosen.any()]))
        middles.append(float(x[inside].mean()))
    curve(axes, middles, values, name, place)


def from_zero(panels: Iterable[Axes]) -> None:
    """Let axes start at 0. Call this after all panels are drawn, because it fixes the upper end, which panels may
    share.
    """
    for axes in panels:
        axes.set_ylim(bottom=0)


def label(axes: Axes, x: str, y: str, title: str = "", legend: bool = True, beside: bool = False) -> None:
    """Label the axes; the legend goes inside them if there is room, otherwise beside them."""
    axes.set_xlabel(x)
    axes.set_ylabel(y)
    if title:
        axes.set_title(title, fontsize=9)
    if legend and beside:
        axes.legend(loc="upper left", bbox_to_anchor=(1.01, 1))
    elif legend:
        axes.legend()


def write_figure(figure: Figure, results: Results, folder: Path) -> Path:
    """Draw a figure as SVG; large numbers of dots become bitmaps, because thousands of shapes would make the file
    larger.
    """
    import matplotlib
    from matplotlib.figure import Figure as NewCanvas

    folder.mkdir(parents=True, exist_ok=True)
    with matplotlib.rc_context(STYLE):
        canvas: Canvas = NewCanvas(figsize=figure.size, layout="constrained")
        figure.draw(results, canvas)
        file = folder / f"{figure.name}.svg"
        canvas.savefig(file, dpi=RESOLUTION, metadata={"Date": None})
    return file

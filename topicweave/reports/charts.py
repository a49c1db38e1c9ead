"""The charts of report pages, each as an SVG picture to embed in a page."""

from __future__ import annotations

import io
import re
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from markupsafe import Markup
    from numpy.typing import NDArray

    from topicweave.reports.plan_page import Comparison

WIDE = 8.0  # charts wider than this, in inches, would be too small to read on a telephone
BLUE, ORANGE, GREY, INK = "#2563a8", "#d97706", "#9aa5b1", "#1f2933"
_STYLE = {
    "font.family": "sans-serif",
    "font.size": 11,
    "axes.edgecolor": "#cbd2d9",
    "axes.labelcolor": "#52606d",
    "axes.grid": True,
    "axes.axisbelow": True,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "grid.color": "#eef1f4",
    "xtick.color": "#52606d",
    "ytick.color": "#52606d",
    "text.color": INK,
    "svg.fonttype": "none",
    "svg.hashsalt": "topicweave",
    "text.parse_math": False,  # otherwise a dollar sign in a label would be taken for the start of a formula
}


def chart(paint: Callable[[Any], None], width: float = 5.4, height: float = 3.2) -> Markup:
    """Let ``paint`` draw a chart and return it as SVG; matplotlib has escaped all strings in it."""
    import matplotlib as mpl
    from markupsafe import Markup
    from matplotlib.figure import Figure

    with mpl.rc_context(_STYLE):
        figure = Figure(figsize=(width, height), layout="constrained")
        paint(figure.subplots())
        page = io.StringIO()
        figure.savefig(page, format="svg", transparent=True, metadata={"Date": None, "Creator": None})
    svg = page.getvalue()
    svg = svg[svg.index("<svg") :]
    # The page decides the size and font of the picture. Only text inside tags is changed, because labels may contain
    # anything.
    svg = re.sub(r'width="[\d.]+pt" height="[\d.]+pt"', 'class="wide"' if width > WIDE else "", svg, count=1)
    return Markup(re.sub(r'(<text style=")font: ?([\d.]+px)[^;"]*', r"\1font-size: \2", svg))


def whole_numbers(axis: Any) -> None:
    """Put a few tick marks of an axis at whole numbers."""
    from matplotlib.ticker import MaxNLocator

    axis.set_major_locator(MaxNLocator(nbins=7, integer=True))


def write_out(axis: Any, written: str) -> None:
    """Write the numbers along an axis in full, such as 1,000 instead of 10³."""
    from matplotlib.ticker import NullFormatter

    axis.set_major_formatter(lambda value, _: written.format(value))
    axis.set_minor_formatter(NullFormatter())


def degree_histogram(degrees: NDArray[np.int64]) -> Markup:
    """A chart of how many nodes have how many links."""

    def paint(axes: Any) -> None:
        top = int(degrees.max(initial=0))
        if top <= 60:
            counts = np.bincount(degrees, minlength=top + 1)
            axes.bar(np.arange(top + 1), counts, width=0.8, color=BLUE)
            whole_numbers(axes.yaxis)
        else:
            axes.hist(degrees, bins=60, color=BLUE)
            axes.set_yscale("log")
        axes.axvline(degrees.mean() if len(degrees) else 0, color=ORANGE, linewidth=1.5, linestyle="--")
        whole_numbers(axes.xaxis)
        write_out(axes.yaxis, "{:,.0f}")
        axes.set_xlabel("links of a node (dashed: the average)")
        axes.set_ylabel("nodes")

    return chart(paint)


def ccdf(values: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """The distinct values in ascending order, and for each of them, which share of all values is at least as large (the
    complementary cumulative distribution, as in PART Fig. 3).
    """
    found, counts = np.unique(values, return_counts=True)
    return found, np.cumsum(counts[::-1])[::-1] / max(len(values), 1)


def distributions(sizes: NDArray[np.int64], popularity: NDArray[np.int64]) -> Markup:
    """A chart with two curves: the share of nodes that have at least x topics, and the share of topics that have at
    least x subscribers.
    """

    def paint(axes: Any) -> None:
        series = ((sizes, BLUE, "topics of a node"), (popularity, ORANGE, "subscribers of a topic"))
        axes.set_xscale("log")
        axes.set_yscale("log")
        write_out(axes.xaxis, "{:,.0f}")
        write_out(axes.yaxis, "{:g}")
        least = 0.1
        for values, colour, name in series:
            found, share = ccdf(values[values > 0])
            # Begin at 1, because if all values are equal there would be only one point.
            places, shares = np.concatenate(([1], found)), np.concatenate(([1.0], share))
            axes.plot(places, shares, color=colour, label=name, linewidth=1.8, drawstyle="steps-pre")
            least = min(least, float(shares[-1]))
        axes.set_xlim(0.9, max(10.0, 1.2 * max(sizes.max(initial=0), popularity.max(initial=0))))
        axes.set_ylim(least / 1.5, 1.3)
        axes.set_xlabel("x")
        axes.set_ylabel("share that is at least x")
        axes.legend(frameon=False)

    return chart(paint)


def support_curve(start: float, support: NDArray[np.float64], given: int) -> Markup:
    """A chart of how the support grows with the number of links, from the ``given`` links to the last one added."""

    def paint(axes: Any) -> None:
        places = np.unique(np.linspace(0, len(support), 2000).astype(np.int64))
        curve = np.concatenate(([start], support))
        axes.plot(given + places, 100 * curve[places], color=BLUE, linewidth=1.8)
        axes.fill_between(given + places, 100 * curve[places], color=BLUE, alpha=0.08)
        whole_numbers(axes.xaxis)
        write_out(axes.xaxis, "{:,.0f}")
        axes.set_xlabel("links")
        axes.set_ylabel("support, %")
        axes.set_ylim(0, 103)

    return chart(paint)


def diameter_chart(diameters: NDArray[np.int64]) -> Markup:
    """A chart of how many topics have which diameter."""

    def paint(axes: Any) -> None:
        counts = np.bincount(diameters) if len(diameters) else np.zeros(1)
        axes.bar(np.arange(len(counts)), counts, width=0.8, color=BLUE)
        whole_numbers(axes.xaxis)
        whole_numbers(axes.yaxis)
        write_out(axes.yaxis, "{:,.0f}")
        axes.set_xlabel("hops between the two farthest subscribers of a topic")
        axes.set_ylabel("topics")

    return chart(paint)


def comparison_chart(compared: tuple[Comparison, ...]) -> Markup:
    """A chart of the links that different ways to build the overlay need."""

    def paint(axes: Any) -> None:
        names = [each.name for each in compared][::-1]
        links = [max(each.links, 1) for each in compared][::-1]
        bars = axes.barh(names, links, color=[GREY] * (len(compared) - 1) + [BLUE], height=0.6)
        axes.bar_label(bars, [f"{each.links:,}" for each in compared][::-1], color=INK, padding=4)
        axes.set_xscale("log")
        write_out(axes.xaxis, "{:,.0f}")
        axes.set_xlim(left=max(min(links) / 5, 0.5), right=max(links) * 6)
        axes.set_xlabel("links (logarithmic)")
        axes.grid(axis="y", visible=False)

    return chart(paint, width=10.8, height=2.4)


def rounds_chart(rounds: Sequence[Mapping[str, int]]) -> Markup:
    """A chart of the rounds of near candidates.

    It shows for each round how many nodes searched, how many candidates they found, how many of these candidates became
    links, and how many merges were left.
    """

    def paint(axes: Any) -> None:
        places = np.arange(1, len(rounds) + 1)
        series = (
            ("pairs", GREY, "candidates"),
            ("searching", ORANGE, "searches by nodes"),
            ("links", BLUE, "links made"),
            ("left", INK, "merges left"),
        )
        marker = "o" if len(rounds) <= 60 else ""
        for name, colour, meaning in series:
            numbers = [one[name] for one in rounds]
            axes.plot(places, numbers, color=colour, label=meaning, linewidth=1.8, marker=marker, markersize=4)
        axes.set_yscale("symlog", linthresh=1)  # a logarithmic scale that includes 0
        axes.set_ylim(bottom=0)
        axes.set_xlim(0.5, len(rounds) + 0.5)
        if len(rounds) <= 20:
            axes.set_xticks(places)
        else:
            whole_numbers(axes.xaxis)
        write_out(axes.yaxis, "{:,.0f}")
        axes.set_xlabel("round")
        axes.legend(frameon=False, loc="center left", bbox_to_anchor=(1, 0.5))

    return chart(paint, width=10.8, height=3.4)

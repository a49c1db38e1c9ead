"""Draws curves of support: a row of panels for each interpretation of the workload, a panel for each popularity law."""

from __future__ import annotations

from typing import TYPE_CHECKING

from experiments.part.workloads import DRAWS, LAWS, SHORT
from experiments.plotting import curve, label

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from matplotlib.figure import Figure as Canvas

    from experiments.designing import Asked
    from experiments.results import Results
    from experiments.workload import Workload

SIZE = (11.0, 6.4)


def draw_support(
    results: Results,
    canvas: Canvas,
    *,
    x: Sequence[float],
    axis: str,
    used: Callable[[str, int, str], Workload],
    algorithms: Callable[[int], Mapping[str, Asked]],
) -> None:
    """Draw support against ``x``; ``used`` and ``algorithms`` give the workload and the algorithms for a value of x."""
    panels = canvas.subplots(len(DRAWS), len(LAWS), sharex=True, sharey=True, squeeze=False)
    for row, draws in zip(panels, DRAWS, strict=True):
        for axes, law in zip(row, LAWS, strict=True):
            for place, name in enumerate(algorithms(0)):
                values = [
                    100 * results(used(law, where, draws), algorithms(where)[name], "support")
                    for where in range(len(x))
                ]  # fmt: skip
                curve(axes, x, values, name, place)
            axes.set_ylim(0, 103)
            label(axes, axis, "TCO support, %", f"{law}; {SHORT[draws]}", legend=axes is panels[0][0])

"""Figure 10: cost reduction by the ratio between access prices and core prices."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from experiments.claim import Claim, Finding, graded
from experiments.content.figure_9 import HEAVIEST, INSTANCES, ORDER, THREE
from experiments.content.market import READINGS, Market
from experiments.experiment import Experiment, Figure, grid
from experiments.plotting import curve, label
from experiments.results import mean, spread

if TYPE_CHECKING:
    import numpy as np
    from matplotlib.figure import Figure as Canvas
    from numpy.typing import NDArray

    from experiments.results import Results

RATIOS = (0.1, 0.3, 1.0, 3.0, 10.0)
USERS = 10_000


def at(ratio: float, reading: str = "plain") -> Market:
    return Market(USERS, USERS // 100, ratio, reading)


def curves(results: Results, measure: str, reading: str = "plain") -> dict[str, list[NDArray[np.float64]]]:
    return {name: [results(at(ratio, reading), THREE[name], measure) for ratio in RATIOS] for name in ORDER}


def converge(results: Results, reading: str = "plain") -> Finding:
    found = curves(results, "reduction", reading)
    shown = "; ".join(f"{name} {' → '.join(spread(v, '.1f') for v in values)}" for name, values in found.items())
    gaps = [
        max(mean(values[place]) for values in found.values()) / min(mean(values[place]) for values in found.values())
        for place in range(len(RATIOS))
    ]
    to_packing = {
        name: [mean(values[place]) / mean(found["packing"][place]) for place in (0, -1)]
        for name, values in found.items()
        if name != "packing"
    }
    shares = ", ".join(f"{name} from {first:.2f} to {last:.2f} of it" for name, (first, last) in to_packing.items())
    other = curves(results, "reduction_unicast", reading)
    other_gaps = [
        max(mean(values[place]) for values in other.values()) / min(mean(values[place]) for values in other.values())
        for place in (0, -1)
    ]
    copies = "; ".join(f"{name} {' → '.join(f'{mean(v):.2f}' for v in values)}" for name, values in other.items())
    reason = (
        f"Largest over smallest by ratio: {', '.join(f'{gap:.2f}' for gap in gaps)}. The cheaper the core, the more "
        f"the access price alone counts, which packing minimises; against packing the others go: {shares}. "
        f"With a copy over the core for each subscriber: {copies}; largest over smallest goes from {other_gaps[0]:.2f} "
        f"to {other_gaps[1]:.2f}."
    )
    return Finding(shown, graded(gaps[-1] < gaps[0] and gaps[-1] < 1.1, gaps[-1] < gaps[0]), reason)


def mixing_flat(results: Results, reading: str = "plain") -> Finding:
    found = curves(results, "reduction", reading)["mixing"]
    means = [mean(v) for v in found]
    change = max(means) / min(means) - 1
    others = {
        name: max(map(mean, values)) / min(map(mean, values)) - 1
        for name, values in curves(results, "reduction", reading).items()
        if name != "mixing"
    }
    shown = f"{' → '.join(spread(v) for v in found)}: varies by {100 * change:.0f} %"
    access = [
        mean(
            results(at(r, reading), THREE["mixing"], "random_access")
            / results(at(r, reading), THREE["mixing"], "access")
        )
        for r in RATIOS
    ]
    core = [mean(results(at(r, reading), THREE["mixing"], "core_reduction")) for r in RATIOS]
    heaviest = [mean(results(at(r, reading), HEAVIEST, "reduction")) for r in RATIOS]
    reason = (
        "The others vary by " + ", ".join(f"{name} {100 * value:.0f} %" for name, value in others.items()) + ". Mixing "
        "weighs brokers by trees that pay for core links: the dearer these, the less a user's own access price counts. "
        f"It saves on access {', '.join(f'{v:.1f}' for v in access)} × and on the core "
        f"{', '.join(f'{v:.2f}' for v in core)} × by ratio. Taking the heaviest link instead of drawing, it saves "
        f"{' → '.join(f'{v:.2f}' for v in heaviest)} and varies by {100 * (max(heaviest) / min(heaviest) - 1):.0f} %."
    )
    return Finding(shown, graded(change <= 0.1, change < min(others.values())), reason)


PANELS = {
    "a tree for each broker and channel": ("reduction", "plain"),
    "a copy over the core for each subscriber": ("reduction_unicast", "plain"),
    "the sparse market, a tree for each": ("reduction", "sparse"),
}


def draw(results: Results, canvas: Canvas) -> None:
    for axes, (title, (measure, reading)) in zip(canvas.subplots(1, 3), PANELS.items(), strict=True):
        for place, (name, values) in enumerate(reversed(curves(results, measure, reading).items())):
            curve(axes, RATIOS, values, name, place)
        axes.set_xscale("log")
        axes.set_ylim(bottom=0)
        label(axes, "access-to-core link cost ratio", "cost reduction ratio", title)


_SETTING = "10,000 users, 100 brokers, 100 channels; access-to-core ratios 0.1, 0.3, 1, 3, 10; " + READINGS["plain"]
_SETTING += INSTANCES
_SPARSE = "the sparse market: " + READINGS["sparse"] + "; otherwise as above"

EXPERIMENT = Experiment(
    "content-10",
    "Cost reduction by prices (CONTENT Figure 10)",
    grid((at(ratio, reading) for reading in ("plain", "sparse") for ratio in RATIOS), (*THREE.values(), HEAVIEST)),
    claims=(
        Claim(
            "CONTENT-10", "The three converge as core links get cheap.",
            "largest over smallest reduction is less at the last ratio than at the first, below 1.1; in shape: less",
            _SETTING, converge,
        ),
        Claim(
            "CONTENT-10", "Steiner mixing's curve stays flat.",
            "varies by 10 % at most; in shape: by less than the others", _SETTING, mixing_flat,
        ),
        Claim(
            "CONTENT-10", "The three converge as core links get cheap.",
            "largest over smallest reduction is less at the last ratio than at the first, below 1.1; in shape: less",
            _SPARSE, partial(converge, reading="sparse"),
        ),
        Claim(
            "CONTENT-10", "Steiner mixing's curve stays flat.",
            "varies by 10 % at most; in shape: by less than the others", _SPARSE,
            partial(mixing_flat, reading="sparse"),
        ),
    ),
    figures=(
        Figure("content-10", "Cost reduction ratio by access-to-core price ratio; the paper's Figure 10.", draw,
               (14, 4)),
    ),
    num_seeds=10,
)  # fmt: skip

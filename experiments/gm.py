"""Claims of GM (PODC 2007), §8: average degree, running time, and what correlation is worth against rings."""

from __future__ import annotations

from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

from experiments.claim import Claim, Finding, graded, grid
from experiments.description import Workload, ask
from experiments.results import mean, spread

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from experiments.results import Results

NODES = (1_000, 2_500, 5_000, 10_000)
TOPICS = (100, 200)
LAWS = {"uniform": ("uniform", None), "Zipf": ("zipf", 0.5), "exponential": ("exponential", None)}
GM, RING = ask("gm"), ask("ring")

# Figure 4(b) varies topics and sizes; its number of nodes is not printed.
NODES_4B, TOPICS_4B, SIZES_4B = 2_500, (100, 150, 200), (10, 20)


def workload(law: str, num_topics: int, num_nodes: int, size: int = 10) -> Workload:
    popularity, alpha = LAWS[law]
    return Workload(num_nodes, num_topics, popularity, size, alpha)


SERIES = [(law, num_topics) for law in LAWS for num_topics in TOPICS]
WORKLOADS = [workload(law, num_topics, num_nodes) for law, num_topics in SERIES for num_nodes in NODES]
ZIPF = [workload("Zipf", num_topics, num_nodes) for num_topics in TOPICS for num_nodes in NODES]
FIGURE_4B = [workload("Zipf", num_topics, NODES_4B, size) for num_topics in TOPICS_4B for size in SIZES_4B]
SETTING = "nodes 1,000, 2,500, 5,000, 10,000; topics 100, 200; s=10; uniform, Zipf 0.5, exponential"


def degrees(results: Results, law: str, num_topics: int) -> list[NDArray[np.float64]]:
    """GM's average degree, by number of nodes."""
    return [results(workload(law, num_topics, nodes), GM, "average_degree") for nodes in NODES]


def work(results: Results, law: str, num_topics: int) -> list[NDArray[np.float64]]:
    """Moves of the published structures over V²·T, by number of nodes."""
    return [
        results(workload(law, num_topics, nodes), GM, "published_moves") / (nodes**2 * num_topics) for nodes in NODES
    ]


# ---- Figure 2 ----------------------------------------------------------------------------------------------------


def falls_with_nodes(results: Results) -> Finding:
    series = {key: degrees(results, *key) for key in SERIES}
    falling = [all(mean(a) > mean(b) for a, b in pairwise(values)) for values in series.values()]
    shown = "; ".join(f"{law} {t}: {spread(v[0])} → {spread(v[-1])}" for (law, t), v in series.items())
    return Finding(f"{sum(falling)} of {len(falling)} curves fall at every step. {shown}", graded(all(falling)))


def more_topics_raise(results: Results) -> Finding:
    few, many = ([mean(v) for law in LAWS for v in degrees(results, law, t)] for t in TOPICS)
    factors = np.array(many) / np.array(few)
    shown = f"200 topics against 100: {factors.min():.2f} to {factors.max():.2f} × over {len(factors)} points"
    return Finding(shown, graded(bool(factors.min() > 1)))


def exponential_lowest(results: Results) -> Finding:
    lowest: list[float] = []
    for num_topics in TOPICS:
        by_law = {law: [mean(v) for v in degrees(results, law, num_topics)] for law in LAWS}
        others = np.minimum(by_law["uniform"], by_law["Zipf"])
        lowest.extend(np.array(by_law["exponential"]) / others)
    shown = f"exponential against the lower of the two others: {min(lowest):.2f} to {max(lowest):.2f} ×"
    return Finding(shown, graded(max(lowest) < 1))


# ---- Figure 3 ----------------------------------------------------------------------------------------------------


def small_fraction(results: Results) -> Finding:
    series = {key: work(results, *key) for key in SERIES}
    values = [mean(v) for curve in series.values() for v in curve]
    shown = "; ".join(f"{law} {t}: {1e3 * mean(v[-1]):.2f}" for (law, t), v in series.items())
    most = max(values)
    reason = (
        f"The largest, {1e3 * most:.1f} · 10⁻³, is exponential with 100 topics: popular topics there have most "
        "subscribers, and a topic of n subscribers costs (n−1)(n−2)/2 moves."
    )
    verdict = graded(min(values) >= 1e-3 and most < 1e-2, min(values) >= 3e-4 and most < 3e-2)
    return Finding(f"at 10,000 nodes, in 10⁻³: {shown}", verdict, reason if most >= 1e-2 else "")


def like_square(results: Results) -> Finding:
    changes = [mean(curve[-1]) / mean(curve[0]) for curve in (work(results, *key) for key in SERIES)]
    falls = [
        mean(many) / mean(few)
        for law in LAWS
        for few, many in zip(work(results, law, 100), work(results, law, 200), strict=True)
    ]
    shown = (
        f"10,000 nodes against 1,000: {min(changes):.3f} to {max(changes):.3f} ×; "
        f"200 topics against 100: {min(falls):.2f} to {max(falls):.2f} ×"
    )
    return Finding(shown, graded(0.9 < min(changes) <= max(changes) < 1.1 and max(falls) < 1))


def exponential_costs_most(results: Results) -> Finding:
    factors = []
    for num_topics in TOPICS:
        curves = {law: work(results, law, num_topics) for law in LAWS}
        for place in range(len(NODES)):
            others = max(mean(curves["uniform"][place]), mean(curves["Zipf"][place]))
            factors.append(mean(curves["exponential"][place]) / others)
    shown = f"exponential against the higher of the two others: {min(factors):.2f} to {max(factors):.2f} ×"
    return Finding(shown, graded(min(factors) > 1))


# ---- Figure 4 ----------------------------------------------------------------------------------------------------


def by_topic(results: Results, used: Workload) -> NDArray[np.float64]:
    """Average degree of the rings if each topic keeps its own links."""
    return 2 * results(used, RING, "ring_links_by_topic") / used.num_nodes


def ring_is_three_times(results: Results) -> Finding:
    shown, ratios, own = [], [], []
    for num_topics in TOPICS:
        for num_nodes in NODES:
            used = workload("Zipf", num_topics, num_nodes)
            gm = results(used, GM, "average_degree")
            ratios.append(results(used, RING, "average_degree") / gm)
            own.append(mean(by_topic(results, used) / gm))
            if num_nodes in (NODES[0], NODES[-1]):
                shown.append(f"{num_topics} topics, {num_nodes:,} nodes: {spread(ratios[-1])}")
    means = [mean(ratio) for ratio in ratios]
    reason = (
        "The ratio grows with the nodes, for GM's degree falls and the rings' does not. "
        f"Counting each topic's ring links apart (see GM-4b) gives {min(own):.2f} to {max(own):.2f}."
    )
    return Finding(
        "; ".join(shown), graded(min(means) >= 2.5 and max(means) <= 3.5, min(means) >= 2 and max(means) <= 4), reason
    )


def _sizes(results: Results, num_topics: int) -> tuple[Workload, Workload]:
    small, large = SIZES_4B
    return workload("Zipf", num_topics, NODES_4B, small), workload("Zipf", num_topics, NODES_4B, large)


def gm_hardly_grows(results: Results) -> Finding:
    growth = {}
    for num_topics in TOPICS_4B:
        small, large = _sizes(results, num_topics)
        growth[num_topics] = results(large, GM, "average_degree") / results(small, GM, "average_degree")
    shown = "; ".join(f"{t} topics: +{spread(100 * (v - 1), '.1f')} %" for t, v in growth.items())
    return Finding(shown, graded(max(mean(v) for v in growth.values()) <= 1.25))


def ring_doubles(results: Results) -> Finding:
    together, apart = [], []
    for num_topics in TOPICS_4B:
        small, large = _sizes(results, num_topics)
        together.append(results(large, RING, "average_degree") / results(small, RING, "average_degree"))
        apart.append(mean(by_topic(results, large) / by_topic(results, small)))
    shown = "; ".join(f"{t} topics: × {spread(v)}" for t, v in zip(TOPICS_4B, together, strict=True))
    means = [mean(v) for v in together]
    reason = (
        "Two topics often put the same link into their rings (neighbours in node order share many topics when s is a "
        "large part of T), and an overlay has it once. If each topic's links are counted apart, as the paper's "
        f"'roughly twice the average subscription size' implies, the factor is {min(apart):.2f} to {max(apart):.2f}."
    )
    return Finding(shown, graded(min(means) >= 1.8, min(apart) >= 1.8), reason)


def ring_up_to_eight(results: Results) -> Finding:
    together, apart = {}, {}
    for num_topics in TOPICS_4B:
        for used in _sizes(results, num_topics):
            gm = results(used, GM, "average_degree")
            together[num_topics, used.subscriptions] = results(used, RING, "average_degree") / gm
            apart[num_topics, used.subscriptions] = mean(by_topic(results, used) / gm)
    shown = "; ".join(f"{t} topics, s={s}: {spread(v)}" for (t, s), v in together.items())
    most = max(mean(v) for v in together.values())
    own = "; ".join(f"{t} topics, s={s}: {v:.2f}" for (t, s), v in apart.items())
    reason = (
        f"Counting each topic's ring links apart (see the row above) gives {own}: about 8 at its largest, "
        "but at few topics; with more topics GM's degree rises and the ratio falls."
    )
    rises = apart[TOPICS_4B[-1], 20] > apart[TOPICS_4B[0], 20]
    return Finding(shown, graded(most >= 7 and rises, max(apart.values()) >= 7 and rises), reason)


_FIGURE_2 = grid(WORKLOADS, [GM])
_FIGURE_4B = grid(FIGURE_4B, [GM, RING])
_SETTING_4B = "2,500 nodes (not printed in the paper); topics 100, 150, 200; s=10 and 20; Zipf 0.5"
_MOVES = "; moves of the published structures by their closed form, Σ over topics of (n−1)(n−2)/2"

CLAIMS = (
    Claim(
        "GM-2", "GM's average degree falls as nodes grow from 1,000 to 10,000.", "every curve falls at every step",
        SETTING, _FIGURE_2, falls_with_nodes,
    ),
    Claim("GM-2", "More topics raise it.", "at every point", SETTING, _FIGURE_2, more_topics_raise),
    Claim(
        "GM-2", "It is lowest under the exponential law.", "at every point", SETTING, _FIGURE_2, exponential_lowest
    ),
    Claim(
        "GM-3", "Steps / (V²·T) are of order 10⁻³.", "all between 1 and 10 · 10⁻³; in shape: 0.3 to 30 · 10⁻³",
        SETTING + _MOVES, _FIGURE_2, small_fraction,
    ),
    Claim(
        "GM-3", "Steps grow like V², and fall with the number of topics.",
        "steps / (V²·T) within 10 % from 1,000 to 10,000 nodes; lower at 200 topics everywhere",
        SETTING + _MOVES, _FIGURE_2, like_square,
    ),
    Claim(
        "GM-3", "The exponential law costs most steps.", "at every point", SETTING + _MOVES, _FIGURE_2,
        exponential_costs_most,
    ),
    Claim(
        "GM-4a", "A ring per topic has roughly 3 × GM's average degree.",
        "2.5 to 3.5 at every point; in shape: 2 to 4", "as GM-2, Zipf 0.5 only", grid(ZIPF, [GM, RING]),
        ring_is_three_times,
    ),
    Claim(
        "GM-4b", "s from 10 to 20: GM's average degree rises by 25 % at the worst.", "at most 25 % everywhere",
        _SETTING_4B, _FIGURE_4B, gm_hardly_grows,
    ),
    Claim(
        "GM-4b", "s from 10 to 20: the rings' average degree about doubles.",
        "at least 1.8 × everywhere; in shape: so if each topic's links are counted apart",
        _SETTING_4B, _FIGURE_4B, ring_doubles,
    ),
    Claim(
        "GM-4b", "The rings have up to 8 × GM's average degree as topics grow.",
        "7 or more somewhere, and more at 200 topics than at 100; in shape: so with links counted apart",
        _SETTING_4B, _FIGURE_4B, ring_up_to_eight,
    ),
)  # fmt: skip

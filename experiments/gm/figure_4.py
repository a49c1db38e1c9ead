"""Figure 4: a ring per topic compared with GM, by number of nodes (a) and by number of topics and of subscriptions per
node (b).
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from experiments.claim import Claim, Finding, graded
from experiments.experiment import Experiment, Figure, grid
from experiments.gm.workloads import GM, NODES, RING, TOPICS, workload
from experiments.plotting import curve, label
from experiments.results import mean, spread

if TYPE_CHECKING:
    import numpy as np
    from matplotlib.figure import Figure as Canvas
    from numpy.typing import NDArray

    from experiments.results import Results
    from experiments.workload import Workload

# Figure 4(b) varies topics and subscription sizes, but the paper does not say for how many nodes. Ours lie within the
# range of Figure 4(a).
NODES_EIGHT = (1_000, 5_000, 10_000)
NODES_B, TOPICS_B, SIZES_B = 2_500, (100, 200, 300, 400, 600, 800, 1_000), (10, 20)


def zipf(num_topics: int, num_nodes: int) -> Workload:
    return workload("Zipf", num_topics, num_nodes)


def at_b(num_topics: int, size: int) -> Workload:
    return workload("Zipf", num_topics, NODES_B, size)


def at_eight(num_nodes: int) -> Workload:
    return workload("Zipf", 100, num_nodes, 20)


def by_topic(results: Results, used: Workload) -> NDArray[np.float64]:
    """The average degree of the rings if no link is shared between topics."""
    return 2 * results(used, RING, "ring_links_by_topic") / used.num_nodes


def ring_is_three_times(results: Results) -> Finding:
    shown, ratios, own = [], [], []
    for num_topics in TOPICS:
        for num_nodes in NODES:
            used = zipf(num_topics, num_nodes)
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


def gm_hardly_grows(results: Results) -> Finding:
    growth = {
        t: results(at_b(t, 20), GM, "average_degree") / results(at_b(t, 10), GM, "average_degree") for t in TOPICS_B
    }
    shown = "; ".join(f"{t:,} topics: +{spread(100 * (v - 1), '.1f')} %" for t, v in growth.items())
    printed = max(mean(growth[t]) for t in growth if t <= 200)
    most = max(mean(v) for v in growth.values())
    reason = "The paper's own numbers of topics for this figure are not printed; beyond them rows only inform."
    return Finding(shown, graded(most <= 1.25, printed <= 1.25), reason if most > 1.25 else "")


def ring_doubles(results: Results) -> Finding:
    together, apart = [], []
    for num_topics in TOPICS_B:
        small, large = at_b(num_topics, 10), at_b(num_topics, 20)
        together.append(results(large, RING, "average_degree") / results(small, RING, "average_degree"))
        apart.append(mean(by_topic(results, large) / by_topic(results, small)))
    shown = "; ".join(f"{t:,} topics: × {spread(v)}" for t, v in zip(TOPICS_B, together, strict=True))
    means = [mean(v) for v in together]
    reason = (
        "Two topics often put the same link into their rings (neighbours in node order share many topics when s is a "
        "large part of T), and an overlay has it once. If each topic's links are counted apart, as the paper's "
        f"'roughly twice the average subscription size' implies, the factor is {min(apart):.2f} to {max(apart):.2f}."
    )
    return Finding(shown, graded(min(means) >= 1.8, min(apart) >= 1.8), reason)


def ring_up_to_eight(results: Results) -> Finding:
    """The paper counts two links per node for each of its topics, so a node with s topics has 2s links."""
    ratios = {n: 2 * 20 / results(at_eight(n), GM, "average_degree") for n in NODES_EIGHT}
    shown = "; ".join(f"{n:,} nodes: {spread(v)}" for n, v in ratios.items())
    together = {n: mean(results(at_eight(n), RING, "average_degree") / results(at_eight(n), GM, "average_degree"))
                for n in NODES_EIGHT}  # fmt: skip
    each = ", ".join(f"{n:,} nodes {v:.2f}" for n, v in together.items())
    reason = (
        "The rings' degree is counted as the paper counts it, two links of a node for each of its topics: 2s = 40. "
        f"A pair that is in several rings is one link of an overlay; counted so, the ratio is {each}. "
        f"{_by_topics(results)}"
    )
    most = max(mean(v) for v in ratios.values())
    return Finding(shown, graded(7.2 <= most <= 8.8, most >= 6), reason)


def _by_topics(results: Results) -> str:
    """How the ratio depends on the number of topics."""
    ratios = [mean(by_topic(results, at_b(t, 20)) / results(at_b(t, 20), GM, "average_degree")) for t in TOPICS_B]
    each = ", ".join(f"{t:,} topics {v:.2f}" for t, v in zip(TOPICS_B, ratios, strict=True))
    return f"With more topics GM's degree rises and the ratio falls; 2,500 nodes, each topic's links apart: {each}."


def draw_a(results: Results, canvas: Canvas) -> None:
    axes = canvas.subplots()
    for place, (name, asked) in enumerate((("GM", GM), ("ring per topic", RING))):
        for num_topics in TOPICS:
            values = [results(zipf(num_topics, n), asked, "average_degree") for n in NODES]
            curve(axes, NODES, values, f"{name}, {num_topics} topics", place, num_topics == 200)
    axes.set_ylim(bottom=0)
    label(axes, "number of nodes", "average node degree")


def draw_b(results: Results, canvas: Canvas) -> None:
    axes = canvas.subplots()
    for size in SIZES_B:
        used = [at_b(t, size) for t in TOPICS_B]
        curve(axes, TOPICS_B, [results(w, GM, "average_degree") for w in used], f"GM, s={size}", 0, size == 20)
        curve(axes, TOPICS_B, [results(w, RING, "average_degree") for w in used], f"ring, s={size}", 1, size == 20)
        curve(axes, TOPICS_B, [by_topic(results, w) for w in used], f"ring links counted apart, s={size}", 2,
              size == 20)  # fmt: skip
    axes.set_ylim(bottom=0)
    label(axes, "number of topics", "average node degree", beside=True)


_SETTING_A = "nodes 1,000, 2,000, 4,000 … 10,000; topics 100, 200; s=10; Zipf 0.5"
_SETTING_B = (
    "2,500 nodes (not printed in the paper; ours is between the 1,000 and 10,000 of Figure 4(a)); topics 100, 200 … "
    "1,000; s=10 and 20; Zipf 0.5"
)

EXPERIMENT = Experiment(
    "gm-4",
    "A ring per topic against GM (GM Figure 4)",
    grid([zipf(t, n) for t in TOPICS for n in NODES], [GM, RING])
    + grid([at_b(t, s) for t in TOPICS_B for s in SIZES_B], [GM, RING])
    + grid(map(at_eight, NODES_EIGHT), [GM, RING]),
    claims=(
        Claim(
            "GM-4a", "A ring per topic has roughly 3 × GM's average degree.",
            "2.5 to 3.5 at every point; in shape: 2 to 4", _SETTING_A, ring_is_three_times,
        ),
        Claim(
            "GM-4b", "s from 10 to 20: GM's average degree rises by 25 % at the worst.",
            "at most 25 % everywhere; in shape: up to 200 topics, as in the paper's other figures", _SETTING_B,
            gm_hardly_grows,
        ),
        Claim(
            "GM-4b", "s from 10 to 20: the rings' average degree about doubles.",
            "at least 1.8 × everywhere; in shape: so if each topic's links are counted apart", _SETTING_B, ring_doubles,
        ),
        Claim(
            "GM-4b", "The rings have up to 8 × GM's average degree.", "the most within 10 % of 8; in shape: 6 or more",
            "100 topics, as in the paper's other figures; s=20; Zipf 0.5; 1,000, 5,000 and 10,000 nodes (the number is "
            "not printed)", ring_up_to_eight,
        ),
    ),
    figures=(
        Figure("gm-4a", "GM against a ring per topic, s=10; the paper's Figure 4(a).", draw_a),
        Figure("gm-4b", "The same by number of topics, s=10 and 20; the paper's Figure 4(b).", draw_b,
               (8, 4)),
    ),
)  # fmt: skip

"""The table of experiments, by paper, in the order in which the page shows them."""

from __future__ import annotations

from experiments.beyond import eighty_twenty, gaps, gaps_at_10000, gaps_of_content, side_by_side, ties
from experiments.content import figure_9 as content_9
from experiments.content import figure_10 as content_10
from experiments.content import table_1 as content_t1
from experiments.content import theorem_1 as content_theorem_1
from experiments.gm import figure_2, figure_3, figure_4, passes
from experiments.low import figure_5, figures_1_2, figures_3_4
from experiments.part import figure_6, figure_7, figure_8, figure_9, figures_4_5, generator, open_points, table_1
from experiments.shadow import figures_2_3, figures_6_8, plain_readings, steep_sizes
from experiments.shadow import figures_4_5 as shadow_4_5

MODULES = (
    figure_2, figure_3, figure_4, passes,
    figures_1_2, figures_3_4, figure_5,
    table_1, figures_4_5, figure_6, figure_7, figure_8, figure_9, generator, open_points,
    figures_2_3, shadow_4_5, plain_readings, figures_6_8, steep_sizes,
    content_9, content_10, content_t1, content_theorem_1,
    side_by_side, eighty_twenty, ties, gaps, gaps_at_10000, gaps_of_content,
)  # fmt: skip
EXPERIMENTS = tuple(module.EXPERIMENT for module in MODULES)
NAMES = tuple(experiment.name for experiment in EXPERIMENTS)

PAPERS = {
    "gm": "GM: Greedy Merge (PODC 2007)",
    "low": "LOW: Low-ODA (ICDCS 2010)",
    "part": "PART: partial topic-connected overlays",
    "shadow": "SHADOW: topic-connected overlays under churn",
    "content": "CONTENT: content-based overlays",
    "beyond": "Beyond the papers",
}

"""The paper's base instance, under three interpretations of the number of topics per node."""

from __future__ import annotations

from experiments.workload import Workload

BASE = Workload(2_000, 200, "uniform", (10, 90))
HALF = Workload(1_000, 200, "uniform", (10, 90))
FLAT = Workload(2_000, 200, "uniform", (10, 90), draws="independent", size_exponent=1)
"""The paper says "power law" and prints no exponent."""

SETTING = "2,000 nodes × 200 topics, uniform, sizes 10-90 with P(s) ∝ s⁻²"
FLAT_SETTING = "2,000 nodes × 200 topics, uniform, sizes 10-90 with P(s) ∝ s⁻¹, independent draws"
STEEP = Workload(2_000, 200, "uniform", (10, 90), size_exponent=4)
STEEP_SETTING = "2,000 nodes × 200 topics, uniform, sizes 10-90 with P(s) ∝ s⁻⁴, random ties"
"""With this exponent, k = 2.5 and random ties the paper's links and degrees are reproduced; found by trying."""
_EVENTS = "; 1,000 events, joins and leaves with equal probability"
CHURN, FLAT_WORDS, STEEP_CHURN = SETTING + _EVENTS, FLAT_SETTING + _EVENTS, STEEP_SETTING + _EVENTS
READINGS = {BASE: SETTING, FLAT: FLAT_SETTING}

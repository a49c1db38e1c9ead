"""The paper's base instance, in two readings of its sizes."""

from __future__ import annotations

from experiments.workload import Workload

BASE = Workload(2_000, 200, "uniform", (10, 90))
HALF = Workload(1_000, 200, "uniform", (10, 90))
FLAT = Workload(2_000, 200, "uniform", (10, 90), draws="independent", size_exponent=1)
"""The paper says "power law" and prints no exponent."""

SETTING = "2,000 nodes × 200 topics, uniform, sizes 10-90 with P(s) ∝ s⁻²"
FLAT_SETTING = "2,000 nodes × 200 topics, uniform, sizes 10-90 with P(s) ∝ s⁻¹, independent draws"
_EVENTS = "; 1,000 events, joins and leaves with equal probability"
CHURN, FLAT_WORDS = SETTING + _EVENTS, FLAT_SETTING + _EVENTS
READINGS = {BASE: SETTING, FLAT: FLAT_SETTING}

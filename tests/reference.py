"""Naive twins of the algorithms: the executable specification.

Written from the papers with sets and dicts, recomputing everything at every step; shares no code with the package.
GM, LOW, PART and SHADOW name the papers, § their sections. Where a paper says "some edge", a rule here gives the *set*
of edges it allows; a twin takes the lexicographically least of them, and :func:`replay` accepts any of them.

``topics_of`` maps every node number to the set of its topic numbers; edges are pairs ``(u, v)`` with ``u < v``.

One file per paper (``reference_gm``, ``reference_low``, ``reference_part``) above the shared definitions; this module
gathers their names.
"""

from tests.reference_definitions import (
    Built,
    all_pairs,
    all_topics,
    components,
    contribution,
    filled,
    is_tco,
    maximum_degree,
    ordered,
    removed_components,
    subscribers,
    support,
    tcc,
    topics_by_number,
    weights_at,
)
from tests.reference_gm import _union, chain, gm, gm_rule, greedy, heaviest, ring, star
from tests.reference_low import _stars, cd, cd1, cd2, low, low_rule, minmax, minmax_rule, raising_least
from tests.reference_part import (
    _check_ended_at_tco,
    _coverage,
    budgets,
    check_random_avg,
    check_random_max,
    check_simple,
    check_spidercast,
    check_spidercast_max,
    gpa,
    gpa_rule,
    gpm,
    gpm_rule,
    replay_spidercast,
)
from tests.reference_replay import RULES, replay
from tests.reference_ties import _scrambled, label_hash, tie_key

__all__ = [
    "RULES",
    "Built",
    "_check_ended_at_tco",
    "_coverage",
    "_scrambled",
    "_stars",
    "_union",
    "all_pairs",
    "all_topics",
    "budgets",
    "cd",
    "cd1",
    "cd2",
    "chain",
    "check_random_avg",
    "check_random_max",
    "check_simple",
    "check_spidercast",
    "check_spidercast_max",
    "components",
    "contribution",
    "filled",
    "gm",
    "gm_rule",
    "gpa",
    "gpa_rule",
    "gpm",
    "gpm_rule",
    "greedy",
    "heaviest",
    "is_tco",
    "label_hash",
    "low",
    "low_rule",
    "maximum_degree",
    "minmax",
    "minmax_rule",
    "ordered",
    "raising_least",
    "removed_components",
    "replay",
    "replay_spidercast",
    "ring",
    "star",
    "subscribers",
    "support",
    "tcc",
    "tie_key",
    "topics_by_number",
    "weights_at",
]

"""Which pairs may be linked, what a link weighs, and which of several equally good links comes first."""

from typing import NamedTuple

import numpy as np

from topicweave.kernels.jit import njit
from topicweave.kernels.labels import scramble

LEAST_WEIGHT = 1e-9  # links that cost nothing weigh this much, so that contribution per weight stays finite
BALANCED, RANDOM, LEXICOGRAPHIC = 0, 1, 2


class Permission(NamedTuple):
    """Arrays made from ``topicweave.model.Resolved``, and those that break ties.

    Attributes
    ----------
    caps
        int64 (nodes): the most links of each.
    region, is_open
        int64 (nodes) and bool (regions, regions): which regions may be linked.
    exceptions, is_exception_open
        int64 and bool: the pairs ``u * n + v`` for which the regions do not decide, ascending.
    is_restricted
        bool (1): whether any pair is forbidden.
    place, table, points
        int64 (nodes), float64 (places, places), float64 (places, dimensions): the costs, in ``table`` or ``points``;
        the other is empty.
    base, per_cost
        float64 (1) each: a link weighs ``base + per_cost * cost``.
    marks, key, ties
        uint64 (nodes), uint64 (1), int64 (1): hashes of the labels, the key of the seed, and the rule for ties.
    preferred
        int64: pairs ``u * n + v`` that come first among equally good ones, ascending.
    """

    caps: np.ndarray
    region: np.ndarray
    is_open: np.ndarray
    exceptions: np.ndarray
    is_exception_open: np.ndarray
    is_restricted: np.ndarray
    place: np.ndarray
    table: np.ndarray
    points: np.ndarray
    base: np.ndarray
    per_cost: np.ndarray
    marks: np.ndarray
    key: np.ndarray
    ties: np.ndarray
    preferred: np.ndarray


@njit
def is_permitted(permission, u, v):
    """Whether the pair may be linked."""
    if not permission.is_restricted[0]:
        return True
    exceptions = permission.exceptions
    if len(exceptions) > 0:
        code = min(u, v) * np.int64(len(permission.caps)) + max(u, v)
        at = np.searchsorted(exceptions, code)
        if at < len(exceptions) and exceptions[at] == code:
            return permission.is_exception_open[at]
    return permission.is_open[permission.region[u], permission.region[v]]


@njit
def weight_of(permission, u, v):
    """What a link between two nodes weighs."""
    if permission.per_cost[0] == 0:
        return 1.0
    one, other = permission.place[u], permission.place[v]
    if len(permission.table) > 0:
        cost = permission.table[one, other]
    else:
        total = 0.0
        for d in range(permission.points.shape[1]):
            total += (permission.points[one, d] - permission.points[other, d]) ** 2
        cost = np.sqrt(total)
    return max(permission.base[0] + permission.per_cost[0] * cost, LEAST_WEIGHT)


@njit
def is_preferred(permission, u, v):
    """1 if the pair is preferred among equally good ones, otherwise 0."""
    if len(permission.preferred) == 0:
        return 0
    code = min(u, v) * np.int64(len(permission.caps)) + max(u, v)
    at = np.searchsorted(permission.preferred, code)
    return 1 if at < len(permission.preferred) and permission.preferred[at] == code else 0


@njit
def load_of(permission, degree, u, v):
    """How many links the two ends of a pair have, for the tie rule that takes the pair with the fewest."""
    return np.int64(degree[u] + degree[v]) if permission.ties[0] == BALANCED else np.int64(0)


@njit
def rank_of(permission, u, v):
    """The last tie-breaker: different for different pairs, but the same for both orders of a pair."""
    if permission.ties[0] == LEXICOGRAPHIC:
        return np.uint64(min(u, v) * np.int64(len(permission.caps)) + max(u, v))
    return scramble(permission.marks[u] + permission.marks[v] + permission.key[0])

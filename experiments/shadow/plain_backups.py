"""Algorithms 11 and 12 in plain NumPy, to see the effect of details that the paper leaves open."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    import topicweave as tw


def plain_backups(
    interest: tw.Interest, overlay: tw.Overlay, rule: str, coverage: int, *, renewed: bool, seed: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """The number of backups and of primaries of each node, if nodes choose their backups one after the other.

    Parameters
    ----------
    interest, overlay, rule, coverage
        As in ``tw.churn.Shadow``.
    renewed
        Whether weights (degree + primaries) count the primaries gained so far, as printed, or keep their values from
        before any backup was chosen.
    seed
        Seed of the order of topics and of ties, which are random.
    """
    wants = interest.to_scipy().toarray().astype(bool)
    degree = np.bincount(overlay.edges.ravel(), minlength=len(wants)).astype(np.float64)
    num_backups, num_primaries = np.zeros(len(wants), np.int64), np.zeros(len(wants), np.int64)
    rng = np.random.default_rng(seed)
    choose = cover_greedily if rule == "greedy" else cover_by_primal_dual
    for v in range(len(wants)):
        free = np.ones(len(wants), dtype=bool)
        free[v] = False
        for _ in range(coverage):
            weight = degree + num_primaries if renewed else degree.copy()
            for u in choose(wants, v, weight, free, rng):
                num_backups[v] += 1
                num_primaries[u] += 1
    return num_backups, num_primaries


def cover_greedily(
    wants: NDArray[np.bool_], v: int, weight: NDArray[np.float64], free: NDArray[np.bool_], rng: np.random.Generator
) -> list[int]:
    """Cover all topics once by Algorithm 11: take the lowest weight per newly covered topic."""
    chosen: list[int] = []
    rest = wants[v].copy()
    while rest.any():
        new = wants[:, rest].sum(axis=1)
        price = np.where(free & (new > 0), weight / np.maximum(new, 1), np.inf)
        if not np.isfinite(price.min()):
            break
        chosen.append(int(rng.choice(np.flatnonzero(price == price.min()))))
        free[chosen[-1]] = False
        rest &= ~wants[chosen[-1]]
    return chosen


def cover_by_primal_dual(
    wants: NDArray[np.bool_], v: int, weight: NDArray[np.float64], free: NDArray[np.bool_], rng: np.random.Generator
) -> list[int]:
    """Cover all topics once by Algorithm 12: draw an uncovered topic, take its subscriber with the lowest weight, lower
    the other weights.
    """
    chosen: list[int] = []
    weight = weight.copy()
    rest = wants[v].copy()
    while rest.any():
        topic = int(rng.choice(np.flatnonzero(rest)))
        candidates = np.flatnonzero(wants[:, topic] & free)
        rest[topic] = False
        if not len(candidates):
            continue
        least = weight[candidates].min()
        chosen.append(int(rng.choice(candidates[weight[candidates] == least])))
        weight[candidates] -= least
        free[chosen[-1]] = False
        rest &= ~wants[chosen[-1]]
    return chosen

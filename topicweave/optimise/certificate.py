"""A lower bound with its proof, checked by code that shares nothing with the search that found it.

The proof, for links: every pair e of nodes gets a price w[e, t] ≥ 0 in each of its common topics, and these sum to at
most 1. An overlay that connects topic t contains a spanning tree of its subscribers, so the prices in t of the
overlay's links sum to at least the cheapest such tree. Summed over the topics, the left side is at most the number of
links. Hence no overlay has fewer links than all cheapest trees cost together.

With a cap Δ(v) on the links of every node, prices may sum to 1 + λ(u) + λ(v), for any λ ≥ 0: an overlay within the cap
has Σ (1 + λ(u) + λ(v)) ≤ links + Σ λ(v)·Δ(v). For the least maximum degree the 1 is left out, and the trees' cost is
divided by Σ λ.
"""

from __future__ import annotations

import math
import zipfile
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from topicweave.errors import InputError, ReadError
from topicweave.model import Interest

if TYPE_CHECKING:
    from os import PathLike

    from numpy.typing import NDArray

TOLERANCE = 1e-9


@dataclass(frozen=True, eq=False)
class Certificate:
    """The price of each pair in each of its common topics, as whole numbers; ``unit`` is the cost of one link.

    Attributes
    ----------
    interest
        The interest that the bound holds for.
    unit
        The cost of a link.
    prices
        By topic number: (n, n) for its n subscribers in ascending order, symmetric; the diagonal is ignored.
    extra
        By node: λ, in the same unit.
    cap
        By node: the most links it may have; None for no limit.
    is_for_degree
        Whether the bound is on the maximum degree rather than on the number of links.
    """

    interest: Interest
    unit: int
    prices: tuple[NDArray[np.uint16], ...] = field(repr=False)
    extra: NDArray[np.int64] = field(repr=False)
    cap: NDArray[np.int64] | None = field(default=None, repr=False)
    is_for_degree: bool = False

    def largest_excess(self) -> float:
        """By how much the prices of any pair exceed their allowed sum; at most 0 if the certificate is valid."""
        starts, members = self.interest.subscribers
        base = 0.0 if self.is_for_degree else 1.0
        extra = self.extra / self.unit
        place = _places(self.interest)
        worst = -math.inf
        for u in range(self.interest.num_nodes):
            total = np.zeros(self.interest.num_nodes)
            is_met = np.zeros(self.interest.num_nodes, dtype=bool)
            for s in range(self.interest.indptr[u], self.interest.indptr[u + 1]):
                t = self.interest.indices[s]
                others = members[starts[t] : starts[t + 1]]
                total[others] += self.prices[t][place[s]] / self.unit
                is_met[others] = True
            is_met[u] = False
            if is_met.any():
                worst = max(worst, float((total - base - extra[u] - extra)[is_met].max()))
        return worst

    def tree_costs(self) -> NDArray[np.float64]:
        """The cost of the cheapest tree for each topic, computed by SciPy."""
        from scipy.sparse.csgraph import minimum_spanning_tree

        costs = np.zeros(self.interest.num_topics)
        for t, table in enumerate(self.prices):
            if len(table) > 1:
                # One is added to every price, because SciPy reads 0 as "no edge".
                shifted = np.triu(table.astype(np.float64), 1) + np.triu(np.ones(table.shape), 1)
                costs[t] = (float(minimum_spanning_tree(shifted).sum()) - (len(table) - 1)) / self.unit
        return costs

    def value(self) -> float:
        """The lower bound that these prices prove, in float64."""
        cost = float(self.tree_costs().sum())
        extra = self.extra / self.unit
        if self.is_for_degree:
            return cost / float(extra.sum()) if extra.any() else 0.0
        return cost if self.cap is None else cost - float(extra @ self.cap)


@dataclass(frozen=True, eq=False)
class Bound:
    """A certified lower bound on the links, or on the maximum degree, of every topic-connected overlay.

    Attributes
    ----------
    value
        The bound.
    certificate
        The prices that prove it.
    rounds
        Rounds of ten steps of the ascent that found it.
    seconds
        Time taken.
    """

    value: float
    certificate: Certificate = field(repr=False)
    rounds: int = 0
    seconds: float = 0.0

    @property
    def links(self) -> int:
        """The bound rounded up: every overlay has at least this many links (or links at its busiest node)."""
        return max(0, math.ceil(self.value - 1e-6))

    def gap(self, links: int) -> float:
        """By what share a number of links exceeds the least number that the bound allows; 0 proves an optimum."""
        return links / self.links - 1 if self.links else 0.0

    def check(self) -> float:
        """Prove the bound independently of the search, with SciPy in float64, and return it.

        Raises
        ------
        InputError
            The certificate does not prove what the bound claims.
        """
        excess = self.certificate.largest_excess()
        if excess > TOLERANCE:
            raise InputError(
                f"The certificate proves nothing: the prices of a pair exceed their allowed sum by {excess:.3g}; "
                f"compute the bound again."
            )
        if (self.certificate.extra < 0).any():
            raise InputError("The certificate proves nothing: a node's λ is below 0; compute the bound again.")
        value = self.certificate.value()
        if value < self.value - 1e-6 * max(1.0, abs(self.value)):
            raise InputError(
                f"The certificate proves {value:.6f} only, but the bound claims {self.value:.6f}; compute it again."
            )
        return value

    def save(self, path: str | PathLike[str]) -> None:
        """Write the bound and its certificate to a compressed file, which also contains the labels of the interest."""
        from topicweave.files import write_atomically

        proof, interest = self.certificate, self.certificate.interest
        upper = [table[np.triu_indices(len(table), 1)] for table in proof.prices]
        write_atomically(
            path,
            lambda file: np.savez_compressed(
                file, value=self.value, rounds=self.rounds, seconds=self.seconds, unit=proof.unit,
                is_for_degree=proof.is_for_degree, extra=proof.extra,
                cap=np.empty(0, np.int64) if proof.cap is None else proof.cap,
                nodes=np.array(interest.nodes, dtype=np.str_), topics=np.array(interest.topics, dtype=np.str_),
                indptr=interest.indptr, indices=interest.indices,
                prices=np.concatenate([np.empty(0, np.uint16), *upper]),
            ),
        )  # fmt: skip

    @classmethod
    def load(cls, path: str | PathLike[str]) -> Bound:
        """Read what :meth:`save` wrote; the bound can be proved again by :meth:`check`."""
        try:
            with open(path, "rb") as opened, np.load(opened, allow_pickle=False) as file:
                kept = {name: file[name] for name in file.files}
            interest = Interest.from_csr(
                kept["nodes"].tolist(), kept["topics"].tolist(), kept["indptr"], kept["indices"]
            )
            prices = tuple(_tables(kept["prices"], interest.topic_sizes))
            proof = Certificate(
                interest, int(kept["unit"]), prices, kept["extra"], kept["cap"] if len(kept["cap"]) else None,
                bool(kept["is_for_degree"]),
            )  # fmt: skip
            return cls(float(kept["value"]), proof, int(kept["rounds"]), float(kept["seconds"]))
        except (OSError, EOFError, ValueError, KeyError, IndexError, TypeError, zipfile.BadZipFile) as error:
            raise ReadError(f"{path} is not a bound that can be read ({error}); compute it again.") from None


def _places(interest: Interest) -> NDArray[np.int64]:
    """For each subscription, its position among the subscribers of its topic."""
    starts, _ = interest.subscribers
    order = np.argsort(interest.indices, kind="stable")
    place = np.empty(interest.num_subscriptions, dtype=np.int64)
    place[order] = np.arange(interest.num_subscriptions) - starts[interest.indices[order]]
    return place


def _tables(flat: NDArray[np.uint16], sizes: NDArray[np.int64]) -> list[NDArray[np.uint16]]:
    tables, at = [], 0
    for size in sizes.tolist():
        rows, columns = np.triu_indices(size, 1)
        table = np.zeros((size, size), dtype=np.uint16)
        table[rows, columns] = flat[at : at + len(rows)]
        tables.append(np.maximum(table, table.T))
        at += len(rows)
    return tables

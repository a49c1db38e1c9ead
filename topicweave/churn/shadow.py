"""Shadow: repairs among a few nodes kept ready for it (SHADOW Alg. 6-12)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from topicweave.churn.maintainer import Gain, Loss, Maintainer, without
from topicweave.churn.reoptimise import link_anew, reoptimise
from topicweave.churn.repair import LASTING
from topicweave.errors import ParameterError
from topicweave.kernels.churn import backups as kernel
from topicweave.model.labels import find_numbers

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from numpy.typing import NDArray

    from topicweave.churn.change import Change
    from topicweave.churn.record import Record
    from topicweave.model import Interest, Overlay

BACKUPS = {"primal_dual": kernel.PRIMAL_DUAL, "greedy": kernel.GREEDY}


class Shadow(Maintainer):
    """Every node has backups that together have all its topics; when it leaves, they and its neighbours are linked.

    Parameters
    ----------
    interest, overlay, k, trim, ties, seed
        See :class:`Maintainer`.
    coverage
        How many disjoint covers of its topics the backups of a node make (λ).
    backups
        How they are chosen: ``"primal_dual"`` spreads the burden, ``"greedy"`` makes smaller sets of busier nodes.

    Examples
    --------
    >>> from topicweave import Interest
    >>> shadow = Shadow(Interest.from_sets({"a": ["news"], "b": ["news", "sport"], "c": ["sport", "news"]}))
    >>> shadow.join("d", {"sport", "chess"}).added
    (('c', 'd'),)
    >>> shadow.leave("b").removed
    (('a', 'b'), ('b', 'c'))
    """

    name: ClassVar[str] = "shadow"

    def __init__(
        self,
        interest: Interest,
        overlay: Overlay | None = None,
        *,
        k: float = 3.0,
        coverage: int = 3,
        backups: str = "primal_dual",
        trim: bool = False,
        ties: str = LASTING,
        seed: int = 0,
    ) -> None:
        if isinstance(coverage, bool) or not isinstance(coverage, int | np.integer) or coverage < 1:
            raise ParameterError(f"coverage must be a whole number, 1 or more, but is {coverage!r}.")
        if not isinstance(backups, str) or backups not in BACKUPS:
            raise ParameterError(f"There is no backup rule {backups!r}; choose from {', '.join(BACKUPS)}.")
        super().__init__(interest, overlay, k=k, trim=trim, ties=ties, seed=seed)
        self.parameters.update(coverage=int(coverage), backups=backups)
        # xorshift must not start from 0, which SeedSequence may give only in theory
        self._random = np.random.SeedSequence(self.parameters["seed"]).generate_state(1, np.uint64) | np.uint64(1)
        self._build(range(interest.num_nodes))

    # ---- backups ----------------------------------------------------------------------------------------------

    def backups_of(self, node: str) -> frozenset[str]:
        """The backups of a node."""
        return self._labels("backups", node)

    def primaries_of(self, node: str) -> frozenset[str]:
        """Whose backup a node is."""
        return self._labels("primaries", node)

    def _labels(self, name: str, node: str) -> frozenset[str]:
        network = self.network
        number = int(find_numbers([node], network.nodes.number, "node")[0])
        return frozenset(network.nodes.name(v) for v in network.content(name, number).tolist())

    def _build(self, which: Iterable[int]) -> None:
        """Build the backups of these nodes anew, in this order (Alg. 6)."""
        network = self.network
        nodes = np.fromiter(which, dtype=np.int32)
        done = 0
        while True:
            done = kernel.build_backups(
                nodes, done, network.rows, len(network.nodes.label), network.subscribers, network.neighbours,
                network.backups, network.primaries, self.parameters["coverage"], BACKUPS[self.parameters["backups"]],
                network.choice, self._random,
            )  # fmt: skip
            if done == len(nodes):
                return
            network.more_room("backups")
            network.more_room("primaries")

    # ---- events -----------------------------------------------------------------------------------------------

    def reoptimise(self, budget: int) -> Change:
        return reoptimise(self, budget)

    def _nodes_to_mend_among(self, losses: list[Loss]) -> NDArray[np.int32]:
        """The shadow set: neighbours and backups (Alg. 7)."""
        near = [loss.neighbours for loss in losses]
        backups = [self.network.content("backups", loss.node) for loss in losses]
        shadow = np.unique(np.concatenate(near + backups))
        return self._with_neighbours(shadow) if self.parameters["trim"] else shadow

    def _nodes_to_join_to(self, gains: list[Gain]) -> NDArray[np.int32]:
        """The backups (Alg. 10), as they were when each newcomer got its topics."""
        several = [self._candidates.pop(gain.node) for gain in gains]
        if len(several) == 1:
            return several[0]  # nobody is its own backup
        return without(np.unique(np.concatenate(several)), [gain.node for gain in gains])

    def _after_gain(self, gain: Gain) -> None:
        """Build the newcomer's backups at once (Alg. 9).

        In a batch, whoever came before is a candidate and whoever comes later is not, so that in each topic every
        newcomer has a candidate that came earlier: all of them together are connected.
        """
        network = self.network
        self._build([gain.node])
        self._candidates[gain.node] = network.content("backups", gain.node)
        for t in gain.topics[network.subscribers.length[gain.topics] == 2].tolist():
            self._doubtful.update(network.content("subscribers", t).tolist())

    def _take_away(self, losses: list[Loss], record: Record) -> None:
        self._candidates: dict[int, NDArray[np.int32]] = {}
        self._doubtful: set[int] = set()
        super()._take_away(losses, record)
        network = self.network
        self._orphans: set[int] = set()
        for loss in losses:
            primaries = network.content("primaries", loss.node).tolist()
            (self._orphans if loss.leaves else self._doubtful).update(primaries)
            if loss.leaves:
                kernel.forget_backups(loss.node, network.backups, network.primaries)
                kernel.forget_backup(loss.node, network.backups, network.primaries)
            else:
                self._doubtful.add(loss.node)

    def _after_event(self, losses: list[Loss], gains: list[Gain], record: Record) -> None:
        """Build the backups anew of the primaries of those who left (Alg. 8), and of all whose backups are not true."""
        network = self.network
        gone = {loss.node for loss in losses if loss.leaves}
        doubtful = np.array(sorted(self._doubtful - self._orphans - gone), dtype=np.int32)
        lacking = kernel.list_lacking(doubtful, network.rows, network.subscribers, network.backups, network.choice.rest)
        self._build(sorted((self._orphans - gone) | set(lacking.tolist())))

    def _with_neighbours(self, nodes: NDArray[np.int32]) -> NDArray[np.int32]:
        """A wider circle: these nodes and their neighbours, among whom are more of the nodes with many topics."""
        return np.unique(np.concatenate([nodes, *(self.network.content("neighbours", u) for u in nodes.tolist())]))

    def _save_links(self, gains: list[Gain], around: set[int], record: Record) -> None:
        """Link newcomers within a wider circle, and the node with most links per topic anew, if that saves links."""
        network = self.network
        for gain in gains:
            circle = self._with_neighbours(network.content("backups", gain.node))
            link_anew(self, gain.node, None, record, circle=circle, only_fewer=True)
        nodes = np.array(sorted(around), dtype=np.int32)
        if len(nodes):
            topics = np.bitwise_count(network.rows[nodes]).sum(axis=1)
            busiest = int(nodes[np.argmax(network.neighbours.length[nodes] / np.maximum(topics, 1))])
            link_anew(self, busiest, None, record, only_fewer=True)

    # ---- snapshots --------------------------------------------------------------------------------------------

    def _extra_state(self) -> dict[str, NDArray[Any]]:
        return {"random": self._random}

    def _restore(self, extra: Mapping[str, NDArray[Any]]) -> None:
        self._random = np.array(extra["random"], dtype=np.uint64)

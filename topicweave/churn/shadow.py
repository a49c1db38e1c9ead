"""Shadow: repairs link only a few nodes that were chosen in advance (SHADOW Alg. 6-12)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from topicweave.churn.backups import Backups
from topicweave.churn.candidates import Candidates
from topicweave.churn.difference import without
from topicweave.churn.maintainer import Maintainer
from topicweave.churn.reoptimise import relink
from topicweave.model.labels import find_numbers

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from topicweave.churn.difference import Gain, Loss
    from topicweave.churn.repair import Repair
    from topicweave.model import Interest, Overlay


class Shadow(Maintainer):
    """For every node, chooses backups in advance, which together have all topics of the node; when the node leaves, its
    backups and neighbours are linked.

    Parameters
    ----------
    interest, overlay, k, trim, ties, levelling, seed
        See :class:`Maintainer`.
    coverage
        The number of disjoint covers of its topics that a node's backups form (λ): each of its topics has this many
        backups, as far as there are other subscribers.
    backups
        How backups are chosen: ``"primal_dual"`` spreads the load, ``"greedy"`` makes smaller sets of busier nodes.
    defer_backups
        Whether an event returns when the overlay is repaired, before backups are chosen again (Step III of the paper).
        :meth:`settle` does that, or otherwise the next event before it begins. The resulting overlay is the same either
        way, unless ``trim`` drops links in between.

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

    def __init__(self, interest: Interest, overlay: Overlay | None = None, *, seed: int = 0, **given: Any) -> None:
        super().__init__(interest, overlay, seed=seed, **given)
        # a xorshift generator must not start from 0, which SeedSequence could in theory return
        random = np.random.SeedSequence(self.parameters["seed"]).generate_state(1, np.uint64) | np.uint64(1)
        self.backups = self._backups(random)
        self.backups.build(range(interest.num_nodes))

    def settle(self) -> None:
        """Choose the backups that ``defer_backups`` postponed; best called when the process is idle."""
        self.backups.catch_up()

    def backups_of(self, node: str) -> frozenset[str]:
        """The nodes chosen as backups of this node."""
        self.settle()
        return self._labels(self.backups.of(self._slot(node)))

    def primaries_of(self, node: str) -> frozenset[str]:
        """The nodes that have this node as a backup."""
        self.settle()
        return self._labels(self.backups.primaries(self._slot(node)))

    def candidates(self, repair: Repair) -> Candidates:
        return ShadowSet(repair, self.backups)

    def extra_state(self) -> dict[str, NDArray[Any]]:
        return {"random": self.backups.random}

    def restore(self, extra: Mapping[str, NDArray[Any]]) -> None:
        self.backups = self._backups(np.array(extra["random"], dtype=np.uint64))

    def _backups(self, random: NDArray[np.uint64]) -> Backups:
        return Backups(self.state, self.parameters["coverage"], self.parameters["backups"], random)

    def _slot(self, node: str) -> int:
        return int(find_numbers([node], self.state.nodes.number, "node")[0])

    def _labels(self, slots: NDArray[np.int32]) -> frozenset[str]:
        return frozenset(self.state.nodes.name(v) for v in slots.tolist())


class ShadowSet(Candidates):
    """The candidates of Shadow: neighbours and backups of the nodes that an event changes. Backups are updated, too."""

    def __init__(self, repair: Repair, backups: Backups) -> None:
        super().__init__(repair)
        self.backups = backups
        # the backups that each newcomer had at the moment it got its topics
        self._when_gained: dict[int, NDArray[np.int32]] = {}
        self._orphans: set[int] = set()  # nodes that have lost a backup
        self._doubtful: set[int] = set()  # nodes whose backups may not have all their topics any more

    def for_losses(self, losses: Sequence[Loss]) -> NDArray[np.int32]:
        """The neighbours and backups of nodes that lose topics, together called their shadow set (Alg. 7)."""
        near = [loss.neighbours for loss in losses]
        backups = [self.backups.of(loss.node) for loss in losses]
        shadow = np.unique(np.concatenate(near + backups))
        return self._with_neighbours(shadow) if self.repair.parameters["trim"] else shadow

    def after_losses(self) -> None:
        for loss in self.repair.losses:
            primaries = self.backups.primaries(loss.node).tolist()
            (self._orphans if loss.leaves else self._doubtful).update(primaries)
            if loss.leaves:
                self.backups.forget(loss.node)
            else:
                self._doubtful.add(loss.node)

    def after_gain(self, gain: Gain) -> None:
        """Choose backups for a newcomer at once (Alg. 9).

        In a batch, newcomers that came earlier are candidates and later ones are not, so that in each topic every
        newcomer has a candidate that came earlier: all of them together are connected.
        """
        self.backups.build([gain.node])
        self._when_gained[gain.node] = self.backups.of(gain.node)
        # in a topic with few subscribers, each can now have one more backup: the newcomer
        are_few = self.state.subscribers.length[gain.topics] <= self.backups.coverage + 1
        for t in gain.topics[are_few].tolist():
            self._doubtful.update(self.state.content("subscribers", t).tolist())

    def for_gains(self, gains: Sequence[Gain]) -> NDArray[np.int32]:
        """The backups of the newcomers, as chosen when each got its topics (Alg. 10)."""
        several = [self._when_gained[gain.node] for gain in gains]
        if len(several) == 1:
            return several[0]  # no need to remove duplicates: a node is never its own backup
        return without(np.unique(np.concatenate(several)), [gain.node for gain in gains])

    def finish(self) -> None:
        """Choose new backups for nodes whose backups left (Alg. 8), and for nodes that have too few.

        With ``defer_backups``, only record which nodes these are.
        """
        gone = set(self.repair.left)
        lacking = self.backups.lacking(self._doubtful - self._orphans - gone)
        self.backups.due = sorted((self._orphans - gone) | set(lacking))
        if not self.repair.parameters["defer_backups"]:
            self.backups.catch_up()

    def save_links(self) -> None:
        """Try to get by with fewer links after an event: the newcomers, and the node near the event with the most links
        per topic, are relinked if that takes fewer links. Newcomers then choose among more nodes than when they
        arrived.
        """
        state = self.state
        nodes = np.array(sorted(self.repair.surroundings), dtype=np.int32)
        for gain in self.repair.gains:
            relink(self, gain.node, circle=self._with_neighbours(self.backups.of(gain.node)), only_fewer=True)
        if len(nodes):
            topics = np.bitwise_count(state.rows[nodes]).sum(axis=1)
            busiest = int(nodes[np.argmax(state.neighbours.length[nodes] / np.maximum(topics, 1))])
            relink(self, busiest, only_fewer=True)

    def _with_neighbours(self, nodes: NDArray[np.int32]) -> NDArray[np.int32]:
        """These nodes and their neighbours; the neighbours are likely to include nodes with many topics."""
        return np.unique(np.concatenate([nodes, *(self.state.content("neighbours", u) for u in nodes.tolist())]))

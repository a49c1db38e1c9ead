"""Repair: applies one event or batch; holds everything that the steps need, and what they have changed.

First the nodes and topics that are lost are removed, and the topics that fell apart are reconnected; then the nodes and
topics that are gained are added and linked. The maintainer's :class:`~topicweave.churn.candidates.Candidates` decide
which nodes a repair may link.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any

import numpy as np

from topicweave.churn.change import Change
from topicweave.churn.connect import NOBODY, connect_pieces
from topicweave.churn.difference import Gain, Loss, union, without
from topicweave.churn.levelling import cap_of
from topicweave.churn.link_changes import LinkChanges, star
from topicweave.churn.told_links import ToldLinks
from topicweave.kernels.churn.pieces import VISITED, find_pieces, label_newcomers
from topicweave.kernels.churn.small_problem import set_bits

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from numpy.typing import NDArray

    from topicweave.churn.candidates import Candidates
    from topicweave.churn.overlay_state import OverlayState
    from topicweave.trees.follow import FollowedTrees


class Repair:
    """Removes what an event takes away, adds what it brings, and reconnects the overlay.

    Parameters
    ----------
    state
        The overlay, which is changed.
    parameters
        Parameters of the maintainer: ``k``, ``ties``, ``seed`` and, if there is one, ``levelling`` choose the links.
    losses, gains
        What the event changes; empty for a repair that only improves links.
    trees
        The dissemination trees before the event, if they are followed: the repair of a leave then first makes links
        that change no further broker's configuration file (see :mod:`topicweave.churn.told_links`), and after that
        prefers links to nodes whose files change anyway.

    Attributes
    ----------
    links
        The links made and dropped.
    cap
        The degree up to which nodes take links: for repairs, a maximum degree above this counts as this.
    repair_seconds, shadow_size
        See :class:`topicweave.churn.Change`.
    """

    def __init__(
        self,
        state: OverlayState,
        parameters: Mapping[str, Any],
        losses: Sequence[Loss] = (),
        gains: Sequence[Gain] = (),
        *,
        trees: FollowedTrees | None = None,
    ) -> None:
        self.state, self.parameters = state, parameters
        self.losses, self.gains = losses, gains
        self.joined = [gain.node for gain in gains if state.neighbours.length[gain.node] == 0]
        self._trees = trees if any(loss.leaves for loss in losses) else None
        self._told = NOBODY if self._trees is None else self._who_is_told()
        self.links = LinkChanges(state)
        self.cap = cap_of(state, parameters.get("levelling", 0))
        self.repair_seconds = 0.0
        self.shadow_size = 0
        self._begun = time.perf_counter()
        state.search.count[VISITED] = 0

    # ---- which nodes --------------------------------------------------------------------------------------------

    @property
    def left(self) -> list[int]:
        """The nodes that leave the overlay."""
        return [loss.node for loss in self.losses if loss.leaves]

    @property
    def changed(self) -> set[int]:
        """The nodes that stay or join and whose topics change."""
        return {loss.node for loss in self.losses if not loss.leaves} | {gain.node for gain in self.gains}

    @property
    def surroundings(self) -> set[int]:
        """The nodes that remain and whose topics or links have changed."""
        return self.links.new_ends | self.changed

    # ---- the steps in which an event is applied ------------------------------------------------------------------

    def take_away(self, candidates: Candidates) -> None:
        """Remove lost topics and nodes, and reconnect the topics that fell apart."""
        if not self.losses:
            return
        members = candidates.for_losses(self.losses)
        begun = time.perf_counter()
        state = self.state
        for loss in self.losses:
            state.unsubscribe(loss.node, loss.topics)
            if loss.leaves:
                self.links.unlink(star(loss.node, state.content("neighbours", loss.node)))
        if members is not None:
            members = without(members, self.left)
            self.shadow_size = len(members)
            if self._trees is not None:
                self._link_told(self._trees, members)
            self.reconnect(self.losses, members)
        self.repair_seconds += time.perf_counter() - begun
        candidates.after_losses()

    def give(self, candidates: Candidates) -> None:
        """Add the new topics and nodes, and link the nodes that gained topics."""
        for gain in self.gains:
            self.state.subscribe(gain.node, gain.topics)
            candidates.after_gain(gain)
        # Useless links are dropped after the gains, not with the losses: two nodes that lost their last common topic
        # may have gained another one.
        for v in sorted(self.changed):
            self._drop_useless(v)
        if not self.gains:
            return
        members = candidates.for_gains(self.gains)
        if members is None:
            return
        begun = time.perf_counter()
        self.shadow_size += len(members)
        self._link_newcomers(members)
        self.repair_seconds += time.perf_counter() - begun

    def close(self) -> Change:
        """Free the numbers of everything removed, and return the change made by the event."""
        change = Change(
            self.state.label_pairs(self.links.added),
            self.state.label_pairs(self.links.removed),
            time.perf_counter() - self._begun,
            self.repair_seconds,
            int(self.state.search.count[VISITED]),
            self.shadow_size,
        )
        for loss in self.losses:
            if loss.leaves:
                self.state.remove_node(loss.node)
            self.state.sweep_topics(loss.topics.tolist())
        return change

    # ---- repairing ----------------------------------------------------------------------------------------------

    def reconnect(
        self,
        losses: Sequence[Loss],
        members: NDArray[np.int32],
        links: LinkChanges | None = None,
        num_newcomers: int | None = None,
    ) -> None:
        """Link members until the lost topics are connected again.

        Parameters
        ----------
        losses
            For each node, the topics that it lost, and the neighbours that it had.
        members
            Slots of the nodes to link among.
        links
            Where the links made are recorded; by default with those of the event.
        num_newcomers
            If given, only links with one of the first ``num_newcomers`` members are considered; None for any links.
        """
        state = self.state
        topics = union(loss.topics for loss in losses)
        pieces = np.empty((len(topics), len(members)), dtype=np.int32)
        broken = np.empty(len(topics), dtype=np.int32)
        num_broken = find_pieces(
            state.rows, state.neighbours, topics, self._bits(losses),
            _indptr(len(loss.neighbours) for loss in losses), np.concatenate([loss.neighbours for loss in losses]),
            members, state.search, pieces, broken,
        )  # fmt: skip
        if num_broken:
            (self.links if links is None else links).link(self._connect(members, pieces[:num_broken], num_newcomers))

    def _link_told(self, trees: FollowedTrees, members: NDArray[np.int32]) -> None:
        """Join the pieces of trees by links that change no additional configuration file."""
        name = self.state.nodes.name
        stars = [(name(loss.node), name(u)) for loss in self.losses if loss.leaves for u in loss.neighbours.tolist()]
        removed = [(a, b) if a < b else (b, a) for a, b in stars]
        links = ToldLinks(self.state, trees, removed, {name(v) for v in self.left}, self.cap)
        self.links.link(links.choose(members))

    def _link_newcomers(self, members: NDArray[np.int32]) -> None:
        """Link the nodes that gained topics, to each other and to other members of these topics."""
        state = self.state
        topics = union(gain.topics for gain in self.gains)
        newcomers = np.array([gain.node for gain in self.gains], dtype=np.int32)
        members = np.concatenate((newcomers, members))
        pieces = np.empty((len(topics), len(members)), dtype=np.int32)
        broken = np.empty(len(topics), dtype=np.int32)
        num_broken = label_newcomers(
            state.rows, state.neighbours, topics, newcomers, self._bits(self.gains), members, state.search, pieces,
            broken,
        )  # fmt: skip
        if num_broken:
            self.links.link(self._connect(members, pieces[:num_broken], len(newcomers)))

    def _drop_useless(self, v: int) -> None:
        """Drop the links of a node to neighbours that share no topic with it any more."""
        near = self.state.content("neighbours", v)
        if len(near):
            useless = ~(self.state.rows[near] & self.state.rows[v]).any(axis=1)
            self.links.unlink(star(v, near[useless]))

    def _connect(
        self, members: NDArray[np.int32], pieces: NDArray[np.int32], num_newcomers: int | None
    ) -> NDArray[np.int32]:
        chosen = self.parameters
        return connect_pieces(
            self.state, members, pieces, num_newcomers, cap=self.cap, k=chosen["k"], ties=chosen["ties"],
            seed=chosen["seed"], told=self._told,
        )  # fmt: skip

    def _who_is_told(self) -> NDArray[np.bool_]:
        """For each node, whether its configuration file names a link to a node that leaves. A link is named in only one
        file: that of the end whose label sorts last.
        """
        found = np.zeros(len(self.state.rows), dtype=np.bool_)
        name = self.state.nodes.name
        for loss in self.losses:
            if loss.leaves:
                found[[u for u in loss.neighbours.tolist() if name(u) > name(loss.node)]] = True
        return found

    def _bits(self, parts: Sequence[Loss | Gain]) -> NDArray[np.uint64]:
        rows = np.zeros((len(parts), self.state.rows.shape[1]), dtype=np.uint64)
        for row, part in zip(rows, parts, strict=True):
            set_bits(row, part.topics)
        return rows


def _indptr(lengths: Iterable[int]) -> NDArray[np.int64]:
    return np.concatenate(([0], np.cumsum(list(lengths)))).astype(np.int64)

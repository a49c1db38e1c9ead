"""What all maintainers share: one protocol, and one way of carrying out events.

An event and a batch are the same thing here: which nodes are to subscribe to what afterwards. First everything that
goes is taken away and what that broke is mended; then everything that comes is given and linked.
"""

from __future__ import annotations

import time
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np

from topicweave.churn.change import Change
from topicweave.churn.events import JOIN, LEAVE, RESUBSCRIBE, Event, checked_events, topics_after
from topicweave.churn.overlay_state import Network
from topicweave.churn.record import Record, star
from topicweave.churn.repair import LASTING, connect_pieces
from topicweave.churn.trim import trim_links
from topicweave.errors import OverlayError, ParameterError
from topicweave.kernels.churn.pieces import VISITED, find_pieces, label_newcomers
from topicweave.kernels.churn.small_problem import set_bits
from topicweave.metrics import verify
from topicweave.metrics.matching import check_nouns
from topicweave.model import Interest, Overlay
from topicweave.model.checks import check_kind
from topicweave.model.labels import as_label

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from numpy.typing import NDArray

TIES = (LASTING, "balanced", "random", "lexicographic")


@dataclass(frozen=True)
class Loss:
    """A node that loses topics: all of them, when it leaves."""

    node: int
    topics: NDArray[np.int32]
    neighbours: NDArray[np.int32]
    leaves: bool


@dataclass(frozen=True)
class Gain:
    """A node that gains topics, or is new."""

    node: int
    topics: NDArray[np.int32]


class Maintainer(ABC):
    """Keeps an overlay topic-connected while nodes join, leave and change their topics.

    Parameters
    ----------
    interest
        Who subscribes to what at the beginning.
    overlay
        A topic-connected overlay of the same nodes; without it, ``low`` designs one.
    k
        Parameter of ``low``, the rule by which links are chosen.
    trim
        Whether to look, after every event, for links around it that have become redundant, and drop them; ``Shadow``
        then also looks for links within a wider circle (neighbours of the shadow set) where that saves some.
    ties
        Which of equally good links a repair takes: ``"lasting"`` prefers nodes with many topics that are not near the
        maximum degree, for such links go on being of use when others leave; the others as in
        :func:`topicweave.design`. Static designs of ``"lasting"`` are balanced.
    seed
        Same seed and events, same overlay.
    """

    name: ClassVar[str]

    def __init__(
        self,
        interest: Interest,
        overlay: Overlay | None = None,
        *,
        k: float = 3.0,
        trim: bool = False,
        ties: str = LASTING,
        seed: int = 0,
    ) -> None:
        self.parameters: dict[str, Any] = {
            "k": _checked_k(k), "trim": _checked_trim(trim), "ties": ties, "seed": _checked_seed(seed),
        }  # fmt: skip
        if ties not in TIES:
            raise ParameterError(f"There is no tie rule {ties!r}; choose from {', '.join(TIES)}.")
        self.network = Network.from_overlay(interest, self._checked_overlay(interest, overlay))

    # ---- the present state ------------------------------------------------------------------------------------

    @property
    def interest(self) -> Interest:
        """Who subscribes to what now; only topics that have a subscriber."""
        return self.network.interest()

    @property
    def overlay(self) -> Overlay:
        """The links now, in sorted order."""
        return self.network.overlay()

    @property
    def num_nodes(self) -> int:
        return len(self.network.nodes.number)

    @property
    def num_links(self) -> int:
        return self.network.num_links

    @property
    def average_degree(self) -> float:
        return 2 * self.num_links / self.num_nodes if self.num_nodes else 0.0

    @property
    def maximum_degree(self) -> int:
        return self.network.maximum_degree

    def topics_of(self, node: str) -> frozenset[str] | None:
        """The topics of a node, None if it is not there."""
        v = self.network.nodes.number.get(as_label(node, "node"))
        return None if v is None else self.network.topic_labels(v)

    # ---- events -----------------------------------------------------------------------------------------------

    def join(self, node: str, topics: Iterable[str]) -> Change:
        """A node comes with its topics (perhaps none); one that is already there is an error."""
        return self.apply([Event(JOIN, node, topics)])  # type: ignore[arg-type]

    def leave(self, node: str) -> Change:
        """A node goes, and its links with it; one that is not there is an error."""
        return self.apply([Event(LEAVE, node)])

    def resubscribe(self, node: str, topics: Iterable[str]) -> Change:
        """A node has these topics from now on, instead of those it had."""
        return self.apply([Event(RESUBSCRIBE, node, topics)])  # type: ignore[arg-type]

    def apply(self, events: Iterable[Event]) -> Change:
        """Carry out a batch: the overlay is repaired once, for what is left of all the events together.

        An event that cannot be (join of a present node, anything else of an absent one) is an error, and then none of
        the batch is carried out. A node that leaves and comes back within a batch counts as one that changed topics.
        """
        after: dict[str, frozenset[str] | None] = {}
        for event in checked_events(events):
            before = after[event.node] if event.node in after else self.topics_of(event.node)
            after[event.node] = topics_after(before, event)
        return self._carry_out(after)

    @abstractmethod
    def reoptimise(self, budget: int) -> Change:
        """Win back quality lost over time, by at most so many link changes."""

    # ---- how events are carried out ---------------------------------------------------------------------------

    def _carry_out(self, after: Mapping[str, frozenset[str] | None]) -> Change:
        begun = time.perf_counter()
        network = self.network
        record = Record(network)
        network.search.count[VISITED] = 0
        losses, gains = self._sort_out(after)
        self._take_away(losses, record)
        changed = {loss.node for loss in losses if not loss.leaves} | {gain.node for gain in gains}
        self._give(gains, changed, record)
        self._after_event(losses, gains, record)
        if self.parameters["trim"]:
            trim_links(record, record.touched() | changed)
            self._save_links(gains, record.touched() | changed, record)
        change = self._report(record, begun)
        for loss in losses:
            if loss.leaves:
                network.remove_node(loss.node)
            network.sweep_topics(loss.topics.tolist())
        return change

    def _sort_out(self, after: Mapping[str, frozenset[str] | None]) -> tuple[list[Loss], list[Gain]]:
        """What is lost and gained; new nodes get their slots."""
        network = self.network
        losses, gains = [], []
        for label, wanted in after.items():
            v = network.nodes.number.get(label)
            if v is None:
                if wanted is not None:
                    gains.append(Gain(network.add_node(label), network.topic_slots(wanted)))
                continue
            near = network.content("neighbours", v)
            if wanted is None:
                losses.append(Loss(v, network.topics_of(v), near, leaves=True))
                continue
            had = network.topic_labels(v)
            if had - wanted:
                losses.append(Loss(v, network.topic_slots(had - wanted), near, leaves=False))
            if wanted - had:
                gains.append(Gain(v, network.topic_slots(wanted - had)))
        return losses, gains

    def _take_away(self, losses: list[Loss], record: Record) -> None:
        if not losses:
            return
        members = self._nodes_to_mend_among(losses)
        begun = time.perf_counter()
        network = self.network
        for loss in losses:
            network.unsubscribe(loss.node, loss.topics)
            if loss.leaves:
                record.unlink(star(loss.node, network.content("neighbours", loss.node)))
        members = without(members, [loss.node for loss in losses if loss.leaves])
        record.shadow_size = len(members)
        self._mend(losses, members, record)
        record.repair_seconds += time.perf_counter() - begun

    def _mend(
        self, losses: list[Loss], members: NDArray[np.int32], record: Record, num_newcomers: int | None = None
    ) -> None:
        """Link members until the topics lost are connected again; only by links of the first few, if so asked."""
        network = self.network
        topics = _union(loss.topics for loss in losses)
        pieces = np.empty((len(topics), len(members)), dtype=np.int32)
        broken = np.empty(len(topics), dtype=np.int32)
        num_broken = find_pieces(
            network.rows, network.neighbours, topics, self._bits(losses),
            _indptr(len(loss.neighbours) for loss in losses), np.concatenate([loss.neighbours for loss in losses]),
            members, network.search, pieces, broken,
        )  # fmt: skip
        if num_broken:
            record.link(self._connect(members, pieces[:num_broken], num_newcomers))

    def _give(self, gains: list[Gain], changed: set[int], record: Record) -> None:
        network = self.network
        for gain in gains:
            network.subscribe(gain.node, gain.topics)
            self._after_gain(gain)
        for v in sorted(changed):  # a link that has lost its topics may have found new ones, so only now is it useless
            self._drop_useless(v, record)
        if not gains:
            return
        members = self._nodes_to_join_to(gains)
        begun = time.perf_counter()
        record.shadow_size += len(members)
        topics = _union(gain.topics for gain in gains)
        newcomers = np.array([gain.node for gain in gains], dtype=np.int32)
        members = np.concatenate((newcomers, members))
        pieces = np.empty((len(topics), len(members)), dtype=np.int32)
        broken = np.empty(len(topics), dtype=np.int32)
        num_broken = label_newcomers(
            network.rows, network.neighbours, topics, newcomers, self._bits(gains), members, network.search, pieces,
            broken,
        )  # fmt: skip
        if num_broken:
            record.link(self._connect(members, pieces[:num_broken], len(newcomers)))
        record.repair_seconds += time.perf_counter() - begun

    def _drop_useless(self, v: int, record: Record) -> None:
        """Drop the links of a node with whose other end it shares no topic."""
        near = self.network.content("neighbours", v)
        if len(near):
            useless = ~(self.network.rows[near] & self.network.rows[v]).any(axis=1)
            record.unlink(star(v, near[useless]))

    def _connect(
        self, members: NDArray[np.int32], pieces: NDArray[np.int32], num_newcomers: int | None
    ) -> NDArray[np.int32]:
        chosen = self.parameters
        return connect_pieces(
            self.network, members, pieces, num_newcomers, k=chosen["k"], ties=chosen["ties"], seed=chosen["seed"]
        )

    def _bits(self, parts: Sequence[Loss | Gain]) -> NDArray[np.uint64]:
        rows = np.zeros((len(parts), self.network.rows.shape[1]), dtype=np.uint64)
        for row, part in zip(rows, parts, strict=True):
            set_bits(row, part.topics)
        return rows

    def _report(self, record: Record, begun: float) -> Change:
        return Change(
            self.network.label_pairs(record.added),
            self.network.label_pairs(record.removed),
            time.perf_counter() - begun,
            record.repair_seconds,
            int(self.network.search.count[VISITED]),
            record.shadow_size,
        )

    # ---- what maintainers differ in ---------------------------------------------------------------------------

    @abstractmethod
    def _nodes_to_mend_among(self, losses: list[Loss]) -> NDArray[np.int32]:
        """Whom a repair may link when topics are lost; asked before anything is taken away."""

    @abstractmethod
    def _nodes_to_join_to(self, gains: list[Gain]) -> NDArray[np.int32]:
        """Whom the newcomers may be linked to, besides each other."""

    def _after_gain(self, gain: Gain) -> None:  # noqa: B027
        """Called when a node has been given its topics, before it is linked."""

    def _after_event(self, losses: list[Loss], gains: list[Gain], record: Record) -> None:  # noqa: B027
        """Called when the overlay is topic-connected again; nodes that left still have their slots."""

    def _save_links(self, gains: list[Gain], around: set[int], record: Record) -> None:  # noqa: B027
        """Called with ``trim`` when redundant links have gone: save further links around the event, if possible."""

    # ---- snapshots --------------------------------------------------------------------------------------------

    def _extra_state(self) -> dict[str, NDArray[Any]]:
        """What a snapshot must hold besides the network."""
        return {}

    def _restore(self, extra: Mapping[str, NDArray[Any]]) -> None:  # noqa: B027
        """Take up what :meth:`_extra_state` gave."""

    @classmethod
    def _revive(cls, network: Network, parameters: dict[str, Any], extra: Mapping[str, NDArray[Any]]) -> Maintainer:
        made = cls.__new__(cls)
        made.parameters = parameters
        made.network = network
        made._restore(extra)
        return made

    # ---- checks -----------------------------------------------------------------------------------------------

    def _checked_overlay(self, interest: Interest, overlay: Overlay | None) -> Overlay:
        check_nouns(interest, Overlay.empty(()) if overlay is None else overlay)
        if overlay is None:
            return designed(interest, self.parameters)
        if tuple(overlay.labels) != tuple(interest.nodes):
            raise OverlayError(
                f"The overlay has {overlay.num_nodes} nodes, the interest {interest.num_nodes}, "
                f"and they are not the same; build the overlay with labels=interest.nodes."
            )
        report = verify(interest, overlay)
        if not report.topic_connected:
            raise OverlayError(
                f"The overlay leaves {len(report.disconnected_topics)} topics in pieces, first "
                f"{report.disconnected_topics[0]!r}; complete it with design(interest, 'low', start=overlay)."
            )
        return overlay

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.num_nodes} nodes, {self.num_links} links)"


def designed(interest: Interest, parameters: Mapping[str, Any]) -> Overlay:
    """The static design of an interest; without subscriptions, no links."""
    from topicweave.algorithms import design

    if interest.num_subscriptions == 0:
        return Overlay.empty(interest.nodes)
    ties = "balanced" if parameters["ties"] == LASTING else parameters["ties"]
    return design(interest, "low", k=parameters["k"], ties=ties, seed=parameters["seed"]).overlay


def check_maintainer(given: Any, who: str) -> None:
    """Say what is wrong if this is no maintainer."""
    check_kind(given, Maintainer, f"{who} needs a maintainer", "build a Shadow, Naive or Rebuild first")


def _union(arrays: Iterable[NDArray[np.int32]]) -> NDArray[np.int32]:
    several = list(arrays)
    return several[0] if len(several) == 1 else np.unique(np.concatenate(several))


def without(members: NDArray[np.int32], some: list[int]) -> NDArray[np.int32]:
    """The members but for some."""
    if len(some) == 1:  # by far the most frequent case, and np.isin takes its time
        kept: NDArray[np.int32] = members[members != some[0]]
        return kept
    return members[~np.isin(members, some)]


def _indptr(lengths: Iterable[int]) -> NDArray[np.int64]:
    return np.concatenate(([0], np.cumsum(list(lengths)))).astype(np.int64)


def _checked_k(k: Any) -> float:
    if isinstance(k, bool) or not isinstance(k, int | float | np.number) or not k >= 1:
        raise ParameterError(f"k must be a number, 1 or more, but is {k!r}.")
    return float(k)


def _checked_trim(trim: Any) -> bool:
    if not isinstance(trim, bool | np.bool_):  # 'no' would count as yes
        raise ParameterError(f"trim must be True or False, but is {trim!r}.")
    return bool(trim)


def _checked_seed(seed: Any) -> int:
    if isinstance(seed, bool) or not isinstance(seed, int | np.integer) or seed < 0:
        raise ParameterError(f"seed must be a whole number, 0 or more, but is {seed!r}.")
    return int(seed)

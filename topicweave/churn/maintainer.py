"""Maintainer: what all maintainers have in common, which is the current state and the events that change it.

An event and a batch are handled alike: both say which topics some nodes are to have afterwards.
:mod:`topicweave.churn.repair` carries that out.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar

from topicweave.churn.difference import losses_and_gains
from topicweave.churn.events import (
    DRAIN,
    JOIN,
    LEAVE,
    RESUBSCRIBE,
    SUBSCRIBE,
    Event,
    Membership,
    checked_events,
    membership_after,
)
from topicweave.churn.levelling import level
from topicweave.churn.overlay_state import OverlayState
from topicweave.churn.registry import LASTING, MAINTAINERS
from topicweave.churn.reoptimise import check_budget, reoptimise
from topicweave.churn.repair import Repair
from topicweave.churn.trim import trim_links
from topicweave.deprecation import warn_renamed
from topicweave.errors import OverlayError, Remedy
from topicweave.metrics import verify
from topicweave.metrics.matching import check_nouns
from topicweave.model import Interest, Overlay
from topicweave.model.labels import as_label
from topicweave.parameters import check_kind, check_seed, fill
from topicweave.trees.result import Trees

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from numpy.typing import NDArray

    from topicweave.churn.candidates import Candidates
    from topicweave.churn.change import Change
    from topicweave.trees.follow import FollowedTrees


class Maintainer(ABC):
    """Keeps an overlay topic-connected while nodes join, leave and change their topics.

    Parameters
    ----------
    interest
        The subscriptions at the beginning.
    overlay
        A topic-connected overlay of the same nodes; without it, ``low`` designs one.
    k
        Parameter of ``low``, the rule that chooses links; 3 by default.
    trim
        Whether to look, after every event, for links around it that have become redundant, and drop them; ``Shadow``
        then also looks for links within a wider circle (neighbours of the shadow set) where that saves some. While
        trees are followed, all this is done only after a change of topics. So that few brokers need a new file, a join
        drops a link only if the file that configures it changes anyway, and a leave drops no redundant link at all.
    ties
        Which of equally good links a repair takes: ``"lasting"`` (default) prefers nodes with many topics that are not
        near the maximum degree, because such links stay useful when other nodes leave; the other values as in
        :func:`topicweave.design`. With ``"lasting"``, static designs use ``"balanced"``.
    levelling
        Keep degrees near those of a new design over any number of events: after each event links around it are replaced
        if that saves links or evens out degrees, and no node should have more than this many times the average degree.
        2 suits most interests; 0 (default) turns it off, as in the paper, where degrees rise. ``Rebuild`` does not have
        it.
    seed
        The same seed and events give the same overlay.

    Attributes
    ----------
    name
        The name of its entry in :data:`topicweave.churn.MAINTAINERS`, where its parameters are listed.
    parameters
        The values of these parameters, and the seed.
    state
        The current nodes, topics and links as arrays.
    """

    name: ClassVar[str]
    _followed: FollowedTrees | None = None

    def __init__(self, interest: Interest, overlay: Overlay | None = None, *, seed: int = 0, **given: Any) -> None:
        self.parameters: dict[str, Any] = {
            **fill(self.name, MAINTAINERS[self.name].parameters, given),
            "seed": check_seed(seed),
        }
        self.state = OverlayState.from_overlay(interest, self._checked_overlay(interest, overlay))

    # ---- the current state --------------------------------------------------------------------------------------

    @property
    def interest(self) -> Interest:
        """The current subscriptions; topics without a subscriber are left out."""
        return self.state.interest()

    @property
    def overlay(self) -> Overlay:
        """The current links, in sorted order."""
        return self.state.overlay()

    @property
    def num_nodes(self) -> int:
        return len(self.state.nodes.number)

    @property
    def num_edges(self) -> int:
        return self.state.num_edges

    @property
    def num_links(self) -> int:
        """The former name of :attr:`num_edges`."""
        warn_renamed("Maintainer.num_links", "num_edges")
        return self.num_edges

    @property
    def network(self) -> OverlayState:
        """The former name of :attr:`state`."""
        warn_renamed("Maintainer.network", "state")
        return self.state

    @property
    def average_degree(self) -> float:
        return 2 * self.num_edges / self.num_nodes if self.num_nodes else 0.0

    @property
    def maximum_degree(self) -> int:
        return self.state.maximum_degree

    def topics_of(self, node: str) -> frozenset[str] | None:
        """The topics of a node; None if the node is not present."""
        v = self.state.nodes.number.get(as_label(node, "node"))
        return None if v is None else self.state.topic_labels(v)

    def membership_of(self, node: str) -> Membership | None:
        """What a node subscribes to and what it publishes; None if the node is not present."""
        topics = self.topics_of(node)
        return None if topics is None else self.state.roles.membership(node, topics)

    # ---- events -------------------------------------------------------------------------------------------------

    def join(self, node: str, topics: Iterable[str], role: str = SUBSCRIBE) -> Change:
        """Add a node with its topics (possibly none); it has the same role in all of them.

        A node that is already present is an error.
        """
        return self.apply([Event(JOIN, node, topics, role=role)])  # type: ignore[arg-type]

    def leave(self, node: str) -> Change:
        """Remove a node and its links; raises an error if the node is not present."""
        return self.apply([Event(LEAVE, node)])

    def drain(self, node: str) -> tuple[Change, Change]:
        """Remove a node in two steps, as for planned maintenance: first new links are made around it, then it goes.

        The first makes the links that replace those of the node, while the node is still present; the second removes
        the node and all links that are no longer needed. Every topic is connected before, between and after them. The
        maintainer's own state is the one after the second.
        """
        return self.apply([Event(DRAIN, node)]).in_two_steps()

    def resubscribe(self, node: str, topics: Iterable[str], role: str = SUBSCRIBE) -> Change:
        """Give a node these topics, in this role, in place of the topics it had."""
        return self.apply([Event(RESUBSCRIBE, node, topics, role=role)])  # type: ignore[arg-type]

    def apply(self, events: Iterable[Event]) -> Change:
        """Apply several events together: the overlay is repaired once, for their net effect.

        An invalid event (a join of a present node, any other event of an absent one) is an error, and then none of the
        batch is applied. A node that leaves and comes back within a batch counts as one that changed topics.
        """
        after: dict[str, Membership | None] = {}
        for event in checked_events(events):
            before = after[event.node] if event.node in after else self.membership_of(event.node)
            after[event.node] = membership_after(before, event)
        changed = self._changed_topics(after) if self._followed is not None else set()
        self.settle()
        is_followed = self._followed is not None
        wanted = {node: None if found is None else found.topics for node, found in after.items()}
        changes = losses_and_gains(self.state, wanted)
        repair = Repair(self.state, self.parameters, *changes, trees=self._followed)
        candidates = self.candidates(repair)
        repair.take_away(candidates)
        repair.give(candidates)
        for node, found in after.items():
            self.state.roles.put(node, found)
        if self.parameters.get("levelling"):
            level(repair)
        candidates.finish()
        if self.parameters["trim"] and not (is_followed and repair.left):
            is_told = is_followed and bool(repair.joined)
            trim_links(repair.links, repair.surroundings, only_told=is_told)
            if not is_told:
                candidates.save_links()
        return self._with_trees(repair.close(), changed)

    def reoptimise(self, budget: int) -> Change:
        """Improve an overlay that became worse over many events, by changing at most ``budget`` links."""
        budget = check_budget(budget)
        self.settle()
        repair = Repair(self.state, self.parameters)
        reoptimise(self.candidates(repair), budget)
        return self._with_trees(repair.close(), set())

    # ---- trees --------------------------------------------------------------------------------------------------

    def follow_trees(self, trees: Trees | None = None) -> None:
        """From now on, report with every change how the dissemination trees change; a tree changes only where it must.

        Parameters
        ----------
        trees
            The trees of the current interest and overlay; without them, new trees of small depth are built. Snapshots
            contain the trees.
        """
        from topicweave.trees import trees as grow
        from topicweave.trees.follow import FollowedTrees

        found = grow(self.interest, self.overlay) if trees is None else trees
        check_kind(found, Trees, "follow_trees() needs Trees", "give what deploy.trees returned")
        if found.interest.nodes != self.interest.nodes or set(found.overlay.pairs()) != set(self.overlay.pairs()):
            raise OverlayError("The trees are not those of the present overlay; make them with deploy.trees for it.")
        self._followed = FollowedTrees(found)

    @property
    def followed_trees(self) -> FollowedTrees | None:
        """The object that keeps the dissemination trees; None if they are not followed."""
        return self._followed

    @property
    def trees(self) -> Trees | None:
        """The current dissemination trees; None if they are not followed."""
        return None if self._followed is None else self._followed.trees(self.interest, self.overlay)

    def _changed_topics(self, after: Mapping[str, Membership | None]) -> set[str]:
        """The topics that some node joins or leaves as a member, or starts or stops to receive."""
        changed: set[str] = set()
        for node, found in after.items():
            had, has = self.membership_of(node) or Membership(), found or Membership()
            changed |= (had.topics ^ has.topics) | (had.silent ^ has.silent)
        return changed

    def _with_trees(self, change: Change, changed_topics: set[str]) -> Change:
        if self._followed is None:
            return change
        return replace(change, trees=self._followed.follow(change.removed, changed_topics, self.state))

    def settle(self) -> None:  # noqa: B027
        """Do the work that events have deferred, if this maintainer defers any."""

    @abstractmethod
    def candidates(self, repair: Repair) -> Candidates:
        """The nodes that the repair of one event may link; maintainers differ only in this."""

    # ---- snapshots ----------------------------------------------------------------------------------------------

    def extra_state(self) -> dict[str, NDArray[Any]]:
        """What a snapshot must contain besides the parameters and the state."""
        return {}

    def restore(self, extra: Mapping[str, NDArray[Any]]) -> None:  # noqa: B027
        """Restore what :meth:`extra_state` returned."""

    @classmethod
    def revive(cls, state: OverlayState, parameters: dict[str, Any], extra: Mapping[str, NDArray[Any]]) -> Maintainer:
        """Make a maintainer from the content of a snapshot."""
        made = cls.__new__(cls)
        made.parameters = parameters
        made.state = state
        made.restore(extra)
        return made

    def _checked_overlay(self, interest: Interest, overlay: Overlay | None) -> Overlay:
        check_nouns(interest, Overlay.empty(()) if overlay is None else overlay)
        if overlay is None:
            return static_overlay(interest, self.parameters)
        if tuple(overlay.labels) != tuple(interest.nodes):
            raise OverlayError(
                f"The overlay has {overlay.num_nodes} nodes, the interest {interest.num_nodes}, "
                f"and they are not the same; build the overlay with labels=interest.nodes."
            )
        report = verify(interest, overlay)
        if not report.topic_connected:
            raise OverlayError(
                "The overlay leaves {cut} topics disconnected, first {topic!r}; {remedy}.",
                cut=len(report.disconnected_topics), topic=report.disconnected_topics[0], remedy=Remedy.COMPLETE,
            )  # fmt: skip
        return overlay

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.num_nodes} nodes, {self.num_edges} links)"


def static_overlay(interest: Interest, parameters: Mapping[str, Any]) -> Overlay:
    """The overlay that the algorithm ``low`` designs for an interest; an overlay without links if there are no
    subscriptions.
    """
    from topicweave.algorithms import design

    if interest.num_subscriptions == 0:
        return Overlay.empty(interest.nodes)
    ties = "balanced" if parameters["ties"] == LASTING else parameters["ties"]
    return design(interest, "low", k=parameters["k"], ties=ties, seed=parameters["seed"]).overlay


def check_maintainer(given: Any, who: str) -> None:
    """Raise an error if the argument is not a maintainer."""
    check_kind(given, Maintainer, f"{who} needs a maintainer", "build a Shadow, Naive or Rebuild first")

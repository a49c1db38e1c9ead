"""Trees: which links a publication takes from its publisher's broker to the brokers that want it.

The publisher's broker chooses the tree and sends it along with the publication, so that brokers whose knowledge
differs for a moment cannot send a publication around in circles.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

import numpy as np

from topicweave.content.core import DEFAULT_CORE, core_pricing, spanning_tree
from topicweave.content.instance import Instance

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from numpy.typing import ArrayLike, NDArray

    from topicweave.kernels.content.reach import Pricing

# The brokers to send a publication to, each with the brokers it must pass the publication on to, and so on.
Branches = tuple[tuple[str, "Branches"], ...]

_MOST_KEPT = 10_000  # trees


class Trees(Protocol):
    """What a broker needs to know about trees."""

    def branches(self, source: str, targets: frozenset[str], avoid: Collection[str] = ()) -> Branches:
        """The tree from one broker to others, if possible without relaying through brokers in ``avoid``."""
        ...


class DirectTrees:
    """No relays: a publication is sent directly to every broker that wants it."""

    def branches(self, source: str, targets: frozenset[str], avoid: Collection[str] = ()) -> Branches:
        """A direct link to each of the targets."""
        return tuple((target, ()) for target in sorted(targets - {source}))


class PlannedTrees:
    """The trees with which a plan's cost is computed; brokers that are not in the plan get publications directly.

    Parameters
    ----------
    brokers
        Names.
    core_price
        Brokers × brokers, as of :class:`topicweave.content.Instance`.
    core
        As in :func:`topicweave.content.cost`.
    tree
        For ``core="tree"``: its links, as pairs of broker numbers.
    """

    def __init__(
        self, brokers: Sequence[str], core_price: ArrayLike, core: str = DEFAULT_CORE, tree: ArrayLike | None = None
    ) -> None:
        self.brokers = tuple(brokers)
        self.core_price = np.array(core_price, dtype=np.float64)
        self.core = core
        self._tree = tree
        self._nets: dict[frozenset[str], _Net | None] = {}
        self._found: dict[tuple[str, frozenset[str], frozenset[str]], Branches] = {}

    def branches(self, source: str, targets: frozenset[str], avoid: Collection[str] = ()) -> Branches:
        """The planned tree over the brokers that need not be avoided; the others get a direct link."""
        avoided = frozenset(avoid) & frozenset(self.brokers)
        key = source, targets, avoided
        found = self._found.get(key)
        if found is None:
            if len(self._found) >= _MOST_KEPT:
                self._found.clear()
            found = self._found[key] = self._grow(source, targets - {source}, avoided - {source})
        return found

    def _grow(self, source: str, targets: frozenset[str], avoided: frozenset[str]) -> Branches:
        net = self._net(avoided)
        planned = targets & net.numbers.keys() if net is not None and source in net.numbers else frozenset()
        direct = DirectTrees().branches(source, targets - planned)
        return direct if net is None or not planned else net.branches(source, planned) + direct

    def _net(self, avoided: frozenset[str]) -> _Net | None:
        """The network without the brokers to avoid; ``None`` if the others are not connected without them."""
        if avoided not in self._nets:
            kept = [number for number, name in enumerate(self.brokers) if name not in avoided]
            tree = self._tree if len(kept) == len(self.brokers) else None
            self._nets[avoided] = _Net.make(
                [self.brokers[number] for number in kept], self.core_price[np.ix_(kept, kept)], self.core, tree
            )
        return self._nets[avoided]


class _Net:
    """The brokers that are up, and a way to compute trees over them."""

    def __init__(self, instance: Instance, pricing: Pricing) -> None:
        self._instance = instance
        self._pricing = pricing
        self.numbers = {name: number for number, name in enumerate(instance.brokers)}

    @classmethod
    def make(
        cls, brokers: list[str], core_price: NDArray[np.float64], core: str, tree: ArrayLike | None
    ) -> _Net | None:
        """The network formed by these brokers; ``None`` if some of them are not connected."""
        from scipy.sparse.csgraph import connected_components

        count = len(brokers)
        is_linked = np.isfinite(core_price) | np.eye(count, dtype=bool)
        if not count or connected_components(is_linked, directed=False)[0] > 1:
            return None
        # trees depend on prices only, but an instance needs a user, so it gets one that wants nothing
        instance = Instance([[0.0]], [[False]], np.zeros((1, count)), core_price, np.inf, brokers=brokers)
        if core == "tree" and tree is None:
            tree = spanning_tree(instance)
        return cls(instance, core_pricing(instance, core, tree))

    def branches(self, source: str, targets: frozenset[str]) -> Branches:
        from topicweave.kernels.content.links import real_links

        count = len(self.numbers)
        inside = np.zeros(count, dtype=bool)
        inside[[self.numbers[target] for target in targets]] = True
        parent, child = np.empty(count, dtype=np.int64), np.empty(count, dtype=np.int64)
        number = real_links(
            self._pricing,
            self._instance.core_price,
            self._instance.path_before,
            inside,
            self.numbers[source],
            parent,
            child,
        )
        below: dict[int, list[int]] = {}
        for one, other in zip(parent[:number].tolist(), child[:number].tolist(), strict=True):
            below.setdefault(one, []).append(other)

        def hang(broker: int) -> Branches:
            return tuple((self._instance.brokers[next_one], hang(next_one)) for next_one in below.get(broker, ()))

        return hang(self.numbers[source])

"""Requirements: conditions that an overlay must meet besides connecting every topic, such as hop limits and link
costs.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields
from types import MappingProxyType
from typing import Any

from topicweave.errors import InputError
from topicweave.model.interest import Interest
from topicweave.model.labels import as_label
from topicweave.model.link_cost import LinkCost
from topicweave.model.resolved import Resolved, resolve
from topicweave.parameters import check_flag, check_kind, check_number, check_whole

LEAST_HOPS = 2
MOST_CONNECTIVITY = 3


@dataclass(frozen=True, kw_only=True, eq=False)
class Requirements:
    """Conditions that an overlay must meet besides connecting every topic; immutable and hashable.

    Everything refers to nodes by their labels, so that one object serves interests whose nodes come and go.

    Attributes
    ----------
    max_hops
        Any two subscribers of a topic are at most this many links apart inside the topic; at least 2.
    connectivity
        Every topic stays connected when any ``connectivity`` - 1 nodes fail: 1 (no failure), 2 or 3. In a topic with
        at most ``connectivity`` subscribers, everybody is linked to everybody else.
    link_cost
        What a link costs, for any pair: a square matrix in the order of ``interest.nodes``, a data frame or a mapping
        of pairs to numbers whose labels are nodes or regions, or a mapping of nodes or regions to coordinates (the cost
        is then the distance). See :class:`LinkCost`.
    cost_weight
        How much the cost counts, from 0 to 1: designs keep the sum over all links of
        (1 - w) + w * cost / (mean cost of the permitted pairs) low.
    max_degree
        The most links a node may have: one number for all, or a mapping of nodes to numbers; nodes that it does not
        list have no limit.
    forbidden
        Pairs that must not be linked. A name may be a node, or a region, which stands for all its nodes.
    required
        Pairs of nodes that must be linked.
    allowed
        If given, no other pairs may be linked; names as in ``forbidden``, which has the last word.
    regions
        The region of each node. Regions and nodes have different names.

    Examples
    --------
    >>> r = Requirements(max_hops=4, max_degree={"b": 2}, forbidden=[("c", "a")])
    >>> r.names, r.forbidden
    (('max_hops', 'max_degree', 'forbidden'), (('a', 'c'),))
    """

    max_hops: int | None = None
    connectivity: int = 1
    link_cost: LinkCost | Any = None
    cost_weight: float = 1.0
    max_degree: int | Mapping[str, int] | None = None
    forbidden: Iterable[tuple[str, str]] = ()
    required: Iterable[tuple[str, str]] = ()
    allowed: Iterable[tuple[str, str]] | None = None
    regions: Mapping[str, str] | None = None

    def __post_init__(self) -> None:
        checked: dict[str, Any] = {
            "max_hops": None if self.max_hops is None else check_whole("max_hops", self.max_hops, LEAST_HOPS),
            "connectivity": check_whole("connectivity", self.connectivity, 1, MOST_CONNECTIVITY),
            "link_cost": None if self.link_cost is None else LinkCost.of(self.link_cost),
            "cost_weight": check_number("cost_weight", self.cost_weight, 0, 1),
            "max_degree": _checked_caps(self.max_degree),
            "regions": _checked_regions(self.regions),
        }
        names = set((checked["regions"] or {}).values())
        checked["forbidden"] = _checked_pairs("forbidden", self.forbidden, names)
        checked["required"] = _checked_pairs("required", self.required, set())
        checked["allowed"] = None if self.allowed is None else _checked_pairs("allowed", self.allowed, names)
        for name, value in checked.items():
            object.__setattr__(self, name, value)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the requirements that are set; ``regions`` and ``cost_weight`` alone require nothing."""
        made = {
            "max_hops": self.max_hops is not None,
            "connectivity": self.connectivity > 1,
            "link_cost": self.link_cost is not None and self.cost_weight > 0,
            "max_degree": self.max_degree is not None,
            "forbidden": bool(self.forbidden),
            "required": bool(self.required),
            "allowed": self.allowed is not None,
        }
        return tuple(name for name, is_made in made.items() if is_made)

    def resolve(self, interest: Interest, *, ignore_unknown: bool = False) -> Resolved:
        """Translate the requirements to the node numbers of an interest.

        Parameters
        ----------
        interest
            The subscriptions.
        ignore_unknown
            Whether caps and pairs of nodes that the interest does not have are left out; otherwise they are an error,
            because a misspelt name would go unnoticed.
        """
        check_kind(interest, Interest, "resolve() needs an Interest", "build one with Interest.from_pairs")
        return resolve(self, interest, ignore_unknown=check_flag("ignore_unknown", ignore_unknown))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Requirements) and self._key() == other._key()

    def __hash__(self) -> int:
        return hash(self._key())

    def _key(self) -> tuple[Any, ...]:
        values = (getattr(self, one.name) for one in fields(self))
        return tuple(tuple(value.items()) if isinstance(value, Mapping) else value for value in values)

    def __getstate__(self) -> dict[str, Any]:
        return {k: dict(value) if isinstance(value, Mapping) else value for k, value in self.__dict__.items()}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update({k: MappingProxyType(v) if isinstance(v, dict) else v for k, v in state.items()})


def _checked_caps(given: Any) -> int | Mapping[str, int] | None:
    if given is None:
        return None
    if not isinstance(given, Mapping):
        return check_whole("max_degree", given, 0)
    caps = {as_label(node, "node"): check_whole("max_degree", limit, 0) for node, limit in given.items()}
    return MappingProxyType(dict(sorted(caps.items()))) if caps else None


def _checked_regions(given: Any) -> Mapping[str, str] | None:
    if given is None:
        return None
    check_kind(given, Mapping, "regions= needs a mapping of nodes to regions", "give {'node': 'region', ...}")
    regions = {as_label(node, "node"): as_label(region, "region") for node, region in given.items()}
    both = next((region for region in regions.values() if region in regions), None)
    if both is not None:
        raise InputError(f"{both!r} is the name of a node and of a region; give the region another name.")
    return MappingProxyType(dict(sorted(regions.items()))) if regions else None


def _checked_pairs(what: str, given: Any, regions: set[str]) -> tuple[tuple[str, str], ...]:
    """The pairs of labels without repetitions, sorted within each pair and among each other."""
    if isinstance(given, str | bytes) or not isinstance(given, Iterable):
        raise InputError(f"{what}= needs a list of pairs of labels, but one value ({given!r}) was given.")
    pairs = set()
    for pair in given:
        try:
            # a string of two letters could be unpacked as a pair, too
            one, other = tuple(pair) if not isinstance(pair, str | bytes) else (pair,)
        except (TypeError, ValueError):
            raise InputError(
                f"{what}= needs pairs of labels, but one entry is {pair!r}; give two labels each."
            ) from None
        one, other = as_label(one, "node"), as_label(other, "node")
        if one == other and one not in regions:
            raise InputError(f"{what}= has {one!r} with itself, which is no link; leave the pair out.")
        pairs.add((min(one, other), max(one, other)))
    return tuple(sorted(pairs))

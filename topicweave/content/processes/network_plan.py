"""NetworkPlan: everything that the brokers of a planned network need to know, in one JSON file."""

from __future__ import annotations

import json
import math
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from topicweave.content.channels import Channels
from topicweave.content.core import DEFAULT_CORE, check_core
from topicweave.content.instance import Instance
from topicweave.content.processes.names import split_address
from topicweave.content.protocol.traffic import PUBLICATIONS, check_unit
from topicweave.content.protocol.trees import PlannedTrees
from topicweave.errors import InputError, ReadError

if TYPE_CHECKING:
    import os
    from collections.abc import Mapping

    from topicweave.content.assignment import Assignment

FILE = "network.json"
FORMAT = 1
LOOPBACK = "127.0.0.1"
FIRST_PORT = 7000


@dataclass(frozen=True)
class NetworkPlan:
    """Brokers with addresses, prices and capacities; users with prices and places.

    Attributes
    ----------
    addresses
        Where each broker listens: ``"host:port"``.
    core_price
        The price of a unit of traffic between brokers, in the order of ``addresses``; infinite if there is no link.
    capacity
        How much traffic a second each broker can carry; infinite without a limit.
    core, tree
        As in :func:`topicweave.content.cost`.
    prices
        For each user the price of a unit of traffic to each broker that it can reach.
    homes
        The broker of each user.
    edges
        The borders of the channels' intervals for each attribute; empty if channels are names.
    expected
        The plan's cost a second, and a lower bound on it, for comparison; empty if unknown.
    unit
        What capacities and rates, and so costs, count: ``"publications"`` or ``"bytes"``.
    """

    addresses: Mapping[str, str]
    core_price: list[list[float]] = field(repr=False)
    capacity: Mapping[str, float] = field(default_factory=dict)
    core: str = DEFAULT_CORE
    tree: list[list[int]] | None = None
    prices: Mapping[str, Mapping[str, float]] = field(default_factory=dict, repr=False)
    homes: Mapping[str, str] = field(default_factory=dict, repr=False)
    edges: Mapping[str, list[float]] = field(default_factory=dict, repr=False)
    expected: Mapping[str, float] = field(default_factory=dict)
    unit: str = PUBLICATIONS

    def __post_init__(self) -> None:
        for address in self.addresses.values():
            split_address(address)
        check_core(self.core)
        check_unit(self.unit)
        count = len(self.addresses)
        if not count:
            raise InputError("A network needs at least one broker.")
        # check prices in the same way as those of any instance
        Instance([[0.0]], [[False]], np.zeros((1, count)), self.core_price, np.inf, brokers=list(self.addresses))
        strange = [broker for broker in self.homes.values() if broker not in self.addresses]
        if strange:
            raise InputError(f"A user is at broker {strange[0]!r}, which has no address.")

    @classmethod
    def of(
        cls,
        assignment: Assignment,
        channels: Channels | None = None,
        addresses: Mapping[str, str] | None = None,
        lower_bound: float | None = None,
        unit: str = PUBLICATIONS,
    ) -> NetworkPlan:
        """The network for an assignment; unless addresses are given, brokers listen on this machine."""
        instance = assignment.instance
        where = addresses or loopback(list(instance.brokers))
        missing = [name for name in instance.brokers if name not in where]
        if missing:
            raise InputError(f"Broker {missing[0]!r} has no address; give one for each broker.")
        links = assignment.routing.links
        expected = {"total": assignment.cost.total, "core": assignment.cost.core}
        return cls(
            addresses={name: where[name] for name in instance.brokers},
            core_price=instance.core_price.tolist(),
            capacity=dict(zip(instance.brokers, instance.capacity.tolist(), strict=True)),
            core=assignment.core,
            tree=None if links is None else links.tolist(),
            prices={
                user: {name: price for name, price in zip(instance.brokers, row, strict=True) if math.isfinite(price)}
                for user, row in zip(instance.users, instance.access_price.tolist(), strict=True)
            },
            homes={
                user: instance.brokers[broker]
                for user, broker in zip(instance.users, assignment.broker.tolist(), strict=True)
            },
            edges={} if channels is None else {name: list(borders) for name, borders in channels.edges.items()},
            expected=expected if lower_bound is None else expected | {"lower_bound": lower_bound},
            unit=unit,
        )

    @property
    def brokers(self) -> list[str]:
        """The names of the brokers."""
        return list(self.addresses)

    @property
    def channels(self) -> Channels | None:
        """The grid of channels; ``None`` if channels are just names."""
        return Channels(self.edges) if self.edges else None

    def trees(self) -> PlannedTrees:
        """The trees along which publications travel."""
        return PlannedTrees(self.brokers, self.core_price, self.core, self.tree)

    def at(self, addresses: Mapping[str, str]) -> NetworkPlan:
        """A copy of the network in which some brokers have other addresses."""
        strange = [name for name in addresses if name not in self.addresses]
        if strange:
            raise InputError(f"There is no broker {strange[0]!r} in the plan; there are {', '.join(self.brokers)}.")
        return replace(self, addresses={**self.addresses, **addresses})

    def write(self, path: str | os.PathLike[str]) -> None:
        """Write the file; infinite values become ``null``."""
        Path(path).write_text(json.dumps(_finite({"format": FORMAT, **asdict(self)})), encoding="utf-8")

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> NetworkPlan:
        """Read the file, given its path or that of a plan folder that contains it."""
        file = Path(path)
        file = file / FILE if file.is_dir() else file
        try:
            data = json.loads(file.read_text(encoding="utf-8"))
            if data.pop("format") != FORMAT:
                raise ReadError(f"{file} was written by another version; write the plan again.")
            data["core_price"] = [[math.inf if price is None else price for price in row] for row in data["core_price"]]
            data["capacity"] = {name: math.inf if most is None else most for name, most in data["capacity"].items()}
            return cls(**data)
        except (OSError, ValueError, TypeError, KeyError, AttributeError) as error:
            raise ReadError(f"The network in {file} cannot be read: {error}.") from error


def loopback(brokers: list[str], first: int = FIRST_PORT) -> dict[str, str]:
    """An address on this machine for each broker."""
    return {name: f"{LOOPBACK}:{first + number}" for number, name in enumerate(brokers)}


def _finite(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _finite(one) for key, one in value.items()}
    if isinstance(value, list):
        return [_finite(one) for one in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value

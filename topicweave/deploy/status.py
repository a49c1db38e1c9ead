"""Status: which of the planned bridges are connected."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from topicweave.deploy.mosquitto import PREFIX, RETIRED, SIDECAR
from topicweave.deploy.swarm import Swarm

if TYPE_CHECKING:
    from collections.abc import Callable

    from topicweave.deploy.bridges import Deployment
    from topicweave.deploy.inventory import Broker, Inventory

STATES = "$SYS/broker/connection/+/state"
QUIET_SECONDS = 0.5


@dataclass(frozen=True)
class Status:
    """The state of all bridges, planned or found.

    Attributes
    ----------
    up, down, missing
        Planned bridges (owner, remote) that are connected; that are configured but not connected; and that are unknown
        to the broker which should hold them.
    unplanned
        Bridges of topicweave that are running although the plan does not have them.
    retired
        Connections that a rollout has left without topics; they carry nothing and disappear with the next change.
    unreachable
        Brokers or sidecars that do not answer.
    unknown
        Planned bridges that these should hold.
    """

    up: tuple[tuple[str, str], ...]
    down: tuple[tuple[str, str], ...]
    missing: tuple[tuple[str, str], ...]
    unplanned: tuple[tuple[str, str], ...]
    retired: tuple[tuple[str, str], ...]
    unreachable: tuple[str, ...]
    unknown: tuple[tuple[str, str], ...]

    @property
    def num_planned(self) -> int:
        """How many bridges the plan has, in whatever state they are."""
        return len(self.up) + len(self.down) + len(self.missing) + len(self.unknown)

    @property
    def is_as_planned(self) -> bool:
        """Whether every planned bridge is connected, and no other bridge carries messages."""
        return not (self.down or self.missing or self.unplanned or self.unreachable)

    def to_dict(self) -> dict[str, Any]:
        """The result as a dictionary that JSON can represent."""
        return {
            "as_planned": self.is_as_planned, "up": list(self.up), "down": list(self.down),
            "missing": list(self.missing), "unplanned": list(self.unplanned), "retired": list(self.retired),
            "unreachable": list(self.unreachable), "unknown": list(self.unknown),
        }  # fmt: skip


def planned_bridges(deployment: Deployment, layout: str) -> set[tuple[str, str]]:
    """(owner, remote) of every connection that the configuration files describe and that carries messages."""
    found = {(bridge.owner, bridge.remote) for bridge in deployment.bridges.values() if bridge.routes}
    return found | {(name, name) for name in deployment.local} if layout == SIDECAR else found


def status(
    deployment: Deployment,
    inventory: Inventory,
    layout: str,
    *,
    login: Callable[[str], tuple[str, str] | None] | None = None,
) -> Status:
    """Ask every broker, or its sidecar, which bridges it holds and whether they are connected."""
    told: dict[tuple[str, str], bool] = {}
    retired: set[tuple[str, str]] = set()

    def arrival(name: str, message: Any) -> None:
        identity = message.topic.split("/")[3]
        if identity.startswith(f"{PREFIX}.{name}."):
            told[name, identity.removeprefix(f"{PREFIX}.{name}.")] = message.payload == b"1"
        elif identity.startswith(f"{RETIRED}.{name}."):
            retired.add((name, identity.removeprefix(f"{RETIRED}.{name}.")))

    holders = [_holder(broker, layout) for broker in inventory]
    with Swarm(holders, arrival, "topicweave-status", login, is_patient=True) as swarm:
        for name in swarm.connected:
            swarm.subscribe(name, [STATES], qos=0)
        swarm.wait_for_subscriptions()
        swarm.run_until(lambda: False, QUIET_SECONDS)
        unreachable = swarm.unreachable
    planned = planned_bridges(deployment, layout)
    return Status(
        up=tuple(sorted(pair for pair in planned if told.get(pair))),
        down=tuple(sorted(pair for pair in planned if told.get(pair) is False)),
        missing=tuple(sorted(pair for pair in planned if pair not in told and pair[0] not in unreachable)),
        unplanned=tuple(sorted(pair for pair in told if pair not in planned)),
        retired=tuple(sorted(retired)),
        unreachable=tuple(sorted(unreachable)),
        unknown=tuple(sorted(pair for pair in planned if pair not in told and pair[0] in unreachable)),
    )


def _holder(broker: Broker, layout: str) -> Broker:
    """The address of whatever holds the bridges of a broker: the broker itself, or its sidecar."""
    return broker.sidecar() if layout == SIDECAR and broker.sidecar_port is not None else broker

"""Bridges of mosquitto 2.0 and 2.1 brokers, written as one configuration file per broker.

What the options mean, and why they are set as they are:

- Each link is configured at one end only: at both ends, every message would loop for ever.
- ``try_private true`` keeps a message from going back over the bridge it came by.
- ``cleansession false``, quality of service 1 and a store on disk keep messages over a restart; a sidecar uses all
  three. Inside a broker the operator decides about the store, so its bridges start each time with a clean session.
- A kept session remembers topics that its file no longer names. mosquitto unsubscribes at the other end from what a
  file says to send, so a dropped topic is written as one to send, from a prefix under which nothing is published.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from topicweave.deploy.inventory import PLAIN
from topicweave.errors import InputError
from topicweave.parameters import check_choice

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from topicweave.deploy.bridges import Bridge, Deployment, Route
    from topicweave.deploy.inventory import Broker, Inventory

FILE = "topicweave.conf"
INSIDE, SIDECAR = "inside", "sidecar"
LAYOUTS = (INSIDE, SIDECAR)
PREFIX = "topicweave"
RETIRED = "topicweave-retired"  # a connection that is no longer used carries only its own state reports, on this topic
NOWHERE = "topicweave/nothing/"  # a prefix below which nothing is ever published
QOS = 1


def client_id(owner: str, remote: str) -> str:
    """The client id with which a broker's bridge connects to another broker; it is unique and never changes."""
    return f"{PREFIX}.{owner}.{remote}"


def mosquitto_files(
    deployment: Deployment, inventory: Inventory, layout: str = INSIDE, nodes: Collection[str] | None = None
) -> dict[str, str]:
    """The contents of the configuration files ``NAME/topicweave.conf``, by broker name.

    Parameters
    ----------
    deployment
        What to configure.
    inventory
        Where the brokers are.
    layout
        ``"inside"``: a file for the broker's own ``conf.d``. ``"sidecar"``: the whole configuration of a second
        mosquitto beside the broker, which holds all bridges, so that a change never disconnects a client.
    nodes
        The brokers to write files for; by default all in the inventory.
    """
    check_choice("layout", layout, LAYOUTS)
    if layout == SIDECAR:
        _check_sidecars(inventory)
    owned = deployment.by_owner()
    return {
        broker.name: "\n".join(_lines(broker, owned.get(broker.name, []), deployment, inventory, layout)) + "\n"
        for broker in inventory
        if nodes is None or broker.name in nodes
    }


def _check_sidecars(inventory: Inventory) -> None:
    lacking = [broker.name for broker in inventory if broker.sidecar_port is None]
    if lacking:
        raise InputError(
            f"The layout 'sidecar' needs a sidecar_port for every broker, but the inventory has none for "
            f"{lacking[0]!r} ({len(lacking)} in all); add the column, or take the layout 'inside'."
        )
    for broker in inventory:
        sidecar = broker.sidecar()
        is_plain = broker.sidecar_settings in ("", PLAIN)
        if is_plain and (sidecar.credentials or sidecar.cafile or sidecar.certfile):
            raise InputError(
                f"The inventory says how to connect to the sidecar of {broker.name!r} with TLS or a password, but not "
                f"where the settings of such a listener are; name their folder in the column 'sidecar_settings'."
            )
        if not broker.sidecar_settings and (broker.credentials or broker.cafile or broker.certfile):
            raise InputError(
                f"The broker {broker.name!r} asks for TLS or a password, but its sidecar would not; name a folder with "
                f"the settings of its listener in the column 'sidecar_settings', or {PLAIN!r} if its network is closed."
            )


def _lines(
    broker: Broker, bridges: list[Bridge], deployment: Deployment, inventory: Inventory, layout: str
) -> Iterator[str]:
    local = deployment.local.get(broker.name, ())
    if layout == SIDECAR:
        yield f"# The sidecar of {broker.name}: it holds the bridges, so that a change disconnects no client."
        yield from _sidecar(broker)
        if local:
            yield from _connection(broker.name, broker.name, local, (), broker, layout)
    else:
        yield f"# The bridges of {broker.name}, for its conf.d folder; its own settings are elsewhere."
    for bridge in bridges:
        remote = inventory[bridge.remote]
        to = remote.sidecar() if layout == SIDECAR else remote
        yield from _connection(broker.name, bridge.remote, bridge.routes, bridge.retired, to, layout)


def _sidecar(broker: Broker) -> Iterator[str]:
    if broker.sidecar_settings in ("", PLAIN):
        yield from (
            f"listener {broker.sidecar_port}",
            "# For a listener with TLS or passwords, name a folder in the inventory's column sidecar_settings.",
            "allow_anonymous true",
        )
    else:
        yield f"# The listener on port {broker.sidecar_port} and who may connect; topicweave never writes there."
        yield f"include_dir {broker.sidecar_settings}"
    yield from (
        "persistence true",
        "persistence_location ./",
        f"persistence_file {PREFIX}.db",
        "autosave_interval 1",
        "max_queued_messages 100000",
        "persistent_client_expiration 7d",
    )


def _connection(
    owner: str, remote: str, routes: tuple[Route, ...], retired: tuple[str, ...], to: Broker, layout: str
) -> Iterator[str]:
    name = client_id(owner, remote)
    yield ""
    if not routes:
        yield "# This link carries nothing any more; it stays until the next change, so that its session is forgotten."
    yield from (
        f"connection {name}",
        f"address {to.host}:{to.port}",
        f"remote_clientid {name}",
        f"local_clientid {name}.local",
        f"cleansession {'false' if layout == SIDECAR else 'true'}",
        "try_private true",
        "notifications true",
        "notifications_local_only true",
        *([] if routes else [f"notification_topic $SYS/broker/connection/{RETIRED}.{owner}.{remote}/state"]),
        "keepalive_interval 30",
        "restart_timeout 1 5",
    )
    if to.credentials:
        yield "# mosquitto does not expand ${...}: pass this file through envsubst first."
        yield f"remote_username ${{{to.credentials}_USERNAME}}"
        yield f"remote_password ${{{to.credentials}_PASSWORD}}"
    for option, value in (("cafile", to.cafile), ("certfile", to.certfile), ("keyfile", to.keyfile)):
        if value:
            yield f"bridge_{option} {value}"
    for route in routes:
        yield f"topic {route.pattern} {route.direction} {QOS}"
    for pattern in retired:
        yield f'topic {pattern} out {QOS} {NOWHERE} ""'

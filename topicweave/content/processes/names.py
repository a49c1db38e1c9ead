"""Names and addresses on the wire.

Brokers and users are actors, whose names must differ; but in many plans a user has the name of its place, and so has
the broker there.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from topicweave.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Container

_SUFFIX = " (user)"


def wire_name(user: str, brokers: Container[str]) -> str:
    """The name under which a user connects: its own, unless a broker has it."""
    return user + _SUFFIX if user in brokers else user


def user_name(wire: str, brokers: Container[str]) -> str:
    """The name of the user that connects under this name; the inverse of :func:`wire_name`."""
    name = wire.removesuffix(_SUFFIX)
    return name if name in brokers else wire


def split_address(address: str) -> tuple[str, int]:
    """The host and port of an address ``"host:port"``."""
    host, _, port = address.rpartition(":")
    if not host or not port.isdecimal() or int(port) > 65_535:
        raise InputError(f"An address must have the form host:port, as in 127.0.0.1:7000, but is {address!r:.80}.")
    return host.strip("[]"), int(port)


def join_address(host: str, port: int) -> str:
    """``"host:port"``; the inverse of :func:`split_address`."""
    return f"[{host}]:{port}" if ":" in host else f"{host}:{port}"

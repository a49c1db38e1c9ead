"""Sockets: the transport between processes. Brokers listen; users and brokers dial the brokers that they want to reach.

The first frame of whoever dials is ``{"wire": 1, "name": …, "role": "user" | "broker", "token": …}``, the answer
``{"wire": 1, "name": …, "brokers": {name: "host:port", …}}``, or ``{"error": …}`` before the connection ends. All
further frames are packets of ``protocol/links.py``, in both directions on the same connection.
"""

from __future__ import annotations

import asyncio
import contextlib
import hmac
from typing import TYPE_CHECKING, Any

from topicweave.content.processes.connection import Connection
from topicweave.content.processes.framing import FrameError
from topicweave.content.processes.limits import LONGEST_FROM_BROKER, LONGEST_HELLO, Limits
from topicweave.content.processes.names import join_address, split_address, wire_name
from topicweave.content.processes.shapes import LONGEST_NAME, check_packet

if TYPE_CHECKING:
    import ssl
    from collections.abc import Callable, Mapping

    from topicweave.content.protocol.transport import Packet, Receiver

WIRE = 1  # the version of the wire format
USER, BROKER = "user", "broker"
RESEND = 0.8  # seconds; shorter than the time after which the other end is suspected to be dead
REDIAL = 0.5  # seconds between two attempts to connect to a broker


class Sockets:
    """The transport of one actor, a broker or a user, in this process.

    Parameters
    ----------
    role
        ``"user"`` or ``"broker"``.
    addresses
        Where brokers listen: name to ``"host:port"``.
    token
        A secret that all actors share; without one, everybody may connect.
    tls, server_tls
        For connections that are made and accepted: an ``ssl.SSLContext``, or ``None`` for plain TCP.
    limits
        What a user may ask of a broker.
    told
        Called with the addresses of brokers that another broker has told.
    about
        What else clients are told when they connect.
    """

    def __init__(
        self,
        role: str,
        addresses: Mapping[str, str],
        *,
        token: str = "",
        tls: ssl.SSLContext | None = None,
        server_tls: ssl.SSLContext | None = None,
        limits: Limits | None = None,
        told: Callable[[Mapping[str, str]], None] = lambda addresses: None,
        about: Mapping[str, Any] | None = None,
    ) -> None:
        self.role = role
        self.addresses = dict(addresses)
        self.limits = limits or Limits()
        self.num_refused = 0
        self.refusal = ""  # why a broker last refused this actor
        self._token = token
        self._tls, self._server_tls = tls, server_tls
        self._told = told
        self._about = dict(about or {})
        self._name = ""
        self._receiver: Receiver | None = None
        self._server: asyncio.Server | None = None
        self._reached: dict[str, Connection] = {}  # connections by the name of the actor at the other end
        self._all: set[Connection] = set()
        self._dialling: dict[str, asyncio.Task[None]] = {}
        self._waiting: dict[str, list[Packet]] = {}
        self._last_dial: dict[str, float] = {}

    @property
    def resend_after(self) -> float:
        """The number of seconds after which an unanswered packet is sent again; packets are lost only when a connection
        breaks.
        """
        return RESEND

    # ---- the transport ------------------------------------------------------------------------------------------

    async def open(self, name: str, receiver: Receiver) -> None:
        """If the actor is a broker, listen at its address."""
        self._name, self._receiver = name, receiver
        if self.role == BROKER:
            host, port = split_address(self.addresses[name])
            loop = asyncio.get_running_loop()
            self._server = await loop.create_server(self._accepting, host, port, ssl=self._server_tls)
            port = self._server.sockets[0].getsockname()[1]
            self.addresses[name] = join_address(host, port)

    def send(self, source: str, target: str, packet: Packet) -> None:
        """Send a packet; a broker that is not connected yet is dialled first."""
        connection = self._reached.get(target)
        if connection is not None:
            connection.send(packet)
        elif target in self.addresses and self._receiver is not None:
            self._waiting.setdefault(target, []).append(packet)
            if target not in self._dialling:
                self._dialling[target] = asyncio.get_running_loop().create_task(self._dial(target))

    async def close(self, name: str) -> None:
        """Close all connections."""
        self._receiver = None
        for task in list(self._dialling.values()):
            task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await task
        for connection in list(self._all):
            connection.close()
        if self._server is not None:
            self._server.close()
        self._reached.clear()

    @property
    def num_users(self) -> int:
        """The number of users that are connected."""
        return sum(not connection.is_broker for connection in self._reached.values())

    # ---- dialling -----------------------------------------------------------------------------------------------

    async def _dial(self, target: str) -> None:
        """Connect to a broker and send what waits for it; if that fails, it is dropped, because senders repeat it."""
        loop = asyncio.get_running_loop()
        try:
            await asyncio.sleep(max(0.0, self._last_dial.get(target, -REDIAL) + REDIAL - loop.time()))
            self._last_dial[target] = loop.time()
            host, port = split_address(self.addresses[target])

            def new() -> Connection:
                return Connection(LONGEST_FROM_BROKER, self.limits.most_unsent, self._answered, self._ended)

            async with asyncio.timeout(self.limits.hello):
                _, connection = await loop.create_connection(new, host, port, ssl=self._tls)
            self._all.add(connection)
            connection.name = target
            connection.is_broker = True
            connection.send({"wire": WIRE, "name": self._name, "role": self.role, "token": self._token})
            self._reached[target] = connection
            for packet in self._waiting.pop(target, ()):
                connection.send(packet)
        except (OSError, TimeoutError, KeyError):
            pass
        finally:
            self._waiting.pop(target, None)
            del self._dialling[target]

    def _answered(self, connection: Connection, message: dict[str, Any]) -> None:
        """Handle a frame from a broker that this actor dialled."""
        if "error" in message:
            self.refusal = str(message["error"])[:300]
            connection.close()
        elif "wire" in message:
            self._note_addresses(message.get("brokers"))
        elif self._receiver is not None:
            self._receiver(connection.name, message)

    def _note_addresses(self, brokers: Any) -> None:
        if isinstance(brokers, dict):
            known = {str(name): str(address) for name, address in brokers.items()}
            self.addresses.update({name: address for name, address in known.items() if name != self._name})
            self._told(known)

    # ---- accepting ----------------------------------------------------------------------------------------------

    def _accepting(self) -> Connection:
        connection = Connection(LONGEST_HELLO, self.limits.most_unsent, self._first, self._ended, self._expect)
        connection.rate = self.limits.rate
        self._all.add(connection)
        return connection

    def _expect(self, connection: Connection) -> None:
        """Close the connection if the first frame does not arrive in time."""

        def look() -> None:
            if not connection.name:
                self._refuse(connection, f"The first frame did not come within {self.limits.hello:g} seconds.")

        asyncio.get_running_loop().call_later(self.limits.hello, look)

    def _refuse(self, connection: Connection, reason: str) -> None:
        self.num_refused += 1
        connection.refuse(reason)

    def _first(self, connection: Connection, message: dict[str, Any]) -> None:
        """Handle a frame from an actor that connected to this one; the first frame says who it is."""
        if connection.name:
            self._from_client(connection, message)
            return
        reason = self._objection(message)
        if reason is not None:
            self._refuse(connection, reason)
            return
        name = message["name"]
        welcome = {"wire": WIRE, "name": self._name, "brokers": self.addresses, **self._about}
        if message.get("is_asking"):  # a client that only asks which brokers exist, and will connect afterwards
            connection.send(welcome)
            connection.close()
            return
        connection.name, connection.is_broker = name, message["role"] == BROKER
        connection.frames.longest = LONGEST_FROM_BROKER if connection.is_broker else self.limits.longest_frame
        connection.rate = None if connection.is_broker else self.limits.rate
        former = self._reached.get(name)
        if former is None or not former.is_open:
            self._reached[name] = connection
        # the user reconnected before this broker noticed that the old connection was gone
        elif not connection.is_broker:
            self._reached[name] = connection
            former.close()
        # two brokers that dialled each other at the same time keep both connections, and each sends over its own
        connection.send(welcome)

    def _objection(self, message: dict[str, Any]) -> str | None:
        """Why an actor may not connect; ``None`` if it may."""
        if message.get("wire") != WIRE:
            return f'This broker speaks version {WIRE} of the wire format; the first frame must have "wire": {WIRE}.'
        name, role, token = message.get("name"), message.get("role"), message.get("token", "")
        if not isinstance(name, str) or not 0 < len(name) <= LONGEST_NAME:
            return f"The first frame must have a name of 1 to {LONGEST_NAME} characters."
        if role not in (USER, BROKER):
            return 'The role in the first frame must be "user" or "broker".'
        if not isinstance(token, str) or not hmac.compare_digest(
            token.encode("utf-8", "replace"), self._token.encode()
        ):
            return "The token is not the one of this network."
        if role == USER and name in self.addresses and not message.get("is_asking"):
            return f"A broker has the name {name!r}; choose another one, such as {wire_name(name, self.addresses)!r}."
        if role == USER and self.num_users >= self.limits.most_users and name not in self._reached:
            return f"This broker serves {self.limits.most_users:,} users already; try another one."
        return None

    def _from_client(self, connection: Connection, packet: dict[str, Any]) -> None:
        if self._receiver is None or not connection.is_open:
            return
        if not connection.is_broker:
            try:
                check_packet(packet, connection.name)
            except FrameError:
                self.num_refused += 1
                raise
        self._receiver(connection.name, packet)

    def _ended(self, connection: Connection) -> None:
        self._all.discard(connection)
        if self._reached.get(connection.name) is connection:
            del self._reached[connection.name]

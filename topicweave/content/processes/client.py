"""Client: publishes to and receives from a running network; ``tw.content.connect`` makes one."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any, NamedTuple, Self

from topicweave.content.channels import Channels
from topicweave.content.matching.ranges import as_ranges
from topicweave.content.processes.connection import Connection
from topicweave.content.processes.limits import LONGEST_FROM_BROKER, MEBIBYTE
from topicweave.content.processes.names import split_address, user_name, wire_name
from topicweave.content.processes.sockets import USER, WIRE, Sockets
from topicweave.content.protocol.user import User
from topicweave.errors import InputError

if TYPE_CHECKING:
    import ssl
    from collections.abc import AsyncIterator, Callable, Iterable, Mapping, Sequence

    from topicweave.content.matching.ranges import Ranges

PATIENCE = 30.0  # seconds within which a broker must answer


class Publication(NamedTuple):
    """A publication that this client has received."""

    publisher: str
    number: int
    channel: str
    body: Any


class Client:
    """A user of a running network, to be used with ``async with``; iterating over it yields incoming publications.

    Parameters
    ----------
    addresses
        Where some brokers listen (``"host:port"``); the first that answers tells where the others are.
    name
        The user's name; no other user may have it.
    channels, ranges
        What it subscribes to, see :meth:`subscribe`.
    token
        The secret of the network.
    tls
        An ``ssl.SSLContext`` if the brokers want TLS.
    willing
        Whether to accept a move to a broker.
    received
        Called with each publication that arrives, instead of iteration.
    prices
        The price of a unit of traffic to each broker, if the plan does not know this user.
    resume
        Go on where a former process of the same name has ended, within a minute.
    patience
        Within how many seconds the user must be registered.
    """

    def __init__(
        self,
        addresses: str | Sequence[str],
        name: str,
        *,
        channels: Iterable[str] = (),
        ranges: Iterable[Ranges] | None = None,
        token: str = "",
        tls: ssl.SSLContext | None = None,
        willing: Callable[[str], bool] = lambda target: True,
        received: Callable[[Publication], None] | None = None,
        prices: Mapping[str, float] | None = None,
        resume: bool = True,
        patience: float = PATIENCE,
    ) -> None:
        self.addresses = [addresses] if isinstance(addresses, str) else list(addresses)
        for address in self.addresses:
            split_address(address)
        self.name = name
        self.grid: Channels | None = None  # the network's channels, if they are intervals of attributes; otherwise None
        self._wanted = list(channels), None if ranges is None else [as_ranges(one) for one in ranges]
        self._token, self._tls = token, tls
        self._willing, self._received = willing, received
        self._prices, self._resume = prices, resume
        self._patience = patience
        self._arrived: asyncio.Queue[Publication] = asyncio.Queue()
        self._user: User | None = None
        self._brokers: Mapping[str, str] = {}

    async def __aenter__(self) -> Self:
        welcome = await self._discover()
        brokers = welcome["brokers"]
        if welcome.get("edges"):
            self.grid = Channels(welcome["edges"])
        sockets = Sockets(USER, brokers, token=self._token, tls=self._tls, told=self._note)
        channels, ranges = self._resolved(*self._wanted)
        self._brokers = brokers
        self._user = User(
            wire_name(self.name, brokers),
            welcome["name"],
            channels,
            sockets,
            known=list(brokers),
            willing=self._willing,
            received=self._receive,
            ranges=ranges,
            prices=self._prices,
            resume=self._resume,
        )
        try:
            async with asyncio.timeout(self._patience):
                await self._user.start()
        except TimeoutError:
            await self._user.stop()
            reason = sockets.refusal or f"it did not answer within {self._patience:g} seconds."
            raise InputError(f"Broker {welcome['name']!r} does not register user {self.name!r:.80}: {reason}") from None
        return self

    async def __aexit__(self, kind: object, *error: object) -> None:
        if self._user is not None:
            if kind is None:
                await self._user.leave()
            else:
                await self._user.stop()

    @property
    def user(self) -> User:
        """The actor behind this client."""
        if self._user is None:
            raise InputError("The client is not connected; use it with 'async with'.")
        return self._user

    def publish(self, channel: str | None = None, body: Any = None, content: Mapping[str, float] | None = None) -> int:
        """Publish, and return the publication's number; it is sent soon, and repeated until a broker has it.

        Parameters
        ----------
        channel
            Its channel; if the network's channels are intervals of attributes, it follows from ``content``.
        body
            Anything that JSON has.
        content
            The values of attributes, with which ranges are compared.
        """
        if channel is None:
            if self.grid is None or content is None:
                raise InputError("A publication needs a channel, or content if channels are intervals of attributes.")
            channel = self.grid.labels[int(self.grid.numbers({name: [value] for name, value in content.items()})[0])]
        return self.user.publish(channel, body, content)

    async def subscribe(self, channels: Iterable[str] = (), ranges: Iterable[Ranges] | None = None) -> None:
        """Change the subscriptions; returns when all brokers know them.

        Parameters
        ----------
        channels
            Names; if the network's channels are intervals of attributes, those that the ranges overlap by default.
        ranges
            Conjunctions of ranges over attributes; a publication must be inside one of them.
        """
        checked = None if ranges is None else [as_ranges(one) for one in ranges]
        await self.user.subscribe(*self._resolved(list(channels), checked))

    async def leave(self) -> bool:
        """Leave the network; returns whether a broker holds everything that this user published."""
        return await self.user.leave()

    def __aiter__(self) -> AsyncIterator[Publication]:
        return self._iterate()

    async def _iterate(self) -> AsyncIterator[Publication]:
        while True:
            yield await self._arrived.get()

    def _resolved(
        self, channels: list[str], ranges: list[dict[str, tuple[float, float]]] | None
    ) -> tuple[list[str], list[dict[str, tuple[float, float]]] | None]:
        """The channels to subscribe to: those given, or those that the ranges overlap."""
        if channels or ranges is None:
            return channels, ranges
        if self.grid is None:
            raise InputError("The channels of this network are names; say to which you subscribe.")
        labels = self.grid.labels
        numbers = {number for one in ranges for number in self.grid.covering(one).nonzero()[0].tolist()}
        return [labels[number] for number in sorted(numbers)], ranges

    def _receive(self, publisher: str, number: int, channel: str, body: Any) -> None:
        publication = Publication(user_name(publisher, self._brokers), number, channel, body)
        if self._received is not None:
            self._received(publication)
        else:
            self._arrived.put_nowait(publication)

    def _note(self, addresses: Mapping[str, str]) -> None:
        """Remember the addresses of brokers that have joined."""
        if self._user is not None:
            self._user.known += [name for name in addresses if name not in self._user.known]

    async def _discover(self) -> dict[str, Any]:
        """Ask the brokers at the given addresses, in turn, for a list of all brokers."""
        reason = "no address was given"
        for address in self.addresses:
            try:
                return await discover(address, self.name, self._token, self._tls)
            except (OSError, TimeoutError, InputError) as error:
                reason = f"{address}: {str(error) or 'no answer'}"
        raise InputError(f"No broker lets user {self.name!r:.80} in ({reason}).")


async def discover(address: str, name: str, token: str = "", tls: ssl.SSLContext | None = None) -> dict[str, Any]:
    """A broker's answer to the first frame: its name, and the addresses of all brokers."""
    answer: asyncio.Future[dict[str, Any]] = asyncio.get_running_loop().create_future()

    def arrived(connection: Connection, message: dict[str, Any]) -> None:
        if not answer.done():
            answer.set_result(message)

    def lost(connection: Connection) -> None:
        if not answer.done():
            hint = "" if tls is not None else "; perhaps its brokers want TLS"
            answer.set_exception(OSError(f"the connection was closed without an answer{hint}"))

    host, port = split_address(address)
    async with asyncio.timeout(PATIENCE):
        _, connection = await asyncio.get_running_loop().create_connection(
            lambda: Connection(LONGEST_FROM_BROKER, MEBIBYTE, arrived, lost), host, port, ssl=tls
        )
        try:
            connection.send({"wire": WIRE, "name": name, "role": USER, "token": token, "is_asking": True})
            message = await answer
        finally:
            connection.close()
    if "error" in message:
        raise InputError(str(message["error"])[:300])
    return message


def connect(addresses: str | Sequence[str], name: str, **options: Any) -> Client:
    """A client of a running network, to be used with ``async with``.

    Parameters
    ----------
    addresses
        Where some brokers listen: ``"host:port"``, or a list of these.
    name
        The user's name.
    options
        As for :class:`Client`: channels, ranges, token, tls, willing, received, prices, resume.
    """
    return Client(addresses, name, **options)

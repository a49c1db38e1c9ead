"""Many MQTT clients in one process, one per broker: paho speaks the protocol, and a single selector waits for all
sockets.

Paho's own loops wait with ``select()``, which silently ignores file descriptors from 1,024 on; ``selectors`` does not.
"""

from __future__ import annotations

import selectors
import time
from typing import TYPE_CHECKING, Any, Self

from topicweave.errors import SetupError, TopicweaveError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from paho.mqtt.client import Client, MQTTMessage

    from topicweave.deploy.inventory import Broker

    Arrival = Callable[[str, MQTTMessage], None]

SECONDS_TO_CONNECT = 10.0
HOUSEKEEPING = 1.0  # seconds between two checks of the connections' keep-alive timers


class Swarm:
    """MQTT clients, by the name of the broker that each is connected to; a context manager.

    Parameters
    ----------
    brokers
        The brokers to connect to.
    arrival
        Called with the broker's name and the message for everything that arrives.
    name
        Part of the client ids.
    login
        Returns the user name and password for a credential's name; None if it is unknown.
    is_patient
        Whether brokers that do not answer are only listed in ``unreachable``; otherwise the first one is an error.
    """

    def __init__(
        self,
        brokers: Iterable[Broker],
        arrival: Arrival,
        name: str = "topicweave-probe",
        login: Callable[[str], tuple[str, str] | None] | None = None,
        *,
        is_patient: bool = False,
    ) -> None:
        self._brokers = list(brokers)
        self._arrival, self._name, self._login = arrival, name, login
        self._selector = selectors.DefaultSelector()
        self._clients: dict[str, Client] = {}
        self._granted: dict[str, int] = {}
        self._refused: dict[str, str] = {}
        self._next_look = 0.0
        self._is_patient = is_patient
        self.unreachable: list[str] = []
        self.disconnections: list[str] = []

    def __enter__(self) -> Self:
        try:
            for broker in self._brokers:
                try:
                    self._clients[broker.name] = self._connect(broker)
                except TopicweaveError:
                    if not self._is_patient:
                        raise
                    self.unreachable.append(broker.name)
            self.run_until(self._is_settled, SECONDS_TO_CONNECT)
            self._drop_unconnected()
        except BaseException:
            self.close()
            raise
        return self

    def _note_refusal(self, name: str, reason: Any) -> None:
        if reason.is_failure:
            self._refused[name] = str(reason)

    def _is_settled(self) -> bool:
        return all(each.is_connected() or name in self._refused for name, each in self._clients.items())

    def _drop_unconnected(self) -> None:
        """Treat brokers that accept no login like brokers that do not answer."""
        for name in [name for name, each in self._clients.items() if not each.is_connected()]:
            if not self._is_patient:
                reason = self._refused.get(name, "no answer to the login")
                raise TopicweaveError(
                    f"The broker {name!r} lets no client in ({reason}); set NAME_USERNAME and NAME_PASSWORD for the "
                    f"credential that the inventory names."
                )
            self.unreachable.append(name)
            client = self._clients.pop(name)
            client.on_disconnect = None
            opened = client.socket()
            if opened is not None:
                self._selector.unregister(opened)
                opened.close()

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Disconnect all clients."""
        for client in self._clients.values():
            client.on_disconnect = None
            if client.is_connected():
                client.disconnect()
            opened = client.socket()
            if opened is not None:
                client.loop_write()
                opened.close()
        self._clients.clear()
        self._selector.close()

    def _connect(self, broker: Broker) -> Client:
        mqtt = _paho()
        client: Client = mqtt.Client(mqtt.CallbackAPIVersion.VERSION2, f"{self._name}-{broker.name}")
        client.on_connect = lambda *told: self._refused.update(
            {broker.name: str(told[3])} if told[3].is_failure else {}
        )
        client.on_message = lambda _, __, message: self._arrival(broker.name, message)
        client.on_subscribe = lambda *_: self._granted.update({broker.name: self._granted.get(broker.name, 0) + 1})
        client.on_disconnect = lambda *_: self.disconnections.append(broker.name)
        client.max_inflight_messages_set(1000)
        if broker.cafile:
            client.tls_set(broker.cafile, broker.certfile or None, broker.keyfile or None)
        login = self._login(broker.credentials) if self._login and broker.credentials else None
        if login is not None:
            client.username_pw_set(*login)
        try:
            client.connect(broker.host, broker.port)
        except OSError as error:
            raise TopicweaveError(
                f"The broker {broker.name!r} at {broker.host}:{broker.port} does not answer "
                f"({error.strerror or error}); start it, or correct the inventory."
            ) from error
        opened = client.socket()
        assert opened is not None
        self._selector.register(opened, selectors.EVENT_READ, client)
        return client

    @property
    def connected(self) -> list[str]:
        """The brokers to which a client is connected."""
        return list(self._clients)

    # ---- talking ------------------------------------------------------------------------------------------------

    def subscribe(self, name: str, topics: Iterable[str], qos: int = 1) -> None:
        """Subscribe to topics at a broker; :meth:`wait_for_subscriptions` waits until the broker has confirmed."""
        wanted = [(topic, qos) for topic in topics]
        for first in range(0, len(wanted), 100):
            self._clients[name].subscribe(wanted[first : first + 100])
            self._granted[name] = self._granted.get(name, 0) - 1

    def wait_for_subscriptions(self, seconds: float = SECONDS_TO_CONNECT) -> None:
        """Wait until brokers have confirmed all subscriptions."""
        self.run_until(lambda: all(count >= 0 for count in self._granted.values()), seconds)

    def publish(self, name: str, topic: str, payload: bytes, qos: int = 1) -> None:
        """Publish a message at a broker."""
        self._clients[name].publish(topic, payload, qos)

    # ---- waiting ------------------------------------------------------------------------------------------------

    def run_until(self, is_done: Callable[[], bool], seconds: float) -> bool:
        """Process messages until ``is_done`` returns true; returns False if that takes too long."""
        limit = time.monotonic() + seconds
        while not is_done():
            left = limit - time.monotonic()
            if left <= 0:
                return False
            self.run_once(min(left, 0.05))
        return True

    def run_once(self, seconds: float = 0.0) -> None:
        """Read from and write to the sockets that are ready; waits at most this long for one."""
        for client in self._clients.values():
            if client.want_write():
                client.loop_write()
        for key, _ in self._selector.select(seconds):
            code = key.data.loop_read()
            # read on while TLS holds decrypted bytes: they have left the socket, so the selector would not report them
            while code == 0 and _num_decrypted(key.data.socket()):
                code = key.data.loop_read()
            if code != 0 and key.data.socket() is None:
                self._selector.unregister(key.fileobj)
        if time.monotonic() >= self._next_look:
            self._next_look = time.monotonic() + HOUSEKEEPING
            for client in self._clients.values():
                client.loop_misc()


def _num_decrypted(opened: Any) -> int:
    return int(opened.pending()) if hasattr(opened, "pending") else 0


def _paho() -> Any:
    try:
        import paho.mqtt.client
    except ImportError as error:
        raise SetupError(
            "Talking to brokers needs the package paho-mqtt; install topicweave[live], or paho-mqtt itself."
        ) from error
    return paho.mqtt.client

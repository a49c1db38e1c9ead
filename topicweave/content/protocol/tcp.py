"""TCP on the loopback interface: one server per actor; packets are JSON preceded by their length."""

from __future__ import annotations

import asyncio
import json
import struct
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from topicweave.content.protocol.transport import Packet, Receiver

_LENGTH = struct.Struct("!I")
HOST = "127.0.0.1"


class TcpTransport:
    """A transport over real sockets; actors are addressed by name."""

    def __init__(self) -> None:
        self._servers: dict[str, asyncio.Server] = {}
        self._ports: dict[str, int] = {}
        self._queues: dict[tuple[str, str], asyncio.Queue[bytes]] = {}
        self._tasks: dict[tuple[str, str], asyncio.Task[None]] = {}
        self._incoming: dict[str, set[asyncio.StreamWriter]] = {}

    async def open(self, name: str, receiver: Receiver) -> None:
        async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            self._incoming.setdefault(name, set()).add(writer)
            try:
                while True:
                    (length,) = _LENGTH.unpack(await reader.readexactly(_LENGTH.size))
                    source, packet = json.loads(await reader.readexactly(length))
                    if name in self._servers:
                        receiver(source, packet)
            except (asyncio.IncompleteReadError, ConnectionError):
                pass  # the sender has disconnected
            finally:
                self._incoming[name].discard(writer)
                writer.close()

        server = await asyncio.start_server(serve, HOST, 0)
        self._servers[name] = server
        self._ports[name] = server.sockets[0].getsockname()[1]

    def send(self, source: str, target: str, packet: Packet) -> None:
        if source not in self._servers or target not in self._ports:
            return
        data = json.dumps([source, packet]).encode()
        key = source, target
        if key not in self._queues:
            self._queues[key] = asyncio.Queue()
            self._tasks[key] = asyncio.get_running_loop().create_task(self._pump(key))
        self._queues[key].put_nowait(_LENGTH.pack(len(data)) + data)

    async def _pump(self, key: tuple[str, str]) -> None:
        """Write the packets from one actor to another; packets that cannot be written are lost, and :class:`Links`
        sends them again.
        """
        queue = self._queues[key]
        writer: asyncio.StreamWriter | None = None
        try:
            while True:
                data = await queue.get()
                try:
                    if writer is None:
                        _, writer = await asyncio.open_connection(HOST, self._ports[key[1]])
                    writer.write(data)
                    await writer.drain()
                except (OSError, KeyError):
                    writer = None
        finally:
            if writer is not None:
                writer.close()

    async def close(self, name: str) -> None:
        server = self._servers.pop(name, None)
        self._ports.pop(name, None)
        for key in [key for key in self._tasks if name in key]:
            task = self._tasks.pop(key, None)
            self._queues.pop(key, None)
            if task is not None:  # if there is no task, the other end has closed the connection at the same time
                task.cancel()
                await asyncio.gather(task, return_exceptions=True)
        for writer in list(self._incoming.get(name, ())):
            writer.close()
        if server is not None:
            server.close()

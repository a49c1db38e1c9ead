"""Web: a few read-only pages over HTTP/1.1, for metrics and for the network's page."""

from __future__ import annotations

import asyncio
import contextlib
import json
from typing import TYPE_CHECKING, Any

from topicweave.content.processes.names import split_address

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

_PATIENCE = 5.0  # seconds within which a request must be complete
_LONGEST = 8192  # bytes of a request


class Web:
    """Serves pages; each is a function that returns a content type and text, or data to be sent as JSON.

    Parameters
    ----------
    address
        ``"host:port"``.
    pages
        Path to function.
    """

    def __init__(self, address: str, pages: Mapping[str, Callable[[], tuple[str, Any]]]) -> None:
        self.host, self.port = split_address(address)
        self._pages = pages
        self._server: asyncio.Server | None = None

    async def start(self) -> None:
        """Listen; if ``port`` is 0, a free port is chosen and stored there."""
        self._server = await asyncio.start_server(self._serve, self.host, self.port, limit=_LONGEST)
        self.port = self._server.sockets[0].getsockname()[1]

    async def stop(self) -> None:
        """Stop listening."""
        if self._server is not None:
            self._server.close()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            async with asyncio.timeout(_PATIENCE):
                head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
            status, kind, body = self._answer(head)
            lines = f"HTTP/1.1 {status}", f"Content-Type: {kind}", f"Content-Length: {len(body)}", "Connection: close"
            writer.write("\r\n".join([*lines, "", ""]).encode("latin-1") + body)
            await writer.drain()
        except (OSError, TimeoutError, asyncio.IncompleteReadError, asyncio.LimitOverrunError):
            pass
        finally:
            writer.close()
            with contextlib.suppress(OSError):
                await writer.wait_closed()

    def _answer(self, head: str) -> tuple[str, str, bytes]:
        method, _, rest = head.partition(" ")
        path = rest.partition(" ")[0].partition("?")[0]
        if method != "GET":
            return "405 Method Not Allowed", "text/plain", b"only GET\n"
        page = self._pages.get(path)
        if page is None:
            return "404 Not Found", "text/plain", f"there is {' '.join(self._pages)}\n".encode()
        kind, content = page()
        text = content if isinstance(content, str) else json.dumps(content)
        return "200 OK", kind, text.encode()

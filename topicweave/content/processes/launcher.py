"""Launcher: starts all brokers of a network as processes on this machine, and a page that shows them."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import signal
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from topicweave.content.processes.names import split_address
from topicweave.content.processes.web import Web
from topicweave.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from topicweave.content.processes.network_plan import NetworkPlan

TOKEN = "TOPICWEAVE_TOKEN"  # the environment variable that contains the network's secret
_PATIENCE = 300.0  # seconds within which a broker must accept connections after it was started
_ASKED = 2.0  # seconds within which a broker must report its state
ENDING = 10.0  # seconds after which a process that was asked to end is killed


class Launcher:
    """The processes of a network.

    Parameters
    ----------
    plan
        The network; all addresses must be of this machine.
    file
        Where it is stored.
    web
        For each broker the address of its metrics and state.
    options
        Further options of ``topicweave content serve``.
    environment
        The environment of the processes; a token is passed on in it, because command lines can be read by everybody.
    """

    def __init__(
        self,
        plan: NetworkPlan,
        file: Path,
        web: Mapping[str, str],
        options: Sequence[str] = (),
        environment: Mapping[str, str] | None = None,
    ) -> None:
        self.plan = plan
        self.web = dict(web)
        self.processes: dict[str, asyncio.subprocess.Process] = {}
        self._file = file
        self._options = list(options)
        self._environment = environment

    async def start(self, told: Callable[[str], None] = lambda name: None) -> None:
        """Start all brokers and wait until they listen: one, which compiles what is not compiled yet, and then as many
        at a time as there are processors.

        Parameters
        ----------
        told
            Called with the name of each broker that listens.
        """
        places = asyncio.Semaphore(os.cpu_count() or 1)
        first, *others = self.plan.brokers

        async def start_in_turn(name: str) -> None:
            async with places:
                for address in (self.plan.addresses[name], *filter(None, [self.web.get(name)])):
                    if await _listens(address):
                        raise RuntimeError(f"another process listens at {address} already")
                await self.start_one(name)
                await self._wait_for(name)
            told(name)

        await start_in_turn(first)
        tasks = [asyncio.create_task(start_in_turn(name)) for name in others]
        try:
            await asyncio.gather(*tasks)
        finally:
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)

    async def start_one(self, name: str) -> None:
        """Start one broker, for example again after its death."""
        command = ["-m", "topicweave", "content", "serve", "--plan", str(self._file), "--broker", name]
        if name in self.web:
            command += ["--web", self.web[name]]
        command += ["--until-eof", *self._options]
        self.processes[name] = await asyncio.create_subprocess_exec(
            sys.executable,
            *command,
            env=self._environment,
            start_new_session=True,  # so that Ctrl-C in a terminal reaches this process alone, which ends them once
            stdin=asyncio.subprocess.PIPE,  # ends with this process, even if it is killed, and brokers end with it
        )

    async def _wait_for(self, name: str) -> None:
        process = self.processes[name]
        try:
            async with asyncio.timeout(_PATIENCE):
                while not await self._is_up(name):
                    if process.returncode is not None:
                        raise RuntimeError(f"broker {name!r} ended with exit code {process.returncode}")
                    await asyncio.sleep(0.1)
        except TimeoutError:
            raise RuntimeError(f"broker {name!r} did not listen within {_PATIENCE:g} seconds") from None

    async def _is_up(self, name: str) -> bool:
        """Whether the broker answers, and not another process that listens at its address."""
        if name not in self.web:
            return await _listens(self.plan.addresses[name])
        state = await fetch(self.web[name])
        return isinstance(state, dict) and state.get("name") == name

    async def stop(self, *, at_once: bool = True) -> None:
        """End all processes that were started here."""
        running = [process for process in self.processes.values() if process.returncode is None]
        for process in running:
            with contextlib.suppress(ProcessLookupError):
                process.send_signal(signal.SIGINT if at_once else signal.SIGTERM)
        for process in running:
            try:
                async with asyncio.timeout(ENDING):
                    await process.wait()
            except TimeoutError:
                process.kill()
                await process.wait()

    async def states(self) -> dict[str, Any]:
        """The state that each broker reports; brokers that do not answer are left out."""
        found = await asyncio.gather(*(fetch(self.web[name]) for name in self.web))
        return {name: state for name, state in zip(self.web, found, strict=True) if state is not None}


async def _listens(address: str) -> bool:
    host, port = split_address(address)
    try:
        _, writer = await asyncio.open_connection(host, port)
    except OSError:
        return False
    # without a listener, a connection may be made with itself, if it got the same port
    is_itself: bool = writer.get_extra_info("sockname") == writer.get_extra_info("peername")
    writer.close()
    return not is_itself


async def fetch(address: str, path: str = "/state") -> Any:
    """The data behind a web address; ``None`` if they cannot be fetched."""
    text = await fetch_text(address, path)
    try:
        return None if text is None else json.loads(text)
    except ValueError:
        return None


async def fetch_text(address: str, path: str) -> str | None:
    """The text behind a web address; ``None`` if it cannot be fetched."""
    host, port = split_address(address)
    try:
        async with asyncio.timeout(_ASKED):
            reader, writer = await asyncio.open_connection(host, port)
            try:
                writer.write(f"GET {path} HTTP/1.1\r\nHost: {host}\r\n\r\n".encode())
                _, _, body = (await reader.read()).partition(b"\r\n\r\n")
            finally:
                writer.close()
        return body.decode()
    except (OSError, TimeoutError, UnicodeDecodeError):
        return None


async def watch(launcher: Launcher, address: str, page: str, told: Callable[[str], None]) -> None:
    """Serve the network's page until this task is cancelled.

    Parameters
    ----------
    launcher
        The network.
    address
        ``"host:port"`` of the page.
    page
        Its HTML; it asks for ``/states``.
    told
        Called with the page's address.
    """
    latest: dict[str, Any] = {}
    web = Web(
        address,
        {"/": lambda: ("text/html; charset=utf-8", page), "/states": lambda: ("application/json", latest)},
    )
    await web.start()
    told(f"http://{web.host}:{web.port}/")
    try:
        while True:
            states = await launcher.states()
            latest.clear()
            latest.update({"brokers": launcher.plan.brokers, "states": states, "expected": launcher.plan.expected})
            await asyncio.sleep(1.0)
    finally:
        await web.stop()


async def run(
    plan: NetworkPlan,
    page: str,
    html: str,
    *,
    first_web_port: int = 9000,
    window: float = 60.0,
    is_deciding: bool = True,
    token: str = "",
    cert: str | None = None,
    key: str | None = None,
    ca: str | None = None,
    told: Callable[[str], None] = lambda words: None,
) -> None:
    """Start every broker of a plan as a process on this machine and serve the network's page, until cancelled.

    Parameters
    ----------
    plan
        The network; all addresses must be of this machine.
    page
        ``"host:port"`` of the page.
    html
        The page: ``topicweave.reports.content_page.network_page()``.
    first_web_port
        The port of the first broker's metrics and state; further brokers get the ports after it.
    window
        The number of seconds over which brokers average their traffic.
    is_deciding
        Whether brokers ask users to move.
    token
        The network's secret.
    cert, key, ca
        Files for TLS: the brokers' certificate and its private key, and the certificates to trust.
    told
        Called with a line about each broker, and one about the page, once they can be reached.

    Raises
    ------
    InputError
        A broker or the page did not start.
    """
    web = {name: f"127.0.0.1:{first_web_port + number}" for number, name in enumerate(plan.brokers)}
    options = ["--window", str(window), *([] if is_deciding else ["--stay"])]
    for name, file in (("cert", cert), ("key", key), ("ca", ca)):
        options += [f"--{name}", file] if file else []
    with tempfile.TemporaryDirectory() as folder:
        stored = Path(folder) / "network.json"
        plan.write(stored)
        launcher = Launcher(plan, stored, web, options, {**os.environ, TOKEN: token})
        try:
            await launcher.start(
                lambda name: told(f"{name}: {plan.addresses[name]}, metrics at http://{web[name]}/metrics")
            )
            await watch(launcher, page, html, lambda where: told(f"page: {where}"))
        except (OSError, RuntimeError, TimeoutError) as error:
            raise InputError(f"The network did not start: {error or 'a broker does not listen'}.") from error
        finally:
            await launcher.stop()

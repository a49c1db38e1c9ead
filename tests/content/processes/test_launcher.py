"""Launcher: a network of real processes on this machine, commands that publish and subscribe, deaths and returns."""

import asyncio
import json
import os
import signal
import sys

import pytest

import topicweave as tw
from tests.content.processes.local import free_ports, plan, running, until
from topicweave.content.processes import Server, serve
from topicweave.content.processes.launcher import Launcher, fetch, run, watch
from topicweave.errors import InputError


async def command(*arguments, token):
    """The output of a command."""
    process = await asyncio.create_subprocess_exec(
        sys.executable, "-m", "topicweave", "content", *arguments,
        stdout=asyncio.subprocess.PIPE, env={**os.environ, "TOPICWEAVE_TOKEN": token},
    )  # fmt: skip
    output, _ = await process.communicate()
    return process.returncode, output.decode()


@pytest.mark.slow
def test_brokers_run_as_processes_and_one_is_killed(tmp_path):
    """Clients go on at another broker; the dead one returns; the page shows all of it; commands publish and receive."""

    async def scenario():
        network = plan(2)
        first = network.brokers[0]
        web = {name: f"127.0.0.1:{port}" for name, port in zip(network.brokers, free_ports(2), strict=True)}
        (port,) = free_ports(1)
        network.write(tmp_path / "network.json")
        environment = {**os.environ, "TOPICWEAVE_TOKEN": "secret"}
        launcher = Launcher(network, tmp_path / "network.json", web, ["--window", "5"], environment)
        told = []
        try:
            await launcher.start()
            watching = asyncio.create_task(watch(launcher, f"127.0.0.1:{port}", "<p>page</p>", told.append))
            address = network.addresses[first]
            async with tw.content.connect(address, "ann", channels=["news"], token="secret") as ann:
                arriving = aiter(ann)
                code, _ = await command(
                    "publish", address, "--name", "bob", "--channel", "news", "one", "two", token="secret"
                )
                assert code == 0
                assert [(await anext(arriving)).body for _ in range(2)] == ["one", "two"]
                launcher.processes[ann.user.broker].send_signal(signal.SIGKILL)
                dead = ann.user.broker
                await launcher.processes[dead].wait()
                await until(lambda: ann.user.broker != dead)
                await launcher.start_one(dead)
                receiving = asyncio.create_task(
                    command(
                        "subscribe", network.addresses[ann.user.broker], "--name", "cat", "--channel", "news",
                        "--count", "1", token="secret",
                    )
                )  # fmt: skip
                while not receiving.done():
                    ann.publish("news", "three")
                    await asyncio.sleep(0.3)
                code, output = receiving.result()
                assert code == 0 and json.loads(output)["body"] == "three"
                async with asyncio.timeout(30):
                    while len((await fetch(f"127.0.0.1:{port}", "/states")).get("states", {})) < 2:
                        await asyncio.sleep(0.2)
                states = await fetch(f"127.0.0.1:{port}", "/states")
            assert {name for state in states["states"].values() for name in state["users"]} >= {"ann"}
            assert told == [f"http://127.0.0.1:{port}/"]
            watching.cancel()
        finally:
            await launcher.stop()
        assert all(process.returncode is not None for process in launcher.processes.values())

    asyncio.run(scenario())


def test_an_address_in_use_is_named_before_anything_is_started(tmp_path):
    """Otherwise the process that listens there would be taken for the broker."""

    async def scenario(is_web):
        network = plan(2)
        first = network.brokers[0]
        (free,) = free_ports(1)
        taken = await asyncio.start_server(lambda reader, writer: writer.close(), "127.0.0.1", free)
        here = f"127.0.0.1:{free}"
        launcher = Launcher(
            network if is_web else network.at({first: here}), tmp_path / "none", {first: here} if is_web else {}
        )
        with pytest.raises(RuntimeError, match=f"another process listens at {here} already"):
            await launcher.start()
        taken.close()
        assert not launcher.processes

    asyncio.run(scenario(True))
    asyncio.run(scenario(False))


def test_a_broker_is_up_only_if_it_says_its_own_name(tmp_path):
    """Not if another broker, or something else, answers at its address."""

    async def scenario():
        network = plan(2)
        one, other = network.brokers
        (port,) = free_ports(1)
        where = f"127.0.0.1:{port}"
        launcher = Launcher(network, tmp_path / "none", {one: where, other: where})
        assert not await launcher._is_up(one)
        server = Server(network, one, web=where)
        await server.start()
        assert await launcher._is_up(one) and not await launcher._is_up(other)
        await server.stop()

    asyncio.run(scenario())


def test_a_broker_ends_when_its_input_ends(monkeypatch):
    """As when the process that has started it was killed; an end from the beginning counts as well."""

    async def scenario(is_early):
        network = plan(1)
        reading, writing = os.pipe()
        with os.fdopen(reading) as end, os.fdopen(writing, "w") as beginning:
            monkeypatch.setattr(sys, "stdin", end)
            server = Server(network, network.brokers[0])
            if is_early:
                beginning.close()
            serving = asyncio.create_task(serve(server, until_eof=True))
            if not is_early:
                await until(lambda: server.sockets._server is not None)
                async with tw.content.connect(network.addresses[network.brokers[0]], "ann"):
                    assert not serving.done()
                beginning.close()
            async with asyncio.timeout(20):
                await serving

    asyncio.run(scenario(False))
    asyncio.run(scenario(True))


def test_lines_of_standard_input_are_published_as_they_come():
    """Each before the next is written, as by a program that never ends; what is not text is refused."""

    async def publisher(network):
        return await asyncio.create_subprocess_exec(
            sys.executable, "-m", "topicweave", "content", "publish", next(iter(network.addresses.values())),
            "--name", "bob", "--channel", "news", stdin=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE,
            env={**os.environ, "PYTHONUTF8": "1"},
        )  # fmt: skip

    async def scenario():
        network = plan(1)
        (address,) = network.addresses.values()
        async with (
            running(network, is_deciding=False),
            tw.content.connect(address, "ann", channels=["news"]) as ann,
            asyncio.timeout(120),
        ):
            process = await publisher(network)
            arriving = aiter(ann)
            for line in ("one", "two"):
                process.stdin.write(f"{line}\n".encode())
                assert (await anext(arriving)).body == line
            process.stdin.close()
            assert await process.wait() == 0
            process = await publisher(network)
            _, complaint = await process.communicate(b"\xff\n")
            assert process.returncode == 2 and b"standard input cannot be read" in complaint

    asyncio.run(scenario())


@pytest.mark.slow
def test_a_network_runs_until_it_is_cancelled():
    """One call starts brokers and page and says where they are; a second network on the same page is refused; nothing
    runs after the end.
    """

    async def scenario():
        network, (page, first) = plan(2), free_ports(2)
        told, is_up = [], asyncio.Event()

        def tell(words):
            told.append(words)
            if words.startswith("page"):
                is_up.set()

        running = asyncio.create_task(run(network, f"127.0.0.1:{page}", "<p>page</p>", first_web_port=first, told=tell))
        async with asyncio.timeout(120):
            await is_up.wait()
            while len((await fetch(f"127.0.0.1:{page}", "/states") or {}).get("states", {})) < 2:
                await asyncio.sleep(0.2)
        *brokers, last = (words.split(":")[0] for words in told)
        assert (sorted(brokers), last) == (sorted(network.brokers), "page")
        with pytest.raises(InputError, match="did not start"):
            await run(plan(1), f"127.0.0.1:{page}", "", first_web_port=free_ports(1)[0])
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running
        assert await fetch(f"127.0.0.1:{first}") is None

    asyncio.run(scenario())

"""``topicweave content serve|run|publish|subscribe``: brokers of a content plan as processes, and clients of them."""

from __future__ import annotations

import asyncio
import json
import os
import sys
import threading
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from topicweave.cli.options import DEBUG_OPTION, check_settings, settings, with_options
from topicweave.errors import InputError, ReadError
from topicweave.wording import counted

if TYPE_CHECKING:
    import ssl
    from collections.abc import AsyncIterator, Coroutine

    from topicweave.content.processes import Client, NetworkPlan, Server

READ_AHEAD = 1_000  # lines of standard input that wait to be published
TOKEN = "TOPICWEAVE_TOKEN"  # the same as in content.processes.launcher, which is loaded when it is needed

SECRET_OPTIONS = (
    click.option("--token-file", metavar="PATH", help=f"File with the network's secret; otherwise it is in ${TOKEN}."),
    click.option("--ca", metavar="PATH", help="Certificates to trust; with this option, connections use TLS."),
    DEBUG_OPTION,
)
SERVER_OPTIONS = (
    click.option(
        "--address", "addresses", multiple=True, metavar="BROKER=HOST:PORT",
        callback=check_settings("BROKER=HOST:PORT"),
        help="Where a broker listens, if not at the address in the plan. Repeatable.",
    ),
    click.option("--inventory", metavar="CSV", help="Table of the brokers: name, host, port; --address comes first."),
    click.option("--window", type=click.FloatRange(min=0.1), default=60.0, show_default=True,
                 help="The number of seconds over which traffic is averaged."),
    click.option("--stay", is_flag=True, help="Do not ask users to move."),
    click.option("--cert", metavar="PATH", help="Certificate of the brokers; with this option, they use "
                 "only TLS, and trust the machine's certificates unless --ca names others."),
    click.option("--key", metavar="PATH", help="Private key of the certificate."),
)  # fmt: skip


@click.command(
    short_help="Start one broker of a content plan as a process.",
    epilog="\b\nExample:\n  topicweave content serve --plan plan/ --broker Paris --address Paris=10.0.0.5:7000 "
    "--address Tokyo=10.0.0.6:7000",
)
@click.option("--plan", required=True, metavar="PLAN", help="A plan folder, or its file network.json.")
@click.option("--broker", required=True, metavar="NAME", help="Which of the plan's brokers to start.")
@click.option("--web", metavar="HOST:PORT", help="Where to serve /metrics (Prometheus) and /state (JSON).")
@click.option("--most-users", type=click.IntRange(min=1), default=10_000, show_default=True,
              help="How many users may be connected.")  # fmt: skip
@click.option("--rate", type=click.FloatRange(min=1), default=20_000.0, show_default=True,
              help="How many frames per second a user may send.")  # fmt: skip
@click.option("--longest-frame", type=click.IntRange(min=1024), default=2**24, show_default=True,
              help="The largest frame that a user may send, in bytes.")  # fmt: skip
@click.option("--until-eof", is_flag=True, help="End at once when the standard input ends.")
@with_options(SERVER_OPTIONS)
@with_options(SECRET_OPTIONS)
def serve(plan: str, broker: str, **given: Any) -> None:
    """Start one broker of a content plan, and serve until the process is ended.

    SIGTERM lets its users move to other brokers first; a second one, or Ctrl-C, ends it at once.

    Exit code 0: ended; 2: bad input, or the address is in use.
    """
    from topicweave.content.processes import Limits, Server
    from topicweave.content.processes import serve as serve_broker

    limits = Limits(given["longest_frame"], given["most_users"], given["rate"])
    network = _network(plan, given)
    tls, server_tls = _tls(given)

    async def main() -> None:
        server = Server(
            network,
            broker,
            token=_token(given),
            tls=tls,
            server_tls=server_tls,
            limits=limits,
            web=given["web"],
            window=given["window"],
            is_deciding=not given["stay"],
        )
        await _serving(serve_broker(server, until_eof=given["until_eof"]), server, given["web"])

    asyncio.run(main())


async def _serving(serving: Coroutine[Any, Any, None], server: Server, web: str | None) -> None:
    try:
        await serving
    except OSError as error:
        places = " or ".join(filter(None, (server.plan.addresses[server.name], web)))
        raise InputError(f"Broker {server.name!r} cannot listen at {places}: {error.strerror or error}.") from error


@click.command(
    short_help="Start all brokers of a content plan on this machine, and a page that shows them.",
    epilog="\b\nExample:\n  topicweave content run plan/ --page 127.0.0.1:8000",
)
@click.argument("plan")
@click.option("--page", default="127.0.0.1:8000", show_default=True, metavar="HOST:PORT",
              help="Where the network's page is served.")  # fmt: skip
@click.option("--first-web-port", type=click.IntRange(1, 65_000), default=9000, show_default=True,
              help="The port of the first broker's metrics; further brokers get the ports after it.")  # fmt: skip
@with_options(SERVER_OPTIONS)
@with_options(SECRET_OPTIONS)
def run(plan: str, page: str, first_web_port: int, **given: Any) -> None:
    """Start every broker of a content plan as a process on this machine, to try it out; runs until Ctrl-C.

    The page compares loads with capacities, and the present cost with that of the plan and the bound; it also lists
    moves, and the broker of each user.

    Exit code 0 or 130: ended; 2: bad input, or an address is in use.
    """
    from topicweave.content.processes.launcher import run as run_network
    from topicweave.reports.content_page import network_page

    network = _network(plan, given)
    click.echo(f"starting {counted(len(network.brokers), 'broker')}; Ctrl-C ends them", err=True)
    files = {name: given[name] for name in ("cert", "key", "ca")}
    asyncio.run(
        run_network(
            network,
            page,
            network_page(),
            first_web_port=first_web_port,
            window=given["window"],
            is_deciding=not given["stay"],
            token=_token(given),
            told=click.echo,
            **files,
        )
    )


CLIENT_OPTIONS = (
    click.option("--name", required=True, metavar="USER", help="The user's name; no other user may have it."),
    *SECRET_OPTIONS,
)


@click.command(
    short_help="Publish to a running network.",
    epilog="\b\nExamples:\n  topicweave content publish 127.0.0.1:7000 --name ann --channel news hello\n"
    "  topicweave content publish 127.0.0.1:7000 --name ann --value price=12.5 'a trade'",
)
@click.argument("address")
@click.argument("bodies", nargs=-1)
@click.option("--channel", metavar="NAME", help="The channel; by default the one that the values belong to.")
@click.option("--value", "values", multiple=True, metavar="ATTRIBUTE=NUMBER",
              callback=check_settings("ATTRIBUTE=NUMBER"), help="The value of an attribute. Repeatable.")  # fmt: skip
@with_options(CLIENT_OPTIONS)
def publish(address: str, bodies: tuple[str, ...], channel: str | None, **given: Any) -> None:
    """Publish each of BODIES as text, or, without any, each line of standard input.

    Exit code 0: a broker has everything; 1: it may not have everything; 2: no broker at ADDRESS lets the user in.
    """
    content = {name: _number(name, text) for name, text in settings(given["values"], "ATTRIBUTE=NUMBER").items()}

    async def main() -> bool:
        async with _client(address, given) as client:
            for body in bodies:
                client.publish(channel, body, content or None)
            if not bodies:
                async for line in _input_lines():
                    client.publish(channel, line, content or None)
            return await client.leave()

    if not asyncio.run(main()):
        raise click.exceptions.Exit(1)


@click.command(
    short_help="Print what arrives from a running network.",
    epilog="\b\nExamples:\n  topicweave content subscribe 127.0.0.1:7000 --name bob --channel news\n"
    "  topicweave content subscribe 127.0.0.1:7000 --name bob --range price=10..20 --range volume=100..",
)
@click.argument("address")
@click.option("--channel", "channels", multiple=True, metavar="NAME", help="A channel. Repeatable.")
@click.option("--range", "ranges", multiple=True, metavar="ATTRIBUTE=LOW..HIGH",
              callback=check_settings("ATTRIBUTE=LOW..HIGH"),
              help="A range that publications must be inside; an end may be left out. Repeatable.")  # fmt: skip
@click.option("--count", type=click.IntRange(min=1), help="End after this many publications.")
@with_options(CLIENT_OPTIONS)
def subscribe(address: str, channels: tuple[str, ...], count: int | None, **given: Any) -> None:
    """Print every incoming publication as a line of JSON: publisher, number, channel, body.

    Exit code 0: the count is reached; 2: no broker at ADDRESS lets the user in; 130: interrupted.
    """
    ranges = _ranges(given["ranges"])

    async def main() -> None:
        number = 0
        async with _client(address, given, channels=channels, ranges=[ranges] if ranges else None) as client:
            async for publication in client:
                click.echo(json.dumps(publication._asdict()))
                number += 1
                if number == count:
                    return

    asyncio.run(main())


async def _input_lines() -> AsyncIterator[str]:
    """The lines of standard input as they come; a thread waits for them, so that the client can send and answer
    meanwhile. The thread has a file of its own, because Python cannot end while another thread reads ``sys.stdin``.
    """
    loop = asyncio.get_running_loop()
    arrived: asyncio.Queue[str | Exception | None] = asyncio.Queue(READ_AHEAD)
    number, encoding = sys.stdin.fileno(), sys.stdin.encoding

    def put(item: str | Exception | None) -> None:
        asyncio.run_coroutine_threadsafe(arrived.put(item), loop).result()

    def read() -> None:
        try:
            with open(number, encoding=encoding, closefd=False) as source:
                for line in source:
                    put(line.rstrip("\n"))
            put(None)
        except (OSError, ValueError) as error:
            put(ReadError(f"The standard input cannot be read: {error}."))

    threading.Thread(target=read, daemon=True).start()
    while (item := await arrived.get()) is not None:
        if isinstance(item, Exception):
            raise item
        yield item


def _client(address: str, given: dict[str, Any], **options: Any) -> Client:
    from topicweave.content.processes import connect

    return connect(address.split(","), given["name"], token=_token(given), tls=_tls(given)[0], **options)


def _network(plan: str, given: dict[str, Any]) -> NetworkPlan:
    from topicweave.content.processes import NetworkPlan
    from topicweave.content.processes.names import join_address

    network = NetworkPlan.read(plan)
    if given["inventory"] is not None:
        from topicweave.deploy.inventory import read_inventory

        listed = {
            broker.name: broker for broker in read_inventory(given["inventory"]) if broker.name in network.addresses
        }
        network = network.at({name: join_address(broker.host, broker.port) for name, broker in listed.items()})
    return network.at(settings(given["addresses"], "BROKER=HOST:PORT"))


def _token(given: dict[str, Any]) -> str:
    if given["token_file"] is None:
        return os.environ.get(TOKEN, "")
    try:
        return Path(given["token_file"]).read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        raise ReadError(f"The token in {given['token_file']} cannot be read: {error}.") from error


def _tls(given: dict[str, Any]) -> tuple[ssl.SSLContext | None, ssl.SSLContext | None]:
    """The TLS settings for outgoing and for incoming connections."""
    import ssl

    try:
        making = ssl.create_default_context(cafile=given["ca"]) if given["ca"] or given.get("cert") else None
        accepting = None
        if given.get("cert"):
            accepting = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
            accepting.load_cert_chain(given["cert"], given["key"])
    except (OSError, ssl.SSLError) as error:
        raise ReadError(f"The certificate or key cannot be used: {error}.") from error
    return making, accepting


def _number(name: str, text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise InputError(f"The value of attribute {name!r} must be a number, not {text!r}.") from None


def _ranges(given: tuple[str, ...]) -> dict[str, tuple[float | None, float | None]]:
    found = {}
    for name, text in settings(given, "ATTRIBUTE=LOW..HIGH").items():
        low, dots, high = text.partition("..")
        if not dots:
            raise InputError(f"The range of attribute {name!r} must have the form LOW..HIGH, but is {text!r}.")
        found[name] = _number(name, low) if low else None, _number(name, high) if high else None
    return found


COMMANDS = (serve, run, publish, subscribe)

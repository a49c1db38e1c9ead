"""Metrics of a broker in the text format of Prometheus."""

from __future__ import annotations

import math
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from topicweave.content.processes.server import Server

PREFIX = "topicweave_content_"


def metrics_text(server: Server) -> str:
    """All metrics of a broker, as text."""
    return "\n".join(_lines(server)) + "\n"


def _lines(server: Server) -> Iterator[str]:
    broker, placement = server.broker, server.placement
    capacity = broker.capacity if math.isfinite(broker.capacity) else math.inf
    yield from _one("users", "gauge", "Users connected to this broker.", len(broker.users))
    yield from _one("users_known", "gauge", "Users that this broker knows of, in the whole network.", broker.num_known)
    what = f"Traffic to and from this broker's users, in {broker.meter.unit} a second."
    yield from _one("load", "gauge", what, broker.load)
    yield from _one("capacity", "gauge", "The most load that users may be moved here for.", capacity)
    yield from _one("peers", "gauge", "Other brokers.", len(broker.peers))
    suspected = len(broker.suspected & broker.peers)
    yield from _one("peers_suspected", "gauge", "Other brokers that do not answer.", suspected)
    yield from _one("published_total", "counter", "Publications of this broker's users.", broker.num_published)
    delivered = broker.deliveries.num_delivered
    yield from _one("delivered_total", "counter", "Publications sent to this broker's users.", delivered)
    skipped = broker.deliveries.num_skipped
    yield from _one("skipped_total", "counter", "Publications on a user's channels outside its ranges.", skipped)
    yield from _one("refused_total", "counter", "Connections and packets refused.", server.sockets.num_refused)
    if placement is not None:
        yield from _one(
            "moved_total", "counter", "Users that moved away by this broker's decision.", placement.num_moved
        )
        refused = placement.num_refused
        yield from _one("moves_failed_total", "counter", "Users that declined, or for whom there was no room.", refused)
    yield "# HELP process_cpu_seconds_total User and system CPU time of this process."
    yield "# TYPE process_cpu_seconds_total counter"
    yield f"process_cpu_seconds_total {time.process_time():.6f}"
    name = PREFIX + "forwarded_total"
    yield f"# HELP {name} Publications sent to another broker along trees."
    yield f"# TYPE {name} counter"
    for peer, count in sorted(broker.forwarding.num_sent.items()):
        yield f'{name}{{to="{_escaped(peer)}"}} {count}'


def _one(name: str, kind: str, text: str, value: float) -> Iterator[str]:
    yield f"# HELP {PREFIX}{name} {text}"
    yield f"# TYPE {PREFIX}{name} {kind}"
    yield f"{PREFIX}{name} {'+Inf' if value == math.inf else f'{value:.10g}'}"


def _escaped(label: str) -> str:
    return label.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n")

"""Traffic: what a broker's guests publish and receive, within a sliding window (``summarize`` in CONTENT §V)."""

from __future__ import annotations

import json
from collections import Counter, deque
from typing import TYPE_CHECKING

from topicweave.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from topicweave.content.protocol.sessions import Message

WINDOW = 60.0  # seconds over which rates are averaged
PARTS = 6  # the window advances in steps of one part in this many
PUBLICATIONS = "publications"
BYTES = "bytes"
UNITS = (PUBLICATIONS, BYTES)
_encode = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode


def check_unit(unit: str) -> None:
    """Raise an error unless traffic can be counted in this unit."""
    if unit not in UNITS:
        raise InputError(f"Traffic is counted in {' or '.join(UNITS)}, not in {unit!r:.50}.")


class Meter:
    """Says how much traffic a publication is: 1, or the bytes of its body.

    All brokers must find the same, so the body is measured as JSON in UTF-8 without spaces, the form in which brokers
    send it, and not the frame around it, which differs from receiver to receiver.

    Parameters
    ----------
    unit
        ``"publications"`` or ``"bytes"``.
    """

    def __init__(self, unit: str = PUBLICATIONS) -> None:
        check_unit(unit)
        self.unit = unit
        self._latest: Message | None = None
        self._size = 0.0

    def amount(self, publication: Message) -> float:
        """How much one transmission of the publication counts."""
        if self.unit == PUBLICATIONS:
            return 1.0
        if self._latest is not publication:  # often the same one is counted for several receivers in a row
            self._latest = publication
            self._size = float(len(_encode(publication["body"]).encode("utf-8", "surrogatepass")))
        return self._size


class Traffic:
    """A histogram over channels of what one guest publishes, and how much it receives.

    Parameters
    ----------
    now
        The time at which counting begins.
    window
        Over how many seconds rates are averaged.
    """

    def __init__(self, now: float, window: float = WINDOW) -> None:
        self._part = window / PARTS
        self._since = now
        self._published: deque[tuple[int, Counter[str]]] = deque()
        self._received: deque[list[float]] = deque()  # pairs (part of the window, amount)

    def publish(self, channel: str, now: float, amount: float = 1.0) -> None:
        """Count a publication by the guest."""
        part = int(now / self._part)
        if not self._published or self._published[-1][0] != part:
            self._published.append((part, Counter()))
            self._slide(part)
        self._published[-1][1][channel] += amount  # type: ignore[assignment]

    def receive(self, now: float, amount: float = 1.0) -> None:
        """Count a publication that was delivered to the guest."""
        part = int(now / self._part)
        if not self._received or self._received[-1][0] != part:
            self._received.append([part, 0.0])
            self._slide(part)
        self._received[-1][1] += amount

    def _slide(self, part: int) -> None:
        while self._published and self._published[0][0] <= part - PARTS:
            self._published.popleft()
        while self._received and self._received[0][0] <= part - PARTS:
            self._received.popleft()

    def _span(self, now: float) -> float:
        """The number of seconds that the counts cover."""
        part = int(now / self._part)
        self._slide(part)
        start = max(self._since, (part - PARTS + 1) * self._part)
        return max(now - start, self._part / 2)

    def published(self, now: float) -> dict[str, float]:
        """The rate at which the guest publishes on each channel."""
        span = self._span(now)
        total: Counter[str] = Counter()
        for _, counts in self._published:
            total.update(counts)
        return {channel: count / span for channel, count in total.items()}

    def received(self, now: float) -> float:
        """The rate at which the guest receives."""
        span = self._span(now)
        return sum(amount for _, amount in self._received) / span

    def need(self, now: float) -> float:
        """How much of a broker's capacity the guest needs, for what it sends and receives."""
        return sum(self.published(now).values()) + self.received(now)

    def state(self, now: float) -> Message:
        """The rates, to be sent to the guest's next broker."""
        return {"published": self.published(now), "received": self.received(now)}

    @classmethod
    def begun_with(cls, state: Mapping[str, object] | None, now: float, window: float = WINDOW) -> Traffic:
        """Traffic that starts from rates measured by another broker; they fade as the window advances."""
        traffic = cls(now, window)
        if state:
            published, received = state["published"], state["received"]
            assert isinstance(published, dict) and isinstance(received, float | int)
            part = int(now / traffic._part)
            for back in range(PARTS - 1, -1, -1):
                share = traffic._part if back else now - part * traffic._part
                counts = Counter({channel: rate * share for channel, rate in published.items()})
                traffic._published.append((part - back, counts))
                traffic._received.append([part - back, received * share])
            traffic._since = (part - PARTS + 1) * traffic._part
        return traffic

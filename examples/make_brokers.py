"""Write ``brokers.csv``: who subscribes to what in an invented company with factories, offices and trading desks.

    python examples/make_brokers.py            writes examples/brokers.csv
    python examples/make_brokers.py FILE       writes FILE

Nothing in it is taken from a real network. Interests are correlated as they are in practice: some topics are wanted
nearly everywhere, some in one region or at one site, some by the gateways of one family of machines; the first broker
of a site gathers much of what the others there want.
"""

from __future__ import annotations

import csv
import sys
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

SEED = 7
COLUMNS = ("node", "topic")

# site -> (region, number of brokers)
SITES = {
    "ams": ("eu", 14), "fra": ("eu", 22), "lon": ("eu", 20), "mad": ("eu", 11), "mil": ("eu", 12), "par": ("eu", 16),
    "sto": ("eu", 10), "waw": ("eu", 13),
    "atl": ("us", 14), "chi": ("us", 18), "dal": ("us", 15), "nyc": ("us", 20), "sea": ("us", 12), "sjc": ("us", 16),
    "bom": ("asia", 13), "hkg": ("asia", 12), "sin": ("asia", 18), "syd": ("asia", 11), "tyo": ("asia", 17),
    "gru": ("latam", 9), "mex": ("latam", 8), "scl": ("latam", 7),
}  # fmt: skip
REGIONS = ("asia", "eu", "latam", "us")
LINES = range(1, 15)  # families of machines
SIGNALS = ("energy", "quality", "temperature", "vibration")

# topic -> share of all brokers that want it
EVERYWHERE = {"alarms/security": 0.8, "config/rollout": 0.7, "status/heartbeat": 0.9, "time/offset": 0.35}
# topic -> share of a region's brokers; the region's name follows
REGIONAL = {"alarms/power": 0.45, "carriers/delays": 0.2, "regulation/notices": 0.15, "weather/warnings": 0.3}
# topic -> share of a site's brokers; the site's name follows
AT_SITE = {"access/doors": 0.55, "climate/rooms": 0.5}
MARKETS = ("bonds", "energy", "fx", "metals")


def subscriptions(seed: int = SEED) -> list[tuple[str, str]]:
    """All (node, topic) pairs, sorted, each once."""
    # Only random() is drawn from: of all methods it alone promises the same numbers in every version of Python.
    rng = Random(seed)
    pairs: set[tuple[str, str]] = set()
    for site, (region, count) in SITES.items():
        lines = [line for line in LINES if rng.random() < 0.3] or [LINES[0]]
        for number in range(1, count + 1):
            wanted = _topics(rng, site, region, lines, gathers=number == 1)
            pairs.update((f"{site}-{number:02d}", topic) for topic in wanted)
    return sorted(pairs)


def _topics(rng: Random, site: str, region: str, lines: list[int], *, gathers: bool) -> Iterator[str]:
    """The topics of one broker: its places, then what its role in the company needs."""
    for topic, share in EVERYWHERE.items():
        if gathers or rng.random() < share:
            yield topic
    for topic, share in REGIONAL.items():
        if gathers or rng.random() < share:
            yield f"{topic}/{region}"
    for topic, share in AT_SITE.items():
        if gathers or rng.random() < share:
            yield f"{topic}/{site}"
    role = rng.random()
    if gathers or role < 0.6:
        yield from _factory(rng, lines, share=0.9 if gathers else 0.55)
    if gathers or role > 0.75:
        yield from _trading(rng, region, share=0.9 if gathers else 0.6)


def _factory(rng: Random, lines: list[int], *, share: float) -> Iterator[str]:
    """Signals of the machines that stand at the site; now and then a sister line elsewhere is watched as well."""
    for line in LINES:
        watched = share if line in lines else 0.05
        if rng.random() < watched:
            yield f"alarms/line-{line}"
            for signal in SIGNALS:
                if rng.random() < 0.65:
                    yield f"telemetry/line-{line}/{signal}"


def _trading(rng: Random, region: str, *, share: float) -> Iterator[str]:
    """Prices and orders, mostly of the own region."""
    for market in MARKETS:
        if rng.random() < share:
            yield f"prices/{region}/{market}"
            if rng.random() < 0.5:
                yield f"orders/{region}"
        for other in REGIONS:
            if other != region and rng.random() < 0.06:
                yield f"prices/{other}/{market}"


def write(path: Path, seed: int = SEED) -> int:
    """Write the pairs as CSV with a header and return how many there are."""
    pairs = subscriptions(seed)
    with path.open("w", newline="", encoding="utf-8") as file:
        table = csv.writer(file, lineterminator="\n")
        table.writerow(COLUMNS)
        table.writerows(pairs)
    return len(pairs)


if __name__ == "__main__":
    target = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).with_name("brokers.csv")
    count = write(target)
    sys.stdout.write(f"{count} subscriptions in {target}\n")

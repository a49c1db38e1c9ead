"""An example instance from stock quotes and round-trip times: users in cities publish quotes and subscribe to price
ranges.
"""

from __future__ import annotations

import re
import tarfile
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from topicweave.content.capacity import equal_capacity
from topicweave.content.channels import Channels, summarize
from topicweave.content.instance import Instance
from topicweave.content.prices import Prices
from topicweave.errors import ParameterError, ReadError
from topicweave.files import as_path
from topicweave.parameters import check_count, check_fits, check_kind, check_number, seeded_generator

if TYPE_CHECKING:
    import os

    from numpy.typing import NDArray


_QUOTE = re.compile(r"\[symbol,'([^']+)'\].*?\[close,([-\d.eE+]+)\],\[volume,([\d.eE+]+)\]")


@dataclass(frozen=True, eq=False)
class Quotes:
    """Stock quotes as columns: the number of the symbol, the closing price, and the volume."""

    symbols: tuple[str, ...]
    symbol: NDArray[np.int64] = field(repr=False)
    close: NDArray[np.float64] = field(repr=False)
    volume: NDArray[np.float64] = field(repr=False)
    num_unreadable: int = 0


def read_quotes(path: str | os.PathLike[str]) -> Quotes:
    """Read an archive of quote files with one ``[class,'STOCK'],[symbol,'…'],…`` per line; lines of another form are
    only counted.
    """
    found: list[tuple[str, float, float]] = []
    unreadable = 0
    try:
        with tarfile.open(as_path(path, "the quotes")) as archive:
            for member in archive:
                content = archive.extractfile(member) if member.isfile() else None
                for line in content.read().decode(errors="replace").splitlines() if content else ():
                    match = _QUOTE.search(line)
                    if match:
                        found.append((match[1], float(match[2]), float(match[3])))
                    else:
                        unreadable += bool(line.strip())
    except (OSError, tarfile.TarError) as error:
        raise ReadError(f"The quotes in {path} cannot be read: {error}.") from error
    if not found:
        raise ReadError(
            f"There is no quote in {path}; lines look like [class,'STOCK'],[symbol,'X'],…,[close,1.2],[volume,3],…."
        )
    symbols = tuple(sorted({symbol for symbol, _, _ in found}))
    number = {symbol: position for position, symbol in enumerate(symbols)}
    return Quotes(
        symbols,
        np.array([number[symbol] for symbol, _, _ in found]),
        np.array([close for _, close, _ in found]),
        np.array([volume for _, _, volume in found]),
        unreadable,
    )


def quotes_instance(
    quotes: Quotes,
    prices: Prices,
    num_users: int,
    num_brokers: int,
    num_channels: int = 100,
    *,
    spare: float = 2.0,
    seed: int = 0,
) -> Instance:
    """Place users and brokers in cities; each user publishes the quotes of one symbol and subscribes to one range of
    prices.

    Channels are ranges of closing prices with equally many quotes each. A user publishes the history of a symbol (users
    of the same symbol share its rate) and wants an interval of the channels. Brokers are in different cities; users may
    share a city, and pay the lowest price between any two cities for a broker in their own.
    """
    check_kind(quotes, Quotes, "quotes_instance() needs Quotes", "read them with read_quotes")
    check_kind(prices, Prices, "quotes_instance() needs Prices", "read them with read_prices")
    num_users, num_brokers = check_count("num_users", num_users), check_count("num_brokers", num_brokers)
    spare = check_number("spare", spare, 1)
    check_fits(
        f"An instance of {num_users:,} users and {num_brokers:,} brokers",
        num_users * (24 * check_count("num_channels", num_channels) + 16 * num_brokers),
        "ask for fewer users",
    )
    if num_brokers > len(prices.places):
        raise ParameterError(f"There are {len(prices.places)} cities for {num_brokers} brokers; ask for fewer brokers.")
    rng = seeded_generator(seed)
    channels = Channels.from_values({"close": quotes.close}, num_channels, "mass")
    count = channels.num_channels
    histogram = summarize(quotes.symbol, {"close": quotes.close}, channels, num_users=len(quotes.symbols))
    published = np.arange(num_users) % len(quotes.symbols)
    share = np.bincount(published, minlength=len(quotes.symbols))
    publish = histogram[published] / share[published][:, None]
    ends = np.sort(rng.integers(0, count, (num_users, 2)), axis=1)
    subscribe = (ends[:, :1] <= np.arange(count)) & (np.arange(count) <= ends[:, 1:])
    sites = [prices.places[p] for p in rng.choice(len(prices.places), num_brokers, replace=False)]
    homes = [prices.places[p] for p in rng.integers(0, len(prices.places), num_users)]
    access = prices.between(homes, sites)
    access = np.where(access > 0, access, prices.matrix[prices.matrix > 0].min())
    width = len(str(num_users - 1))
    free = Instance(
        publish,
        subscribe,
        access,
        prices.between(sites, sites),
        np.inf,
        users=[f"user {i:0{width}d} in {home}" for i, home in enumerate(homes)],
        brokers=sites,
        channels=channels.labels,
    )
    return free.replace(capacity=equal_capacity(free, spare))

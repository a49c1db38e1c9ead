"""Random instances as in the paper's evaluation (CONTENT §VI-A), with our choices where the paper leaves them open."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from topicweave.content.capacity import equal_capacity
from topicweave.content.instance import Instance
from topicweave.content.validation import metric_closure
from topicweave.errors import ParameterError
from topicweave.parameters import check_count, check_fits, check_number, seeded_generator

if TYPE_CHECKING:
    from numpy.typing import NDArray


def evaluation_instance(
    num_users: int,
    num_brokers: int,
    num_channels: int = 100,
    *,
    price_ratio: float = 1.0,
    spare: float = 2.0,
    seed: int = 0,
) -> Instance:
    """Draw an instance as in the paper: each user publishes at rates that follow a random parabola over the channels,
    and subscribes to one interval of channels; prices are uniform.

    Parameters
    ----------
    num_users, num_brokers, num_channels
        Sizes; the paper has 1,000 to 10,000 users and a tenth to a hundredth as many brokers.
    price_ratio
        Mean access price over mean core price.
    spare
        The total capacity as a multiple of the demand; all brokers have the same capacity.
    seed
        The same seed gives the same instance.

    Examples
    --------
    >>> evaluation_instance(100, 5, 10, seed=1)
    Instance(100 users, 5 brokers, 10 channels)
    """
    num_users, num_brokers, num_channels, spare = _checked(num_users, num_brokers, num_channels, price_ratio, spare)
    rng = seeded_generator(seed)
    middle = (np.arange(num_channels) + 0.5) / num_channels
    curve = rng.uniform(-1, 1, (num_users, 3)) @ np.vander(middle, 3).T
    publish = np.maximum(curve, 0.0) / num_channels
    ends = np.sort(np.minimum((rng.random((num_users, 2)) * num_channels).astype(np.int64), num_channels - 1), axis=1)
    number = np.arange(num_channels)
    subscribe = (ends[:, :1] <= number) & (number <= ends[:, 1:])
    return _priced(publish, subscribe, num_brokers, price_ratio, spare, rng)


def sparse_instance(
    num_users: int,
    num_brokers: int,
    num_channels: int | None = None,
    *,
    price_ratio: float = 1.0,
    spare: float = 2.0,
    seed: int = 0,
) -> Instance:
    """Draw an instance with little traffic: each user subscribes to one channel and publishes on another.

    Traffic per user does not depend on the number of users, so the cost of a random assignment is linear in it, as
    CONTENT §VI-B says; with :func:`evaluation_instance` it is quadratic.

    Parameters
    ----------
    num_users, num_brokers
        Sizes.
    num_channels
        By default a tenth of the number of users, so that ten users want each channel on average.
    price_ratio, spare, seed
        As for :func:`evaluation_instance`, and prices are drawn in the same way.

    Examples
    --------
    >>> sparse_instance(100, 5, seed=1)
    Instance(100 users, 5 brokers, 10 channels)
    """
    if num_channels is None:
        num_channels = max(check_count("num_users", num_users, 2) // 10, 2)
    num_users, num_brokers, channels, spare = _checked(num_users, num_brokers, num_channels, price_ratio, spare, 2)
    rng = seeded_generator(seed)
    users = np.arange(num_users)
    wanted = rng.integers(0, channels, num_users)
    about = (wanted + 1 + rng.integers(0, channels - 1, num_users)) % channels
    publish, subscribe = np.zeros((num_users, channels)), np.zeros((num_users, channels), dtype=bool)
    publish[users, about] = 1.0
    subscribe[users, wanted] = True
    return _priced(publish, subscribe, num_brokers, price_ratio, spare, rng)


def _checked(
    num_users: int, num_brokers: int, num_channels: int, price_ratio: float, spare: float, least_channels: int = 1
) -> tuple[int, int, int, float]:
    num_users, num_brokers = check_count("num_users", num_users, 2), check_count("num_brokers", num_brokers)
    num_channels = check_count("num_channels", num_channels, least_channels)
    check_fits(
        f"An instance of {num_users:,} users, {num_brokers:,} brokers and {num_channels:,} channels",
        17 * num_users * (num_channels + num_brokers) + 24 * num_brokers**2,
        "ask for fewer",
    )
    if not check_number("price_ratio", price_ratio, 0, is_finite=True) > 0:
        raise ParameterError(
            "{parameter} must be above 0, but is {value!r}.", parameter="price_ratio", value=price_ratio
        )
    return num_users, num_brokers, num_channels, check_number("spare", spare, 1)


def _priced(
    publish: NDArray[np.float64],
    subscribe: NDArray[np.bool_],
    num_brokers: int,
    price_ratio: float,
    spare: float,
    rng: np.random.Generator,
) -> Instance:
    """Add prices and capacities to the users' traffic: uniform random prices, with those between brokers scaled to the
    given ratio.
    """
    access = rng.random((len(publish), num_brokers))
    core = np.triu(rng.random((num_brokers, num_brokers)), 1)
    core = metric_closure(core + core.T)
    if num_brokers > 1:
        core *= access.mean() / price_ratio / core[np.triu_indices(num_brokers, 1)].mean()
    # A first instance is made only to compute the demand; the capacities of the actual instance follow from that.
    free = Instance(publish, subscribe, access, core, np.inf)
    return free.replace(capacity=equal_capacity(free, spare))

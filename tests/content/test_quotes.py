"""An instance from real quotes and round-trip times."""

import numpy as np
import pytest

from tests.workloads.data import real_file
from topicweave.content import Instance, assign, lower_bound, quotes_instance, read_prices, read_quotes
from topicweave.errors import InputError, ParameterError, ReadError


def test_archives_that_are_not_there():
    with pytest.raises(ReadError, match="cannot be read"):
        read_quotes("none.tar.gz")
    with pytest.raises(InputError, match="The path of the quotes is needed, but got a NoneType"):
        read_quotes(None)
    with pytest.raises(InputError, match=r"needs Quotes, but got a NoneType; read them with read_quotes"):
        quotes_instance(None, None, 2, 2)


@pytest.fixture(scope="module")
def quotes():
    return read_quotes(real_file("stock_quotes.tar.gz"))


@pytest.fixture(scope="module")
def cities():
    return read_prices(real_file("city_rtt_ms.csv.gz"))


def test_real_files(quotes, cities):
    """The real files have the sizes that the paper tells."""
    assert len(quotes.symbols) == 100 and len(quotes.close) == 245_190
    assert len(cities.places) == 242 and np.isfinite(cities.matrix).all()


def test_quotes_between_cities(quotes, cities):
    """On real quotes and prices, best is not above any other method, within capacity and above the bound."""
    instance = quotes_instance(quotes, cities, 600, 20, 50, seed=1)
    assert isinstance(instance, Instance) and instance.num_channels == 50
    best = assign(instance, "best")
    assert best.reduction > 2
    for method in ("greedy_packing", "clustering", "steiner_mixing"):
        assert best.cost.total <= assign(instance, method).cost.total
    assert best.cost.total >= lower_bound(instance).total
    assert np.all(best.cost.load <= instance.limit)
    with pytest.raises(ParameterError, match="242 cities for 300 brokers"):
        quotes_instance(quotes, cities, 10, 300)

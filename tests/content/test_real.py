"""The paper's instances, prices from a latency matrix, and quotes from real data."""

import gzip

import numpy as np
import pytest

from tests.workloads.data import real_file
from topicweave.content import (
    Instance,
    assign,
    evaluation_instance,
    lower_bound,
    quotes_instance,
    read_prices,
    read_quotes,
)
from topicweave.errors import InputError, ParameterError, ReadError


@pytest.mark.parametrize("ratio", [0.1, 1, 10])
def test_evaluation_instances_are_as_settled(ratio):
    found = evaluation_instance(400, 20, 50, price_ratio=ratio, seed=3)
    core = found.core_price[np.triu_indices(20, 1)]
    assert found.access_price.mean() / core.mean() == pytest.approx(ratio)
    assert found.capacity.sum() == pytest.approx(2 * found.need.sum())
    assert len(set(found.capacity)) == 1 and found.notes == ()
    runs = np.diff(np.pad(found.subscribe.astype(int), ((0, 0), (1, 1))), axis=1)
    assert ((runs == 1).sum(axis=1) == 1).all()  # one interval each
    assert 0 < (found.publish == 0).mean() < 1  # negative parts are cut
    assert np.array_equal(evaluation_instance(400, 20, 50, price_ratio=ratio, seed=3).publish, found.publish)
    assert not np.array_equal(evaluation_instance(400, 20, 50, seed=4).publish, found.publish)


def test_evaluation_instances_refuse_nonsense():
    with pytest.raises(ParameterError, match="num_users"):
        evaluation_instance(1, 1)
    with pytest.raises(ParameterError, match="num_brokers must be a whole number, 1 or more, but is None"):
        evaluation_instance(10, None)
    with pytest.raises(ParameterError, match="seed must be a whole number"):
        evaluation_instance(10, 2, seed=None)
    with pytest.raises(ParameterError, match="price_ratio"):
        evaluation_instance(10, 2, price_ratio=0)


@pytest.mark.parametrize("zipped", [False, True])
def test_gaps_are_filled_and_directions_averaged(tmp_path, zipped):
    text = ",a,b,c,d\na,,1,5,\nb,3,,1,\nc,,1,,2\nd,,,,\n"
    path = tmp_path / ("prices.csv.gz" if zipped else "prices.csv")
    path.write_bytes(gzip.compress(text.encode()) if zipped else text.encode())
    found = read_prices(path)
    assert found.between(["a"], ["b", "c", "d"]).tolist() == [[2, 5, 5]]  # mean; one direction; a-b-c-d
    assert found.between(["c"], ["d"]).tolist() == [[2]] and found.num_filled == 2
    with pytest.raises(InputError, match="no place 'x'"):
        found.between(["x"], ["a"])


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "no prices"),
        (",a,b\na,0,1\n", "other places"),
        (",a,b\na,0,x\nb,1,0\n", "price of 'a' and 'b' .* 'x'"),
        (",a,b\na,0,-1\nb,1,0\n", "'-1'"),
        (",a,b\na,0,\nb,,0\n", "no price, direct or by a detour"),
    ],
)
def test_bad_prices(tmp_path, text, says):
    path = tmp_path / "prices.csv"
    path.write_text(text)
    with pytest.raises(ReadError, match=says):
        read_prices(path)


def test_files_that_are_not_there_or_not_archives(tmp_path):
    with pytest.raises(ReadError, match="cannot be read"):
        read_prices(tmp_path / "none.csv")
    with pytest.raises(ReadError, match="cannot be read"):
        read_quotes(tmp_path / "none.tar.gz")
    for read in (read_prices, read_quotes):
        with pytest.raises(InputError, match=r"The path of the (prices|quotes) is needed, but got a NoneType"):
            read(None)
    with pytest.raises(InputError, match=r"needs Quotes, but got a NoneType; read them with read_quotes"):
        quotes_instance(None, None, 2, 2)


@pytest.fixture(scope="module")
def quotes():
    return read_quotes(real_file("stock_quotes.tar.gz"))


@pytest.fixture(scope="module")
def cities():
    return read_prices(real_file("city_rtt_ms.csv.gz"))


def test_real_files(quotes, cities):
    assert len(quotes.symbols) == 100 and len(quotes.close) == 245_190
    assert len(cities.places) == 242 and np.isfinite(cities.matrix).all()


def test_quotes_between_cities(quotes, cities):
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

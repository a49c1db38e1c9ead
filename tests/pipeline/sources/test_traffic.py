"""Logs become an instance: histograms, ranges, prices, quarantine."""

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from topicweave.content import Channels, Prices, summarize
from topicweave.errors import BadRowsError, InputError, ParameterError, ReadError
from topicweave.pipeline import Table
from topicweave.pipeline.sources.cuts import channel_column
from topicweave.pipeline.sources.traffic import Publications, read_traffic

WISHES = "user,attribute,low,high\nann,value,0,4\nbob,value,5,10\ncat,value,0,10\n"


@pytest.fixture
def log(tmp_path):
    """A thousand publications of three users, as columns and as a Parquet file."""
    rng = np.random.default_rng(1)
    columns = {
        "user": rng.choice(["ann", "bob", "cat"], 1000),
        "value": rng.random(1000) * 10,
        "volume": rng.integers(1, 100, 1000).astype(float),
        "bytes": rng.integers(1, 9, 1000),
        "time": np.sort(rng.random(1000) * 60),
    }
    path = tmp_path / "log.parquet"
    pq.write_table(pa.table(columns), path, row_group_size=100)
    return columns, str(path)


def expected(columns, channels, duration, attributes=("value",)):
    users = np.searchsorted(["ann", "bob", "cat"], columns["user"])
    values = {name: columns[name] for name in attributes}
    return summarize(users, values, channels, num_users=3, amounts=columns["bytes"], duration=duration)


@pytest.mark.parametrize("scale", ["width", "mass"])
def test_histograms_equal_those_in_memory(spark, log, write, scale):
    columns, path = log
    found = read_traffic(spark, Publications(Table(path)), Table(write("w.csv", WISHES)), num_channels=7, scale=scale)
    assert found.users == ("ann", "bob", "cat")
    assert found.duration == pytest.approx(columns["time"][-1] - columns["time"][0])
    np.testing.assert_allclose(found.publish, expected(columns, found.channels, found.duration))
    assert found.counts[0].valid == 1000 and found.counts[0].num_bad == 0
    if scale == "width":
        assert found.channels == Channels.from_values({"value": columns["value"]}, 7)
    else:
        rows = np.bincount(found.channels.numbers({"value": columns["value"]}))
        assert rows.min() > 120 and rows.max() < 165


@pytest.mark.slow
def test_text_and_parquet_give_the_same(spark, log, write):
    columns, path = log
    names = list(columns)
    lines = [",".join(names)] + [",".join(str(columns[name][r]) for name in names) for r in range(1000)]
    cuts = {"value": (0, 2, 3, 10)}
    wishes = Table(write("w.csv", WISHES))
    one = read_traffic(spark, Publications(Table(path)), wishes, cuts=cuts)
    other = read_traffic(spark, Publications(Table(write("log.csv", "\n".join(lines)))), wishes, cuts=cuts)
    np.testing.assert_allclose(one.publish, other.publish)
    assert one.subscribe.tolist() == other.subscribe.tolist() == [[True, True, True], [False, False, True], [True] * 3]


@pytest.mark.slow
def test_two_attributes_make_a_grid(spark, log, write):
    columns, path = log
    wishes = WISHES + "ann,volume,60,99\nann,volume,0,10\n"
    found = read_traffic(
        spark,
        Publications(Table(path), ("value", "volume")),
        Table(write("w.csv", wishes)),
        cuts={"value": (0, 5, 10), "volume": (0, 33, 66, 99)},
    )
    attributes = ("value", "volume")
    np.testing.assert_allclose(found.publish, expected(columns, found.channels, found.duration, attributes))
    assert found.subscribe[0].tolist() == [True, True, True, False, False, False]
    low = found.channels.covering({"value": (0, 4), "volume": (60, 99)})
    assert low.tolist() == [False, True, True, False, False, False]


def test_channel_numbers_agree_with_numpy_on_borders_and_beyond(spark):
    channels = Channels({"value": (0, 1, 2.5, 4, 8, 9)})
    values = [-5.0, 0.0, 0.99, 1.0, 2.5, 3.9, 4.0, 7.0, 8.0, 9.0, 99.0]
    frame = spark.createDataFrame([(v,) for v in values], ["value"])
    found = [row[0] for row in frame.select(channel_column(channels)).collect()]
    assert found == channels.numbers({"value": values}).tolist() == [0, 0, 0, 1, 2, 2, 3, 3, 4, 4, 4]


def test_bad_rows_go_to_quarantine(spark, write):
    lines = ["user,value,bytes,time", *(f"ann,{v},1,{v}" for v in range(1, 20))]
    lines += ["bob,x,1,1", ",3,1,1", "bob,nan,1,1", "bob,3,-1,1", "bob,3,1,soon", "bob,3,much,1"]
    path = write("log.csv", "\n".join(lines))
    wishes = Table(write("w.csv", WISHES + "dan,value,9,1\ndan,size,1,2\ndan,value,x,2\n"))
    with pytest.raises(BadRowsError, match="6 of 25 rows"):
        read_traffic(spark, Publications(Table(path)), wishes)
    found = read_traffic(spark, Publications(Table(path)), wishes, max_bad_fraction=0.6)
    assert found.counts[0].bad == {
        "bytes is not a finite number": 1,
        "bytes is negative": 1,
        "time cannot be read": 1,
        "user is missing": 1,
        "value is not a finite number": 2,
    }
    assert found.counts[1].bad == {
        "attribute that publications do not have": 1,
        "low is above high": 1,
        "low is not a finite number": 1,
    }
    assert found.quarantine.count() == 9
    assert "dan" not in found.users
    assert found.has_sizes


def test_nothing_usable_and_bad_parameters(spark, write):
    empty = Table(write("log.csv", "user,value\nbob,x\n"))
    wishes = Table(write("w.csv", WISHES))
    with pytest.raises(ReadError, match="no usable publication"):
        read_traffic(spark, Publications(empty), wishes, max_bad_fraction=1)
    good = Publications(Table(write("good.csv", "user,value\nbob,1\nann,3\n")))
    unsized = Publications(Table(write("unsized.csv", "user,value,bytes\nbob,1,\nann,3,\n")))
    assert not read_traffic(spark, good, wishes).has_sizes and not read_traffic(spark, unsized, wishes).has_sizes
    with pytest.raises(ParameterError, match="no scale"):
        read_traffic(spark, good, wishes, scale="log")
    with pytest.raises(ParameterError, match="'size'"):
        read_traffic(spark, good, wishes, cuts={"size": (0, 1)})


def test_prices_make_the_instance(spark, log, write):
    """Prices between places become those of users and brokers; a user without a place is refused by name."""
    found = read_traffic(spark, Publications(Table(log[1])), Table(write("w.csv", WISHES)), num_channels=5)
    prices = Prices(("Bern", "Kiel", "Rome"), np.array([[0, 2, 3.0], [2, 0, 4], [3, 4, 0]]))
    homes = {"ann": "Bern", "bob": "Kiel", "cat": "Rome"}
    instance = found.instance(prices, ["Bern", "Rome"], places=homes)
    assert instance.access_price.tolist() == [[0, 3], [2, 4], [3, 0]]
    assert instance.core_price.tolist() == [[0, 3], [3, 0]]
    assert instance.capacity.sum() >= 2 * instance.need.sum() * (1 - 1e-9)
    with pytest.raises(InputError, match="User 'ann' is in 'ann'"):
        found.instance(prices, ["Bern"])
    with pytest.raises(InputError, match="User 'cat' has no place"):
        found.instance(prices, ["Bern"], places={"ann": "Bern", "bob": "Kiel"})

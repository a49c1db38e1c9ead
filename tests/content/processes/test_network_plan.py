"""NetworkPlan: what is written can be read back, and a plan that cannot run is refused."""

import json
import math
from dataclasses import replace

import numpy as np
import pytest

from topicweave.content import Channels, Instance, assign, sparse_instance
from topicweave.content.processes import NetworkPlan
from topicweave.errors import InputError, ReadError


def test_a_network_is_read_as_it_was_written(tmp_path):
    """Prices of links that do not exist and capacities without limit, too; from the file or its folder."""
    core = [[0, 1, math.inf], [1, 0, 2], [math.inf, 2, 0]]
    access = [[1, math.inf, 3], [1, 2, 3]]
    market = Instance([[1], [0]], [[0], [1]], access, core, [math.inf, 9, 9], brokers=list("abc"), users=["ann", "bob"])
    plan = NetworkPlan.of(
        assign(market, "migrate", core="tree"), Channels({"x": [0, 1]}), lower_bound=1.5, unit="bytes"
    )
    plan.write(tmp_path / "network.json")
    assert NetworkPlan.read(tmp_path) == NetworkPlan.read(tmp_path / "network.json") == plan
    assert NetworkPlan.read(tmp_path).unit == "bytes"
    assert plan.prices["ann"] == {"a": 1.0, "c": 3.0} and plan.homes["ann"] in "ac"
    assert plan.addresses == {"a": "127.0.0.1:7000", "b": "127.0.0.1:7001", "c": "127.0.0.1:7002"}
    assert plan.channels == Channels({"x": [0, 1]}) and plan.expected["lower_bound"] == 1.5
    assert len(plan.tree) == 2 and str(plan.trees().branches("a", frozenset("c"))) == "(('b', (('c', ()),)),)"
    assert plan.at({"b": "10.0.0.1:99"}).addresses["b"] == "10.0.0.1:99"


def test_what_cannot_run_is_refused(tmp_path):
    """Addresses without a port, unknown brokers, files of another kind or version."""
    found = assign(sparse_instance(10, 2, seed=1), "random")
    one, two = found.instance.brokers
    with pytest.raises(InputError, match="host:port"):
        NetworkPlan.of(found, addresses={one: "here", two: "a:1"})
    with pytest.raises(InputError, match=f"Broker '{two}' has no address"):
        NetworkPlan.of(found, addresses={one: "a:1"})
    plan = NetworkPlan.of(found)
    with pytest.raises(InputError, match="no broker 'x'"):
        plan.at({"x": "a:1"})
    with pytest.raises(InputError, match="has no address"):
        NetworkPlan(plan.addresses, plan.core_price, homes={"ann": "x"})
    with pytest.raises(InputError, match="at least one broker"):
        NetworkPlan({}, [])
    with pytest.raises(InputError):
        NetworkPlan({"a": "a:1", "b": "b:1"}, np.ones((3, 3)).tolist())
    file = tmp_path / "network.json"
    for text in ("[]", "{", json.dumps({"format": 2}), json.dumps({"format": 1, "core_price": [], "capacity": {}})):
        file.write_text(text)
        with pytest.raises(ReadError, match="network"):
            NetworkPlan.read(file)
    with pytest.raises(ReadError, match="cannot be read"):
        NetworkPlan.read(tmp_path / "nothing")


def test_a_network_says_the_unit_of_its_rates(tmp_path):
    """Files of earlier versions do not; their brokers counted publications."""
    plan = NetworkPlan.of(assign(sparse_instance(10, 2, seed=1), "random"), unit="bytes")
    file = tmp_path / "network.json"
    plan.write(file)
    data = json.loads(file.read_text())
    assert data.pop("unit") == "bytes"
    file.write_text(json.dumps(data))
    assert NetworkPlan.read(file) == replace(plan, unit="publications")
    file.write_text(json.dumps(data | {"unit": "litres"}))
    with pytest.raises(ReadError, match="publications or bytes, not in 'litres'"):
        NetworkPlan.read(file)

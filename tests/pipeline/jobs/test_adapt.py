"""From an earlier content plan to one for a new log and other brokers."""

import json

import pyarrow.parquet as pq
import pytest

from topicweave import pipeline
from topicweave.errors import InfeasibleError, ParameterError, ReadError

PLACES = ("Bern", "Kiel", "Rome")
PRICES = ",Bern,Kiel,Rome\nBern,0,2,3\nKiel,2,0,4\nRome,3,4,0\n"


@pytest.fixture(scope="module")
def given(tmp_path_factory):
    """Logs of six users, two at each place; in the later one, ``old`` is gone and ``new`` has come."""
    folder = tmp_path_factory.mktemp("logs")
    users = [f"{place}{number}" for place in PLACES for number in (1, 2)]
    homes = {user: user[:-1] for user in users} | {"old": "Bern", "new": "Rome"}
    for name, there in (("before", [*users, "old"]), ("after", [*users, "new"])):
        rows = [f"{user},{value}" for value, user in enumerate(there * 5)]
        (folder / f"{name}.csv").write_text("\n".join(["user,value", *rows]) + "\n")
        wishes = [f"{user},value,0,40" for user in there]
        (folder / f"{name}-wishes.csv").write_text("\n".join(["user,attribute,low,high", *wishes]) + "\n")
    (folder / "prices.csv").write_text(PRICES)
    (folder / "homes.csv").write_text("user,place\n" + "".join(f"{user},{place}\n" for user, place in homes.items()))
    return folder


def inputs(given, when):
    return [str(given / f"{when}.csv"), str(given / f"{when}-wishes.csv"), str(given / "prices.csv")]


@pytest.fixture(scope="module")
def earlier(spark, given):
    """The plan for the first log, with one tree for all brokers."""
    return pipeline.assign(
        *inputs(given, "before"), "migrate", core="tree", channels=4, places=given / "homes.csv", out=given / "plan"
    )


@pytest.fixture(scope="module")
def adapted(given, earlier):
    """The plan for the second log without the broker in Kiel, from the folder of the first plan."""
    return pipeline.adapt(
        *inputs(given, "after"), earlier.folder, brokers=["Bern", "Rome"], channels=4, places=given / "homes.csv",
        max_moves=1, out=given / "next",
    )  # fmt: skip


def test_users_stay_or_arrive_and_the_folder_says_so(earlier, adapted):
    """Only those whose broker is gone and the new user have no broker; at most one other user moves."""
    found = adapted.transition
    was = dict(zip(earlier.assignment.instance.users, earlier.assignment.broker.tolist(), strict=True))
    homeless = {user for user, j in was.items() if earlier.assignment.instance.brokers[j] == "Kiel"} | {"new"}
    assert {adapted.assignment.instance.users[i] for i in found.arrivals} == homeless - {"old"}
    assert len(found.moves) <= 1 and adapted.assignment.core == "tree"
    moves = pq.read_table(adapted.folder / "moves.parquet").to_pylist()
    assert [row["to"] for row in moves] == [row[3] for row in found.rows()]
    manifest = json.loads((adapted.folder / "manifest.json").read_text())
    assert (manifest["kind"], manifest["method"], manifest["core"]) == ("assign", "adapt", "tree")
    assert manifest["parameters"] == {"max_moves": 1}
    assert manifest["transition"]["arrivals"] == len(found.arrivals)
    role = next(one for one in manifest["inputs"] if one["role"] == "current")
    assert [file["path"] for file in role["files"]] == [str(earlier.folder / "assignment.parquet")]
    assert "without a broker" not in adapted.summary() and "to move" in adapted.summary()


def test_plans_in_memory_and_tables_mean_the_same(given, earlier, adapted):
    """The earlier plan as an object, its assignment, and a mapping lead to the same assignment."""
    names = earlier.assignment.instance.brokers
    seats = zip(earlier.assignment.instance.users, earlier.assignment.broker.tolist(), strict=True)
    for what in (earlier, earlier.assignment, {user: names[j] for user, j in seats}):
        again = pipeline.adapt(
            *inputs(given, "after"), what, brokers=["Bern", "Rome"], channels=4, places=given / "homes.csv",
            max_moves=1, core="tree",
        )  # fmt: skip
        assert again.assignment.broker.tolist() == adapted.assignment.broker.tolist()


def test_a_limit_that_is_too_low_is_refused(given, spark):
    """All users are at one broker that carries two of them."""
    crowd = {f"{place}{number}": "Bern" for place in PLACES for number in (1, 2)}
    with pytest.raises(InfeasibleError, match="must move so that no broker carries more than its capacity"):
        pipeline.adapt(
            *inputs(given, "after"), crowd, channels=4, places=given / "homes.csv", spare=1.3, max_moves=0, spark=spark
        )


def test_what_cannot_succeed_is_refused_before_spark_starts(given, tmp_path, monkeypatch):
    monkeypatch.setattr(pipeline.SparkSettings, "start", lambda self: pytest.fail("Spark was started"))
    with pytest.raises(ParameterError, match="max_moves must be a whole number, 0 or more, but is -1"):
        pipeline.adapt(*inputs(given, "after"), {}, max_moves=-1)
    with pytest.raises(ReadError, match=r"The placement in .*nowhere.csv cannot be read"):
        pipeline.adapt(*inputs(given, "after"), tmp_path / "nowhere.csv")
    with pytest.raises(ReadError, match=r"The placement in .*assignment.parquet cannot be read"):
        pipeline.adapt(*inputs(given, "after"), tmp_path)

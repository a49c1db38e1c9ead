"""From logs and prices to a plan folder, in one call."""

import gzip
import json
from typing import NamedTuple

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import topicweave as tw
from topicweave import pipeline
from topicweave.content.assignment import MethodResult
from topicweave.content.registry import Method
from topicweave.errors import BadRowsError, InputError, ParameterError, ReadError, TargetError, UnknownAlgorithmError
from topicweave.parameters import Parameter

WISHES = "user,attribute,low,high\nann,value,0,4\nbob,value,5,10\ncat,value,0,10\n"
PRICES = ",Bern,Kiel,Rome\nBern,,2,3\nKiel,2,,\nRome,3,4,\n"
HOMES = {"ann": "Bern", "bob": "Kiel", "cat": "Rome"}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Where the inputs of all tests are."""
    return tmp_path_factory.mktemp("given")


@pytest.fixture(scope="module")
def log(folder):
    """Three hundred publications of three users."""
    rng = np.random.default_rng(1)
    path = folder / "log.parquet"
    columns = {
        "user": rng.choice(list(HOMES), 300),
        "value": rng.random(300) * 10,
        "bytes": rng.integers(1, 9, 300),
        "time": np.sort(rng.random(300) * 60),
    }
    pq.write_table(pa.table(columns), path)
    return str(path)


@pytest.fixture(scope="module")
def given(log, folder):
    """The three inputs as files."""
    (folder / "wishes.csv").write_text(WISHES)
    (folder / "prices.csv").write_text(PRICES)
    return log, str(folder / "wishes.csv"), str(folder / "prices.csv")


@pytest.fixture(scope="module")
def homes(folder):
    """Where users are, as a file."""
    (folder / "homes.csv").write_text("user,place\n" + "".join(f"{user},{place}\n" for user, place in HOMES.items()))
    return str(folder / "homes.csv")


class Watched(NamedTuple):
    """A plan, and what was seen while it was made."""

    plan: pipeline.ContentPlan
    stages: list[str]
    opened: list[object]


@pytest.fixture(scope="module")
def watched(spark, given, homes, tmp_path_factory):
    """One run that many tests look at: it replaces a plan of an earlier version, whose manifest had no schema."""
    out = tmp_path_factory.mktemp("out") / "plan"
    out.mkdir()
    (out / "manifest.json").write_text('{"topicweave": "1.0", "method": "best", "users": 3}')
    stages, opened = [], []
    load = spark.read.load.__func__

    class Second(pipeline.Observer):
        """At every stage, a second run to the same folder is refused."""

        def on_stage(self, name):
            with pytest.raises(TargetError, match="Another run is writing"), pipeline.Target(out, overwrite=True):
                pass
            stages.append(name)

    def counted(reader, path=None, *arguments, **options):
        opened.append(path)
        return load(reader, path, *arguments, **options)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(type(spark.read), "load", counted)
        plan = pipeline.assign(
            *given, "migrate", passes=2, channels=5, places=homes, out=out, overwrite=True, seed=3, progress=Second()
        )
    return Watched(plan, stages, opened)


@pytest.fixture
def no_spark(monkeypatch):
    """Any attempt to start Spark fails."""
    monkeypatch.setattr(pipeline.SparkSettings, "start", lambda self: pytest.fail("Spark was started"))


def test_a_plan_folder_holds_everything(watched):
    """All files are there and agree with what was returned; links that join brokers are not verified as a plan's."""
    plan = watched.plan
    assert sorted(path.name for path in plan.folder.iterdir()) == [
        "assignment.parquet", "edges.parquet", "manifest.json", "network.json", "quarantine", "report.html",
        "routing.jsonl", "subscriptions.parquet",
    ]  # fmt: skip
    seated = pq.read_table(plan.folder / "assignment.parquet")
    assert seated["user"].to_pylist() == ["ann", "bob", "cat"]
    assert seated["broker"].to_pylist() == [plan.assignment.broker_of(user) for user in HOMES]
    assert "reduction" in plan.summary() and str(plan.folder) in plan.summary()
    page = (plan.folder / "report.html").read_text()
    assert "3 users at 3 brokers by migrate" in page
    network = json.loads((plan.folder / "network.json").read_text())
    expected = network["expected"]
    assert network["unit"] == "bytes"  # which the log has
    cost = plan.manifest["cost"]
    assert expected == {name: cost[name] for name in ("total", "core", "lower_bound")}
    with pytest.raises(ReadError, match="its links join brokers, not users"):
        pipeline.verify(plan.folder)


def test_the_plan_says_what_users_want(spark, given, tmp_path):
    """Every channel that a user's ranges touch is a row; without a method and without all brokers it is best."""
    cuts = {"value": (0, 3, 6, 10)}
    plan = pipeline.assign(*given, cuts=cuts, brokers=["Bern", "Rome"], places=HOMES, out=tmp_path / "plan")
    assert "3 users at 2 brokers by best" in (plan.folder / "report.html").read_text()
    rows = pq.read_table(plan.folder / "subscriptions.parquet").to_pylist()
    low, middle, high = "value 0..3", "value 3..6", "value 6..10"
    wanted = [("ann", low), ("ann", middle), ("bob", middle), ("bob", high), *(("cat", c) for c in (low, middle, high))]
    assert [(row["node"], row["topic"]) for row in rows] == wanted
    assert {row["role"] for row in rows} == {"subscribe"}


def test_the_manifest_follows_the_one_schema(watched, given, homes):
    """Versions, parameters, every input with its checksum, counts, times, outputs and costs."""
    plan = watched.plan
    manifest = json.loads((plan.folder / "manifest.json").read_text(), parse_constant=pytest.fail)
    assert manifest == plan.manifest
    assert (manifest["schema"], manifest["kind"], manifest["topicweave"]) == (2, "assign", tw.__version__)
    assert (manifest["seed"], manifest["method"]) == (3, "migrate")
    assert manifest["parameters"] == {"start": "steiner_mixing", "passes": 2}
    assert [entry["role"] for entry in manifest["inputs"]] == ["publications", "subscriptions", "prices", "places"]
    for entry, path in zip(manifest["inputs"], (*given, homes), strict=True):
        (file,) = entry["files"]
        assert file["path"] == path and file["bytes"] > 0 and len(file["sha256"]) == 64
    assert manifest["inputs"][0]["options"]["attributes"] == ["value"]
    assert manifest["rows"]["inputs"]["publications"]["valid"] == 300
    counts = manifest["counts"]
    assert (counts["users"], counts["brokers"], counts["channels"]) == (3, 3, 5)
    assert counts["subscriptions"] == plan.traffic.subscribe.sum()
    assert {"read traffic", "assign", "write", "report"} <= set(manifest["seconds"])
    assert {entry["path"] for entry in manifest["outputs"]} >= {"assignment.parquet", "report.html"}
    assert manifest["cost"]["lower_bound"] <= manifest["cost"]["total"] * (1 + 1e-9)


def test_a_plan_holds_links_that_exist_and_where_traffic_really_goes(spark, log, write, tmp_path):
    """Bern and Rome have no link, and ann cannot reach Rome; what one sends the other is relayed by Kiel."""
    prices = write("prices.csv", ",Bern,Kiel,Rome\nBern,,2,inf\nKiel,2,,4\nRome,inf,4,\n")
    homes = {**HOMES, "bob": "Rome"}
    plan = pipeline.assign(
        log, write("wishes.csv", WISHES), prices, "greedy_packing", places=homes, channels=4, capacity=1e9,
        current={"ann": "Kiel", "bob": "Rome"}, out=tmp_path / "plan",
    )  # fmt: skip
    edges = pq.read_table(plan.folder / "edges.parquet").to_pylist()
    assert {(row["source"], row["target"]) for row in edges} == {("Bern", "Kiel"), ("Kiel", "Rome")}
    routes = [json.loads(line) for line in (plan.folder / "routing.jsonl").read_text().splitlines()]
    assert {tuple(map(tuple, route["links"])) for route in routes if route["broker"] == "Bern"} <= {
        (("Bern", "Kiel"), ("Kiel", "Rome")), ()
    }  # fmt: skip
    assert any(route["links"] for route in routes)
    assert "1 pairs of brokers have no link" in plan.manifest["notes"][0]
    moves = pq.read_table(plan.folder / "moves.parquet").to_pylist()
    assert [(row["user"], row["from"], row["to"]) for row in moves] == [("cat", None, "Rome"), ("ann", "Kiel", "Bern")]
    assert [entry["role"] for entry in plan.manifest["inputs"]][-1] == "current"


def test_it_is_the_assignment_of_the_instance(watched, given):
    """The job adds nothing to what content.assign finds for the traffic."""
    plan = watched.plan
    instance = plan.traffic.instance(tw.content.read_prices(given[2]), ["Bern", "Kiel", "Rome"], places=HOMES)
    again = tw.content.assign(instance, "migrate", passes=2, seed=3)
    assert again.broker.tolist() == plan.assignment.broker.tolist()
    assert again.cost.total == plan.assignment.cost.total


def test_objects_instead_of_files(spark, given):
    """Data frames of Spark and of pandas give what the files give."""
    from_files = pipeline.assign(*given, "greedy_packing", places=HOMES, channels=6)
    assert from_files.folder is None
    frames = spark.read.parquet(given[0]), spark.createDataFrame(pd.read_csv(given[1]))
    prices = pd.read_csv(given[2], index_col=0)
    homes = pd.DataFrame({"user": list(HOMES), "place": list(HOMES.values())})
    from_objects = pipeline.assign(*frames, prices, "greedy_packing", places=homes, channels=6)
    assert from_objects.assignment.broker.tolist() == from_files.assignment.broker.tolist()
    assert from_objects.assignment.cost.total == from_files.assignment.cost.total
    assert [entry["files"] for entry in from_objects.manifest["inputs"][2:]] == [[], []]


def test_bad_rows_are_kept_and_counted(spark, write, tmp_path):
    lines = ["user,value", *(f"{user},{v}" for user in HOMES for v in range(1, 20)), "bob,x", ",3"]
    inputs = write("log.csv", "\n".join(lines)), write("wishes.csv", WISHES), write("prices.csv", PRICES)
    given = {"method": "greedy_packing", "channels": 4, "places": HOMES, "out": tmp_path / "plan"}
    with pytest.raises(BadRowsError, match="2 of 59 rows"):
        pipeline.assign(*inputs, **given)
    assert not (tmp_path / "plan").exists()
    plan = pipeline.assign(*inputs, **given, max_bad_fraction=0.1)
    with gzip.open(plan.folder / "quarantine" / "rows.jsonl.gz", "rt") as file:
        assert [json.loads(row)["line"] for row in file] == ["bob,x", ",3"]
    assert "59 read, 2 in quarantine" not in plan.summary()  # rows of the subscriptions count, too
    assert "62 read, 2 in quarantine" in plan.summary()


def test_the_log_is_opened_once(watched, given):
    """Opening it lists its files and reads their schema, which takes long where they are many."""
    assert watched.opened.count([given[0]]) == 1


@pytest.mark.parametrize(
    ("changes", "error", "says"),
    [
        ({"method": "bets"}, UnknownAlgorithmError, "did you mean 'best'"),
        ({"seeds": 1.5}, ParameterError, "seeds must be a whole number, 0 or more"),
        ({"passes": 2}, ParameterError, "'best' has no parameter 'passes'; its parameters are: seeds"),
        ({"seed": -1}, ParameterError, "seed must be"),
        ({"core": "stiener"}, ParameterError, "no core 'stiener'; did you mean 'steiner'"),
        ({"current": 5}, InputError, "The placement must be a mapping of user to broker"),
        ({"channels": 0}, ParameterError, "channels must be a whole number, 1 or more"),
        ({"channels": {"volume": 3}}, ParameterError, "The number of channels of attribute 'value'"),
        ({"scale": "log"}, ParameterError, "no scale 'log'"),
        ({"cuts": {"size": (0, 1)}}, ParameterError, "Cuts are given for 'size'"),
        ({"attributes": ()}, ParameterError, "attributes must name at least one column"),
        ({"spare": 0.5}, ParameterError, "spare must be a number, 1 or more"),
        ({"max_bad_fraction": 2}, ParameterError, "max_bad_fraction"),
        ({"brokers": ["Atlantis"]}, InputError, "no place 'Atlantis' in the prices, which know 3"),
        ({"places": "nowhere.csv"}, ReadError, "The places in nowhere.csv cannot be read"),
        ({"prices": "nowhere.csv"}, ReadError, "The prices in nowhere.csv cannot be read"),
        ({"publications": 5}, ReadError, "A int cannot be read; give a path, a data frame, or a Table"),
    ],
)
def test_what_cannot_succeed_is_refused_before_spark_starts(given, no_spark, changes, error, says):
    arguments = dict(zip(("publications", "subscriptions", "prices"), given, strict=True))
    with pytest.raises(error, match=says):
        pipeline.assign(**{**arguments, **changes})


def test_the_target_is_held_from_before_spark_starts_until_it_is_published(watched, given):
    """At every stage, a second run to the same folder was refused; the next one is told that there is a plan."""
    assert watched.stages == ["start Spark", "read traffic", "assign", "write", "report"]
    with pytest.raises(TargetError, match="exists already"):
        pipeline.assign(*given, places=HOMES, out=watched.plan.folder)


def test_a_plan_of_an_earlier_version_is_replaced(watched):
    """Its manifest has no schema; that it is a plan, and may be replaced, is known all the same."""
    assert json.loads((watched.plan.folder / "manifest.json").read_text())["schema"] == 2


def same(instance, *, where, seed):
    """A toy method: all users at one broker."""
    return MethodResult(np.full(instance.num_users, where))


@pytest.fixture
def with_same(monkeypatch):
    """One more line in the table, with a parameter that no other method has."""
    where = Parameter("where", int, "the broker of all users", 0, minimum=0)
    monkeypatch.setitem(tw.content.METHODS, "same", Method(same, (where,), "one broker", "nowhere"))


@pytest.mark.usefixtures("with_same")
def test_a_method_added_to_the_table_is_used_from_python(spark, given):
    plan = pipeline.assign(*given, "same", where=1, places=HOMES, capacity=1e9)
    assert plan.assignment.broker.tolist() == [1, 1, 1]
    assert plan.manifest["parameters"] == {"where": 1}
    with pytest.raises(ParameterError, match="where must be a whole number, 0 or more"):
        pipeline.assign(*given, "same", where=-1, places=HOMES)


def test_publications_carry_their_own_attributes(spark, given):
    log = pipeline.Publications(pipeline.Table(given[0], columns={"size": "value"}), ("size",))
    wishes = spark.createDataFrame([("ann", "size", 0.0, 9.0)], ["user", "attribute", "low", "high"])
    plan = pipeline.assign(log, wishes, given[2], places=HOMES, channels=4)
    assert plan.traffic.channels.attributes == ("size",)
    assert plan.manifest["inputs"][0]["columns"] == {"size": "value"}

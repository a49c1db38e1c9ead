"""What all tests share: the named instances as fixtures, and how hypothesis behaves."""

from __future__ import annotations

import signal
import sys
from typing import TYPE_CHECKING, Any

import numba
import pytest
from hypothesis import settings

from tests import instances

if TYPE_CHECKING:
    from topicweave.model import Interest

# The first call of a kernel compiles it, which no deadline survives. By default the same commit gets the same examples,
# so a failure seen once is always seen; --hypothesis-profile=explore looks for new ones.
settings.register_profile("suite", deadline=None, derandomize=True, print_blob=True)
settings.register_profile("explore", deadline=None, max_examples=500, print_blob=True)
settings.load_profile("suite")

OF_ALGORITHMS = dict.fromkeys(("greedy", "requirements"), "algorithms")
ROOMS_WITH_KERNELS = ("algorithms", "content", "churn", "optimise", *OF_ALGORITHMS)
WITH_SPARK = (
    "cli", "pipeline", "experiments/test_quick.py", "experiments/test_runner.py", "reports/test_plan_page.py",
    "test_migration.py",
)  # fmt: skip
FIRST = ("spark", "content", "algorithms", "churn", "optimise")
NUM_SLOWEST = 25
OF_ALL_TESTS = []
"""The context of Spark that the fixture has started, once it has."""

INTERPRETED = bool(numba.config.DISABLE_JIT)


def pytest_configure(config: pytest.Config) -> None:
    """Interpreted kernels count in numpy integers, which warn when a hash wraps around, as compiled ones may not.

    A suite that a script starts in the background is deaf to Ctrl-C, one started by nohup to the end of its terminal;
    and so would be the processes that tests interrupt and end.
    """
    signal.signal(signal.SIGINT, signal.default_int_handler)
    if hasattr(signal, "SIGHUP") and signal.getsignal(signal.SIGHUP) is signal.SIG_IGN:
        signal.signal(signal.SIGHUP, signal.SIG_DFL)
    if INTERPRETED:
        config.addinivalue_line("filterwarnings", "ignore:overflow encountered:RuntimeWarning")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Skip tests that take minutes without the compiler, and sort the others so that the longest come first."""
    for item in items:
        if INTERPRETED and item.get_closest_marker("compiled"):
            item.add_marker(pytest.mark.skip(reason="too slow with interpreted kernels"))
    items.sort(key=lambda item: order_of(item.nodeid))


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """With several processes, tests that compile the same kernels or share a fixture run in the same one.

    Two processes that begin with the same kernels would both compile them, for neither finds them on disk yet.
    """
    from xdist.scheduler import LoadScopeScheduling

    class Groups(LoadScopeScheduling):
        def _split_scope(self, nodeid: str) -> str:
            return group_of(nodeid)

    return Groups(config, log)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """List the files that took longest, so that everyone sees what their tests cost (see CONTRIBUTING.md)."""
    seconds: dict[str, float] = {}
    for reports in terminalreporter.stats.values():
        for report in reports:
            if isinstance(report, pytest.TestReport):
                file = report.nodeid.split("::")[0]
                seconds[file] = seconds.get(file, 0.0) + report.duration
    slowest = sorted(seconds.items(), key=lambda entry: -entry[1])[:NUM_SLOWEST]
    if len(seconds) > NUM_SLOWEST:
        terminalreporter.section(f"slowest {NUM_SLOWEST} of {len(seconds)} files, by the clock")
        for file, taken in slowest:
            terminalreporter.write_line(f"{taken:6.1f} s  {file}")


def group_of(test: str) -> str:
    """Which tests run in one process, one after the other.

    Those that use Spark, because a session of its own for every process would cost a minute; those of a package with
    kernels of its own; otherwise those of a file.
    """
    folders = test.split("::")[0].split("/")[1:]
    if folders[0] in WITH_SPARK or "/".join(folders) in WITH_SPARK:
        return "spark"
    rooms = [OF_ALGORITHMS.get(room, room) for room in folders if room in ROOMS_WITH_KERNELS]
    return rooms[0] if rooms and folders[0] in (rooms[0], "kernels") else "/".join(folders)


def order_of(test: str) -> tuple[int, str]:
    """Tests that take longest come first, so that no process has to wait long for the other at the end.

    Tests with Spark begin with its workers and sources, and come to jobs and commands late. By then the other process
    has compiled the kernels that these use.
    """
    group = group_of(test)
    place = FIRST.index(group) if group in FIRST else len(FIRST)
    return place, "".join(chr(0x10FFFF - ord(letter)) for letter in test.split("::")[0]) if group == "spark" else ""


@pytest.fixture(scope="session")
def four_brokers() -> Interest:
    """Two twins, a bridge and a leaf: three links connect everything."""
    return instances.four_brokers()


@pytest.fixture(scope="session")
def crowd_and_couple() -> Interest:
    """Five nodes with one topic and two with two others: the constant-diameter scores disagree on where to begin."""
    return instances.crowd_and_couple()


@pytest.fixture(scope="session")
def loners() -> Interest:
    """A node without topics, a topic with one subscriber, and one pair that needs a link."""
    return instances.loners()


@pytest.fixture(scope="session")
def single_topic() -> Interest:
    """Five nodes that want the same topic: every spanning tree is optimal."""
    return instances.single_topic()


@pytest.fixture(scope="session")
def hub() -> Interest:
    """Node 0 wants all four topics, node i all but one: GM makes a star where a ring would do."""
    return instances.hub()


@pytest.fixture(scope="session")
def low_lemma_1() -> Interest:
    """Six nodes on which MinMax-ODA makes many more links than GM (LOW Lemma 1)."""
    return instances.low_lemma_1()


@pytest.fixture(scope="session")
def cuboid() -> Interest:
    """Eight nodes and 42 topics on which GM makes 15 links where 12 suffice (GM Lemma 6.6)."""
    return instances.cuboid()


@pytest.fixture(autouse=True)
def only_one_session():
    """Fail a test that starts Spark by itself: all later tests would use its session, with other, slower settings."""
    yield
    pyspark = sys.modules.get("pyspark")
    running = pyspark and pyspark.SparkContext._active_spark_context
    if running and running not in OF_ALL_TESTS:
        running.stop()
        pytest.fail("this test starts Spark by itself; let it use the fixture spark")


@pytest.fixture(scope="session")
def spark():
    """One embedded session for all tests, with few partitions because the inputs are tiny.

    Compiling what runs once costs more than running it: neither Spark's expressions nor, beyond its first level, the
    JVM's own code is compiled, which halves the time. The tests that start a process of their own have the session that
    users get.
    """
    from topicweave.pipeline import session
    from topicweave.pipeline.spark.session import default_settings

    java = default_settings("local[2]", "1g", quiet=True)["spark.driver.extraJavaOptions"]
    settings = {
        "spark.sql.shuffle.partitions": "2",
        "spark.default.parallelism": "2",
        "spark.sql.codegen.wholeStage": "false",
        "spark.sql.codegen.factoryMode": "NO_CODEGEN",
        "spark.driver.extraJavaOptions": f"{java} -XX:TieredStopAtLevel=1",
    }
    running = session("local[2]", settings)
    OF_ALL_TESTS.append(running.sparkContext)
    yield running
    running.stop()


@pytest.fixture
def write(tmp_path):
    """Write a file (text or bytes) into a fresh folder and return its path."""

    def _write(name, content):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        return str(path)

    return _write

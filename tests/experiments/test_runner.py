"""The runner: which runs are grouped, what happens when one fails, and what is sent to the workers."""

import time
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

import pytest

from experiments.runner import RunObserver, jobs_of, perform_all
from topicweave.errors import SparkError


@dataclass(frozen=True)
class Timed:
    """A run that says from when to when it ran."""

    name: str
    whole_worker: bool = False
    cost: float = 10.0
    fails: bool = False

    @property
    def path(self):
        return PurePosixPath(self.name)

    def perform(self, find):
        if self.fails:
            raise ValueError("no such luck")
        begun = time.time()
        time.sleep(0.2)
        return {"begun": begun, "ended": time.time(), "text": Path(find("note.txt")).read_text()}


@pytest.fixture(scope="module")
def note(tmp_path_factory):
    """A file to send along; one path for all tests, for a session takes a name from one place only."""
    file = tmp_path_factory.mktemp("sent") / "note.txt"
    file.write_text("read me")
    return file


@pytest.fixture
def perform(spark, note):
    """Perform runs, telling the names of those whose results are there; the workers do not know the tests."""
    from pyspark import cloudpickle

    import tests.experiments.test_runner as this

    cloudpickle.register_pickle_by_value(this)

    def _perform(runs, found, **options):
        perform_all(spark, runs, lambda run, result: found.update({run.name: result}), files=[note], **options)
        return found

    yield _perform
    cloudpickle.unregister_pickle_by_value(this)


def test_runs_that_want_a_worker_whole_meet_nobody(perform):
    """Embedded, they come first and one by one; small ones run side by side."""
    runs = [Timed("a"), Timed("large-1", True), Timed("b"), Timed("large-2", True)]
    told = []

    class Told(RunObserver):
        def on_done(self, run, seconds):
            told.append(run.name)

    found = perform(runs, {}, observer=Told())
    assert all(result["text"] == "read me" for result in found.values())
    spans = {name: (result["begun"], result["ended"]) for name, result in found.items()}
    for name in ("large-1", "large-2"):
        begun, ended = spans.pop(name)
        assert all(ended <= other[0] or other[1] <= begun for other in spans.values())
        assert all(ended <= spans[small][0] for small in ("a", "b"))
    assert sorted(told) == ["a", "b", "large-1", "large-2"] and told[0].startswith("large")


def test_a_run_that_fails_does_not_stop_the_others(perform):
    found = {}
    runs = [Timed("bad", cost=0.1, fails=True), Timed("worse", cost=0.1), Timed("good")]
    with pytest.raises(SparkError, match="1 of 3 runs failed; the first is bad: ValueError: no such luck") as caught:
        perform(runs, found)
    assert "tries again" in str(caught.value) and sorted(found) == ["good", "worse"]


def test_short_runs_share_jobs_and_long_ones_do_not():
    costs = [9.0, 1.0, 1.0, 1.0, 5.0, 0.1]
    jobs = jobs_of([Timed(str(place), cost=cost) for place, cost in enumerate(costs)], slots=1)
    assert [[run.cost for run in job] for job in jobs] == [[9.0], [1.0, 1.0, 1.0], [5.0], [0.1]]
    assert jobs_of([], slots=2) == []

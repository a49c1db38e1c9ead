"""The context of every job: the target, the stages, the session."""

import os
import signal
import threading
import time

import pytest

from topicweave.errors import TargetError
from topicweave.pipeline import Observer, SparkSettings, Stages, Target, open_job
from topicweave.pipeline import job as job_module


@pytest.fixture
def started(monkeypatch):
    """Let a session start at will, without Spark."""
    sessions = []
    monkeypatch.setattr(job_module, "is_running", lambda: False)
    monkeypatch.setattr(SparkSettings, "start", lambda self: sessions.append(self) or "session")
    return sessions


def test_the_target_is_held_from_the_beginning_until_it_is_published(tmp_path, started):
    """No other run can use the target, not even while Spark starts; afterwards it is there, complete."""
    with open_job(tmp_path / "plan") as job:
        with pytest.raises(TargetError, match="Another run is writing"), Target(tmp_path / "plan"):
            pass
        job.start()
        with pytest.raises(TargetError, match="Another run is writing"), Target(tmp_path / "plan"):
            pass
        with job.writing():
            (job.folder / "manifest.json").write_text("{}")
        assert job.publish() == tmp_path / "plan"
    assert os.listdir(tmp_path) == ["plan"]


def test_a_place_that_is_taken_is_refused_before_spark_starts(tmp_path, started):
    """Starting takes seconds: the refusal comes first."""
    (tmp_path / "plan").mkdir()
    (tmp_path / "plan" / "mine").write_text("x")
    with pytest.raises(TargetError, match="exists already"), open_job(tmp_path / "plan") as job:
        job.start()
    assert not started


def test_without_a_target_nothing_is_kept(started):
    """There is a folder to write to as long as the job lasts."""
    with open_job() as job:
        (job.folder / "edges.parquet").write_text("x")
        folder = job.folder
        assert job.publish() is None and folder.is_dir()
    assert not folder.exists()


def test_a_job_that_fails_leaves_nothing(tmp_path, started):
    with pytest.raises(RuntimeError), open_job(tmp_path / "plan") as job:
        (job.folder / "edges.parquet").write_text("half")
        raise RuntimeError
    assert os.listdir(tmp_path) == []


def test_spark_starts_once_with_the_settings_given(started):
    """At first use, as a stage; a session that is given is used as it is."""
    settings = SparkSettings("local[7]", {"spark.x": "y"})
    with open_job(spark=settings) as job:
        assert "start Spark" not in job.stages.seconds and not started
        assert job.spark == job.start() == "session"
        assert started == [settings] and list(job.stages.seconds) == ["start Spark"]
    own = object()
    with open_job(spark=own) as job:
        assert job.spark is own and not job.stages.seconds
    assert len(started) == 1


def test_something_useful_is_done_while_spark_starts(monkeypatch, started):
    """In another thread; what it takes longer is a stage of its own; what it raises is heard where it matters."""
    monkeypatch.setattr(job_module, "UNNOTICED", 0.01)
    threads = []

    def work():
        threads.append(threading.current_thread())
        time.sleep(0.2)
        raise ValueError

    with open_job() as job:
        job.start(meanwhile=work)
        assert list(job.stages.seconds) == ["start Spark", "prepare"]
    assert threads[0] is not threading.current_thread()


def test_nothing_is_prepared_where_spark_runs(monkeypatch, started):
    """There is no time to be used."""
    monkeypatch.setattr(job_module, "is_running", lambda: True)
    with open_job() as job:
        job.start(meanwhile=lambda: pytest.fail("not needed"))


def test_progress_may_be_an_observer_or_stages_of_another_job(started):
    heard = []

    class Heard(Observer):
        def on_stage(self, name):
            heard.append(name)

    with open_job(progress=Heard()) as job, job.stages.stage("read"):
        pass
    stages = Stages(Heard())
    with open_job(progress=stages) as job:
        assert job.stages is stages
    assert heard == ["read"]


def test_only_a_program_that_ends_abandons_spark(monkeypatch, started):
    """A library leaves the answer to Ctrl-C as it is; the command line takes it over from PySpark."""
    before = signal.getsignal(signal.SIGINT)
    ours = []
    monkeypatch.setattr(job_module, "end_at_once", ours.append)
    with open_job() as job:
        job.start()
    assert not ours
    with open_job(spark=SparkSettings(ends_with_process=True)) as job:
        job.start()
    assert ours == [before]

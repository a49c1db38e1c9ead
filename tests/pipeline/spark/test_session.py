"""The session: the user's own, or one that says clearly why it cannot start; and how it is let go."""

import os
import socket
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from threading import Thread
from types import SimpleNamespace

import pytest
from pyspark import SparkContext

from topicweave.errors import SetupError
from topicweave.pipeline import session as start
from topicweave.pipeline.spark.session import abandon_spark, check_java, check_master, default_settings, is_embedded


def fake_java(folder, version):
    (folder / "bin").mkdir(parents=True)
    java = folder / "bin" / "java"
    java.write_text("#!/bin/sh\n")
    java.chmod(0o755)
    (folder / "release").write_text(f'IMPLEMENTOR="x"\nJAVA_VERSION="{version}"\n')
    return folder


def test_a_running_session_is_used_and_not_replaced(spark):
    """Whatever is asked for, the session at hand is returned as it is."""
    assert start("local[1]", {"spark.sql.shuffle.partitions": "99"}) is spark
    assert spark.conf.get("spark.sql.shuffle.partitions") == "2"


def test_a_session_of_another_thread_is_used_as_it_is(spark):
    """Notebooks and services call from threads of their own, where no session is active."""
    with ThreadPoolExecutor(1) as pool:
        found = pool.submit(start, "local[1]", {"spark.sql.shuffle.partitions": "99"}).result()
    assert found.sparkContext is spark.sparkContext
    assert found.conf.get("spark.sql.shuffle.partitions") == "2"


def test_settings_of_a_session_started_here(spark):
    """Quiet, in UTC, without a web page, and nothing is withheld from the driver."""
    for name, value in {
        "spark.sql.session.timeZone": "UTC",
        "spark.ui.enabled": "false",
        "spark.driver.maxResultSize": "0",
        "spark.sql.execution.arrow.pyspark.enabled": "true",
    }.items():
        assert spark.conf.get(name) == value


def test_only_an_embedded_session_is_bound_to_this_machine():
    """Executors elsewhere must be able to call the driver back."""
    assert "spark.driver.host" in default_settings("local[*]", "1g", True)
    assert "spark.driver.host" not in default_settings("spark://somewhere:7077", "1g", True)
    assert is_embedded("local") and is_embedded("local[2]") and not is_embedded("local-cluster[2,1,1024]")


def test_missing_java_is_one_sentence_with_the_line_to_install_it(monkeypatch, tmp_path):
    """Without Java, say so, and how to get it."""
    monkeypatch.delenv("JAVA_HOME", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(SetupError, match=r"needs Java 17 .* none on PATH; install .*apt-get install"):
        check_java()
    monkeypatch.setenv("JAVA_HOME", str(tmp_path / "nowhere"))
    with pytest.raises(SetupError, match="JAVA_HOME"):
        check_java()


@pytest.mark.parametrize(
    ("version", "good"), [("1.8.0_392", False), ("11.0.2", False), ("17.0.15", True), ("21", True)]
)
def test_old_java_is_refused(monkeypatch, tmp_path, version, good):
    """Spark 4 does not run on Java 8 or 11; its own error about that is a page long."""
    monkeypatch.setenv("JAVA_HOME", str(fake_java(tmp_path / "jdk", version)))
    if good:
        check_java()
    else:
        with pytest.raises(SetupError, match=r"is Java (8|11); install"):
            check_java()


INTERRUPTED = """
import os, signal, subprocess, sys, threading, time
from topicweave.pipeline import session
bystander = subprocess.Popen(["sleep", "60"])

def press():
    while not (os.path.exists(sys.argv[1]) and open(sys.argv[1]).read()):
        time.sleep(0.02)
    time.sleep(0.2)
    os.kill(os.getpid(), signal.SIGINT)

threading.Thread(target=press, daemon=True).start()
try:
    session("local[1]")
except KeyboardInterrupt:
    print(open(sys.argv[1]).read().strip(), bystander.poll(), flush=True)
    bystander.kill()
"""


def test_an_interrupted_start_leaves_no_jvm_and_nobody_else_is_harmed(tmp_path):
    """A start that takes for ever, as the JVM's does for seconds, is ended; another child of the process is not.

    Ctrl-C comes once the start has begun, however busy the machine is.
    """
    (tmp_path / "bin").mkdir()
    submit, note = tmp_path / "bin" / "spark-submit", tmp_path / "pid"
    submit.write_text(f"#!/bin/sh\necho $$ > {note}\nfor i in $(seq 300); do sleep 0.1; done\n")
    submit.chmod(0o755)
    command = [sys.executable, "-c", INTERRUPTED, str(note)]
    with subprocess.Popen(command, env={**os.environ, "SPARK_HOME": str(tmp_path)}, stdout=subprocess.PIPE) as child:
        started, bystander = child.stdout.readline().split()
        assert bystander == b"None", "still running"
    deadline = time.monotonic() + 20
    while _runs(int(started)) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not _runs(int(started))


def _runs(process):
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    return True


def test_every_later_call_from_this_thread_raises_the_reason(monkeypatch):
    """PySpark's own clearing up, on the way out, meets the interrupt as well; its helper threads do not."""
    client = SimpleNamespace(send_command=lambda command: f"did {command}")
    monkeypatch.setattr(SparkContext, "_gateway", SimpleNamespace(_gateway_client=client))
    abandon_spark(KeyboardInterrupt())
    with pytest.raises(KeyboardInterrupt):
        client.send_command("collect")
    answers = []
    helper = Thread(target=lambda: answers.append(client.send_command("collect garbage")))
    helper.start()
    helper.join()
    assert answers == ["did collect garbage"]


def test_without_spark_there_is_nothing_to_let_go(monkeypatch):
    monkeypatch.setattr(SparkContext, "_gateway", None)
    abandon_spark(KeyboardInterrupt())


@pytest.mark.parametrize(
    "master", ["foo", "localhost:7077", "spark://host", "local[2", "local[0]", "local[-1]", "local[x]", "local[]", ""]
)
def test_a_master_that_is_none_is_refused(master):
    """Before Spark starts, which answers with a line of its stack."""
    with pytest.raises(SetupError, match=r"is not a master that Spark knows; give local\[N\]"):
        check_master(master)


@pytest.mark.parametrize(
    "master",
    [
        "local",
        "local[*]",
        "local[12]",
        "local[2,3]",
        "local[*, 3]",
        "local-cluster[2, 1, 1024]",
        "yarn",
        "k8s://https://host:443",
    ],
)
def test_masters_that_spark_knows(master):
    """Each form that Spark takes passes."""
    check_master(master)


def test_a_master_that_does_not_answer_is_told_at_once():
    """Spark tries for more than a minute. A port that was just closed does not answer; an open one does."""
    with socket.socket() as server:
        server.bind(("127.0.0.1", 0))
        server.listen()
        port = server.getsockname()[1]
        check_master(f"spark://127.0.0.1:{port}")
        check_master(f"spark://nohost.invalid:1,127.0.0.1:{port}")
    for master in (f"spark://127.0.0.1:{port}", "spark://nohost.invalid:7077", "spark://127.0.0.1:99999"):
        with pytest.raises(SetupError, match=f"There is no answer at {master} .*; check the address"):
            check_master(master)

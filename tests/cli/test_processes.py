"""Exit codes, pipes and signals, as a shell sees them. Every test here starts Spark, which takes a while."""

import json
import os
import pty
import signal
import subprocess
import sys
import time
from contextlib import suppress
from threading import Thread

import pytest

from topicweave import churn

PATIENCE = 300  # seconds; on an idle machine, everything that is waited for takes only a few

slow = pytest.mark.slow  # real processes with a Spark each: minutes on a busy machine


def wait_for(stream, text):
    """Read until a text has come by."""
    seen = b""
    end = time.monotonic() + PATIENCE
    while text not in seen:
        part = os.read(stream.fileno() if hasattr(stream, "fileno") else stream, 4096)
        assert part, f"the command ended without {text!r}: {seen!r}"
        assert time.monotonic() < end
        seen += part
    return seen


def interrupted(process, terminal=None):
    """Press Ctrl-C and measure how long the process takes to end.

    A terminal has to be read, or writing to it would block.
    """
    if terminal is not None:
        Thread(target=read_all, args=(terminal,), daemon=True).start()
    before = time.monotonic()
    process.send_signal(signal.SIGINT)
    process.wait(timeout=PATIENCE)
    return time.monotonic() - before


def read_all(terminal):
    with suppress(OSError):  # how Linux says that the other end was closed
        while os.read(terminal, 65536):
            pass


@pytest.mark.slow
def test_json_in_a_pipe(start, subscriptions, tmp_path):
    """The whole way with the settings that users have; the sessions of other tests are tuned for tiny inputs."""
    made = start("design", subscriptions, "--out", tmp_path / "plan", "--json")
    out, err = made.communicate(timeout=PATIENCE)
    assert made.returncode == 0, err.decode()
    assert err == b""
    assert json.loads(out)["verification"]["topic_connected"] is True
    assert sorted(os.listdir(tmp_path)) == ["plan", "subscriptions.csv"]


@pytest.mark.parametrize("stage", [b"start Spark", b"read "])
@slow
def test_ctrl_c_while_spark_works(start, many_subscriptions, tmp_path, stage):
    """Just started, and while its Python workers are busy, when PySpark itself would wait for the job to end."""
    run = start("design", many_subscriptions, "--out", tmp_path / "plan")
    said = wait_for(run.stderr, stage)
    assert b"\x1b" not in said, "no control characters in a pipe"
    time.sleep(0.5)
    seconds = interrupted(run)
    rest = run.stderr.read().decode()
    assert run.returncode == 130
    assert rest.endswith("\nInterrupted; nothing unfinished was left behind.\n")
    assert "Traceback" not in rest
    assert os.listdir(tmp_path) == []
    assert seconds < 10, "at once, but for a busy machine"


@slow
def test_ctrl_c_while_spark_starts(start, many_subscriptions, tmp_path):
    ours, theirs = pty.openpty()
    run = start("design", many_subscriptions, "--out", tmp_path / "plan", stderr=theirs)
    os.close(theirs)
    wait_for(ours, b"start Spark")
    time.sleep(0.5)
    assert interrupted(run, ours) < 10
    assert run.returncode == 130
    assert os.listdir(tmp_path) == []
    run.communicate(timeout=60)  # ends when the last process that could write has gone: the JVM must not stay


@slow
def test_ctrl_c_while_designing(start, many_subscriptions, tmp_path):
    """The command ends soon with the usual code, and leaves nothing behind."""
    ours, theirs = pty.openpty()
    run = start("design", many_subscriptions, "--algorithm", "minmax", "--out", tmp_path / "plan", stderr=theirs)
    os.close(theirs)
    wait_for(ours, b"support")
    assert interrupted(run, ours) < 10
    assert run.returncode == 130
    assert os.listdir(tmp_path) == []


@slow
def test_ctrl_c_while_following(start, tmp_path):
    """While it waits for the next file; the state is complete, and can be continued."""
    (tmp_path / "events").mkdir()
    (tmp_path / "events" / "1.csv").write_text("sequence,node,action,topic\n1,a,join,x\n2,b,join,x\n")
    state = tmp_path / "state"
    run = start("churn", "--follow", tmp_path / "events", "--state", state, "--empty", "--interval", "0.1")
    end = time.monotonic() + PATIENCE
    while not ((state / "snapshot").exists() and churn.load(state / "snapshot").overlay.num_edges):
        assert run.poll() is None and time.monotonic() < end
        time.sleep(0.05)
    time.sleep(1.0)
    seconds = interrupted(run)
    rest = run.stderr.read().decode()
    assert run.returncode == 130
    assert rest.endswith("\nInterrupted; nothing unfinished was left behind.\n") and "Traceback" not in rest
    assert churn.load(state / "snapshot").overlay.pairs() == [("a", "b")]
    assert seconds < 10, "at once, but for a busy machine"


@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 143), (signal.SIGHUP, 129)])
@slow
def test_being_told_to_end_clears_up(start, many_subscriptions, tmp_path, number, code):
    run = start("design", many_subscriptions, "--out", tmp_path / "plan")
    wait_for(run.stderr, b"start Spark")
    run.send_signal(number)
    assert run.wait(timeout=PATIENCE) == code
    assert os.listdir(tmp_path) == []


@slow
def test_a_killed_run_leaves_nothing_that_looks_finished(start, subscriptions, many_subscriptions, tmp_path):
    plan = tmp_path / "plan"
    run = start("design", many_subscriptions, "--out", plan)
    wait_for(run.stderr, b"clean and encode")
    run.kill()
    run.wait(timeout=PATIENCE)
    assert not plan.exists()
    assert all(name.startswith(".") for name in os.listdir(tmp_path) if name != subscriptions.name)
    # and the next run to the same place is not disturbed by what is left
    again = start("design", subscriptions, "--out", plan, "--quiet")
    assert again.wait(timeout=PATIENCE) == 0
    assert sorted(os.listdir(tmp_path)) == ["plan", subscriptions.name]


@slow
def test_verify_in_a_shell(start, subscriptions, tmp_path):
    """Links that leave a topic in pieces give exit code 1 and the topic's name, and nothing on the error stream."""
    edges = tmp_path / "edges.csv"
    edges.write_text("source,target\na,b\nb,c\n")
    cut = start("verify", subscriptions, edges, "--quiet")
    out, err = cut.communicate(timeout=PATIENCE)
    assert (cut.returncode, err) == (1, b"")
    assert out.decode() == "Not topic-connected: 1 topic is cut, of 3 (support 0.6667):\n  z\n"


@slow
def test_settings_reach_spark(start, subscriptions, tmp_path):
    """``--master`` and ``--conf`` reach the session; if Spark cannot start with them, the message contains no stack
    trace.
    """
    made = start("design", subscriptions, "--out", tmp_path / "plan", "--json", "--master", "local[1]",
                 "--conf", "spark.sql.shuffle.partitions=3")  # fmt: skip
    out, err = made.communicate(timeout=PATIENCE)
    assert made.returncode == 0, err.decode()
    assert json.loads(out)["master"] == "local[1]"
    failed = start("profile", subscriptions, "--conf", "spark.serializer=no.such.Thing", "--quiet")
    out, err = failed.communicate(timeout=PATIENCE)
    assert (failed.returncode, out) == (2, b"")
    assert err.startswith(b"Error: Spark did not start on local[*]: java.lang.ClassNotFoundException: no.such.Thing; ")
    assert err.count(b"\n") == 1


PRESSED_WHILE_LOADING = """
import os, signal, sys

class Press:
    def find_spec(self, name, path=None, target=None):
        if name == "click":
            os.kill(os.getpid(), signal.SIGINT)

sys.meta_path.insert(0, Press())
import topicweave.cli.main
"""


def test_an_interrupt_while_the_command_is_loaded_is_one_sentence():
    """Ctrl-C in the first tenth of a second, before any of our code runs."""
    ended = subprocess.run([sys.executable, "-c", PRESSED_WHILE_LOADING], capture_output=True, text=True, check=False)
    assert (ended.returncode, ended.stdout) == (130, "")
    assert ended.stderr == "Interrupted; nothing unfinished was left behind.\n"

"""What is shown while a command runs."""

import io
import json
import math
import os
import pty
import subprocess
import sys

import pytest
from rich.console import Console

from topicweave.algorithms import Progress
from topicweave.cli import display as shown
from topicweave.pipeline import Observer


def lines(**options):
    stream = io.StringIO()
    return shown.Lines(Console(file=stream, **options)), stream


def test_a_line_for_each_stage():
    observer, stream = lines(width=40)
    observer.on_stage("read")
    observer.on_stage_done("read", 1.23, "")
    observer.on_stage_done("clean and encode", 12.3, "2,000 nodes, [500] topics, 100,000 subscriptions")
    assert stream.getvalue() == (
        "✓ read                  1.2 s\n"
        "✓ clean and encode     12.3 s  2,000 nodes, [500] topics, 100,000 subscriptions\n"
    )


def test_a_long_design_says_something_now_and_then(monkeypatch):
    now = 0.0
    monkeypatch.setattr(shown.time, "monotonic", lambda: now)
    observer, stream = lines()
    observer.on_stage("design")
    for now in (1.0, 11.0, 12.0, 22.0):
        observer.on_design(Progress(phase="linking", support=now / 100, links=int(now), level=3))
    assert stream.getvalue() == (
        "  linking: support 11.0%, 11 links, level 3\n  linking: support 22.0%, 22 links, level 3\n"
    )


def test_no_marks_where_they_cannot_be_written():
    stream = io.TextIOWrapper(io.BytesIO(), encoding="ascii")
    shown.Lines(Console(file=stream)).on_stage_done("read", 1, "")
    stream.flush()
    assert stream.buffer.getvalue() == b"+ read                  1.0 s\n"


def test_quiet_is_quiet(capfd):
    """With ``--quiet`` no progress is shown."""
    with shown.display(quiet=True) as observer:
        assert type(observer) is Observer
        observer.on_stage("read")
        observer.on_stage_done("read", 1, "")
    assert capfd.readouterr() == ("", "")


PROGRAM = """
import os, sys, time
from topicweave.algorithms import Progress
from topicweave.cli.display import display
with display(quiet=False) as observer:
    observer.on_stage("start Spark")
    turned_away = os.dup(2)                  # what starting Spark does to standard error
    os.dup2(os.open(os.devnull, os.O_WRONLY), 2)
    time.sleep(0.4)
    os.dup2(turned_away, 2)
    observer.on_stage_done("start Spark", 0.4, "")
    observer.on_stage("design")
    observer.on_design(Progress(phase="linking", support=0.5, links=1234, level=2))
    time.sleep(0.4)
    observer.on_stage_done("design", 0.4, "2,000 links")
"""


def test_plain_lines_in_a_pipe():
    finished = subprocess.run([sys.executable, "-c", PROGRAM], capture_output=True, check=True)
    assert finished.stderr.decode() == ("✓ start Spark           0.4 s\n✓ design                0.4 s  2,000 links\n")


def test_a_bar_in_a_terminal():
    """Also while Spark starts, when standard error is redirected."""
    ours, theirs = pty.openpty()
    environment = {**os.environ, "TERM": "xterm", "COLUMNS": "100"}
    child = subprocess.Popen([sys.executable, "-c", PROGRAM], stderr=theirs, env=environment)
    os.close(theirs)
    seen = b""
    try:
        while part := os.read(ours, 65536):
            seen += part
    except OSError:  # how Linux says that the other end was closed
        pass
    os.close(ours)
    assert child.wait() == 0
    text = seen.decode()
    before, after = text.split("✓", 1)
    assert "start Spark" in before, "the spinner moves before the first stage is done"
    assert "linking: support 50.0%, 1,234 links, level 2" in after
    assert "\x1b[?25h" in after, "the cursor is back"


@pytest.mark.parametrize("value", [math.inf, -math.inf, math.nan])
def test_json_is_json(capsys, value):
    """Infinity and NaN are written as text, because JSON has no such numbers."""
    shown.print_json({"k": value, "parts": [{"x": (value, 1.5, "ü")}]})
    text = capsys.readouterr().out
    read = json.loads(text, parse_constant=pytest.fail)
    assert read == {"k": str(value), "parts": [{"x": [str(value), 1.5, "ü"]}]}


def test_json_for_a_stream_without_utf_8(monkeypatch):
    stream = io.TextIOWrapper(io.BytesIO(), encoding="ascii")
    monkeypatch.setattr(sys, "stdout", stream)
    shown.print_json({"topic": "süß 🎈"})
    stream.flush()
    assert json.loads(stream.buffer.getvalue()) == {"topic": "süß 🎈"}

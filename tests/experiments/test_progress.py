"""What is shown while experiments run."""

import io
from pathlib import PurePosixPath
from types import SimpleNamespace

import pytest
from rich.console import Console
from rich.progress import Progress

from experiments import progress as shown
from experiments.runner import RunObserver

RUNS = [SimpleNamespace(path=PurePosixPath(f"on/seed-{seed}.json"), cost=cost) for seed, cost in enumerate([8, 1, 1])]


@pytest.fixture
def clock(monkeypatch):
    """The time, as the test says."""
    now = SimpleNamespace(time=1000.0)
    monkeypatch.setattr(shown.time, "monotonic", lambda: now.time)
    return now


def test_lines_say_how_far_it_is_and_what_is_left(clock):
    """Eight of ten parts took 80 s, so 20 s are left after the first run; a line every ten seconds at most."""
    console = Console(file=io.StringIO(), width=200)
    bars = Progress(console=console, disable=True, get_time=lambda: clock.time, speed_estimate_period=shown.RECENT)
    lines = shown.Lines(bars, RUNS)
    bars.advance(lines.task, 0)
    clock.time += 80
    lines.on_done(RUNS[0], 80.0)
    clock.time += 5
    lines.on_done(RUNS[1], 5.0)
    said = console.file.getvalue()
    assert said.strip() == "1 of 3 runs, 0:00:20 left; last on/seed-0.json"
    clock.time += 10
    lines.on_done(RUNS[2], 10.0)
    assert "3 of 3 runs, 0:00:00 left" in console.file.getvalue()


def test_silence_and_logs(capsys):
    """Quiet means no output; without a terminal nothing is animated, and lines appear only every few seconds."""
    with shown.progress_bar(RUNS, silent=True) as watched:
        assert type(watched) is RunObserver
    with shown.progress_bar(RUNS, silent=False) as watched:
        assert isinstance(watched, shown.Lines)
        watched.on_begin(RUNS[0])
        watched.on_done(RUNS[0], 1.0)
    assert capsys.readouterr() == ("", "")

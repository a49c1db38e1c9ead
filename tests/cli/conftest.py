"""Running the command line: in this process where that is enough, in one of its own where exits and signals matter."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import pytest

from topicweave.cli.main import main

CHECKOUT = Path(__file__).resolve().parents[2]
COMMAND = [sys.executable, "-m", "topicweave"]


@dataclass(frozen=True)
class Finished:
    """What a command left behind."""

    code: int | str | None
    out: str
    err: str


@pytest.fixture
def run(capsys):
    """Run a command in this process."""

    def _run(*arguments: object) -> Finished:
        capsys.readouterr()
        with pytest.raises(SystemExit) as ended:
            main([str(argument) for argument in arguments])
        return Finished(ended.value.code or 0, *capsys.readouterr())

    return _run


@pytest.fixture
def start():
    """Start a command in a process of its own; whatever is still running at the end is killed."""
    begun: list[subprocess.Popen[bytes]] = []

    def _start(*arguments: object, **options) -> subprocess.Popen[bytes]:
        streams = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, **options}
        # Away from the checkout, so that the package is found as users find it.
        path = os.pathsep.join([str(CHECKOUT), *filter(None, [os.environ.get("PYTHONPATH")])])
        environment = {**os.environ, "PYTHONPATH": path, "TERM": "xterm"}
        process = subprocess.Popen([*COMMAND, *map(str, arguments)], env=environment, **streams)
        begun.append(process)
        return process

    yield _start
    for process in begun:
        if process.poll() is None:
            process.kill()
        process.communicate()


@pytest.fixture
def subscriptions(tmp_path) -> Path:
    """Four brokers, three topics; three links connect them."""
    path = tmp_path / "subscriptions.csv"
    path.write_text("node,topic\na,x\nb,x\nb,y\nc,y\nc,z\nd,z\n")
    return path


@pytest.fixture(scope="session")
def many_subscriptions(tmp_path_factory) -> Path:
    """An interest whose design takes some seconds, so that it can be interrupted."""
    path = tmp_path_factory.mktemp("many") / "many.parquet"
    with pytest.raises(SystemExit) as ended:
        main(["generate", "--nodes", "12000", "--topics", "3000", "--subscriptions", "40", "--out", str(path)])
    assert not ended.value.code
    return path

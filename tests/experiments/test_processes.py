"""Runs in processes of their own: killed in the middle, and on a cluster."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from experiments.wanted import chosen, runs_of
from tests.pipeline.test_cluster import cluster  # noqa: F401 - a fixture

CHECKOUT = Path(__file__).resolve().parents[2]
COMMAND = [sys.executable, "-m", "experiments", "run", "--quiet"]


def results_in(folder):
    """What was measured, but for times and the machine's load."""
    found = {}
    for file in sorted(folder.rglob("*.json")):
        content = json.loads(file.read_text(encoding="utf-8"))
        found[str(file.relative_to(folder))] = {
            name: value
            for name, value in content["result"].items()
            if "seconds" not in name and "_ms" not in name and name != "load"
        }
    return found


@pytest.mark.slow
def test_killed_it_goes_on_where_it_was(tmp_path):
    """kill -9 leaves whole files only; the second run keeps them and adds the rest."""
    wanted = runs_of(chosen(["LOW-5"]), num_seeds=12, quick=True)
    arguments = ["LOW-5", "--quick", "--seeds", "12", "--master", "local[1]", "--out", str(tmp_path / "results")]
    process = subprocess.Popen([*COMMAND, *arguments], cwd=CHECKOUT, start_new_session=True)
    try:
        for _ in range(600):
            if len(list(tmp_path.rglob("seed-*.json"))) >= 20:
                break
            time.sleep(0.2)
    finally:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()
    before = {file: file.stat().st_mtime_ns for file in tmp_path.rglob("seed-*.json")}
    assert 20 <= len(before) < len(wanted)
    subprocess.run([*COMMAND, *arguments], cwd=CHECKOUT, check=True)
    assert all(file.stat().st_mtime_ns == changed for file, changed in before.items())
    assert len(results_in(tmp_path / "results")) == len(wanted)


@pytest.mark.slow
def test_same_results_on_a_cluster(cluster, tmp_path):  # noqa: F811
    """Two workers of a standalone cluster, large runs and small ones, against this machine alone."""
    arguments = [*COMMAND, "gm-2", "SHADOW-8", "content-10", "--quick"]
    environment = {**os.environ, "PYSPARK_PYTHON": sys.executable, "PYTHONPATH": str(CHECKOUT)}
    subprocess.run([*arguments, "--out", str(tmp_path / "here")], cwd=CHECKOUT, env=environment, check=True)
    settings = ["--conf", "spark.driver.host=127.0.0.1", "--conf", "spark.executor.memory=600m"]
    there = ["--out", str(tmp_path / "there"), "--master", cluster, *settings]
    subprocess.run([*arguments, *there], cwd=CHECKOUT, env=environment, check=True)
    assert results_in(tmp_path / "there") == results_in(tmp_path / "here") != {}

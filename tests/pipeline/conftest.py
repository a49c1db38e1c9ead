"""Blocks and users that take the less usual ways."""

import os
import shutil
import subprocess
import sys

import pytest


@pytest.fixture
def few_rows(monkeypatch):
    """Make the workers' blocks tiny, so that small inputs take every path that large ones take."""
    from topicweave.pipeline.workers import blocks as buckets
    from topicweave.pipeline.workers import components as memberships
    from topicweave.pipeline.workers import encode as partition_codes

    monkeypatch.setattr(partition_codes, "ROWS_AT_A_TIME", 3)
    monkeypatch.setattr(buckets, "ROWS_AT_A_TIME", 3)
    monkeypatch.setattr(buckets, "LINKS_AT_A_TIME", 2)
    monkeypatch.setattr(memberships, "CANDIDATES_AT_A_TIME", 2)
    monkeypatch.setattr(memberships, "LINKS_HELD", 3)


@pytest.fixture
def as_mortal():
    """Run a program in a fresh Python whom file permissions stop, also when the tests run as root."""
    prefix = []
    if os.geteuid() == 0:
        if shutil.which("setpriv") is None:
            pytest.skip("running as root, whom permissions do not stop, and setpriv is not here to change that")
        prefix = ["setpriv", "--bounding-set=-dac_override,-dac_read_search"]

    def run(code):
        done = subprocess.run([*prefix, sys.executable, "-c", code], capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        return done.stdout.strip()

    return run

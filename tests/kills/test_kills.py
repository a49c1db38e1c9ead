"""``kill -9`` at any moment: nothing is lost or duplicated, and nothing half-written looks finished."""

import os
import re
import subprocess
import sys

import pytest

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="this system has no fork")


def kills(*arguments):
    """In a process of its own, for the work is forked: the tests' own process has threads."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.kills", *map(str, arguments)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return int(re.match(r"\d+", done.stdout)[0])


def test_a_few_kills():
    """Whatever is killed, and wherever, is either complete or started again."""
    assert kills("--count", 9) == 9


@pytest.mark.slow
@pytest.mark.parametrize("work", ["stream", "design", "content"])
def test_many_kills(work):
    """The same for each kind of work, many more times."""
    assert kills("--count", 150, "--work", work, "--seed", 7) == 150


def test_it_sees_a_plan_that_is_missing_for_a_moment():
    """Shows that the check can fail: two renames instead of one step, with a kill in between.

    A rename takes 20 ms here, so that also on a busy machine some of the kills fall between the two.
    """
    code = (
        "import os, time; from topicweave.pipeline.plan import target; from tests.kills.__main__ import kill_many; "
        "rename = os.rename; os.rename = lambda *paths: (rename(*paths), time.sleep(0.02)); "
        "target.swapped = lambda one, other: False; kill_many(200, 0, ['design'])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 1 and "the plan that was there has gone" in done.stderr

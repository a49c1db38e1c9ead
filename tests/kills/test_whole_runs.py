"""``kill -9`` of whole runs with their Spark, as real processes; ``python -m tests.kills.whole_runs`` kills more."""

import pytest

from tests.kills.whole_runs import RUNS, kill_many

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("name", RUNS)
def test_a_few_kills(name):
    """Nothing is lost, duplicated or half written, and the same command continues."""
    assert kill_many(name, 3, 7).total() >= 3

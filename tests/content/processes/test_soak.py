"""Real processes that move users, die and return, while users come, go and restart: nothing is lost, or comes twice."""

import asyncio

import pytest

from tests.content.processes.soak import Soak
from tests.content.protocol.oracle import judge


@pytest.mark.slow
def test_a_minute_with_three_processes():
    """One is killed; the long run is ``python -m tests.content.processes.soak``."""
    soak = Soak(3, 20, 60, deaths=1, rate=1.0, window=10.0)
    verdict = judge(asyncio.run(soak.run()))
    assert verdict.is_good, verdict
    assert verdict.num_expected > 500 and soak.events["brokers killed"] == 1 and soak.events["moved by brokers"] > 0

"""The folder of a trade-off is read again, and damage is noticed."""

import json
from dataclasses import asdict

import pytest

from topicweave.errors import ReadError
from topicweave.pipeline.plan.tradeoff import read_tradeoff
from topicweave.reports.tradeoff_page import TradeoffPoint


def test_designs_are_read_as_they_were_written(tmp_path):
    """And a folder without them, or with others, is refused."""
    points = (TradeoffPoint("hops", 4, "low", "met", "", 140, 3.5, 12, 4, 2.5, None),)
    with pytest.raises(ReadError, match="not the folder of a trade-off"):
        read_tradeoff(tmp_path)
    (tmp_path / "tradeoff.json").write_text(json.dumps([asdict(point) for point in points]))
    assert read_tradeoff(tmp_path) == points
    (tmp_path / "tradeoff.json").write_text('[{"hops": 3}]')
    with pytest.raises(ReadError, match="cannot be read"):
        read_tradeoff(tmp_path)

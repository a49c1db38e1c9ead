"""Reads the folder of a trade-off."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

from topicweave.errors import ReadError
from topicweave.pipeline.plan.target import TRADEOFF
from topicweave.reports.tradeoff_page import TradeoffPoint

if TYPE_CHECKING:
    import os


def read_tradeoff(folder: str | os.PathLike[str]) -> tuple[TradeoffPoint, ...]:
    """Read the designs of a trade-off from the folder that :func:`topicweave.pipeline.tradeoff` wrote."""
    path = Path(folder).expanduser() / TRADEOFF
    try:
        return tuple(TradeoffPoint(**point) for point in json.loads(path.read_text(encoding="utf-8")))
    except FileNotFoundError:
        raise ReadError(f"{folder} is not the folder of a trade-off: it has no {TRADEOFF}; check the path.") from None
    except (OSError, ValueError, TypeError) as error:
        raise ReadError(f"{path} cannot be read ({error}); restore it, or make the trade-off again.") from error

"""Sources: the kinds of input there are, each with one method ``read(spark) -> Records``."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, TypeAlias

from topicweave.errors import ReadError
from topicweave.pipeline.sources.clients import Clients
from topicweave.pipeline.sources.events import EventLog
from topicweave.pipeline.sources.formats.table import Table
from topicweave.pipeline.sources.social import SocialGraph
from topicweave.pipeline.sources.subscriptions import Subscriptions

if TYPE_CHECKING:
    from pyspark.sql import DataFrame

Source: TypeAlias = Subscriptions | SocialGraph | EventLog | Clients
SourceLike: TypeAlias = "Source | Table | DataFrame | str | os.PathLike[str] | Sequence[str]"


def as_source(given: SourceLike) -> Source:
    """A source as it is; anything else is taken for a table of subscriptions."""
    from pyspark.sql import DataFrame

    if isinstance(given, Subscriptions | SocialGraph | EventLog | Clients):
        return given
    if isinstance(given, Table):
        return Subscriptions(given)
    if isinstance(given, str | os.PathLike | DataFrame) or (
        isinstance(given, Sequence) and given and all(isinstance(path, str | os.PathLike) for path in given)
    ):
        return Subscriptions(Table(given))
    raise ReadError(
        f"A {type(given).__name__} cannot be read; give a path, a data frame, a Table, or one of Subscriptions, "
        f"SocialGraph, EventLog, Clients."
    )

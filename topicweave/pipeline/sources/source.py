"""Source: anything that subscriptions can be read from. Each kind is a class of its own in this folder."""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import fields
from typing import TYPE_CHECKING, Any, ClassVar, TypeAlias

from topicweave.errors import ReadError
from topicweave.pipeline.plan_files import plan_folder
from topicweave.pipeline.sources.formats.table import Table

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

    from topicweave.pipeline.sources.records import Records

    SourceLike: TypeAlias = "Source | Table | DataFrame | str | os.PathLike[str] | Sequence[str]"


class Source(ABC):
    """Base of the kinds, which are frozen dataclasses.

    Attributes
    ----------
    kind
        What the command line and manifests call it.
    """

    kind: ClassVar[str]

    @property
    @abstractmethod
    def tables(self) -> tuple[Table, ...]:
        """The tables that will be read."""

    @abstractmethod
    def read(self, spark: SparkSession) -> Records:
        """Read them: every row with its reason, and the subscriptions in them."""

    def options(self) -> dict[str, Any]:
        """What was said about the source besides its tables, where it differs from the default; for the manifest."""
        return {
            field.name: getattr(self, field.name)
            for field in fields(self)  # type: ignore[arg-type]
            if not isinstance(getattr(self, field.name), Table) and getattr(self, field.name) != field.default
        }


def as_source(given: SourceLike) -> Source:
    """A source as it is; a plan folder for what it was made for; anything else for a table of subscriptions."""
    from pyspark.sql import DataFrame

    from topicweave.pipeline.sources.subscriptions import Subscriptions

    if isinstance(given, Source) and not isinstance(given, Subscriptions):
        return given
    table = given.table if isinstance(given, Subscriptions) else given
    path = table.path if isinstance(table, Table) else table
    folder = plan_folder(path)
    if folder is not None:
        from topicweave.pipeline.sources.plan_folder import PlanFolder

        return PlanFolder(folder)
    if isinstance(given, Source):
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

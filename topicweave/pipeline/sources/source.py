"""Source: anything from which subscriptions can be read; and Records: the result of reading it.

Each kind of source is a class of its own in this folder. Records contain every row of the input, with the reason if it
cannot be used, and the (node, topic) pairs that the others give.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field, fields
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple

from pyspark.sql import functions as F

from topicweave.columns import FILE, LINE, NODE, REASON, TOPIC
from topicweave.errors import ReadError
from topicweave.pipeline.quality import reasons
from topicweave.pipeline.quality.reasons import Counts, count_reasons, quarantined, too_many_bad_rows, valid
from topicweave.pipeline.sources.formats.table import Table
from topicweave.pipeline.spark.failures import readable_path, spark_failures

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pyspark.sql import DataFrame, SparkSession

    from topicweave.pipeline.sources.formats.files import InputFile


class Source(ABC):
    """The base class of all kinds of sources, which are frozen dataclasses.

    Attributes
    ----------
    kind
        Its name on the command line and in manifests.
    """

    kind: ClassVar[str]

    @property
    @abstractmethod
    def tables(self) -> tuple[Table, ...]:
        """The tables that this source reads."""

    @abstractmethod
    def read(self, spark: SparkSession) -> Records:
        """Read the tables: every row with the reason why it cannot be used, and the subscriptions in the others."""

    def options(self) -> dict[str, Any]:
        """The options of the source that differ from the defaults, without its tables; for the manifest."""
        return {
            each.name: getattr(self, each.name)
            for each in fields(self)  # type: ignore[arg-type]
            if not isinstance(getattr(self, each.name), Table) and getattr(self, each.name) != each.default
        }


@dataclass(frozen=True)
class Part:
    """One table of an input, with its rows and what became of them.

    Attributes
    ----------
    role
        What it contains: subscriptions, links, events, filters, brokers or topics.
    name
        Its name in messages.
    rows
        All its rows; each that cannot be used has a reason.
    files
        The files behind them.
    has_header
        Whether each file begins with the names of its columns.
    table
        The table it was opened from.
    """

    role: str
    name: str
    rows: DataFrame
    files: tuple[InputFile, ...] = ()
    has_header: bool = False
    table: Table | None = None

    def count(self) -> Counts:
        """Count the rows by what became of them, in one pass over the table."""
        return Counts.from_reasons(count_reasons(self.rows))

    def check(self, counts: Counts, max_bad_fraction: float, *, is_fixed: bool = False) -> None:
        """Raise an error if a file lacks its header or too many rows are bad, where ``is_fixed`` is for a limit that
        the user cannot choose.
        """
        with spark_failures(self.name):
            self._check_headers(counts)
            if counts.bad_fraction > max_bad_fraction:
                top = counts.top_reasons(1)[0][0]
                found = quarantined(self.rows).where(F.col(REASON) == top).select(FILE, LINE).limit(1).collect()
                examples = [(readable_path(row[0]), row[1]) for row in found]
                raise too_many_bad_rows(self.name, counts, max_bad_fraction, examples, is_fixed=is_fixed)

    def _check_headers(self, counts: Counts) -> None:
        """Check headers, because a file with a different header would be read with its columns in the wrong order."""
        files = [file for file in self.files if file.size != 0]
        if not self.has_header or counts.ignored.get(reasons.HEADER, 0) >= len(files):
            return
        with_header = self.rows.where(F.col(REASON) == reasons.HEADER).select(FILE).distinct().collect()
        without = sorted({file.path for file in files} - {readable_path(row[0]) for row in with_header})
        if without:
            raise ReadError(
                f"{without[0]} does not begin with the same header as the other files of this input; "
                f"give it the same columns, or read it by itself."
            )


class ExpectedNodes(NamedTuple):
    """Nodes that are expected to subscribe to something; if one does not, it is reported, because it will be missing
    from the plan.

    Attributes
    ----------
    what, number
        The noun for one of them, and how many there are.
    reason
        Why one of them may subscribe to nothing.
    labels
        Their names, if known.
    """

    what: str
    number: int
    reason: str
    labels: tuple[str, ...] = ()


@dataclass(frozen=True)
class Records:
    """The result of reading a source.

    Attributes
    ----------
    parts
        The tables of the input.
    pairs
        ``node``, ``topic`` and ``reason``: the subscriptions; invalid rows are included if there is a single part.
    pairs_per_row
        The number of pairs per valid row of a single part; ``None`` if pairs were derived from several rows, so that
        the parts have to be counted separately.
    notes
        Further counts and facts for the user.
    held
        Data frames kept in Spark's storage, because they are used several times.
    expected
        The expected nodes, if these are not simply those with subscriptions.
    """

    parts: tuple[Part, ...]
    pairs: DataFrame
    pairs_per_row: int | None = 1
    notes: Mapping[str, Any] = field(default_factory=dict)
    held: tuple[DataFrame, ...] = ()
    expected: ExpectedNodes | None = None

    @property
    def subscriptions(self) -> DataFrame:
        """The valid subscriptions: ``node``, ``topic``; a pair may occur more than once."""
        return valid(self.pairs).select(NODE, TOPIC)

    @property
    def quarantine(self) -> DataFrame:
        """The bad rows of all parts."""
        frames = [quarantined(part.rows) for part in self.parts]
        together = frames[0]
        for frame in frames[1:]:
            together = together.unionByName(frame)
        return together

    @property
    def files(self) -> tuple[InputFile, ...]:
        """All files that were read, without repetition."""
        return tuple(dict.fromkeys(file for part in self.parts for file in part.files))

    def release(self) -> None:
        """Free the memory in which Spark stores the rows."""
        for frame in self.held:
            frame.unpersist()

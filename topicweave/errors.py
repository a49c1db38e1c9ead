"""The tree of error classes, and how their messages are worded.

    TopicweaveError
    ├── InputError              what was given cannot be used            (exit code 2)
    │   ├── LabelError          a node or topic label that cannot be used
    │   ├── OverlayError        edges that do not form an overlay of these nodes
    │   ├── ParameterError      a parameter outside its range
    │   │   └── UnknownAlgorithmError
    │   ├── ReadError           a file, folder or table that cannot be read
    │   │   └── BadRowsError    more bad rows than allowed
    │   ├── TargetError         a folder that cannot be written to
    │   └── SetupError          Java, Spark or its workers are missing or do not start
    ├── InfeasibleError         well-formed, but cannot be done          (exit code 3)
    │   ├── TooLargeError       would not fit into the memory allowed
    │   ├── ImpossibleError     no overlay meets the requirements, and why
    │   └── NotFoundError       no overlay was found that meets them; carries the best one
    ├── SparkError              Spark failed for a reason of its own     (exit code 2)
    └── VerificationError       a written plan is not what was designed  (exit code 1)

Every message is one sentence or two: what was wrong, the value seen, what to do. An error whose message mentions an
argument or a remedy carries them as fields, so that each front end can use its own words: the library says ``k must be
...`` and ``allow it to be overwritten``, the command line ``--k must be ...`` and ``add --overwrite``.

    >>> error = TargetError("{path} exists already; {remedy}.", path="plan", remedy=Remedy.OVERWRITE)
    >>> str(error)
    'plan exists already; allow it to be overwritten.'
    >>> error.fields["path"], error.remedy
    ('plan', <Remedy.OVERWRITE: 'allow it to be overwritten'>)
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Mapping

_NO_VALUE = object()
LONGEST = 1200  # longest message, in characters
LONGEST_QUOTED = 120  # longest quoted word in a message


class Remedy(Enum):
    """What the user can do about an error, worded for Python users; placeholders are filled from the error's fields."""

    OVERWRITE = "allow it to be overwritten"
    NAME_COLUMN = "say which column holds the {field}"
    NO_HEADER = "that the file has no header"
    SEPARATOR = "separator={separator!r}?"
    NAME_FORMAT = "name it"
    OTHER_FORMAT = "use one of"
    MORE_BAD_ROWS = "allow more bad rows"
    LIST_TOPICS = "list the existing topics (topics=)"
    NAME_LANGUAGE = "name their language (language='nats' or 'mqtt')"
    SPARK_SETTING = "start it with the setting spark.jars.packages={package}"
    SPARK_LOG = "run again with its messages on"
    FEWER_PAIRS = (
        "use candidates='near' (a few partners for each node), give pairs= (only the links worth looking at), "
        "or raise memory_limit= (bytes)"
    )
    FEWER_CANDIDATES = "use fewer num_candidates=, or raise memory_limit= (bytes)"
    COMPLETE = "complete it with design(interest, 'low', start=overlay)"
    FEWER_GIVEN_PAIRS = "give fewer pairs=, or raise memory_limit= (bytes)"


@dataclass(frozen=True)
class Argument:
    """A function argument named in a message: ``m=``, or ``m=3`` if it has a value."""

    name: str
    value: Any = _NO_VALUE

    @property
    def has_value(self) -> bool:
        """Whether the message should also show the argument's value."""
        return self.value is not _NO_VALUE


class Dialect:
    """How an interface words the fields of an error; this class words them for Python users."""

    def parameter(self, name: str) -> str:
        """How a message names the parameter that it is about."""
        return name

    def argument(self, argument: Argument) -> str:
        """How a message refers to an argument."""
        return f"{argument.name}={argument.value!r}" if argument.has_value else f"{argument.name}="

    def remedy(self, remedy: Remedy, fields: Mapping[str, Any]) -> str:
        """How a message tells the user what to do about the error."""
        return str(remedy.value).format_map(fields)


PYTHON = Dialect()


def readable(sentence: str) -> str:
    """The message, with long quoted words and, if necessary, the whole message cut to a readable length."""
    cut = " ".join(map(_shortened, sentence.split(" ")))
    return cut if len(cut) <= LONGEST else f"{cut[: LONGEST // 2]} … {cut[-LONGEST // 4 :]}"


def _shortened(word: str) -> str:
    """The word; a long text in quotes, such as a label or a path, is cut to its beginning and end."""
    begin = min((at for at in (word.find("'"), word.find('"')) if at >= 0), default=0)
    end = word.rfind(word[begin : begin + 1]) + 1
    if end - begin <= LONGEST_QUOTED + 2 or word[begin] not in "'\"":
        return word
    return f"{word[: begin + 80]}…{word[end - 20 :]}"


class TopicweaveError(Exception):
    """The base class of all errors that topicweave raises on purpose.

    Parameters
    ----------
    message
        The message. With ``fields`` it is a template for :meth:`str.format`; without, it is used unchanged.
    fields
        The values for the template. ``parameter`` is the name of a parameter; values of type :class:`Argument` and
        :class:`Remedy` are worded by the front end; all others are shown as they are.
    """

    def __init__(self, message: str, **fields: Any) -> None:
        self.template = message
        self.fields = fields
        super().__init__(self.sentence())

    @property
    def parameter(self) -> str | None:
        """The parameter that the error is about, if any."""
        return self.fields.get("parameter")

    @property
    def remedy(self) -> Remedy | None:
        """What the user can do about the error, if the advice depends on the interface."""
        return self.fields.get("remedy")

    def sentence(self, dialect: Dialect = PYTHON) -> str:
        """The message as worded by an interface, with long values cut to a readable length."""
        if not self.fields:
            return readable(self.template)
        return readable(self.template.format_map({name: self._worded(name, dialect) for name in self.fields}))

    def _worded(self, name: str, dialect: Dialect) -> Any:
        value = self.fields[name]
        if isinstance(value, Argument):
            return dialect.argument(value)
        if isinstance(value, Remedy):
            return dialect.remedy(value, self.fields)
        return dialect.parameter(value) if name == "parameter" else value


class InputError(TopicweaveError, ValueError):
    """The input cannot be used."""


class LabelError(InputError):
    """A node or topic label is null, NaN, unhashable, bytes, or something that has no text of its own."""


class OverlayError(InputError):
    """The links do not form an overlay of the given nodes."""


class ParameterError(InputError):
    """A parameter is unknown, has the wrong type, or is out of range."""


class UnknownAlgorithmError(ParameterError):
    """There is no algorithm of that name."""


class InfeasibleError(TopicweaveError):
    """The input is valid, but the request cannot be fulfilled."""


class TooLargeError(InfeasibleError):
    """The work would need more memory than is allowed; nothing has been allocated."""


class ImpossibleError(InfeasibleError):
    """No overlay can meet the requirements.

    The fields ``topics``, ``nodes`` and ``pairs`` are tuples of the labels that prove it; a field that does not matter
    is missing or empty.
    """


class NotFoundError(InfeasibleError):
    """The method found no overlay that meets all requirements, although there may be one.

    The field ``design`` is the best :class:`topicweave.Design` found, ``violations`` what it violates.
    """


class ReadError(InputError):
    """A file, folder or table is missing, unreadable, damaged, or of an unknown format."""


class BadRowsError(ReadError):
    """More rows are bad than the caller allows."""


class TargetError(InputError):
    """The folder to write to exists already, is being written by another run, or cannot be written."""


class SetupError(InputError):
    """Something that the pipeline needs (Java, Spark, its Python workers) is missing or does not start."""


class SparkError(TopicweaveError):
    """Spark failed for a reason that no other error class describes."""


class VerificationError(TopicweaveError):
    """The files that were written do not connect the topics that the design connects."""

"""The error tree.

    TopicweaveError
    ├── InputError              what was given cannot be used            (exit code 2)
    │   ├── LabelError          a node or topic label that is no label
    │   ├── OverlayError        edges that are no overlay of these nodes
    │   ├── ParameterError      a parameter outside its range
    │   │   └── UnknownAlgorithmError
    │   ├── ReadError           a file, folder or table that cannot be read
    │   │   └── BadRowsError    more bad rows than allowed
    │   ├── TargetError         a folder that cannot be written to
    │   └── SetupError          Java, Spark or its workers are missing or do not start
    ├── InfeasibleError         well-formed, but cannot be done          (exit code 3)
    │   └── TooLargeError       would not fit into the memory allowed
    ├── SparkError              Spark failed for a reason of its own     (exit code 2)
    └── VerificationError       a written plan is not what was designed  (exit code 1)

Every message is one sentence or two: what was wrong, the value seen, what to do.
"""

from __future__ import annotations


class TopicweaveError(Exception):
    """Whatever topicweave raises on purpose."""


class InputError(TopicweaveError, ValueError):
    """What was given cannot be used."""


class LabelError(InputError):
    """A node or topic label that is null, NaN, unhashable, bytes, or without a text of its own."""


class OverlayError(InputError):
    """Edges that do not form an overlay of the nodes at hand."""


class ParameterError(InputError):
    """A parameter is unknown, of the wrong kind, or outside its range."""


class UnknownAlgorithmError(ParameterError):
    """No algorithm of that name is in the table."""


class InfeasibleError(TopicweaveError):
    """The input is well-formed, but what is asked for cannot be done."""


class TooLargeError(InfeasibleError):
    """The work would not fit into the memory allowed; nothing was allocated."""


class ReadError(InputError):
    """A file, folder or table is missing, unreadable, damaged, or of an unknown format."""


class BadRowsError(ReadError):
    """More rows are bad than the caller allows."""


class TargetError(InputError):
    """The folder to write to exists already, is being written by another run, or cannot be written."""


class SetupError(InputError):
    """What the pipeline runs on (Java, Spark, its Python workers) is missing or does not start."""


class SparkError(TopicweaveError):
    """Spark failed for a reason that no other class describes."""


class VerificationError(TopicweaveError):
    """What was written does not connect what the design said it connects."""

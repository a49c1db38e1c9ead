"""Turns an exception into what the user sees: one sentence, in which arguments are named as options, and an
exit code.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from topicweave.cli.options import option_name
from topicweave.errors import Dialect, InfeasibleError, InputError, Remedy, TopicweaveError, VerificationError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from topicweave.errors import Argument

# The exit code for each class of errors; the first matching class counts. Code 1 means the answer "no": a topic is cut
# off. All exit codes are listed in docs/how-to/command-line.md.
EXIT_CODES: dict[type[BaseException], int] = {
    KeyboardInterrupt: 130,
    click.exceptions.Abort: 130,
    VerificationError: 1,
    InfeasibleError: 3,
    InputError: 2,
    TopicweaveError: 2,
    click.ClickException: 2,
    BrokenPipeError: 141,
    OSError: 2,
    MemoryError: 3,
    Exception: 70,
}

# Options that are named differently from the argument in Python.
OPTIONS = {"num_nodes": "--nodes", "num_topics": "--topics", "num_users": "--sample"}


def _name_column(fields: Mapping[str, Any]) -> str:
    field = fields["field"]
    if "role" in fields:
        return f"say which column holds the {field} (--column {fields['role']}.{field}=NAME)"
    return f"say which column holds the {field} (--column {field}=NAME)"


def _name_column_of_links(fields: Mapping[str, Any]) -> str:
    field = fields["field"]
    if field not in ("source", "target"):
        return _name_column(fields)
    return (
        f"say which column holds the {field} (--column {field}=NAME, or --edge-column {field}=NAME or its position "
        f"where a list of links is verified)"
    )


# What the user can do about an error, in terms of command-line options; placeholders are filled from the error's
# fields.
REMEDIES: dict[Remedy, str | Callable[[Mapping[str, Any]], str]] = {
    Remedy.OVERWRITE: "add --overwrite",
    Remedy.NAME_COLUMN: _name_column,
    Remedy.NO_HEADER: "that the file has no header (--no-header)",
    Remedy.SEPARATOR: "--separator {separator!r}",
    Remedy.NAME_FORMAT: "name it with --format",
    Remedy.OTHER_FORMAT: "use --format with one of",
    Remedy.MORE_BAD_ROWS: "allow more with --max-bad-fraction",
    Remedy.LIST_TOPICS: "list the existing topics (--topics-file PATH)",
    Remedy.NAME_LANGUAGE: "name their language (--filters nats or --filters mqtt)",
    Remedy.SPARK_SETTING: "add --conf spark.jars.packages={package}",
    Remedy.SPARK_LOG: "run again with --spark-log",
    Remedy.FEWER_PAIRS: (
        "use --candidates near (a few partners for each node) or --algorithm ring, or raise --memory-limit (bytes)"
    ),
    Remedy.FEWER_CANDIDATES: "use fewer --num-candidates, or raise --memory-limit (bytes)",
    Remedy.COMPLETE: "design one that connects every topic (topicweave design ... --algorithm low --prefer PLAN)",
    Remedy.FEWER_GIVEN_PAIRS: "raise --memory-limit (bytes)",  # explicit lists of pairs can only be given from Python
}


# Remedies for tables to which options such as --column and --format do not apply: the second table of a command, or any
# table of a command without these options.
WITHOUT_TABLE_OPTIONS: dict[Remedy, str] = {
    Remedy.NAME_COLUMN: "check the order of the files, or rename the column that holds the {field}",
    Remedy.NO_HEADER: "add a header",
    Remedy.SEPARATOR: "separate the columns by commas",
    Remedy.NAME_FORMAT: "end its name with the format",
    Remedy.OTHER_FORMAT: "use one of",
}


# Remedies for commands that also read a table of links, which has its own option --edge-column. The error does not say
# which of the two tables it is about, so both options are named.
WITH_LINKS: dict[Remedy, str | Callable[[Mapping[str, Any]], str]] = {
    Remedy.NAME_COLUMN: _name_column_of_links,
    Remedy.SEPARATOR: "--separator {separator!r}, or --edge-separator {separator!r} where a list of links is verified",
}


class CommandLine(Dialect):
    """Rephrases an error's message for the command line: arguments and remedies become options.

    Parameters
    ----------
    remedies
        The remedies that this command words differently from other commands.
    """

    def __init__(self, remedies: Mapping[Remedy, str | Callable[[Mapping[str, Any]], str]]) -> None:
        self._remedies = {**REMEDIES, **remedies}

    def parameter(self, name: str) -> str:
        return OPTIONS.get(name, option_name(name))

    def argument(self, argument: Argument) -> str:
        option = self.parameter(argument.name)
        if not argument.has_value:
            return option
        value = argument.value
        if isinstance(value, bool):
            return option if value else option.replace("--", "--no-", 1)
        return f"{option} {'-'.join(map(str, value)) if isinstance(value, tuple) else value}"

    def remedy(self, remedy: Remedy, fields: Mapping[str, Any]) -> str:
        words = self._remedies[remedy]
        if "role" in fields and remedy is not Remedy.NAME_COLUMN:
            words = WITHOUT_TABLE_OPTIONS.get(remedy, words)
        return words(fields) if callable(words) else words.format_map(fields)


COMMAND_LINE = CommandLine({})
DIALECTS = {"content": CommandLine(WITHOUT_TABLE_OPTIONS), "verify": CommandLine(WITH_LINKS)}  # by command


def exit_code(error: BaseException) -> int:
    """The exit code for an exception."""
    return next(code for kind, code in EXIT_CODES.items() if isinstance(error, kind))


def one_sentence(error: BaseException, command: str = "") -> str:
    """The sentence to print for an exception; ``command`` is the first word of the command line."""
    if isinstance(error, (KeyboardInterrupt, click.exceptions.Abort)):
        # click replaces the interrupt by its own error, so notes for the user are attached to the original
        notes = getattr(error.__cause__ or error, "__notes__", [])
        return " ".join(["Interrupted; nothing unfinished was left behind.", *notes])
    if isinstance(error, click.exceptions.NoArgsIsHelpError):
        return error.format_message()
    if isinstance(error, click.UsageError):
        return f"Error: {error.format_message()}{_where_to_look(error)}"
    if isinstance(error, click.ClickException):
        return f"Error: {error.format_message()}"
    if isinstance(error, MemoryError):
        return "Error: The machine ran out of memory; give fewer nodes or more memory."
    if isinstance(error, TopicweaveError):
        return f"Error: {error.sentence(DIALECTS.get(command, COMMAND_LINE))}"
    if isinstance(error, OSError):
        return f"Error: {_refusal(error)}"
    return (
        f"Error: {type(error).__name__}: {error} (this is a defect of topicweave; run again with --debug to see where)"
    )


def _where_to_look(error: click.UsageError) -> str:
    return f" See '{error.ctx.command_path} --help'." if error.ctx is not None else ""


def _refusal(error: OSError) -> str:
    """What the operating system refused to do, in words instead of error numbers."""
    reason = error.strerror or str(error) or type(error).__name__
    return f"{error.filename}: {reason}." if error.filename else f"{reason}."

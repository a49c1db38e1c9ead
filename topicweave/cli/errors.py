"""From an exception to what the user sees: one sentence and an exit code."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import click

from topicweave.errors import InfeasibleError, InputError, TopicweaveError, VerificationError

if TYPE_CHECKING:
    from collections.abc import Callable

# The first class that fits decides; 1 is the answer "no": a topic is cut off. docs/how-to/command-line.md lists them.
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

# Parameters that are options of the same name.
PARAMETERS = "k|m|d|passes|k_greedy|k_random|budget_ratio|num_candidates|memory_limit|max_bad_fraction"


def _column_option(field: str) -> str:
    of_links = f", or --edge-column {field}=NAME or its position where a list of links is verified"
    return f"--column {field}=NAME" + (of_links if field in ("source", "target") else "")


# What the library says → how the same is said on the command line.
WORDS: dict[str, str | Callable[[re.Match[str]], str]] = {
    r"allow it to be overwritten": "add --overwrite",
    r"say which column holds the (\w+)": lambda found: f"{found[0]} ({_column_option(found[1])})",
    r"or that the file has no header": "or that the file has no header (--no-header)",
    r"\(separator=(.+?)\?\)": r"(--separator \1, or --edge-separator \1 where a list of links is verified)",
    r"\bname it \(csv": "name it with --format (csv",
    r"Mend them, or allow more bad rows": "Mend them, or allow more with --max-bad-fraction",
    r"run again with its messages on to see more": "run again with --spark-log to see more",
    r"use one of csv, tsv, jsonl, parquet, orc, table, or add the connector": (
        "use --format with one of csv, tsv, jsonl, parquet, orc, table, or add the connector"
    ),
    r"take candidates='near' \(([^)]*)\), give pairs= \(only the links worth looking at\)": (
        r"take --candidates near (\1) or --algorithm ring"
    ),
    rf"\b({PARAMETERS})=(?=[\s,:;)])": r"--\1",  # nothing follows: else it may be part of a path
    rf"\b({PARAMETERS}|seed|alpha|subscriptions) must be": r"--\1 must be",
}


def exit_code(error: BaseException) -> int:
    """The exit code for an exception."""
    return next(code for kind, code in EXIT_CODES.items() if isinstance(error, kind))


def one_sentence(error: BaseException) -> str:
    """What to print for an exception."""
    if isinstance(error, (KeyboardInterrupt, click.exceptions.Abort)):
        notes = getattr(error.__cause__ or error, "__notes__", [])  # click raises an Abort because of the interrupt
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
        return f"Error: {in_options(str(error))}"
    if isinstance(error, OSError):
        return f"Error: {_refusal(error)}"
    return (
        f"Error: {type(error).__name__}: {error} (this is a defect of topicweave; run again with --debug to see where)"
    )


def in_options(message: str) -> str:
    """A message of the library, with the options of the command line in place of Python's arguments."""
    for pattern, words in WORDS.items():
        message = re.sub(pattern, words, message)
    return re.sub(r"--[a-z_]+", lambda option: option[0].replace("_", "-"), message)


def _where_to_look(error: click.UsageError) -> str:
    return f" See '{error.ctx.command_path} --help'." if error.ctx is not None else ""


def _refusal(error: OSError) -> str:
    """What the operating system refused, without its numbers."""
    reason = error.strerror or str(error) or type(error).__name__
    return f"{error.filename}: {reason}." if error.filename else f"{reason}."

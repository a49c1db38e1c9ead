"""From an exception to what the user sees: one sentence and an exit code."""

from __future__ import annotations

import click

from topicweave.errors import InfeasibleError, InputError, TopicweaveError

# The first class that fits decides; 1 is kept for the answer "no" (verify).
EXIT_CODES: dict[type[BaseException], int] = {
    KeyboardInterrupt: 130,
    click.exceptions.Abort: 130,
    InfeasibleError: 3,
    InputError: 2,
    TopicweaveError: 2,
    click.ClickException: 2,
    OSError: 2,
    MemoryError: 3,
    Exception: 70,
}


def exit_code(error: BaseException) -> int:
    """The exit code for an exception."""
    return next(code for kind, code in EXIT_CODES.items() if isinstance(error, kind))


def one_sentence(error: BaseException) -> str:
    """What to print for an exception."""
    if isinstance(error, (KeyboardInterrupt, click.exceptions.Abort)):
        return "Interrupted; nothing unfinished was left behind."
    if isinstance(error, click.ClickException):
        return f"Error: {error.format_message()}"
    if isinstance(error, MemoryError):
        return "Error: The machine ran out of memory; give fewer nodes or more memory."
    if isinstance(error, (TopicweaveError, OSError)):
        return f"Error: {error}"
    return (
        f"Error: {type(error).__name__}: {error} (this is a defect of topicweave; run again with --debug to see where)"
    )

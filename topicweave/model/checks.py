"""Checks that every room makes: is it the noun that is needed, is it the path of a file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from topicweave.errors import InputError


def check_kind(
    given: Any, kind: type | tuple[type, ...], needs: str, advice: str, error: type[InputError] = InputError
) -> None:
    """Raise unless ``given`` is of this kind; ``needs`` begins the sentence and ``advice`` ends it."""
    if not isinstance(given, kind):
        raise error(f"{needs}, but got a {type(given).__name__}; {advice}.")


def as_path(given: Any, what: str) -> Path:
    """Return ``given`` as a path; what cannot be one is an error that says of what the path should be."""
    try:
        return Path(given)
    except TypeError:
        raise InputError(
            f"The path of {what} is needed, but got a {type(given).__name__}; give a string or a pathlib.Path."
        ) from None

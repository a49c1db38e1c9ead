"""Labels: the names of nodes and topics. They are always ``str``, and nodes and topics are numbered in sorted label
order.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import numpy as np

from topicweave.errors import InputError, LabelError

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    from numpy.typing import NDArray

UNSEEN = "\u200b\ufeff"  # invisible characters that Python does not count as white space
BLANKS = "".join(chr(code) for code in range(0x3001) if chr(code).isspace()) + UNSEEN
ADDRESS = " at 0x"  # appears in str(object) if the object has no text of its own


def as_label(value: Any, what: str) -> str:
    """Return ``value`` as a label, or raise an error that says why it cannot be one."""
    if isinstance(value, str):
        check_texts((value,), what)
        return value
    if type(value) is int:
        return str(value)
    try:
        hash(value)
    except TypeError:
        raise _no_label(value, what) from None
    # pandas.NA is recognised by its type, because comparing it gives neither True nor False. Arrays were already
    # rejected above, because they are unhashable.
    if value is None or type(value).__name__ in ("NAType", "NaTType") or value != value:
        raise LabelError(f"A {what} label is missing ({value!r}); drop the row or give it a name.")
    if isinstance(value, bytes):
        raise _no_label(value, what, "decode it to a string")
    name = str(value)
    if ADDRESS in name:  # such a text contains a memory address, which differs in every run
        raise _no_label(value, what)
    return name


def check_texts(texts: Sequence[str], what: str) -> None:
    """Raise an error for a text that is blank or cannot be written to a file; checking many texts takes hardly longer
    than checking one.
    """
    joined = "".join(texts)
    if not all(map(str.strip, texts)) or any(letter in joined for letter in UNSEEN):
        blank = next((text for text in texts if not text.strip(BLANKS)), None)
        if blank is not None:
            raise LabelError(f"A {what} label is blank ({blank!r}); drop the row or give it a name.")
    if not joined.isascii():
        try:
            joined.encode()
        except UnicodeEncodeError:
            bad = next(text for text in texts if re.search("[\ud800-\udfff]", text))
            raise LabelError(
                f"A {what} label contains a lone surrogate ({bad!r}), one half of a character that is encoded in two, "
                f"so it cannot be written to a file; decode the text again, from its original bytes."
            ) from None


def _no_label(value: Any, what: str, advice: str = "use a string or a number") -> LabelError:
    return LabelError(f"A {what} label is a {type(value).__name__} ({value!r}), which cannot name anything; {advice}.")


def listed(given: Any, what: str) -> Iterable[Any]:
    """Return ``given`` if it is a collection; a single string is refused, because its letters would be taken
    for items.
    """
    if isinstance(given, str | bytes) or not isinstance(given, Iterable):
        raise InputError(f"A list of {what}s was asked for, but one value ({given!r}) was given; put it in a list.")
    return given


def as_labels(given: Sequence[Any], what: str) -> tuple[str, ...]:
    """Return the items as labels, in order; a list that contains only labels is recognised quickly and returned as it
    is.
    """
    if isinstance(given, tuple) and set(map(type, given)) <= {str}:
        check_texts(given, what)
        return given
    return tuple(as_label(label, what) for label in listed(given, what))


def sorted_labels(labels: Iterable[Any], what: str) -> tuple[str, ...]:
    """Return the distinct labels in sorted order."""
    return tuple(sorted({as_label(label, what) for label in listed(labels, what)}))


def numbers_by_label(labels: Sequence[str]) -> dict[str, int]:
    """Return the number of each label."""
    return {label: number for number, label in enumerate(labels)}


def find_numbers(wanted: Iterable[Hashable], numbers: dict[str, int], what: str) -> NDArray[np.int64]:
    """Translate labels to numbers; an unknown label is an error that names it."""
    found = []
    for label in listed(wanted, what):
        name = as_label(label, what)
        if name not in numbers:
            raise InputError(
                f"There is no {what} {name!r} among the {len(numbers)} known; check the spelling or add it first."
            )
        found.append(numbers[name])
    return np.array(found, dtype=np.int64)

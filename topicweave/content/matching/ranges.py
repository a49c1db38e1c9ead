"""Ranges over attributes: the form in which subscriptions are given, checked, and compared with one publication."""

from __future__ import annotations

import math
import sys
from collections.abc import Mapping
from typing import Any

from topicweave.errors import InputError

Ranges = Mapping[str, tuple[float, float]]


def as_ranges(given: Any) -> dict[str, tuple[float, float]]:
    """A conjunction of ranges as a dictionary from attribute to (low, high), both included; raises an error that says
    what is wrong with it.

    An end that is ``None`` means that there is no limit on this side.
    """
    if not isinstance(given, Mapping):
        raise InputError(f"A subscription is a mapping of attribute to (low, high), but {given!r:.80} was given.")
    found = {}
    for attribute, ends in given.items():
        if not isinstance(attribute, str):
            raise InputError(f"The name of an attribute must be text, but is {attribute!r:.80}.")
        if not isinstance(ends, tuple | list) or len(ends) != 2:
            raise InputError(f"The range of attribute {attribute!r:.80} must be (low, high), but is {ends!r:.80}.")
        low, high = (_end(attribute, end, limit) for end, limit in zip(ends, (-math.inf, math.inf), strict=True))
        if not low <= high:
            raise InputError(f"The range of attribute {attribute!r:.80} ends at {high:g}, below its start {low:g}.")
        found[attribute] = low, high
    return found


def _end(attribute: str, given: Any, limit: float) -> float:
    if given is None:
        return limit
    if isinstance(given, bool) or not isinstance(given, int | float):
        raise InputError(f"The ends of the range of attribute {attribute!r:.80} must be numbers, not {given!r:.80}.")
    try:
        end = float(given)
    except OverflowError:
        end = math.nan
    if math.isnan(end):
        raise InputError(f"The range of attribute {attribute!r:.80} has the end {given!r:.80}; give finite numbers.")
    return end


def as_point(given: Any) -> dict[str, float]:
    """The content of a publication as a dictionary from attribute to value; raises an error that says what is wrong
    with it.
    """
    if not isinstance(given, Mapping):
        raise InputError(f"The content is a mapping of attribute to value, but {given!r:.80} was given.")
    found = {}
    for attribute, value in given.items():
        if not isinstance(attribute, str):
            raise InputError(f"The name of an attribute must be text, but is {attribute!r:.80}.")
        if isinstance(value, bool) or not isinstance(value, int | float) or not abs(value) <= sys.float_info.max:
            raise InputError(f"The value of attribute {attribute!r:.80} must be a finite number, not {value!r:.80}.")
        found[attribute] = float(value)
    return found


def is_inside(point: Mapping[str, float], ranges: Ranges) -> bool:
    """Whether a publication with this content is inside all ranges; an attribute without a value is inside only if its
    range is unlimited.
    """
    for attribute, (low, high) in ranges.items():
        value = point.get(attribute)
        if (-math.inf, math.inf) != (low, high) and (value is None or not low <= value <= high):
            return False
    return True

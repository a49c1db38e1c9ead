"""Checks of the numbers a workload is asked for."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from topicweave.errors import ParameterError


def check_count(name: str, value: Any) -> int:
    """Return ``value`` as a positive whole number, or say why it is none."""
    if not isinstance(value, bool | np.bool_):
        try:
            number = operator.index(value)
        except TypeError:
            number = 0
        if number >= 1:
            return number
    raise ParameterError(f"{name} must be a positive whole number, but is {value!r}; give 1 or more.")


def seeded_generator(seed: Any) -> np.random.Generator:
    """The generator of all workloads: its bit stream depends on the seed alone, not on the machine."""
    if not isinstance(seed, bool | np.bool_):
        try:
            number = operator.index(seed)
        except TypeError:
            number = -1
        if number >= 0:
            return np.random.Generator(np.random.PCG64(number))
    raise ParameterError(f"seed must be a whole number, 0 or more, but is {seed!r}; give for example seed=0.")

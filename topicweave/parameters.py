"""Parameters: their names, their allowed values, and the error messages for bad values.

This is the one place that checks numbers, names and types, and whether a request fits into memory. The tables of
algorithms, content methods and maintainers describe their parameters with :class:`Parameter`; the command line makes
its options and their help from them. Functions that are not in a table check their arguments with :func:`check_whole`,
:func:`check_number`, :func:`check_choice` and :func:`check_kind`.

    >>> k = Parameter("k", float, "how many times more a link must bring", 3.0, minimum=1)
    >>> k.check(2)
    2.0
    >>> k.check(0.5)
    Traceback (most recent call last):
    topicweave.errors.ParameterError: k must be a number, 1 or more, but is 0.5.
"""

from __future__ import annotations

import math
import os
import re
import sys
from dataclasses import dataclass
from difflib import get_close_matches
from importlib import import_module
from numbers import Real
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, TypeVar

from topicweave.errors import Argument, InputError, ParameterError, Remedy, TooLargeError, UnknownAlgorithmError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    import numpy as np
    from numpy.typing import NDArray

    Entry = TypeVar("Entry")

REQUIRED = object()
SHARE_OF_FREE_MEMORY = 0.75
LARGEST = 2**62  # larger whole numbers are lowered to this: as limits they mean the same, but compiled code overflows


@dataclass(frozen=True)
class Parameter:
    """One parameter of an algorithm, maintainer or method.

    Attributes
    ----------
    name
        Its name in Python; its option on the command line has dashes for underscores.
    kind
        ``int``, ``float``, ``str`` or ``bool``; ``object`` for values that its function checks itself and the command
        line does not offer.
    help
        What it means: a phrase without a capital letter at the beginning or a full stop at the end.
    default
        The value if it is not given; ``REQUIRED`` if there is none. If it is ``None``, ``None`` may also be given.
    minimum, maximum
        The range of a number; ``None`` for no limit.
    is_finite
        Whether infinity is refused.
    choices
        The values that a string may have; if there are none, any string is accepted.
    noun
        What messages call a choice; by default the parameter's name.
    takes_objects
        Whether callers from Python may also pass objects other than strings, which the function checks itself.
    is_size
        Whether it is a number of bytes, which may also be a string such as ``"2G"``.
    from_ratio
        For budgets: the figure of the MinMax-ODA design that ``budget_ratio`` is a share of (PART Eq. 36).
    """

    name: str
    kind: type
    help: str
    default: Any = REQUIRED
    minimum: float | None = None
    maximum: float | None = None
    is_finite: bool = False
    choices: tuple[str, ...] = ()
    noun: str = ""
    takes_objects: bool = False
    is_size: bool = False
    from_ratio: str | None = None

    @property
    def is_required(self) -> bool:
        """Whether the parameter must be given because it has no default."""
        return self.default is REQUIRED

    def check(self, value: Any) -> Any:
        """Return the value converted to the parameter's type, or raise a ParameterError that says what is wrong with
        it.
        """
        if self.kind is object or (value is None and self.default is None):
            return value
        if self.kind is bool:
            return check_flag(self.name, value)
        if self.takes_objects and not isinstance(value, str):
            return value
        if self.kind is str:
            return check_choice(self.noun or self.name, value, self.choices, parameter=self.name)
        if self.is_size and isinstance(value, str):
            value = parse_size(self.name, value)
        if self.kind is int:
            return check_whole(self.name, value, self.minimum, self.maximum)
        return check_number(self.name, value, self.minimum, self.maximum, is_finite=self.is_finite)


# ---- single values ---------------------------------------------------------------------------------------------------


def check_whole(name: str, value: Any, minimum: float | None = None, maximum: float | None = None) -> int:
    """Return ``value`` as an integer within the range; 3.0 is accepted, ``True`` and ``"3"`` are not."""
    if _is_number(value, minimum, maximum) and value not in (math.inf, -math.inf) and int(value) == value:
        return int(value)
    raise _refusal(name, value, "a whole number", minimum, maximum)


def check_number(
    name: str, value: Any, minimum: float | None = None, maximum: float | None = None, *, is_finite: bool = False
) -> float:
    """Return ``value`` as a number, or raise an error if it is out of range."""
    if _is_number(value, minimum, maximum):
        try:
            number = float(value)
        except OverflowError:  # the value is a whole number that is too large for a float
            number = math.inf if value > 0 else -math.inf
        if not (is_finite and math.isinf(number)):
            return number
    raise _refusal(name, value, "a finite number" if is_finite else "a number", minimum, maximum)


def check_count(name: str, value: Any, minimum: int = 1) -> int:
    """Return ``value`` as a count, an integer of at least ``minimum``; values above 2**62 are lowered to 2**62, because
    that many of anything would not fit into memory anyway.
    """
    return min(check_whole(name, value, minimum), LARGEST)


def whole_numbers(given: Any, what: str, num_dimensions: int) -> NDArray[np.integer[Any]]:
    """Return ``given`` as an array of integers, or raise an error whose message begins with ``what``."""
    import numpy as np

    try:
        array = np.asarray(given)
    except (TypeError, ValueError, OverflowError):  # not a rectangular array: its rows have different lengths
        array = np.empty(0, dtype=object)
    if array.ndim == num_dimensions and array.size == 0 and array.dtype.kind in "fiu":
        return array.astype(np.int64)
    if array.ndim != num_dimensions or array.dtype.kind not in "iu" or (array.size and array.max() >= 2**63):
        raise InputError(
            f"{what} must be whole numbers in an array of {num_dimensions} "
            f"dimension{'s' if num_dimensions > 1 else ''}, but a {type(given).__name__} was given that is not; "
            f"give integers."
        )
    return array


def parse_size(name: str, text: str) -> int:
    """The number of bytes that a string stands for, such as ``"2G"``, ``"500 MB"`` or ``"1.5GiB"``."""
    found = re.fullmatch(r"\s*(\d{1,15}(?:\.\d{1,9})?)\s*([KMGT]?)(i?)B?\s*", text, re.IGNORECASE)
    if found is None:
        raise ParameterError(
            "{parameter} must be a number of bytes such as 2000000000 or 2G, but is {value!r}.",
            parameter=name, value=text,
        )  # fmt: skip
    return int(float(found[1]) * (1024 if found[3] else 1000) ** ("KMGT".find(found[2].upper()) + 1 if found[2] else 0))


def check_seed(seed: Any) -> int:
    """Return ``seed`` as an integer of at least 0; different seeds stay different, however large they are."""
    return check_whole("seed", seed, 0)


def seeded_generator(seed: Any) -> np.random.Generator:
    """A random generator whose output depends only on the seed, not on the machine."""
    import numpy as np

    return np.random.Generator(np.random.PCG64(check_seed(seed)))


def check_flag(name: str, value: Any) -> bool:
    """Return ``value`` if it is True or False; other values are refused, because a string such as ``"no"`` would count
    as true.
    """
    # NumPy's bool is recognised by its name, without importing NumPy.
    if isinstance(value, bool) or type(value).__name__ in ("bool", "bool_"):
        return bool(value)
    raise ParameterError("{parameter} must be True or False, but is {value!r}.", parameter=name, value=value)


def check_choice(noun: str, value: Any, choices: Sequence[str], *, parameter: str | None = None) -> str:
    """Return ``value`` if it is one of the choices; without a list of choices, any text is accepted."""
    if isinstance(value, str) and (value in choices or not choices):
        return value
    if not choices:
        raise ParameterError("{parameter} must be a text, but is {value!r}.", parameter=parameter or noun, value=value)
    raise ParameterError(
        "There is no {noun} {value!r}; {hint}",
        noun=noun, value=value, hint=did_you_mean(value, choices), parameter=parameter or noun,
    )  # fmt: skip


def check_function(name: str, value: Any, remedy: str = "leave it out for none") -> None:
    """Raise an error unless ``value`` is ``None`` or callable."""
    if value is not None and not callable(value):
        raise ParameterError(
            "{parameter} must be a function, but {value!r} was given; {advice}.",
            parameter=name, value=value, advice=remedy,
        )  # fmt: skip


def _is_number(value: Any, minimum: float | None, maximum: float | None) -> bool:
    if not isinstance(value, Real) or isinstance(value, bool):
        return False
    low = -math.inf if minimum is None else minimum
    high = math.inf if maximum is None else maximum
    return bool(low <= value and value <= high)  # type: ignore[operator]  # false for NaN


def _refusal(name: str, value: Any, what: str, minimum: float | None, maximum: float | None) -> ParameterError:
    if minimum is not None and maximum is not None:
        what += f" from {minimum:g} to {maximum:g}"
    elif minimum is not None:
        what += f", {minimum:g} or more"
    elif maximum is not None:
        what += f", {maximum:g} or less"
    return ParameterError("{parameter} must be {what}, but is {value!r}.", parameter=name, what=what, value=value)


# ---- tables of entries with parameters -------------------------------------------------------------------------------


def did_you_mean(name: Any, known: Sequence[str]) -> str:
    """The end of an error message: suggests the most similar name, or lists all names."""
    close = get_close_matches(str(name).lower(), known, n=1)
    return f"did you mean {close[0]!r}?" if close else "choose one of: " + ", ".join(known) + "."


def find_entry(noun: str, name: Any, table: Mapping[str, Entry]) -> Entry:
    """Find an entry of a table by name; ``noun`` says what kind of entry it is, such as ``algorithm``."""
    if not isinstance(name, str) or name not in table:
        raise UnknownAlgorithmError(f"There is no {noun} {name!r}; {did_you_mean(name, list(table))}")
    return table[name]


class HasParameters(Protocol):
    """An entry of a table of algorithms, content methods or maintainers: anything that lists its parameters."""

    @property
    def parameters(self) -> tuple[Parameter, ...]:
        """The parameters that the entry takes."""


class Offer(NamedTuple):
    """A parameter, and the names of the table entries that take it."""

    parameter: Parameter
    takers: tuple[str, ...]


def offered_parameters(table: Mapping[str, HasParameters]) -> list[Offer]:
    """All parameters of the entries of a table; a parameter that several entries share is listed once."""
    takers: dict[Parameter, list[str]] = {}
    for name, entry in table.items():
        for parameter in entry.parameters:
            takers.setdefault(parameter, []).append(name)
    return [Offer(parameter, tuple(names)) for parameter, names in takers.items()]


def fill(owner: str, parameters: Sequence[Parameter], given: Mapping[str, Any]) -> dict[str, Any]:
    """Check the given values and add defaults for the others; a missing value without a default is an error.

    Parameters
    ----------
    owner
        The name of the entry that takes the parameters, for messages.
    """
    known = [parameter.name for parameter in parameters]
    for name in given:
        if name not in known:
            what = f"its parameters are: {', '.join(known)}." if known else "it has none."
            raise ParameterError(f"{owner!r} has no parameter {name!r}; {what}")
    filled = {}
    for parameter in parameters:
        if parameter.name in given:
            checked = parameter.check(given[parameter.name])
            filled[parameter.name] = min(checked, LARGEST) if parameter.kind is int and checked is not None else checked
        elif parameter.is_required:
            raise _missing(owner, parameter)
        else:
            filled[parameter.name] = parameter.default
    return filled


def _missing(owner: str, parameter: Parameter) -> ParameterError:
    needed = Argument(parameter.name)
    if parameter.from_ratio:
        return ParameterError(
            "{owner!r} needs {needed} or {ratio}: {help}.",
            owner=owner, needed=needed, ratio=Argument("budget_ratio"), help=parameter.help,
        )  # fmt: skip
    return ParameterError("{owner!r} needs {needed}: {help}.", owner=owner, needed=needed, help=parameter.help)


def check_kind(
    given: Any, kind: type | tuple[type, ...], needs: str, advice: str, error: type[InputError] = InputError
) -> None:
    """Raise an error unless ``given`` has this type; the message begins with ``needs`` and ends with ``advice``."""
    if not isinstance(given, kind):
        raise error(f"{needs}, but got a {type(given).__name__}; {advice}.")


def default_limit() -> int:
    """Three quarters of the machine's free memory."""
    try:
        with open("/proc/meminfo") as info:
            free = next(int(line.split()[1]) * 1024 for line in info if line.startswith("MemAvailable"))
    except (OSError, StopIteration):
        if not hasattr(os, "sysconf"):  # Windows has neither /proc/meminfo nor sysconf
            return sys.maxsize
        free = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return int(free * SHARE_OF_FREE_MEMORY)


def check_fits(what: str, needed: int, remedy: str | Remedy, limit: int | None = None) -> None:
    """Raise TooLargeError if more than ``limit`` bytes are needed (default: three quarters of the free memory)."""
    allowed = default_limit() if limit is None else limit
    if needed > allowed:
        raise TooLargeError(
            "{what} would take about {needed}, more than the {allowed} allowed; {remedy}.",
            what=what, needed=_amount(needed), allowed=_amount(allowed), remedy=remedy,
        )  # fmt: skip


def _amount(num_bytes: int) -> str:
    return f"{num_bytes / 1e9:.2f} GB" if num_bytes >= 1e8 else f"{num_bytes / 1e6:.2f} MB"


class Deferred:
    """A function given as ``"package.module:function"``, which is imported only when it is first called.

    Tables that name their functions like this load quickly, without the libraries that the functions need.
    """

    def __init__(self, path: str) -> None:
        self.path = path

    def __repr__(self) -> str:
        return f"Deferred({self.path!r})"

    def __call__(self, *arguments: Any, **keywords: Any) -> Any:
        return self.load()(*arguments, **keywords)

    def load(self) -> Callable[..., Any]:
        """Import the function."""
        module, _, name = self.path.partition(":")
        function: Callable[..., Any] = getattr(import_module(module), name)
        return function

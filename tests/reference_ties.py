"""A plain twin of the order in which equally good links are chosen: by a hash of their labels."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from collections.abc import Set as AbstractSet

    Edge = tuple[int, int]
    TopicsOf = Mapping[int, AbstractSet[int]]
    Weights = dict[Edge, int]
    # Given the positive contributions and the whole overlay: the edges the rule allows next, none when it is done.
    Rule = Callable[[Weights, list[Edge]], set[Edge]]


def _scrambled(word: int) -> int:
    """The finaliser of splitmix64 (Steele, Lea, Flood: Fast splittable pseudorandom number generators, 2014)."""
    for shift, factor in ((30, 0xBF58476D1CE4E5B9), (27, 0x94D049BB133111EB)):
        word = (word ^ word >> shift) * factor % 2**64
    return word ^ word >> 31


def label_hash(label: str) -> int:
    """FNV-1a of the label's UTF-8 text, scrambled."""
    value = 14695981039346656037
    for octet in label.encode("utf-8", "surrogatepass"):
        value = (value ^ octet) * 1099511628211 % 2**64
    return _scrambled(value)


def tie_key(one: str, other: str, key_of_seed: int) -> int:
    """The position of a pair of labels among equally good pairs; the lowest comes first."""
    return _scrambled((label_hash(one) + label_hash(other) + key_of_seed) % 2**64)

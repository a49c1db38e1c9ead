"""Refuse designs that would not fit, before anything is allocated."""

from __future__ import annotations

from topicweave.model.memory import check_fits
from topicweave.model.memory import default_limit as default_limit

ALL_PAIRS = "take candidates='near' (a few partners for each node), give pairs= (only the links worth looking at)"
NEAR = "take fewer num_candidates="
GIVEN_PAIRS = "give fewer pairs="


def check_memory(num_nodes: int, needed: int, limit: int | None, advice: str = ALL_PAIRS) -> None:
    """Raise TooLargeError if ``needed`` bytes are more than ``limit`` (default: three quarters of the free memory)."""
    check_fits(f"Designing for {num_nodes:,} nodes", needed, f"{advice}, or raise memory_limit= (bytes)", limit)

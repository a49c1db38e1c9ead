"""Refuse what would not fit, before anything is allocated."""

from __future__ import annotations

import os
import sys

from topicweave.errors import Remedy, TooLargeError

SHARE_OF_FREE_MEMORY = 0.75


def default_limit() -> int:
    """Three quarters of what the machine has free."""
    try:
        with open("/proc/meminfo") as info:
            free = next(int(line.split()[1]) * 1024 for line in info if line.startswith("MemAvailable"))
    except (OSError, StopIteration):
        if not hasattr(os, "sysconf"):  # Windows tells neither
            return sys.maxsize
        free = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return int(free * SHARE_OF_FREE_MEMORY)


def check_fits(what: str, needed: int, remedy: str | Remedy, limit: int | None = None) -> None:
    """Raise TooLargeError if ``needed`` bytes are more than ``limit`` (default: three quarters of the free memory)."""
    allowed = default_limit() if limit is None else limit
    if needed > allowed:
        raise TooLargeError(
            "{what} would take about {needed}, more than the {allowed} allowed; {remedy}.",
            what=what, needed=_amount(needed), allowed=_amount(allowed), remedy=remedy,
        )  # fmt: skip


def _amount(num_bytes: int) -> str:
    return f"{num_bytes / 1e9:.2f} GB" if num_bytes >= 1e8 else f"{num_bytes / 1e6:.2f} MB"

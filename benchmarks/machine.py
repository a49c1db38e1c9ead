"""The machine and software of a measurement."""

from __future__ import annotations

import os
import platform
from importlib import metadata
from pathlib import Path
from typing import Any

PACKAGES = ("numpy", "numba", "llvmlite", "scipy")
QUIET = 0.5  # a one-minute load above this means that the machine is also in use otherwise


def describe() -> dict[str, Any]:
    """The machine and the versions, for the record."""
    import numba

    from topicweave import __version__

    return {
        "cpu": cpu_name(),
        "cores": os.cpu_count(),
        "threads": int(numba.config.NUMBA_NUM_THREADS),
        "system": platform.platform(),
        "load_at_start": load(),
        "versions": {
            "python": platform.python_version(),
            "topicweave": __version__,
            **{name: metadata.version(name) for name in PACKAGES},
        },
    }


def cpu_name() -> str:
    """The processor's name for itself."""
    info = Path("/proc/cpuinfo")
    if info.exists():
        for line in info.read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()


def load() -> float | None:
    """How many processes wanted to run in the last minute, if the system says so."""
    return os.getloadavg()[0] if hasattr(os, "getloadavg") else None

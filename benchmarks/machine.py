"""The machine and software on which a measurement was made."""

from __future__ import annotations

import os
import platform
from importlib import metadata
from pathlib import Path
from typing import Any

PACKAGES = ("numpy", "numba", "llvmlite", "scipy")
QUIET = 0.5  # a load above this during the last minute means that something else is running on the machine


def describe() -> dict[str, Any]:
    """Describe the machine and the versions of the software."""
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
    """The name of the processor."""
    info = Path("/proc/cpuinfo")
    if info.exists():
        for line in info.read_text().splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    return platform.processor() or platform.machine()


def load() -> float | None:
    """The load average of the last minute; None if the system does not provide it."""
    return os.getloadavg()[0] if hasattr(os, "getloadavg") else None

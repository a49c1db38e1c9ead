"""The child process of :mod:`benchmarks.startup`: it imports topicweave first of all, and may then make a design.

It imports nothing else of this project, because that would load what is to be timed.
"""

from __future__ import annotations

import json
import sys
import time
from typing import Any

ALGORITHMS = ("gm", "minmax")


def main() -> None:
    """Import topicweave, or import it and make a design (``import`` or ``design`` on the command line); print the time
    taken.
    """
    start = time.perf_counter()
    import topicweave as tw

    found: dict[str, Any] = {"seconds": time.perf_counter() - start, "numba": "numba" in sys.modules}
    if sys.argv[1] == "design":
        from numba.core import event

        interest = tw.workloads.synthetic(200, 50, subscriptions=5, seed=0)
        with event.install_recorder("numba:compile") as compilations:
            for algorithm in ALGORITHMS:
                tw.design(interest, algorithm)
        found["seconds"] = time.perf_counter() - start
        found["compiled"] = sum(one.is_start for _, one in compilations.buffer)
        found["cache_hits"] = cache_hits()
    print(json.dumps(found))


def cache_hits() -> int:
    """How many kernels of topicweave were loaded from the disk cache, as counted by numba."""
    from numba.core.dispatcher import Dispatcher

    kernels = {
        id(value): value
        for name, module in list(sys.modules.items())
        if name.startswith("topicweave")
        for value in vars(module).values()
        if isinstance(value, Dispatcher)
    }
    return sum(sum(kernel.stats.cache_hits.values()) for kernel in kernels.values())


if __name__ == "__main__":
    main()

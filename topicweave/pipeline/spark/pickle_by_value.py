"""How our functions reach Spark's Python workers."""

from __future__ import annotations

import sys
from typing import Any, TypeVar

Shipped = TypeVar("Shipped", bound=Any)

# Modules whose code runs on workers. They are sent along with the function, so that a worker needs NumPy, SciPy,
# pandas and PyArrow, but not this package. They import names from each other, never whole modules of this room.
_WORKER_MODULES = (
    "topicweave.pipeline.sources.mqtt",
    "topicweave.pipeline.workers.labels",
    "topicweave.pipeline.workers.encode",
    "topicweave.pipeline.workers.blocks",
    "topicweave.pipeline.workers.components",
    "topicweave.pipeline.workers.diameters",
)


def runs_on_workers(function: Shipped) -> Shipped:
    """Mark a function for the journey: what it uses of this room travels with it."""
    from pyspark import cloudpickle

    for name in _WORKER_MODULES:
        module = sys.modules.get(name)
        if module is not None:
            cloudpickle.register_pickle_by_value(module)  # type: ignore[no-untyped-call]
    return function

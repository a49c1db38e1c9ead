"""The peak memory of a design, measured in a separate process."""

from __future__ import annotations

import json
import sys
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.checks import Bar, Row
from benchmarks.children import run_child
from benchmarks.instances import Instance

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from benchmarks.lab import Demand, Lab


@dataclass(frozen=True)
class PeakMemory:
    """The peak memory of a process that draws the instance and designs an overlay for it with ``gm``."""

    instance: Instance
    bar: Bar

    def demands(self) -> Sequence[Demand]:
        return []

    def rows(self, lab: Lab) -> Iterator[Row]:
        instance = lab.instance(self.instance)
        lab.tell(f"peak memory of gm on {instance.name}")
        found = run_child("benchmarks.memory", json.dumps(asdict(instance)))
        lab.tell(None)
        yield Row(
            f"peak memory of gm: {instance.name}",
            found["peak_bytes"] / 1e9,
            unit="GB",
            bar=self.bar,
            detail=f"{found['before_bytes'] / 1e9:.2f} GB before the design",
        )


def peak_bytes() -> int:
    """The largest amount of memory that this process has used so far.

    On Linux from /proc: getrusage also counts the memory of the parent process, which belongs to the child until the
    new program is loaded.
    """
    status = Path("/proc/self/status")
    if status.exists():
        for line in status.read_text().splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) * 1024
    import resource

    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit


def main() -> None:
    """The child process: draws the instance described as JSON, designs an overlay, and prints the measurements."""
    import topicweave as tw

    wanted = json.loads(sys.argv[1])
    sizes = wanted["subscriptions"]
    wanted["subscriptions"] = tuple(sizes) if isinstance(sizes, list) else sizes
    interest = Instance(**wanted).generate()
    before = peak_bytes()
    tw.design(interest, "gm", ties="balanced", seed=0)
    print(json.dumps({"before_bytes": before, "peak_bytes": peak_bytes()}))


if __name__ == "__main__":
    main()

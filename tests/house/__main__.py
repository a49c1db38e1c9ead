"""The figures behind the rules of the house: ``python -m tests.house [--root FOLDER] [--core PATTERN …]``.

``--root`` measures another checkout, ``--core`` says which of its files are the greedy core.
"""

from __future__ import annotations

import argparse
import statistics
from pathlib import Path

from tests.house.calls import CORE, core_of, count_calls, helpers_of, long_signatures
from tests.house.imports import circles
from tests.house.names import private_uses, renamed_modules
from tests.house.source import read_package

CHECKOUT = Path(__file__).resolve().parents[2]


def main() -> None:
    """Print the figures, and what they are made of with ``--list``."""
    parser = argparse.ArgumentParser(prog="python -m tests.house", description="Print the figures of the house.")
    parser.add_argument("--root", type=Path, default=CHECKOUT, help="the folder that holds the package")
    parser.add_argument("--core", nargs="+", default=CORE, metavar="PATTERN", help="the files of the greedy core")
    parser.add_argument("--list", action="store_true", help="name every case")
    options = parser.parse_args()
    tree = read_package(options.root)
    core = core_of(tree, options.core)
    calls = count_calls(tree, core)
    with_helpers = count_calls(tree, core, helpers_of(tree, core))
    sizes = {source.path: source.num_lines for source in tree.values() if not source.is_package}
    lines = sum(source.num_lines for source in core)
    print(f"{len(sizes)} files without __init__: median {statistics.median(sizes.values()):g} lines, ", end="")
    print(f"largest {max(sizes.values())}, {sum(size < 25 for size in sizes.values())} below 25")
    print(f"greedy core: {len(core)} files, {lines} lines")
    for what, counted in (("", calls), (", those to other kernels included", with_helpers)):
        print(f"calls in the core{what}: {len(counted.within)} within a file, {len(counted.across)} across, ", end="")
        print(f"{counted.share:.1%} cross")
    cases = {
        "functions of the core with more than eight parameters": long_signatures(core),
        "private names of other files": private_uses(tree),
        "modules under another name": renamed_modules(tree),
        "circles of imports": {" <-> ".join(group) for group in circles(tree)},
        "the same with imports inside functions": {" <-> ".join(group) for group in circles(tree, in_functions=True)},
    }
    if options.list:
        cases |= {"calls across files": set(calls.across)}
        cases |= {"below 25 lines": {path for path, size in sizes.items() if size < 25}}
    for what, found in cases.items():
        print(f"{len(found)} {what}")
        for one in sorted(found) if options.list else ():
            print(f"  {one}")


if __name__ == "__main__":
    main()

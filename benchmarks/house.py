"""How many files of the package the main job executes, which is how much code a reader has to go through.

``python -m benchmarks.house`` runs

    topicweave design examples/brokers.csv --algorithm low --k 3 --out FOLDER

under coverage and counts the files of ``topicweave/`` (without ``__init__``) of which a line was executed in the driver
process; ``--list`` names them. Templates of pages are counted separately. An imported file counts, because its first
lines are then executed; code that runs in Spark's Python workers, or compiled, does not. ``--root FOLDER`` measures
another checkout with the same environment:

    python -m benchmarks.house --root ../before
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.children import CHECKOUT

if TYPE_CHECKING:
    from collections.abc import Sequence

PROGRAM = "import sys\nfrom topicweave.cli.main import main\nsys.exit(main())\n"
ARGUMENTS = ("design", "examples/brokers.csv", "--algorithm", "low", "--k", "3", "--out")


def files_executed(root: Path, arguments: Sequence[str] = ARGUMENTS, out: str = "plan") -> list[str]:
    """The files of the package below ``root`` in which a run of the command line executes at least one line.

    Parameters
    ----------
    root
        The checkout to measure.
    arguments
        Arguments of the command, up to ``--out``.
    out
        The name of the output, which is removed afterwards.
    """
    from coverage import CoverageData

    with tempfile.TemporaryDirectory() as folder:
        data, program, empty = (Path(folder) / name for name in ("data", "program.py", "settings"))
        program.write_text(PROGRAM)
        empty.write_text("")  # an empty file, so that the checkout's own settings do not apply
        run = [sys.executable, "-m", "coverage", "run", f"--rcfile={empty}", f"--data-file={data}"]
        command = [*run, f"--source={root / 'topicweave'}", str(program), *arguments, str(Path(folder) / out)]
        environment = {**os.environ, "PYTHONPATH": str(root)}
        done = subprocess.run(command, cwd=root, env=environment, capture_output=True, text=True, check=False)
        if done.returncode:
            raise RuntimeError(f"topicweave {' '.join(arguments)} ended with code {done.returncode}:\n{done.stderr}")
        measured = CoverageData(str(data))
        measured.read()
        executed = [Path(file) for file in measured.measured_files() if measured.lines(file)]
    return sorted(file.relative_to(root).as_posix() for file in executed if file.name != "__init__.py")


def main(arguments: Sequence[str] | None = None) -> None:
    """Count and print the files, given command-line arguments."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.house", description="Count the files of the package that the main job executes."
    )
    parser.add_argument("--root", type=Path, default=CHECKOUT, help="the checkout to measure (default: this one)")
    parser.add_argument("--list", action="store_true", help="name the files")
    options = parser.parse_args(arguments)
    root = options.root.resolve()
    executed = files_executed(root)
    files = [file for file in executed if file.endswith(".py")]
    everything = [file for file in (root / "topicweave").rglob("*.py") if file.name != "__init__.py"]
    print(f"{len(files)} of {len(everything)} files of the package executed by topicweave {' '.join(ARGUMENTS[:-1])}")
    if len(executed) > len(files):  # templates are compiled to Python code as well, under names that are not files
        print(f"and {len(executed) - len(files)} templates")
    for file in executed if options.list else ():
        print(f"  {file}")


if __name__ == "__main__":
    main()

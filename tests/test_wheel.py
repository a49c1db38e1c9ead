"""The wheel holds the package and nothing else, and runs in an empty environment outside the checkout."""

import csv
import os
import shutil
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

CHECKOUT = Path(__file__).resolve().parents[1]
PROJECT = tomllib.loads((CHECKOUT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
LEAST = PROJECT["requires-python"].removeprefix(">=")
SUPPORTED = [
    name.split()[-1] for name in PROJECT["classifiers"] if name.startswith("Programming Language :: Python :: 3.")
]
DATA_FILES = {
    "topicweave/py.typed",
    "topicweave/pipeline/spark/log4j2.properties",
    *(
        f"topicweave/reports/templates/{name}.html"
        for name in ("base", "plan", "churn", "content", "difference", "network", "tradeoff")
    ),
    *(
        f"topicweave/reports/templates/{name}"
        for name in ("parts.html", "overlay.svg", "style.css", "search.js", "search_content.js", "search_overlay.js")
    ),
}


def python_of(version):
    """An interpreter of this version: this one, one on the path, or one of pyenv's or uv's."""
    if version == f"{sys.version_info.major}.{sys.version_info.minor}":
        return sys.executable
    pyenv = Path(os.environ.get("PYENV_ROOT", Path.home() / ".pyenv")) / "versions"
    found = [*sorted(pyenv.glob(f"{version}.*/bin/python"), reverse=True), shutil.which(f"python{version}")]
    if shutil.which("uv"):
        asked = subprocess.run(["uv", "python", "find", version], capture_output=True, text=True, check=False)
        found.append(asked.stdout.strip())
    return next((str(path) for path in found if path and runs(path)), None)


def runs(python):
    """Whether it starts (a shim of pyenv may stand for a version that is not there) and can make environments."""
    return subprocess.run([python, "-c", "import ensurepip"], capture_output=True, check=False).returncode == 0


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    """Built from the checkout, as for publication."""
    folder = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", str(folder), str(CHECKOUT)]
    subprocess.run(command, check=True)
    (file,) = folder.glob("*.whl")
    return file


def test_it_holds_the_package_and_nothing_else(wheel):
    """Every file of the package that git knows or would know, the files that are not Python among them."""
    names = zipfile.ZipFile(wheel).namelist()
    inside = {name for name in names if not name.split("/")[0].endswith(".dist-info")}
    assert {name.split("/")[0] for name in inside} == {"topicweave"}
    package = (CHECKOUT / "topicweave").rglob("*")
    assert inside == {
        file.relative_to(CHECKOUT).as_posix() for file in package if file.is_file() and "__pycache__" not in file.parts
    }
    assert {name for name in inside if not name.endswith(".py")} == DATA_FILES


@pytest.mark.parametrize("which", ["oldest", "newer"])
def test_it_designs_where_nothing_else_is(wheel, tmp_path, which):
    """In a new environment, in another folder, with nothing on the path: the plan is written and verified."""
    wanted = [LEAST] if which == "oldest" else [version for version in reversed(SUPPORTED) if version != LEAST]
    python = next(filter(None, map(python_of, wanted)), None)
    if python is None:
        pytest.skip(f"no Python {' or '.join(wanted)} on the path, in pyenv or in uv")
    clean = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "PYSPARK", "VIRTUAL"))}
    clean["NUMBA_CACHE_DIR"] = str(tmp_path / "cache")

    def run(*command):
        finished = subprocess.run(command, cwd=tmp_path, env=clean, capture_output=True, text=True, check=False)
        assert finished.returncode == 0, finished.stderr
        return finished.stdout

    run(python, "-m", "venv", "venv")
    binaries = tmp_path / "venv" / "bin"
    run(binaries / "python", "-m", "pip", "install", "--quiet", "--disable-pip-version-check", str(wheel))
    where = run(binaries / "python", "-c", "import topicweave; print(topicweave.__file__)")
    assert Path(where.strip()).is_relative_to(tmp_path / "venv")
    with (tmp_path / "in.csv").open("w", newline="") as file:
        csv.writer(file).writerows([("node", "topic"), *((f"n{number % 9}", f"t{number % 4}") for number in range(40))])
    said = run(binaries / "topicweave", "design", "in.csv", "--out", "plan")
    assert "every topic is connected" in said.lower()
    assert "<h1>Overlay of 9 nodes" in (tmp_path / "plan" / "report.html").read_text(encoding="utf-8")
    assert (tmp_path / "plan" / "edges.parquet").stat().st_size > 0

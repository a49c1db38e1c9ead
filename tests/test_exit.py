"""Scripts end properly: no thread, of ours or of a library we call, is cut off inside C++ code when Python exits.

"terminate called without an active exception" was seen once at the end of a script. The cause is in Arrow: a thread
that has read from an *open file of Python* lets go of it a moment later, needs Python for that, and takes the process
with it if Python is ending just then (2 of 25 processes that end at once; github.com/apache/arrow/issues/34314). Where
a path is given nothing of the kind can happen, so nothing here hands an open file to Arrow. ``pandas.read_parquet``
opens the file itself, whatever it is given.
"""

import ast
import subprocess
import sys
from pathlib import Path

import pyarrow.parquet as pq
import pytest

import topicweave as tw
from topicweave import churn

PACKAGE = Path(tw.__file__).parent
READERS = {"read_table", "read_schema", "read_metadata", "ParquetFile", "ParquetDataset", "dataset", "open_file"}
SCRIPT = """
import sys
import pyarrow.parquet as pq
import topicweave as tw
maintainer = tw.churn.load(sys.argv[1])
assert tw.verify(maintainer.interest, maintainer.overlay).topic_connected
frame = maintainer.overlay.to_pandas()
maintainer.leave(maintainer.interest.nodes[0])
assert len(pq.read_table(sys.argv[2]).to_pandas()) == len(frame)
tw.design(maintainer.interest, "gm", candidates="near")
"""


@pytest.mark.slow
def test_thirty_scripts_end_as_they_should(tmp_path):
    interest = tw.workloads.synthetic(300, 40, subscriptions=8, seed=1)
    maintainer = churn.Shadow(interest)
    churn.save(maintainer, tmp_path / "snapshot")
    pq.write_table(maintainer.overlay.to_arrow(), tmp_path / "edges.parquet")
    script = [sys.executable, "-c", SCRIPT, tmp_path / "snapshot", tmp_path / "edges.parquet"]
    for _ in range(30):
        ended = subprocess.run(script, capture_output=True, text=True, check=False)
        assert (ended.returncode, ended.stderr) == (0, "")


def is_open_file(value):
    """Whether an expression makes an open file, by the looks of it."""
    name = getattr(getattr(value, "func", None), "attr", getattr(getattr(value, "func", None), "id", ""))
    return name in {"open", "BytesIO", "fdopen", "TemporaryFile", "NamedTemporaryFile"}


def open_files(tree):
    """The names that stand for open files."""
    for node in ast.walk(tree):
        if isinstance(node, ast.withitem) and is_open_file(node.context_expr) and node.optional_vars is not None:
            yield ast.unparse(node.optional_vars)
        if isinstance(node, ast.Assign) and is_open_file(node.value):
            yield from map(ast.unparse, node.targets)


def read_from_open_files(source):
    """Calls of Arrow that read from an open file, and calls of pandas that open one for Arrow."""
    tree = ast.parse(source)
    files = set(open_files(tree))
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute | ast.Name):
            name = node.func.attr if isinstance(node.func, ast.Attribute) else node.func.id
            given = node.args[0] if node.args else None
            is_open = given is not None and (is_open_file(given) or ast.unparse(given) in files)
            if name == "read_parquet" or (name in READERS and is_open):
                yield ast.unparse(node)


def test_arrow_is_given_paths():
    """Nowhere in the package does Arrow read from an open file."""
    found = {path.name: list(read_from_open_files(path.read_text())) for path in PACKAGE.rglob("*.py")}
    assert len(found) > 150
    assert not {name: calls for name, calls in found.items() if calls}


@pytest.mark.parametrize(
    "source",
    ["pq.read_table(open(path, 'rb'))", "with open(path, 'rb') as file:\n    pq.read_table(file)",
     "buffer = io.BytesIO(content)\npq.ParquetFile(buffer)", "frame = pd.read_parquet(path)"],
)  # fmt: skip
def test_an_open_file_would_be_seen(source):
    assert list(read_from_open_files(source))
    assert not list(read_from_open_files("pq.read_table(path)"))

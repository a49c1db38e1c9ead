"""The API page names every public name, and the tour names files that exist."""

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
ROOMS = ("algorithms", "model", "metrics", "workloads", "churn", "content", "optimise", "deploy", "pipeline")
API = (ROOT / "docs" / "api.md").read_text(encoding="utf-8")


def public_names(room):
    """What the room's ``__init__`` re-exports from the package, in the form ``from a import b as b``."""
    tree = ast.parse((ROOT / "topicweave" / room / "__init__.py").read_text(encoding="utf-8"))
    imports = [node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
    return {
        alias.asname
        for node in imports
        if (node.module or "").startswith("topicweave")
        for alias in node.names
        if alias.asname
    }


@pytest.mark.parametrize("room", ROOMS)
def test_every_public_name_is_on_the_api_page(room):
    """By its dotted name; what can be imported straight from ``topicweave`` may stand there instead."""
    names = {name for name in public_names(room) if not name.startswith("_")}
    assert names, "the room re-exports something"
    missing = [name for name in sorted(names) if not re.search(rf"topicweave\.(\w+\.)*{name}\b", API)]
    assert not missing


def test_every_name_on_the_api_page_exists():
    """Sphinx would warn, but the pages are built less often than the tests are run."""
    from importlib import import_module

    for dotted in re.findall(r"\.\. auto(?:class|function):: (\S+)", API):
        module, _, name = dotted.rpartition(".")
        assert hasattr(import_module(module), name), dotted


def test_the_tour_names_files_that_exist():
    """A file that was moved must not leave the tour pointing at nothing."""
    tour = (ROOT / "docs" / "tour.md").read_text(encoding="utf-8")
    files = re.findall(r"`(topicweave/[\w/]+\.py)`", tour)
    assert len(files) > 30 and not [file for file in files if not (ROOT / file).is_file()]
    assert (ROOT / "docs" / "_static" / "tour.svg").is_file()

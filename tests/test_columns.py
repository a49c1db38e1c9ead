"""The names of columns stand in one place."""

import ast
from pathlib import Path

from topicweave import columns

PACKAGE = Path(columns.__file__).parent
NAMES = {name: value for name, value in vars(columns).items() if name.isupper()}


def imported():
    """Every name that a module of the package takes from the list."""
    trees = (ast.parse(file.read_text(encoding="utf-8")) for file in PACKAGE.rglob("*.py"))
    lines = (node for tree in trees for node in ast.walk(tree) if isinstance(node, ast.ImportFrom))
    return {alias.name for line in lines if line.module == "topicweave.columns" for alias in line.names}


def test_every_name_is_used_and_no_two_are_alike():
    """A name that is imported nowhere would be written by hand elsewhere, and of two equal ones one is superfluous."""
    assert imported() == NAMES.keys()
    assert len(set(NAMES.values())) == len(NAMES)


def test_tables_that_are_written_have_these_names(tmp_path):
    """The trees of a plan, as an example of a file that others read."""
    import topicweave as tw

    interest = tw.Interest.from_pairs([("a", "x"), ("b", "x")])
    table = tw.deploy.trees(interest, tw.Overlay.from_pairs([("a", "b")])).to_arrow()
    assert set(table.column_names) <= set(NAMES.values())

"""Every stored record is proved again, the page says what was proved, and false records are refused."""

from __future__ import annotations

import ast

import numpy as np
import pytest

from benchmarks.records import checker, command
from benchmarks.records.instances import INSTANCES
from benchmarks.records.page import page

STORED = [name for name, instance in INSTANCES.items() if instance.is_stored]


@pytest.mark.parametrize("name", STORED)
def test_a_stored_record_is_proved(name):
    """For the subscriptions that the parameters give today, and with the figures that the table has."""
    found = command.proved(name)
    assert found == command.listed()[name]
    assert found.least_links <= found.links


def test_the_page_is_that_of_the_list():
    assert command.PAGE.read_text("utf-8") == page(command.listed())


def test_the_checker_imports_nothing_of_ours():
    with open(checker.__file__, encoding="utf-8") as file:
        tree = ast.parse(file.read())
    imported = {each.module for each in ast.walk(tree) if isinstance(each, ast.ImportFrom)}
    imported |= {alias.name for each in ast.walk(tree) if isinstance(each, ast.Import) for alias in each.names}
    assert not [name for name in imported if name.split(".")[0] in ("topicweave", "benchmarks", "numba")]


def altered(tmp_path, **changes):
    """A stored record in which something was changed."""
    with np.load(command.file_of(STORED[0])) as file:
        record = {name: file[name] for name in file.files}
    for name, change in changes.items():
        record[name] = change(record[name])
    np.savez_compressed(tmp_path / "altered.npz", **record)
    return tmp_path / "altered.npz"


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"edges": lambda edges: edges[:200]}, "not connected"),
        ({"edges": lambda edges: np.concatenate((edges, edges[:1, ::-1]))}, "twice"),
        ({"edges": lambda edges: np.concatenate((edges, [[3, 3]]))}, "no link"),
        ({"prices": lambda prices: prices + prices.dtype.type(1)}, "sum to"),
        ({"prices": lambda prices: prices[:-1]}, "missing"),
        ({"prices": lambda prices: prices.astype(np.int64) - (1 << 20)}, "below 0"),
    ],
)
def test_a_false_record_is_refused(tmp_path, changes, words):
    with pytest.raises(checker.RefutedError, match=words):
        checker.check(altered(tmp_path, **changes))


def test_an_earlier_record_stays_where_a_new_one_is_worse():
    """The links and degree come from one record, the bound from the other; a record of other subscriptions is
    ignored.
    """
    before, found = checker.Proved("abc", 100, 9, 95.5), checker.Proved("abc", 101, 8, 96.5)
    assert command.best_of(found, before) == checker.Proved("abc", 100, 9, 96.5)
    assert command.best_of(found, None) == found
    assert command.best_of(found, before._replace(digest="xyz")) == found


def test_an_unknown_name_is_refused(capsys):
    with pytest.raises(SystemExit):
        command.main(["uniform-7"])
    assert "There is no instance 'uniform-7'" in capsys.readouterr().err

"""Tests mirror the tree: a module has a test file of its name, or a line saying which file covers it."""

import pytest

from tests.house.__main__ import CHECKOUT
from tests.house.mirror import COVERED_BY, problems, reached_from
from tests.house.sentences import without_sentence


def test_every_module_has_a_test_file_or_a_line():
    """A new module comes with its test file, and a line goes when it is no longer needed."""
    assert problems(CHECKOUT, COVERED_BY) == []


def test_each_kind_of_problem_is_seen(tmp_path):
    """A module without a test, a useless entry, a vanished module and a wrong claim each give one sentence."""
    for file in ("topicweave/bare.py", "topicweave/named.py", "topicweave/claimed.py"):
        (tmp_path / file).parent.mkdir(exist_ok=True)
        (tmp_path / file).write_text("")
    (tmp_path / "tests").mkdir()
    (tmp_path / "tests/test_named.py").write_text("import json")
    covered_by = {f"topicweave/{name}.py": "tests/test_named.py" for name in ("named", "claimed", "gone")}
    found = problems(tmp_path, covered_by)
    assert [sentence.split(" ")[0] for sentence in found] == [
        "topicweave/bare.py",
        "topicweave/named.py",
        "topicweave/gone.py",
        "tests/test_named.py",
        "tests/test_named.py",
    ]


@pytest.mark.parametrize(
    ("test", "module"),
    [
        ("from topicweave.room.deep import act", "topicweave/room/deep.py"),
        ("from topicweave.room import act", "topicweave/room/deep.py"),
        ("import topicweave as tw\ntw.room.act()", "topicweave/room/deep.py"),
        ("from topicweave.room import act", "topicweave/helper.py"),
    ],
    ids=["itself", "through its package", "through the whole package", "one import further"],
)
def test_what_a_test_reaches_is_found(tmp_path, test, module):
    """However it is named; but not what is two imports further."""
    files = {
        "topicweave/__init__.py": "from topicweave import room as room",
        "topicweave/room/__init__.py": "from topicweave.room.deep import act as act",
        "topicweave/room/deep.py": "from topicweave.helper import help",
        "topicweave/helper.py": "from topicweave.further import more",
        "topicweave/further.py": "more = 1",
        "tests/test_it.py": test,
    }
    for name, text in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(text)
    found = reached_from(tmp_path, tmp_path / "tests" / "test_it.py")
    assert module in found and "topicweave/further.py" not in found


def test_every_test_says_what_it_shows():
    """A docstring, or a name that is a sentence."""
    assert without_sentence(CHECKOUT) == []


def test_a_test_without_a_sentence_is_seen(tmp_path):
    """Of three tests, only the one that has neither a docstring nor a descriptive name is listed."""
    (tmp_path / "tests").mkdir()
    (tmp_path / "tests" / "test_it.py").write_text(
        "def test_one(): pass\ndef test_a_name_that_says_enough(): pass\ndef test_two():\n    'It says.'\n"
    )
    assert without_sentence(tmp_path) == ["tests/test_it.py: test_one"]

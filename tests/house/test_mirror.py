"""Tests mirror the tree: a module has a test file of its name, or a line saying which file covers it."""

from tests.house.__main__ import CHECKOUT
from tests.house.mirror import COVERED_BY, NO_TEST_YET, problems


def test_every_module_has_a_test_file_or_a_line():
    """A new module comes with its test file, and an entry of the lists goes when it is no longer needed."""
    assert problems(CHECKOUT, COVERED_BY, NO_TEST_YET) == []


def test_the_list_of_modules_without_a_test_does_not_grow():
    """The list of what is still to be tested may only become shorter."""
    assert len(NO_TEST_YET) <= 69


def test_each_kind_of_problem_is_seen(tmp_path):
    """A module without a test, a useless entry, a vanished module and a wrong claim each give one sentence."""
    for file in ("topicweave/bare.py", "topicweave/named.py", "topicweave/claimed.py"):
        (tmp_path / file).parent.mkdir(exist_ok=True)
        (tmp_path / file).write_text("")
    (tmp_path / "tests").mkdir()
    (tmp_path / "tests/test_named.py").write_text("import json")
    covered_by = {"topicweave/named.py": "tests/test_named.py", "topicweave/claimed.py": "tests/test_named.py"}
    found = problems(tmp_path, covered_by, {"topicweave/gone.py"})
    assert [sentence.split(" ")[0] for sentence in found] == [
        "topicweave/bare.py",
        "topicweave/named.py",
        "topicweave/gone.py",
        "tests/test_named.py",
        "tests/test_named.py",
    ]

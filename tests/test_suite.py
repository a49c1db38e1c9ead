"""The suite itself: tests that share something expensive run in one process."""

import os

import pytest

from tests.conftest import group_of


@pytest.mark.parametrize("number", range(8))
def test_tests_of_one_file_run_in_one_process(number, tmp_path_factory):
    """Each of these tests leaves its process id where the others look; a scheduler without groups would mix them."""
    own = tmp_path_factory.getbasetemp()
    shared = own.parent if "PYTEST_XDIST_WORKER" in os.environ else own  # xdist gives each process a folder of its own
    folder = shared / "processes of one file"
    folder.mkdir(exist_ok=True)
    (folder / str(os.getpid())).touch()
    assert [file.name for file in folder.iterdir()] == [str(os.getpid())]


def test_rooms_with_kernels_are_one_group():
    """A room and its kernels compile the same code; other files are groups of their own."""
    assert group_of("tests/content/test_best.py::test_x") == group_of("tests/kernels/content/test_moves.py::test_y[1]")
    assert group_of("tests/cli/test_churn.py::test_x") == "cli/test_churn.py"

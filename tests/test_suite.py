"""The suite itself: tests that share something expensive run in one process."""

import os

import pytest

from tests.conftest import group_of, order_of


@pytest.mark.parametrize("number", range(8))
def test_tests_of_one_file_run_in_one_process(number, tmp_path_factory):
    """Each of these tests leaves its process id where the others look; a scheduler without groups would mix them up."""
    own = tmp_path_factory.getbasetemp()
    shared = own.parent if "PYTEST_XDIST_WORKER" in os.environ else own  # xdist gives each process a folder of its own
    folder = shared / "processes of one file"
    folder.mkdir(exist_ok=True)
    (folder / str(os.getpid())).touch()
    assert [file.name for file in folder.iterdir()] == [str(os.getpid())]


def test_groups():
    """One for Spark, one for each package with kernels, together with these, and one for each other file."""
    assert group_of("tests/content/test_best.py::test_x") == group_of("tests/kernels/content/test_moves.py::test_y[1]")
    assert group_of("tests/cli/test_churn.py::test_x") == group_of("tests/pipeline/jobs/test_design.py::test_y")
    assert group_of("tests/kernels/greedy/test_x.py::test_x") == group_of("tests/algorithms/greedy/test_y.py::test_y")
    assert group_of("tests/trees/test_build.py::test_x") == "trees/test_build.py"


def test_order():
    """Spark first, its jobs and commands after its workers; a file's tests are not torn apart."""
    first, second, third, last = sorted(
        ("tests/a.py::test", "tests/cli/test_x.py::a", "tests/content/test_z.py::a", "tests/pipeline/workers/x.py::a"),
        key=order_of,
    )
    assert [first.split("/")[1], second.split("/")[1]] == ["pipeline", "cli"]
    assert [third.split("/")[1], last] == ["content", "tests/a.py::test"]
    assert order_of("tests/cli/test_x.py::a") == order_of("tests/cli/test_x.py::b")

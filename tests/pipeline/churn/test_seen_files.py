"""The files that a stream has read: what changes under its name is noticed once, whatever a kill left of the list."""

import os

import pytest

from topicweave.errors import TargetError
from topicweave.pipeline.churn.seen_files import FILES, SeenFiles, Stamp, stamp_of


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "1.jsonl"
    path.write_text("{}\n")
    return path


def seen(file):
    """A list that says this file was read as it is now."""
    files = SeenFiles(file.parent)
    files.add([(str(file), stamp_of(str(file)))])
    return files


@pytest.mark.parametrize("again", [False, True], ids=["the same process", "after a restart"])
def test_a_file_that_changes_is_told_once_for_each_change(file, again):
    """Another size or another time; a file that is as it was, or gone, is not told."""
    files = seen(file)
    files = SeenFiles(file.parent) if again else files
    assert files.changed() == []
    file.write_text("{}\n{}\n")
    assert files.changed() == [str(file)] and files.changed() == []
    os.utime(file, (1, 1))
    assert files.changed() == [str(file)] and files.changed() == []
    file.unlink()
    assert files.changed() == []


def test_the_last_line_about_a_file_counts(file):
    """A file that was read again under its name, after a lost checkpoint, is known as it was then."""
    files = seen(file)
    file.write_text("{}\n{}\n")
    files.add([(str(file), stamp_of(str(file)))])
    assert SeenFiles(file.parent).changed() == []


def test_lines_that_are_none_are_passed_over(file):
    """A killed process may leave half a line, and the next one begins on a line of its own."""
    seen(file)
    notes = file.parent / FILES
    notes.write_bytes(b'{"path": 3}\n[]\n\xff\n' + notes.read_bytes() + b'{"path": "/els')
    SeenFiles(file.parent).add([("elsewhere", Stamp(1, 1))])
    file.write_text("another")
    assert SeenFiles(file.parent).changed() == [str(file)]
    assert notes.read_bytes().splitlines()[-1].startswith(b'{"path": "elsewhere"')


def test_a_folder_in_its_place_is_set_aside(tmp_path, file):
    (tmp_path / FILES).mkdir()
    file.write_text("another")
    assert seen(file).changed() == []
    assert (tmp_path / f"{FILES}.damaged-1").is_dir()


def test_a_place_that_cannot_be_written_is_one_sentence(file):
    files = SeenFiles(file.parent)
    (file.parent / FILES).mkdir()
    with pytest.raises(TargetError, match=r"files\.jsonl cannot be written \(Is a directory\); free space there"):
        files.add([("elsewhere", Stamp(1, 1))])

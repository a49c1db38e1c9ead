"""Spark's checkpoint is used while it is whole, and set aside otherwise."""

import json

import pytest

from topicweave.pipeline.churn.checkpoint import usable_checkpoint


@pytest.fixture
def state(tmp_path):
    """A state folder with a checkpoint of two micro-batches, as Spark writes it."""
    folder = tmp_path / "checkpoint"
    for name in ("offsets", "commits", "sources/0"):
        (folder / name).mkdir(parents=True)
        for number in range(2):
            (folder / name / str(number)).write_text("v1\n" + json.dumps({"batchId": number}) + "\n")
            (folder / name / f".{number}.crc").write_bytes(b"\x00\xff")
    (folder / "offsets" / "1").write_text('v1\n{"batchId": 1}\n-\n')
    (folder / "metadata").write_text('{"id": "4711"}')
    return tmp_path


def test_a_whole_checkpoint_is_used(state, tmp_path_factory):
    """As is none at all, and one that was begun before anything was handed on."""
    assert usable_checkpoint(state) == (state / "checkpoint", False)
    empty = tmp_path_factory.mktemp("empty")
    assert usable_checkpoint(empty) == (empty / "checkpoint", False)
    (empty / "checkpoint" / "offsets").mkdir(parents=True)
    assert usable_checkpoint(empty) == (empty / "checkpoint", False)


@pytest.mark.parametrize(
    "damage",
    [
        lambda folder: (folder / "metadata").write_text("half a li"),
        lambda folder: (folder / "metadata").unlink(),
        lambda folder: (folder / "offsets" / "0").write_bytes(b"\xff\x00"),
        lambda folder: (folder / "offsets" / "0").write_text(""),
        lambda folder: (folder / "commits" / "1").write_text("v2\n{}"),
        lambda folder: (folder / "sources" / "0" / "1").write_text('v1\n{"path": '),
        lambda folder: (folder / "commits").rename(folder / "gone"),
    ],
    ids=["metadata cut", "no metadata", "bytes", "empty log", "other version", "log cut", "no commits"],
)
def test_a_damaged_one_is_set_aside_and_nothing_of_it_is_lost(state, damage):
    """Another one is started in its place; the old one is kept beside it."""
    damage(state / "checkpoint")
    left = sorted(file.relative_to(state / "checkpoint") for file in (state / "checkpoint").rglob("*"))
    assert usable_checkpoint(state) == (state / "checkpoint", True)
    assert not (state / "checkpoint").exists()
    (aside,) = state.glob("checkpoint.damaged-*")
    assert sorted(file.relative_to(aside) for file in aside.rglob("*")) == left


def test_a_file_where_the_folder_should_be_is_set_aside(tmp_path):
    """A file in the folder's place is set aside, whatever its origin."""
    (tmp_path / "checkpoint").write_text("a note")
    assert usable_checkpoint(tmp_path) == (tmp_path / "checkpoint", True)
    assert [file.read_text() for file in tmp_path.iterdir()] == ["a note"]

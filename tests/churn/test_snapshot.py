"""Snapshots: a maintainer continues exactly as if it had never stopped; damaged snapshots are refused."""

from __future__ import annotations

import json

import pytest

import topicweave as tw
from tests.churn.test_stateful import random_trace
from topicweave.churn import Event, Naive, Rebuild, Shadow, load, save
from topicweave.churn.roles import Roles
from topicweave.churn.snapshot import load_with_notes
from topicweave.errors import InputError, ReadError, TargetError

OPTIONS = [
    (Naive, {}),
    (Rebuild, {}),
    (Shadow, {}),
    (Shadow, {"trim": True, "backups": "greedy", "coverage": 2, "k": 1.5}),
]


@pytest.mark.parametrize(("kind", "options"), OPTIONS)
def test_goes_on_as_if_it_had_never_stopped(tmp_path, kind, options):
    interest = tw.workloads.synthetic(80, 30, subscriptions=(2, 10), seed=2)
    through, stopped = kind(interest, seed=3, **options), kind(interest, seed=3, **options)
    for part in range(3):
        random_trace(through, 40, part, [*interest.topics, f"extra{part}"])
        random_trace(stopped, 40, part, [*interest.topics, f"extra{part}"])
        for maintainer in (through, stopped):
            for node in [v for v in maintainer.interest.nodes if v.startswith("x")]:
                maintainer.leave(node)
        save(stopped, tmp_path / "snapshot", {"part": part})
        stopped, notes = load_with_notes(tmp_path / "snapshot")
        assert notes == {"part": part}
        assert type(stopped) is kind
        assert stopped.parameters == through.parameters
        assert stopped.overlay == through.overlay
        assert stopped.interest == through.interest
        if kind is Shadow:
            for node in through.interest.nodes:
                assert stopped.backups_of(node) == through.backups_of(node)
                assert stopped.primaries_of(node) == through.primaries_of(node)
    assert through.reoptimise(20) == stopped.reoptimise(20)


def test_roles_and_trees_are_kept(tmp_path):
    """Both continue unchanged, event by event; a file without either can be read by earlier versions."""
    interest = tw.Interest.from_pairs([(n, t) for n in "abcd" for t in "xy"], publishers=[("e", "x"), ("a", "y")])
    through = Shadow(interest, seed=1)
    through.follow_trees(tw.deploy.trees(interest, through.overlay, "load"))
    file = tmp_path / "snapshot"
    for event in [Event("join", "f", {"x", "z"}, role="publish"), Event("leave", "b"), Event("subscribe", "f", {"x"})]:
        save(through, file)
        assert json.loads(file.read_bytes().partition(b"\n")[0])["version"] == 2
        stopped = load(file)
        assert stopped.apply([event]) == through.apply([event])
        assert stopped.interest == through.interest
        assert stopped.trees.to_arrow() == through.trees.to_arrow()
        assert stopped.trees.objective == "load"
    save(Shadow(tw.Interest.from_sets({"a": {"t"}})), file)
    assert json.loads(file.read_bytes().partition(b"\n")[0])["version"] == 1


@pytest.mark.parametrize(
    "notes",
    [{"a": [["z"], []]}, {"a": [["t"], ["s"]]}, {"b": [["t"], []]}, {"a": [[], []]}, {"a": "t"}, {"a": [["t"]]}],
)
def test_roles_that_cannot_be_are_refused(notes):
    with pytest.raises(ValueError, match=r"publishes|unpack"):
        Roles.from_notes(notes, {"a": frozenset({"t", "s"})})


def test_an_empty_overlay_survives(tmp_path):
    """After loading there are no nodes, as before saving, and nodes may join."""
    maintainer = Shadow(tw.Interest.from_sets({"a": {"t"}}))
    maintainer.leave("a")
    save(maintainer, tmp_path / "snapshot")
    found = load(tmp_path / "snapshot")
    assert found.num_nodes == 0
    found.join("b", {"t"})
    assert found.interest.nodes == ("b",)


@pytest.mark.parametrize("place", [0, 20, 200, -1])
def test_a_damaged_file_is_refused(tmp_path, four_brokers, place):
    file = tmp_path / "snapshot"
    save(Shadow(four_brokers), file)
    content = bytearray(file.read_bytes())
    content[place] ^= 0x55
    file.write_bytes(content)
    with pytest.raises(ReadError):
        load(file)


def test_cut_short_unknown_and_later_files_are_refused(tmp_path, four_brokers):
    file = tmp_path / "snapshot"
    with pytest.raises(ReadError, match="cannot be read"):
        load(file)
    save(Shadow(four_brokers), file)
    content = file.read_bytes()
    file.write_bytes(content[:-10])
    with pytest.raises(ReadError, match="damaged"):
        load(file)
    head, _, rest = content.partition(b"\n")
    file.write_bytes(json.dumps({**json.loads(head), "version": 99}).encode() + b"\n" + rest)
    with pytest.raises(ReadError, match="version 99"):
        load(file)
    file.write_bytes(b"something else")
    with pytest.raises(ReadError, match="not a snapshot"):
        load(file)


def test_a_place_that_cannot_be_written(tmp_path, four_brokers):
    with pytest.raises(TargetError, match="cannot be written"):
        save(Shadow(four_brokers), tmp_path / "missing" / "snapshot")
    with pytest.raises(TargetError, match="it is a folder"):
        save(Shadow(four_brokers), ".")


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda m, file: save(None, file), r"save\(\) needs a maintainer, but got a NoneType"),
        (lambda m, file: save(m.overlay, file), r"save\(\) needs a maintainer, but got a Overlay"),
        (lambda m, file: save(m, None), "The path of the snapshot is needed, but got a NoneType"),
        (lambda m, file: save(m, file, 5), "notes cannot be kept"),
        (lambda m, file: save(m, file, {"at": object()}), "notes cannot be kept"),
        (lambda m, file: load(None), "The path of the snapshot is needed, but got a NoneType"),
        (lambda m, file: load(m), "The path of the snapshot is needed, but got a Shadow"),
    ],
)
def test_what_cannot_be_saved_or_loaded(tmp_path, four_brokers, call, says):
    """One sentence, and no file is begun."""
    with pytest.raises(InputError, match=says):
        call(Shadow(four_brokers), tmp_path / "snapshot")
    assert not list(tmp_path.iterdir())

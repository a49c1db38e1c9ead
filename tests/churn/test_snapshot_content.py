"""Snapshots that were forged, with the right checksum: each is refused in a sentence, and no code in it is run."""

import hashlib
import io
import json
import os
import random
from contextlib import suppress

import numpy as np
import pytest

import topicweave as tw
from topicweave.churn import Shadow, load, save
from topicweave.errors import ReadError

INTEREST = tw.Interest.from_sets({"a": ["x", "y"], "b": ["x"], "c": ["y"], "d": ["x", "y"]})


@pytest.fixture(scope="module")
def genuine(tmp_path_factory):
    """The arrays of a snapshot."""
    file = tmp_path_factory.mktemp("genuine") / "snapshot"
    maintainer = Shadow(INTEREST)
    maintainer.leave("c")
    save(maintainer, file)
    with np.load(io.BytesIO(file.read_bytes().partition(b"\n")[2])) as found:
        return {name: found[name] for name in found.files}


def forge(file, arrays):
    """Write arrays as a snapshot, with a head that fits."""
    buffer = io.BytesIO()
    np.savez(buffer, **arrays)
    content = buffer.getvalue()
    head = {"format": "topicweave churn snapshot", "version": 1, "length": len(content)}
    file.write_bytes(json.dumps({**head, "sha256": hashlib.sha256(content).hexdigest()}).encode() + b"\n" + content)
    return file


def about(arrays, **changes):
    """The arrays with other facts; a fact that is ... is left out."""
    facts = {**json.loads(arrays["about"].tobytes()), **changes}
    text = json.dumps({name: value for name, value in facts.items() if value is not ...})
    return {**arrays, "about": np.frombuffer(text.encode(), dtype=np.uint8)}


def one_without(arrays, name):
    return {key: value for key, value in arrays.items() if key != name}


FORGERIES = {
    "no facts": lambda a: one_without(a, "about"),
    "facts that are no JSON": lambda a: {**a, "about": np.frombuffer(b"{", dtype=np.uint8)},
    "facts that are a number": lambda a: {**a, "about": np.frombuffer(b"3", dtype=np.uint8)},
    "no maintainer": lambda a: about(a, maintainer=...),
    "an unknown maintainer": lambda a: about(a, maintainer="shade"),
    "no parameters": lambda a: about(a, parameters=...),
    "a parameter out of range": lambda a: about(a, parameters={"seed": 0, "k": 0}),
    "no notes": lambda a: about(a, notes=[]),
    "no labels": lambda a: about(a, nodes=...),
    "a label twice": lambda a: about(a, nodes=["a", "a", None, "d"]),
    "a label that is a number": lambda a: about(a, nodes=["a", 5, None, "d"]),
    "free numbers that are taken": lambda a: about(a, free_nodes=[0]),
    "too few labels": lambda a: about(a, nodes=["a"], free_nodes=[]),
    "roles that are none": lambda a: about(a, roles=3),
    "no rows": lambda a: one_without(a, "rows"),
    "rows of signed numbers": lambda a: {**a, "rows": a["rows"].astype(np.int64)},
    "a topic without a label": lambda a: {**a, "rows": a["rows"] | np.uint64(1 << 40)},
    "no links": lambda a: one_without(a, "neighbours_content"),
    "a link to nobody": lambda a: {**a, "neighbours_content": a["neighbours_content"] + np.int32(99)},
    "a link below nobody": lambda a: {**a, "neighbours_content": a["neighbours_content"] - np.int32(99)},
    "lengths that do not add up": lambda a: {**a, "backups_length": a["backups_length"] + np.int32(1)},
    "negative lengths": lambda a: {**a, "backups_length": a["backups_length"] * 0 - np.int32(1)},
    "wide numbers": lambda a: {**a, "neighbours_content": a["neighbours_content"].astype(np.int64)},
    "a pickle": lambda a: {**a, "rows": np.array([Harm()], dtype=object)},
}


class Harm:
    """Creates a file when it is unpickled."""

    def __reduce__(self):
        return os.mkdir, ("harm",)


@pytest.mark.parametrize("forgery", FORGERIES)
def test_a_forgery_is_refused_in_a_sentence(tmp_path, monkeypatch, genuine, forgery):
    """The error says that this is not a maintainer; the forged content was not touched, and nothing was executed."""
    monkeypatch.chdir(tmp_path)
    file = forge(tmp_path / "snapshot", FORGERIES[forgery](genuine))
    with pytest.raises(ReadError, match=r"holds no maintainer .*; take an older copy"):
        load(file)
    assert os.listdir(tmp_path) == ["snapshot"]


def test_what_was_not_changed_is_loaded(tmp_path, genuine):
    """So that it is the forgery, and not the way it was written, that is refused above."""
    found = load(forge(tmp_path / "snapshot", about(genuine)))
    assert found.interest.nodes == ("a", "b", "d") and tw.verify(found.interest, found.overlay).topic_connected


@pytest.mark.parametrize("seed", range(52))
def test_numbers_changed_at_random_are_refused_or_do_no_harm(tmp_path, genuine, seed):
    """Whatever is accepted is an overlay that can be inspected, changed and saved."""
    rng = random.Random(seed)
    arrays = {name: value.copy() for name, value in genuine.items()}
    for _ in range(rng.randint(1, 3)):
        array = arrays[rng.choice([name for name, value in arrays.items() if value.size])]
        place = rng.randrange(array.size)
        array.flat[place] = array.dtype.type(rng.choice([0, 1, 2, 3, 5, 63, 127, int(array.flat[place]) ^ 1]))
    with suppress(ReadError):
        found = load(forge(tmp_path / "snapshot", arrays))
        assert found.overlay.labels == found.interest.nodes
        found.join("new", ["x", "y"])
        found.leave("new")
        save(found, tmp_path / "again")
        assert load(tmp_path / "again").overlay == found.overlay

"""The manifest: one schema, and what it says about files."""

import hashlib
import json

import numpy as np
import pytest

from topicweave.errors import ReadError
from topicweave.pipeline import Table
from topicweave.pipeline.plan.manifest import describe_inputs, new_manifest, plain, read_manifest, write_manifest
from topicweave.pipeline.sources.formats.files import InputFile
from topicweave.pipeline.sources.source import Part

KEYS = {
    "schema", "kind", "topicweave", "versions", "created", "master", "inputs", "rows", "parameters", "seed", "counts",
    "seconds", "outputs",
}  # fmt: skip


def made(**sections):
    return new_manifest(
        "design", inputs=[], rows={"read": np.int64(3)}, parameters={"k": np.inf}, seed=0, counts={"links": 2},
        seconds={"read": 0.12345}, **sections,
    )  # fmt: skip


def test_written_and_read_again(tmp_path):
    """The same; with the final seconds, and every other file of the folder by size and checksum."""
    (tmp_path / "quarantine").mkdir()
    (tmp_path / "quarantine" / "rows").write_bytes(b"bad")
    (tmp_path / "manifest.json").write_text("of an earlier attempt")
    manifest = made(overlay={"links": np.int32(2)})
    write_manifest(tmp_path, manifest, {"read": 0.12345, "report": 1})
    found = read_manifest(tmp_path)
    assert found == manifest and found.keys() == KEYS | {"overlay"}
    assert (found["schema"], found["rows"], found["parameters"]) == (2, {"read": 3}, {"k": "inf"})
    assert found["seconds"] == {"read": 0.123, "report": 1}
    checksum = hashlib.sha256(b"bad").hexdigest()
    assert found["outputs"] == [{"path": "quarantine/rows", "bytes": 3, "sha256": checksum}]


def test_inputs_by_table(tmp_path):
    """Role, kind of source, columns, what was said about the format, and the files; checksums of local files only."""
    path = tmp_path / "in.csv"
    path.write_bytes(b"x")
    files = (InputFile(str(path), 1), InputFile("hdfs://host/in.csv", None))
    table = Table([str(path)], format="csv", columns={"node": "broker", "topic": 1}, header=True)
    parts = [Part("subscriptions", "in.csv", None, files, table=table), Part("topics", "frame", None)]
    assert describe_inputs(parts, "clients", {"at": 3}) == [
        {
            "role": "subscriptions",
            "kind": "clients",
            "columns": {"node": "broker", "topic": 1},
            "options": {"format": "csv", "header": True, "at": 3},
            "files": [
                {"path": str(path), "bytes": 1, "sha256": hashlib.sha256(b"x").hexdigest()},
                {"path": "hdfs://host/in.csv", "bytes": None, "sha256": None},
            ],
        },
        {"role": "topics", "kind": "clients", "columns": {}, "options": {"at": 3}, "files": []},
    ]


def test_what_cannot_be_read_is_one_sentence(tmp_path):
    """No manifest, a torn one, one of a later version; one of the version before is read."""
    with pytest.raises(ReadError, match=r"is not a plan folder: it has no manifest\.json; check the path"):
        read_manifest(tmp_path)
    (tmp_path / "manifest.json").write_text('{"kind": ')
    with pytest.raises(ReadError, match="cannot be read"):
        read_manifest(tmp_path)
    for strange in ({"schema": 3}, []):
        (tmp_path / "manifest.json").write_text(json.dumps(strange))
        with pytest.raises(ReadError, match="reads up to 2; read it with the version that wrote it"):
            read_manifest(tmp_path)
    (tmp_path / "manifest.json").write_text('{"algorithm": "gm"}')
    assert read_manifest(tmp_path) == {"algorithm": "gm", "schema": 1}


def test_plain_values():
    """Whatever is given, JSON can hold the result."""
    given = {"a": np.float64(1.5), "b": (np.int8(1), {2}), 3: float("nan"), "c": np.arange(4), "d": object}
    assert plain(given) == {"a": 1.5, "b": [1, [2]], "3": "nan", "c": "array (4,)", "d": "<class 'object'>"}

"""Damage to a state folder, drawn by a seed: what a broken disk, a careless hand or another program may leave there."""

import os
import shutil

KINDS = "cut", "noise", "empty", "gone", "folder", "dangling link", "stranger"
STRANGERS = (
    ".snapshot.1", ".edges.parquet.77", "notes.txt", "changes/x.parquet", "changes/.1-2.parquet.5",
    "changes/1-.parquet", "quarantine/rows.gz", "checkpoint/offsets/.0.tmp",
    "changes/00000000000000000900-00000000000000000999.parquet",
)  # fmt: skip


def harm(folder, rng, spared=("snapshot", "lock")):
    """Do something to one file of the folder, or put one there that is none of its own; returns what was done."""
    files = sorted(file for file in folder.rglob("*") if file.is_file() and file.name not in spared)
    kind = rng.choice(KINDS)
    if kind == "stranger" or not files:
        target = folder / rng.choice(STRANGERS)
        target.parent.mkdir(parents=True, exist_ok=True)
        if not target.exists():
            target.write_bytes(rng.randbytes(rng.randint(0, 50)))
        return f"{target.name} put there"
    target = rng.choice(files)
    content = target.read_bytes()
    if kind == "cut":
        target.write_bytes(content[: rng.randint(0, len(content))])
    elif kind == "noise":
        place = rng.randrange(len(content) + 1)
        target.write_bytes(content[:place] + rng.randbytes(8) + content[place + 8 :])
    elif kind == "empty":
        target.write_bytes(b"")
    else:
        target.unlink()
        if kind == "folder":
            target.mkdir()
        elif kind == "dangling link":
            os.symlink(folder / "nowhere", target)
    return f"{target.relative_to(folder)}: {kind}"


def copied(folder, to):
    """The folder as it is, at another place."""
    shutil.rmtree(to, ignore_errors=True)
    return shutil.copytree(folder, to, symlinks=True)

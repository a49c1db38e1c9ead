"""``python -m benchmarks records``: searches for better records, checks all of them, and writes the table of
the docs.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

import topicweave as tw
from benchmarks.records.checker import Proved, RefutedError, check
from benchmarks.records.instances import INSTANCES, digest
from benchmarks.records.page import page

if TYPE_CHECKING:
    from collections.abc import Sequence

CHECKOUT = Path(__file__).resolve().parents[2]
STORED = Path(__file__).resolve().parent / "stored"
MADE = CHECKOUT / "build" / "records"
LIST = STORED / "records.json"
PAGE = CHECKOUT / "docs" / "records.md"


def file_of(name: str) -> Path:
    """The file with an instance's record: in the source tree if it is small, otherwise where the command creates it."""
    return (STORED if INSTANCES[name].is_stored else MADE) / f"{name}.npz"


def search(name: str, seconds: float, seed: int) -> Proved:
    """Try to improve the overlay (fewer links for the same maximum degree) and the bound of a record; keep the better
    of each.
    """
    interest, path = INSTANCES[name].draw(), file_of(name)
    kept: dict[str, Any] = {}
    if path.is_file():
        with np.load(path, allow_pickle=False) as file:
            kept = {each: file[each] for each in file.files}
    start = tw.Overlay(interest.nodes, kept["edges"].astype(np.int64)) if kept else tw.design(interest, "gm").overlay
    made = tw.improve(interest, start, seconds=seconds, seed=seed).overlay
    bound = tw.lower_bound(interest, seconds=seconds)
    if not kept or bound.value > check(path).bound:
        proof = bound.certificate
        upper = [table[np.triu_indices(len(table), 1)] for table in proof.prices]
        kept["prices"], kept["unit"] = np.concatenate([np.empty(0, np.uint16), *upper]), proof.unit
    kept |= {"indptr": interest.indptr, "indices": interest.indices.astype(np.int32), "edges": made.edges}
    kept["edges"] = kept["edges"].astype(np.int32)
    path.parent.mkdir(parents=True, exist_ok=True)
    np.savez_compressed(path, **kept)
    return check(path)


def proved(name: str) -> Proved:
    """What the record file of an instance proves; the instance is generated again from its parameters."""
    found = check(file_of(name))
    if found.digest != digest(INSTANCES[name].draw()):
        raise RefutedError(f"The record of {name} is for other subscriptions than its parameters give.")
    return found


def best_of(found: Proved, before: Proved | None) -> Proved:
    """The better of two results in each respect: the fewest links and the highest bound. Earlier results stay valid
    even if their files are gone.
    """
    if before is None or before.digest != found.digest:
        return found
    links, degree = min((each.links, each.maximum_degree) for each in (found, before))
    return Proved(found.digest, links, degree, max(found.bound, before.bound))


def listed() -> dict[str, Proved]:
    """The results for each instance, including those whose files are not in the source tree."""
    return {name: Proved(**row) for name, row in json.loads(LIST.read_text("utf-8")).items()} if LIST.is_file() else {}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command given on the command line; return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks records", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"all by default: {', '.join(INSTANCES)}")
    parser.add_argument("--seconds", type=float, default=0.0, help="search so long for each; 0: check what is there")
    parser.add_argument("--seed", type=int, default=0, help="of the search")
    given = parser.parse_args(arguments)
    for name in given.names:
        if name not in INSTANCES:
            parser.error(f"There is no instance {name!r}; choose from {', '.join(INSTANCES)}.")
    rows = listed()
    for name in given.names or INSTANCES:
        if given.seconds > 0:
            search(name, given.seconds, given.seed)
        if file_of(name).is_file():
            found = proved(name)
            rows[name] = found if INSTANCES[name].is_stored else best_of(found, rows.get(name))
            print(name, found, flush=True)
        else:
            print(f"{name}: not made here; give --seconds to make it")
    LIST.parent.mkdir(exist_ok=True)
    ordered = {name: rows[name]._asdict() for name in INSTANCES if name in rows}
    LIST.write_text(json.dumps(ordered, indent=1) + "\n", "utf-8")
    PAGE.write_text(page(rows), "utf-8")
    return 0

"""Fingerprints: short hashes of results that show whether a code change has altered any design, churn history or
content assignment.

``python -m benchmarks.fingerprints --out before.json``, then, on the changed code,
``python -m benchmarks.fingerprints --against before.json``: names what differs; exit code 1 if anything does.

Every entry computes one result with the public interface alone, so that this file runs unchanged on older and newer
versions, and hashes all of it: the links in the order added and their contributions; the links that every event added
and removed, and those left at the end; the broker of every user and the cost.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
from fnmatch import fnmatch
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

import topicweave as tw

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    Entry = Callable[[], str]

SAME, DIFFERENT = 0, 1

TIES = ("balanced", "random", "lexicographic")
LAWS: dict[str, dict[str, Any]] = {
    "zipf": {"popularity": "zipf", "alpha": 0.5},
    "exponential": {"popularity": "exponential"},
    "uniform": {"popularity": "uniform"},
}
SIZES: dict[str, dict[str, Any]] = {
    "small sets": {"num_nodes": 300, "num_topics": 60, "subscriptions": 8},
    "many topics": {"num_nodes": 700, "num_topics": 300, "subscriptions": (10, 150)},
    "many nodes": {"num_nodes": 2500, "num_topics": 120, "subscriptions": (5, 60)},
}
LARGE = {"large": {"num_nodes": 6000, "num_topics": 800, "subscriptions": (20, 400)}}
# with this many nodes, ``candidates="auto"`` chooses near candidates
HUGE = {"huge": {"num_nodes": 21_000, "num_topics": 1500, "subscriptions": 12}}
GREEDY: dict[str, dict[str, Any]] = {
    "gm": {},
    "minmax": {},
    "low": {"k": 3},
    "gpa": {"budget_ratio": 0.3},
    "gpm": {"d": 4},
}
OTHERS: dict[str, dict[str, Any]] = {
    **{name: {} for name in ("cd", "cd1", "cd2", "ring", "star", "chain", "spidercast")},
    "random_avg": {"m": 900},
    "random_max": {"d": 5},
    "spidercast_max": {"d": 6},
}
MAINTAINERS: dict[str, tuple[str, dict[str, Any]]] = {
    "naive": ("Naive", {}),
    "naive trim": ("Naive", {"trim": True}),
    "naive levelling": ("Naive", {"levelling": 2}),
    "shadow levelling": ("Shadow", {"levelling": 2}),
    "shadow primal_dual": ("Shadow", {"backups": "primal_dual"}),
    "shadow primal_dual trim": ("Shadow", {"backups": "primal_dual", "trim": True}),
    "shadow greedy": ("Shadow", {"backups": "greedy", "coverage": 2}),
    "shadow greedy trim": ("Shadow", {"backups": "greedy", "trim": True}),
    "shadow balanced": ("Shadow", {"ties": "balanced", "k": 2}),
    "rebuild": ("Rebuild", {}),
}
TRACES = ("random", "mass_leaves", "flash_crowd", "poisson")
METHODS: dict[str, dict[str, Any]] = {
    "random": {},
    "greedy_packing": {},
    "clustering": {},
    "steiner_mixing": {},
    "migrate": {},
    "migrate from packing": {"start": "greedy_packing", "passes": 2},
    "best": {"seeds": 2},
}
CONTENT_SIZES = ((60, 4, 12), (250, 8, 30), (600, 12, 50))
PRICE_RATIOS = (0.02, 0.1, 1.0)


# ---- the results ------------------------------------------------------------------------------------------------


@cache
def workload(law: str, size: str, seed: int = 0) -> Any:
    """The synthetic interest with this law, size and seed."""
    return tw.workloads.synthetic(**{**SIZES, **LARGE, **HUGE}[size], **LAWS[law], seed=seed)


def interest_print(law: str, size: str) -> str:
    matrix = workload(law, size).to_scipy()
    return digest(matrix.indptr, matrix.indices, workload(law, size).nodes, workload(law, size).topics)


def design_print(law: str, size: str, algorithm: str, **options: Any) -> str:
    """The hash of a design; ``start``, ``pairs`` and ``topics`` are drawn at random if given as a number."""
    interest = workload(law, size)
    rng = np.random.default_rng(7)
    if "start" in options:
        options["start"] = tw.design(interest, "random_avg", m=options["start"], seed=5).overlay
    if "pairs" in options:
        drawn = rng.integers(0, interest.num_nodes, (options["pairs"], 2))
        options["pairs"] = np.unique(np.sort(drawn[drawn[:, 0] != drawn[:, 1]], axis=1), axis=0)
    if "topics" in options:
        drawn = np.sort(rng.permutation(interest.num_topics)[: options["topics"]])
        options["topics"] = [interest.topics[t] for t in drawn.tolist()]
    options.setdefault("seed", 1)
    made = tw.design(interest, algorithm, **options)
    return digest(made.overlay.edges, made.trace.contribution, made.overlay.labels)


def churn_print(law: str, name: str, trace: str, *, num_events: int, batch: int = 1) -> str:
    """The hash of a churn history, with events applied one by one or in batches, and a reoptimisation every hundred
    events.
    """
    kind, parameters = MAINTAINERS[name]
    interest = tw.workloads.synthetic(150, 60, subscriptions=(4, 25), **LAWS[law], seed=2)
    newcomers = tw.workloads.synthetic(100, 60, subscriptions=(4, 25), **LAWS[law], seed=3)
    overlay = tw.design(interest, "low", k=3, candidates="all", seed=0).overlay
    maintainer = getattr(tw.churn, kind)(interest, overlay, seed=4, **parameters)
    seen = hashlib.sha256()
    events = list(with_resubscriptions(interest, newcomers, trace_rows(trace, interest, newcomers), num_events))
    for first in range(0, len(events), batch):
        change = carry_out(maintainer, events[first : first + batch])
        seen.update(digest(change.added, change.removed).encode())
        if (first // batch) % 100 == 99:
            change = maintainer.reoptimise(20)
            seen.update(digest("reoptimise", change.added, change.removed).encode())
    seen.update(digest(maintainer.overlay.edges, maintainer.overlay.labels).encode())
    matrix = maintainer.interest.to_scipy()
    seen.update(digest(matrix.indptr, matrix.indices, maintainer.interest.topics).encode())
    return seen.hexdigest()


def trace_rows(trace: str, interest: Any, newcomers: Any) -> list[dict[str, Any]]:
    """Joins and leaves from :mod:`topicweave.workloads`, as rows in the format of events."""
    if trace == "random":
        return tw.workloads.random_churn(interest, newcomers, 400, seed=6)
    if trace == "mass_leaves":
        return tw.workloads.mass_leaves(interest, newcomers, 330, rack_size=12, num_racks=4, seed=6)
    if trace == "flash_crowd":
        return tw.workloads.flash_crowd(interest, newcomers, interest.topics[3], crowd=180, stay=40.0, seed=6)
    return tw.workloads.poisson_sessions(interest, newcomers, joins_per_day=250.0, seed=6)


def with_resubscriptions(
    interest: Any, newcomers: Any, rows: Sequence[Mapping[str, Any]], num_events: int
) -> Iterator[tuple[str, str, list[str]]]:
    """Add resubscriptions to a trace: before every fifth row, a node that is present takes the topics of a newcomer."""
    rng = np.random.default_rng(8)
    matrix = newcomers.to_scipy()
    present = set(interest.nodes)
    for number, row in enumerate(rows[:num_events]):
        if number % 5 == 4 and present:
            topics = matrix[[int(rng.integers(newcomers.num_nodes))]].indices.tolist()
            yield "resubscribe", sorted(present)[int(rng.integers(len(present)))], [newcomers.topics[t] for t in topics]
        yield row["action"], row["node"], list(row["topic"] or ())
        (present.add if row["action"] == "join" else present.discard)(row["node"])


def carry_out(maintainer: Any, events: Sequence[tuple[str, str, list[str]]]) -> Any:
    """Apply a single event by the method named after its action, and several events as a batch."""
    if len(events) == 1:
        ((action, node, topics),) = events
        return maintainer.leave(node) if action == "leave" else getattr(maintainer, action)(node, topics)
    return maintainer.apply([tw.churn.Event(action, node, frozenset(topics)) for action, node, topics in events])


@cache
def content_instance(num_users: int, num_brokers: int, num_channels: int, price_ratio: float, seed: int) -> Any:
    """A content instance whose users publish on a few channels and want an interval of them, with random prices.

    The brokers are nearly full.
    """
    rng = np.random.default_rng([num_users, num_brokers, seed])
    publish = rng.random((num_users, num_channels)) * (rng.random((num_users, num_channels)) < 0.2)
    ends = np.sort(rng.integers(0, num_channels, (num_users, 2)), axis=1)
    subscribe = (ends[:, :1] <= np.arange(num_channels)) & (np.arange(num_channels) <= ends[:, 1:])
    core = np.triu(rng.random((num_brokers, num_brokers)) + 0.1, 1)
    access = price_ratio * rng.random((num_users, num_brokers))
    # what a user publishes and receives is its load on the broker
    need = publish.sum(axis=1) + subscribe @ publish.sum(axis=0)
    return tw.content.Instance(
        publish=publish, subscribe=subscribe, access_price=access, core_price=core + core.T,
        capacity=1.25 * need.sum() / num_brokers + need.max(),
    )  # fmt: skip


def content_print(instance: Sequence[Any], name: str, *, seed: int) -> str:
    made = content_instance(*instance, seed)
    assignment = tw.content.assign(made, name.split()[0], seed=seed, core="multicast", **METHODS.get(name, {}))
    cost = tw.content.cost(made, assignment.broker, "multicast")
    return digest(assignment.broker, [f"{value:.9f}" for value in (cost.access, cost.core, cost.total)])


def digest(*parts: Any) -> str:
    """The SHA-256 hash of arrays of whole numbers and of labels."""
    seen = hashlib.sha256()
    for part in parts:
        if isinstance(part, np.ndarray):
            seen.update(json.dumps(part.shape).encode() + np.ascontiguousarray(part, dtype="<i8").tobytes())
        else:
            seen.update(json.dumps(part if isinstance(part, str) else list(part)).encode())
    return seen.hexdigest()


# ---- the table of entries ---------------------------------------------------------------------------------------


def entries() -> dict[str, Entry]:
    """Everything that can be computed, by name."""
    return dict([*_workloads(), *_designs(), *_variants(), *_churn(), *_content()])


def _workloads() -> Iterator[tuple[str, Entry]]:
    for law in LAWS:
        for size in SIZES:
            yield f"workload: {law}, {size}", partial(interest_print, law, size)


def _designs() -> Iterator[tuple[str, Entry]]:
    for law in LAWS:
        for size in SIZES:
            for name, parameters in GREEDY.items():
                for ties in TIES:
                    given = {**parameters, "ties": ties}
                    yield f"design: {name} {ties}, {law}, {size}", partial(design_print, law, size, name, **given)
            for name, parameters in OTHERS.items():
                yield f"design: {name}, {law}, {size}", partial(design_print, law, size, name, **parameters)


def _variants() -> Iterator[tuple[str, Entry]]:
    """Designs of the greedy family with various optional arguments."""
    extras: dict[str, dict[str, Any]] = {
        "near": {"candidates": "near"},
        "near 4 lexicographic": {"candidates": "near", "num_candidates": 4, "ties": "lexicographic"},
        "start": {"start": 200},
        "start near": {"start": 200, "candidates": "near"},
        "pairs": {"pairs": 20_000},
        "topics": {"topics": 25},
        "start pairs topics": {"start": 100, "pairs": 10_000, "topics": 40},
        "seed": {"seed": 12_345},
    }
    for what, extra in extras.items():
        for place, (name, parameters) in enumerate(GREEDY.items()):
            # a budget relative to the links of minmax cannot be combined with start, pairs and topics
            if name == "gpa":
                parameters = {"m": 500}
            for law, size in (("zipf", "many nodes"), (list(LAWS)[place % 3], "many topics")):
                given = {**parameters, **extra}
                yield f"design: {name} {what}, {law}, {size}", partial(design_print, law, size, name, **given)
    for law in LAWS:
        for name, parameters in GREEDY.items():
            yield f"design: {name}, {law}, large", partial(design_print, law, "large", name, **parameters)
        for name in ("gm", "low"):
            yield f"design: {name}, {law}, huge", partial(design_print, law, "huge", name)
        for what, name, given in (
            ("passes 2", "gm", {"passes": 2}),
            ("passes 3 start", "gm", {"passes": 3, "start": 50}),
            ("k 1", "low", {"k": 1}),
            ("k 1.5", "low", {"k": 1.5}),
            ("ratio", "gpm", {"budget_ratio": 0.5}),
            ("coverage", "spidercast", {"k_greedy": 1, "k_random": 2}),
        ):
            yield f"design: {name} {what}, {law}", partial(design_print, law, "small sets", name, **given)


def _churn() -> Iterator[tuple[str, Entry]]:
    for number, trace in enumerate(TRACES):
        law = list(LAWS)[number % len(LAWS)]
        for name in MAINTAINERS:
            length = 120 if name == "rebuild" else 400
            yield f"churn: {name}, {trace}", partial(churn_print, law, name, trace, num_events=length)
            if trace in ("mass_leaves", "poisson"):
                batches = partial(churn_print, law, name, trace, num_events=length, batch=7)
                yield f"churn: {name}, {trace}, in batches", batches


def _content() -> Iterator[tuple[str, Entry]]:
    for size in CONTENT_SIZES:
        for ratio in PRICE_RATIOS:
            for name in METHODS:
                for seed in (0, 1):
                    what = f"content: {name}, {size[0]} users, price ratio {ratio:g}, seed {seed}"
                    yield what, partial(content_print, (*size, ratio), name, seed=seed)
    for ratio in PRICE_RATIOS:
        for seed in (0, 1):
            # so small that the solver finishes at once: with a time limit, results would depend on the machine
            tiny = (6, 3, 3, ratio)
            what = f"content: exact, 6 users, price ratio {ratio:g}, seed {seed}"
            yield what, partial(content_print, tiny, "exact", seed=seed)


# ---- the command line -------------------------------------------------------------------------------------------


def compute(chosen: Mapping[str, Entry], tell: Callable[[str], None] = lambda _: None) -> dict[str, str]:
    """Compute these fingerprints; if an entry raises an error, its fingerprint is the name of the error's class."""
    found = {}
    for name, entry in chosen.items():
        tell(name)
        try:
            found[name] = entry()
        except Exception as error:
            found[name] = f"{type(error).__name__}: {error}"
    return found


def differences(found: Mapping[str, str], before: Mapping[str, str]) -> list[str]:
    """A line for each fingerprint that has changed."""
    lines = [f"differs: {name}" for name in found if name in before and found[name] != before[name]]
    lines += [f"new: {name}" for name in found if name not in before]
    return lines + [f"missing: {name}" for name in before if name not in found]


def main(arguments: Iterable[str] | None = None) -> int:
    """Compute or compare fingerprints, given command-line arguments; return the exit code."""
    summary = (__doc__ or "").partition("\n")[0]
    parser = argparse.ArgumentParser(prog="python -m benchmarks.fingerprints", description=summary)
    parser.add_argument("--out", type=Path, help="write the fingerprints to this file, as JSON")
    parser.add_argument(
        "--against", type=Path, help="compare with the fingerprints in this file; code 1 if one differs"
    )
    parser.add_argument("--only", default="*", metavar="PATTERN", help="the entries of these names (default: all)")
    options = parser.parse_args(None if arguments is None else list(arguments))

    def wanted(names: Mapping[str, Any]) -> dict[str, Any]:
        return {name: value for name, value in names.items() if fnmatch(name, options.only)}

    found = compute(wanted(entries()), lambda name: print(name, file=sys.stderr, flush=True))
    failed = [f"error: {name}: {value}" for name, value in found.items() if ": " in value]
    print(*failed, sep="\n", end="\n" if failed else "")
    if options.out is not None:
        options.out.parent.mkdir(parents=True, exist_ok=True)
        options.out.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    changed = []
    if options.against is not None:
        changed = differences(found, wanted(json.loads(options.against.read_text(encoding="utf-8"))))
        print(*changed, f"{len(found)} entries, {len(changed)} not the same", sep="\n")
    else:
        print(f"{len(found)} entries")
    return DIFFERENT if changed or failed else SAME


if __name__ == "__main__":
    sys.exit(main())

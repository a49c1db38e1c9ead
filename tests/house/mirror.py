"""Which test file belongs to a module: the one of its name, or the one written down here."""

from __future__ import annotations

import ast
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

COVERED_BY = {
    "topicweave/kernels/requirements/flat_stars.py": "tests/algorithms/test_flat_stars.py",
    "topicweave/algorithms/requirements/entry.py": "tests/algorithms/requirements/test_steps.py",
    "topicweave/algorithms/requirements/network.py": "tests/kernels/requirements/test_rows.py",
    "topicweave/algorithms/greedy/loop.py": "tests/algorithms/test_options.py",
    "topicweave/churn/candidates.py": "tests/churn/test_repair.py",
    "topicweave/churn/completion.py": "tests/churn/test_strict.py",
    "topicweave/churn/naive.py": "tests/churn/test_repair.py",
    "topicweave/churn/overlay_state.py": "tests/churn/test_levelling.py",
    "topicweave/churn/pace.py": "tests/churn/test_event_store.py",
    "topicweave/churn/rebuild.py": "tests/churn/test_stateful.py",
    "topicweave/churn/roles.py": "tests/churn/test_snapshot.py",
    "topicweave/churn/state_folder.py": "tests/pipeline/jobs/test_follow.py",
    "topicweave/cli/design.py": "tests/cli/test_options.py",
    "topicweave/cli/diff.py": "tests/cli/test_deploying.py",
    "topicweave/cli/export.py": "tests/cli/test_deploying.py",
    "topicweave/cli/main.py": "tests/cli/test_bound.py",
    "topicweave/cli/probe.py": "tests/cli/test_deploying.py",
    "topicweave/cli/profile.py": "tests/cli/test_commands.py",
    "topicweave/cli/rollout.py": "tests/cli/test_deploying.py",
    "topicweave/cli/status.py": "tests/cli/test_deploying.py",
    "topicweave/cli/trees.py": "tests/cli/test_deploying.py",
    "topicweave/cli/verify.py": "tests/cli/test_commands.py",
    "topicweave/content/assignment.py": "tests/cli/test_content.py",
    "topicweave/content/core.py": "tests/content/test_exchange.py",
    "topicweave/content/processes/connection.py": "tests/content/processes/test_wire_fuzz.py",
    "topicweave/content/processes/limits.py": "tests/content/processes/test_wire_fuzz.py",
    "topicweave/content/processes/metrics.py": "tests/content/processes/test_server.py",
    "topicweave/content/processes/sockets.py": "tests/content/processes/test_client.py",
    "topicweave/content/processes/web.py": "tests/content/processes/test_server.py",
    "topicweave/content/protocol/arrivals.py": "tests/content/protocol/test_registrations.py",
    "topicweave/content/protocol/broker_state.py": "tests/content/protocol/test_network.py",
    "topicweave/content/protocol/handover.py": "tests/content/protocol/test_network.py",
    "topicweave/content/protocol/guests.py": "tests/content/protocol/test_guest_book.py",
    "topicweave/content/protocol/log.py": "tests/content/protocol/test_guest_book.py",
    "topicweave/content/protocol/sessions.py": "tests/content/protocol/test_fuzz.py",
    "topicweave/deploy/probe.py": "tests/deploy/test_brokers.py",
    "topicweave/deploy/status.py": "tests/deploy/test_brokers.py",
    "topicweave/deploy/swarm.py": "tests/deploy/test_rollout_live.py",
    "topicweave/kernels/churn/backups.py": "tests/churn/test_backups.py",
    "topicweave/kernels/churn/small_problem.py": "tests/churn/test_connect.py",
    "topicweave/kernels/components.py": "tests/algorithms/test_random_links.py",
    "topicweave/kernels/content/anneal_changes.py": "tests/content/test_brief_annealing.py",
    "topicweave/kernels/content/anneal.py": "tests/content/test_opening.py",
    "topicweave/kernels/content/bound.py": "tests/content/test_bound.py",
    "topicweave/kernels/content/reach.py": "tests/kernels/content/test_relays.py",
    "topicweave/kernels/content/trees.py": "tests/kernels/content/test_shared_tree.py",
    "topicweave/kernels/greedy/near.py": "tests/kernels/greedy/test_shortlists.py",
    "topicweave/kernels/kept_trees.py": "tests/trees/test_build.py",
    "topicweave/kernels/optimise/ascent.py": "tests/kernels/optimise/test_prices.py",
    "topicweave/kernels/optimise/dive.py": "tests/kernels/optimise/test_prices.py",
    "topicweave/kernels/optimise/network.py": "tests/kernels/optimise/test_ruin.py",
    "topicweave/kernels/optimise/parts.py": "tests/kernels/optimise/test_ruin.py",
    "topicweave/kernels/outages.py": "tests/outages/test_single.py",
    "topicweave/kernels/spider_groups.py": "tests/algorithms/test_spidercast.py",
    "topicweave/kernels/spidercast.py": "tests/algorithms/test_spidercast.py",
    "topicweave/metrics/blocks.py": "tests/metrics/test_verifier.py",
    "topicweave/metrics/hops.py": "tests/metrics/test_distances.py",
    "topicweave/optimise/link_search.py": "tests/optimise/test_improve.py",
    "topicweave/optimise/tables.py": "tests/kernels/optimise/test_prices.py",
    "topicweave/pipeline/churn/followed.py": "tests/pipeline/jobs/test_follow.py",
    "topicweave/pipeline/churn/log.py": "tests/pipeline/jobs/test_maintain.py",
    "topicweave/pipeline/churn/start.py": "tests/pipeline/jobs/test_follow.py",
    "topicweave/pipeline/churn/stream.py": "tests/pipeline/jobs/test_follow.py",
    "topicweave/pipeline/connectivity.py": "tests/pipeline/jobs/test_verify.py",
    "topicweave/pipeline/jobs/export.py": "tests/cli/test_deploying.py",
    "topicweave/pipeline/jobs/load.py": "tests/pipeline/plan/test_source.py",
    "topicweave/pipeline/plan/checkpoints/files.py": "tests/pipeline/plan/checkpoints/test_store.py",
    "topicweave/pipeline/plan/content_plan.py": "tests/pipeline/jobs/test_assign.py",
    "topicweave/pipeline/publishing.py": "tests/pipeline/jobs/test_design.py",
    "topicweave/pipeline/quality/quarantine.py": "tests/pipeline/quality/test_reasons.py",
    "topicweave/pipeline/source_profile.py": "tests/pipeline/jobs/test_profile.py",
    "topicweave/pipeline/sources/cuts.py": "tests/pipeline/sources/test_traffic.py",
    "topicweave/pipeline/sources/formats/delimited.py": "tests/pipeline/sources/formats/test_formats.py",
    "topicweave/pipeline/sources/formats/edge_list.py": "tests/pipeline/sources/formats/test_formats.py",
    "topicweave/pipeline/sources/formats/files.py": "tests/pipeline/plan/test_manifest.py",
    "topicweave/pipeline/sources/formats/json_lines.py": "tests/pipeline/sources/formats/test_formats.py",
    "topicweave/pipeline/sources/formats/lines.py": "tests/pipeline/sources/formats/test_formats.py",
    "topicweave/pipeline/sources/formats/structured.py": "tests/pipeline/sources/formats/test_formats.py",
    "topicweave/pipeline/sources/formats/table.py": "tests/pipeline/churn/test_event_files.py",
    "topicweave/pipeline/sources/publications.py": "tests/pipeline/sources/test_traffic.py",
    "topicweave/pipeline/sources/sample.py": "tests/pipeline/sources/test_social.py",
    "topicweave/pipeline/sources/source.py": "tests/pipeline/plan/test_manifest.py",
    "topicweave/pipeline/sources/subscriptions.py": "tests/pipeline/quality/test_roles.py",
    "topicweave/pipeline/spark/progress.py": "tests/cli/test_display.py",
    "topicweave/pipeline/workers/blocks.py": "tests/pipeline/jobs/test_verify.py",
    "topicweave/pipeline/workers/encode.py": "tests/pipeline/test_loading.py",
}
"""Modules without a test file of their name, and the test file that runs them and would notice if they broke."""


def modules(root: Path) -> set[str]:
    """The paths of the package's modules, packages and entry points aside."""
    files = (root / "topicweave").rglob("*.py")
    return {file.relative_to(root).as_posix() for file in files if not file.name.startswith("__")}


def test_file_of(module: str) -> str:
    """The path of a module's test file: the same folders below ``tests``."""
    folder, _, name = module.removeprefix("topicweave/").rpartition("/")
    return "/".join(part for part in ("tests", folder, f"test_{name}") if part)


def named_by(text: str) -> set[str]:
    """Every dotted name that a file's text imports, and what it takes from it: ``tw.deploy.trees`` as well."""
    tree = ast.parse(text)
    names: set[str] = set()
    known: dict[str, str] = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
            known |= {alias.asname or alias.name.split(".")[0]: alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            names |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
            known |= {alias.asname or alias.name: f"{node.module}.{alias.name}" for alias in node.names}
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute):
            first, *rest = ast.unparse(node).split(".")
            names.add(".".join([known.get(first, first), *rest]))
    return names


@cache
def _handed_on(package: Path) -> dict[str, str]:
    """What a package's own file imports, as others may import it from there."""
    lines = (node for node in ast.walk(ast.parse(package.read_text("utf-8"))) if isinstance(node, ast.ImportFrom))
    return {alias.name: f"{line.module}.{alias.name}" for line in lines for alias in line.names}


@cache
def home_of(root: Path, name: str) -> str | None:
    """The file of the module that a dotted name belongs to, through the packages that re-export it."""
    parts = name.split(".")
    for end in range(len(parts), 0, -1):
        place = root.joinpath(*parts[:end])
        if place.with_suffix(".py").is_file():
            return place.with_suffix(".py").relative_to(root).as_posix()
        if (place / "__init__.py").is_file():
            further = _handed_on(place / "__init__.py").get(parts[end]) if end < len(parts) else None
            return home_of(root, further) if further else None
    return None


@cache
def reached_from(root: Path, test: Path) -> set[str]:
    """The modules that a test file runs: those it names, the command lines it calls, and what these import themselves.

    No further: what is three imports away, a test may run without looking at it.
    """
    text = test.read_text(encoding="utf-8")
    named = {home_of(root, name) for name in named_by(text)}
    if test.is_relative_to(root / "tests" / "cli"):
        words = {node.value for node in ast.walk(ast.parse(text)) if isinstance(node, ast.Constant)}
        named |= {f"topicweave/cli/{word}.py" for word in words if isinstance(word, str) and word.isidentifier()}
    files = {file for file in named if file and (root / file).is_file()}
    return files.union(*(_imported_by(root, file) for file in files))


@cache
def _imported_by(root: Path, file: str) -> set[str]:
    homes = {home_of(root, name) for name in named_by((root / file).read_text(encoding="utf-8"))}
    return {home for home in homes if home}


def problems(root: Path, covered_by: dict[str, str]) -> list[str]:
    """One sentence for every module or line that breaks the rule."""
    found = []
    present = modules(root)
    for module in sorted(present):
        named = (root / test_file_of(module)).is_file()
        listed = module in covered_by
        if named and listed:
            found.append(f"{module} has {test_file_of(module)}; take it off the list in tests/house/mirror.py.")
        elif not named and not listed:
            found.append(f"{module} needs {test_file_of(module)}, or one line in tests/house/mirror.py.")
    found += [f"{module} is listed but does not exist." for module in sorted(covered_by.keys() - present)]
    for module, test in covered_by.items():
        if module in present and not ((root / test).is_file() and module in reached_from(root, root / test)):
            found.append(f"{test} is said to cover {module} but neither it nor what it imports runs that.")
    return found

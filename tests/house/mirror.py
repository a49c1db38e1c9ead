"""Which test file belongs to a module: the one of its name, or the one written down here."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

COVERED_BY = {
    "topicweave/algorithms/greedy/loop.py": "tests/algorithms/test_options.py",
    "topicweave/churn/numbers.py": "tests/churn/test_event_store.py",
    "topicweave/churn/overlay_state.py": "tests/churn/test_levelling.py",
    "topicweave/churn/pace.py": "tests/churn/test_event_store.py",
    "topicweave/churn/state_folder.py": "tests/pipeline/jobs/test_follow.py",
    "topicweave/cli/design.py": "tests/cli/test_options.py",
    "topicweave/cli/main.py": "tests/cli/test_bound.py",
    "topicweave/content/assignment.py": "tests/cli/test_content.py",
    "topicweave/content/core.py": "tests/content/test_exchange.py",
    "topicweave/content/protocol/guests.py": "tests/content/protocol/test_guest_book.py",
    "topicweave/content/protocol/log.py": "tests/content/protocol/test_guest_book.py",
    "topicweave/content/protocol/sessions.py": "tests/content/protocol/test_fuzz.py",
    "topicweave/deploy/loop_checker.py": "tests/deploy/test_waves.py",
    "topicweave/deploy/probe.py": "tests/deploy/test_brokers.py",
    "topicweave/deploy/status.py": "tests/deploy/test_brokers.py",
    "topicweave/deploy/swarm.py": "tests/deploy/test_rollout_live.py",
    "topicweave/kernels/churn/backups.py": "tests/churn/test_backups.py",
    "topicweave/kernels/churn/small_problem.py": "tests/churn/test_connect.py",
    "topicweave/kernels/components.py": "tests/algorithms/test_random_links.py",
    "topicweave/kernels/content/anneal.py": "tests/content/test_opening.py",
    "topicweave/kernels/content/bound.py": "tests/content/test_bound.py",
    "topicweave/kernels/content/reach.py": "tests/kernels/content/test_relays.py",
    "topicweave/kernels/content/trees.py": "tests/kernels/content/test_shared_tree.py",
    "topicweave/kernels/greedy/near.py": "tests/kernels/greedy/test_shortlists.py",
    "topicweave/kernels/optimise/ascent.py": "tests/kernels/optimise/test_prices.py",
    "topicweave/kernels/optimise/dive.py": "tests/kernels/optimise/test_prices.py",
    "topicweave/kernels/optimise/network.py": "tests/kernels/optimise/test_ruin.py",
    "topicweave/kernels/optimise/parts.py": "tests/kernels/optimise/test_ruin.py",
    "topicweave/kernels/spider_groups.py": "tests/algorithms/test_spidercast.py",
    "topicweave/metrics/blocks.py": "tests/metrics/test_verifier.py",
    "topicweave/metrics/hops.py": "tests/metrics/test_distances.py",
    "topicweave/optimise/link_search.py": "tests/optimise/test_improve.py",
    "topicweave/optimise/tables.py": "tests/kernels/optimise/test_prices.py",
    "topicweave/pipeline/connectivity.py": "tests/pipeline/jobs/test_verify.py",
    "topicweave/pipeline/plan/checkpoints/files.py": "tests/pipeline/plan/checkpoints/test_store.py",
    "topicweave/pipeline/quality/counts.py": "tests/pipeline/quality/test_reasons.py",
    "topicweave/pipeline/sources/cuts.py": "tests/pipeline/sources/test_traffic.py",
    "topicweave/pipeline/sources/formats/files.py": "tests/pipeline/plan/test_manifest.py",
    "topicweave/pipeline/sources/formats/table.py": "tests/pipeline/churn/test_event_files.py",
    "topicweave/pipeline/sources/source.py": "tests/pipeline/plan/test_manifest.py",
    "topicweave/pipeline/workers/blocks.py": "tests/pipeline/jobs/test_verify.py",
    "topicweave/pipeline/workers/encode.py": "tests/pipeline/test_loading.py",
}
"""Modules without a test file of their name, and the test file that imports them and covers them."""

NO_TEST_YET = {
    "topicweave/churn/candidates.py",
    "topicweave/churn/change.py",
    "topicweave/churn/difference.py",
    "topicweave/churn/naive.py",
    "topicweave/churn/rebuild.py",
    "topicweave/churn/snapshot_content.py",
    "topicweave/cli/diff.py",
    "topicweave/cli/export.py",
    "topicweave/cli/improve.py",
    "topicweave/cli/probe.py",
    "topicweave/cli/profile.py",
    "topicweave/cli/rollout.py",
    "topicweave/cli/status.py",
    "topicweave/cli/trees.py",
    "topicweave/cli/verify.py",
    "topicweave/columns.py",
    "topicweave/content/cells.py",
    "topicweave/content/flow_form.py",
    "topicweave/content/placement.py",
    "topicweave/content/programme.py",
    "topicweave/content/protocol/faults.py",
    "topicweave/content/protocol/tcp.py",
    "topicweave/content/protocol/transport.py",
    "topicweave/content/set_form.py",
    "topicweave/deploy/difference.py",
    "topicweave/deploy/graphs.py",
    "topicweave/kernels/content/clusters.py",
    "topicweave/kernels/content/links.py",
    "topicweave/kernels/content/moves.py",
    "topicweave/kernels/content/ordering.py",
    "topicweave/kernels/content/reach_moves.py",
    "topicweave/kernels/content/steiner.py",
    "topicweave/kernels/filling.py",
    "topicweave/kernels/kept_trees.py",
    "topicweave/kernels/spider_network.py",
    "topicweave/kernels/spidercast.py",
    "topicweave/kernels/stars.py",
    "topicweave/kernels/topic_links.py",
    "topicweave/kernels/trees.py",
    "topicweave/metrics/matching.py",
    "topicweave/model/interest_checks.py",
    "topicweave/pipeline/churn/checkpoint.py",
    "topicweave/pipeline/churn/followed.py",
    "topicweave/pipeline/churn/log.py",
    "topicweave/pipeline/churn/opening.py",
    "topicweave/pipeline/churn/seen_files.py",
    "topicweave/pipeline/churn/start.py",
    "topicweave/pipeline/churn/stream.py",
    "topicweave/pipeline/jobs/export.py",
    "topicweave/pipeline/jobs/load.py",
    "topicweave/pipeline/plan/content_plan.py",
    "topicweave/pipeline/publishing.py",
    "topicweave/pipeline/quality/quarantine.py",
    "topicweave/pipeline/source_profile.py",
    "topicweave/pipeline/sources/formats/delimited.py",
    "topicweave/pipeline/sources/formats/edge_list.py",
    "topicweave/pipeline/sources/formats/json_lines.py",
    "topicweave/pipeline/sources/formats/lines.py",
    "topicweave/pipeline/sources/formats/structured.py",
    "topicweave/pipeline/sources/publications.py",
    "topicweave/pipeline/sources/ranges.py",
    "topicweave/pipeline/sources/sample.py",
    "topicweave/pipeline/sources/subscriptions.py",
    "topicweave/pipeline/spark/progress.py",
    "topicweave/reports/difference_page.py",
    "topicweave/trees/follow.py",
}
"""Modules that no test imports: they run only as part of something larger. To be emptied; nothing is added."""


def modules(root: Path) -> set[str]:
    """The paths of the package's modules, packages and entry points aside."""
    files = (root / "topicweave").rglob("*.py")
    return {file.relative_to(root).as_posix() for file in files if not file.name.startswith("__")}


def test_file_of(module: str) -> str:
    """Where the test file of a module's name stands: the same folders below ``tests``."""
    folder, _, name = module.removeprefix("topicweave/").rpartition("/")
    return "/".join(part for part in ("tests", folder, f"test_{name}") if part)


def imported_by(text: str) -> set[str]:
    """Every dotted name that a file's text imports, whether module or member of one."""
    names = set()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            names |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
    return names


def problems(root: Path, covered_by: dict[str, str], no_test_yet: set[str]) -> list[str]:
    """One sentence for every module or entry of the two lists that breaks the rule."""
    found = []
    present = modules(root)
    for module in sorted(present):
        named = (root / test_file_of(module)).is_file()
        listed = (module in covered_by) + (module in no_test_yet)
        if named and listed:
            found.append(f"{module} has {test_file_of(module)}; take it off the list in tests/house/mirror.py.")
        elif not named and listed != 1:
            found.append(f"{module} needs {test_file_of(module)}, or one line in tests/house/mirror.py.")
    found += [f"{module} is listed but does not exist." for module in sorted({*covered_by, *no_test_yet} - present)]
    for module, test in covered_by.items():
        name = module.removesuffix(".py").replace("/", ".")
        if not (root / test).is_file() or name not in imported_by((root / test).read_text(encoding="utf-8")):
            found.append(f"{test} is said to cover {module} but does not import it.")
    return found

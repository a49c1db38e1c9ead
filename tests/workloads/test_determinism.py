"""The same seed gives the same workload in every process, whatever its string hashes."""

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = """
import hashlib
from topicweave.workloads import bfs_sample, social, synthetic

edges = {(f"u{i}", f"u{i * i % 97}") for i in range(400)} | {("lone", "wolf")}
digest = hashlib.sha256()
for interest in (
    synthetic(200, 100, seed=5),
    synthetic(200, 1000, popularity="exponential", seed=5),
    synthetic(100, 300, alpha=2.0, subscriptions=(5, 200), seed=5),
    social(edges),
    social(edges, directed=True),
):
    digest.update(repr((tuple(interest.nodes), tuple(interest.topics))).encode())
    digest.update(interest.indptr.tobytes() + interest.indices.tobytes())
for count in (50, 402):
    sample = bfs_sample(edges, count, seeds=3, seed=8)
    digest.update(repr((sample.seeds, sample.edges.users, sorted(sample.edges))).encode())
print(digest.hexdigest())
"""


def outcome(hash_seed):
    environment = {**os.environ, "PYTHONHASHSEED": hash_seed, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM], env=environment, cwd=ROOT, capture_output=True, text=True, check=True
    )
    return done.stdout.strip()


def test_processes_agree():
    """Two processes that hash strings differently draw the same."""
    first, second = outcome("1"), outcome("2")
    assert first == second
    assert len(first) == 64

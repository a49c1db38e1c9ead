"""The workloads of the paper: 10 topics per node, drawn under three popularity laws."""

from __future__ import annotations

from experiments.designing import ask
from experiments.workload import Workload

NODES = (1_000, 2_000, 4_000, 6_000, 8_000, 10_000)
TOPICS = (100, 200)
LAWS = {"uniform": ("uniform", None), "Zipf": ("zipf", 0.5), "exponential": ("exponential", None)}
SERIES = [(law, num_topics) for law in LAWS for num_topics in TOPICS]
GM, RING = ask("gm"), ask("ring")
SETTING = "nodes 1,000, 2,000, 4,000 … 10,000; topics 100, 200; s=10; uniform, Zipf 0.5, exponential"


def workload(law: str, num_topics: int, num_nodes: int, size: int = 10) -> Workload:
    popularity, alpha = LAWS[law]
    return Workload(num_nodes, num_topics, popularity, size, alpha)


ALL = [workload(law, num_topics, num_nodes) for law, num_topics in SERIES for num_nodes in NODES]

"""The table of benchmarks, with the limits to meet. Its keys are the names used on the command line."""

from __future__ import annotations

from dataclasses import dataclass

from benchmarks import churn, pipeline, scale
from benchmarks.checks import Check, Growth, Rate, Ratio, at_least, at_most
from benchmarks.content import ContentSpeed, ContentTraffic, CoreSpeed, MethodSeconds
from benchmarks.content_adapt import Adapting
from benchmarks.content_distributed import Distributed
from benchmarks.content_quality import ContentGap, ContentQuality, TreeGain
from benchmarks.content_throughput import Throughput
from benchmarks.instances import Instance
from benchmarks.matching import Matching
from benchmarks.memory import PeakMemory
from benchmarks.near import NearQuality, NearWays
from benchmarks.startup import ImportTime, SecondProcess
from benchmarks.subjects import Designing, Floor, Generation, Published
from benchmarks.ties import TIE_RULES, TieQuality

GM = Designing("gm")
FLOOR, FASTEST_FLOOR = Floor("rows"), Floor("columns")
PUBLISHED = Published()
DEGREE_RULES = (Designing("minmax"), Designing("low", (("k", 3),)), Designing("gpm", (("d", 4),)))

ZIPF_STEEP, ZIPF_FLAT = ("zipf", 2.0), ("zipf", 0.5)
UNIFORM, EXPONENTIAL = ("uniform", None), ("exponential", None)


def large(law: tuple[str, float | None], num_nodes: int = 10_000) -> Instance:
    """An instance with 20 to 600 of 1,000 topics per node, distributed by a power law, as in PART §VI."""
    return Instance(num_nodes, 1_000, law[0], (20, 600), law[1])


def small_sets(law: tuple[str, float | None], num_nodes: int = 10_000, num_topics: int = 100) -> Instance:
    """An instance with ten topics per node, as in GM §8."""
    return Instance(num_nodes, num_topics, law[0], 10, law[1])


LARGE = tuple(large(law) for law in (ZIPF_STEEP, UNIFORM, EXPONENTIAL))
MIDDLE = Instance(2_000, 200, "uniform", (10, 90))


@dataclass(frozen=True)
class Case:
    """A named benchmark: the checks that belong to it."""

    title: str
    checks: tuple[Check, ...]


CASES: dict[str, Case] = {
    "floor": Case(
        "One pass over all pairs",
        (
            *(Rate(instance, FLOOR, at_least(2)) for instance in LARGE),
            *(Rate(instance, FASTEST_FLOOR) for instance in LARGE),
        ),
    ),
    "gm": Case(
        "Greedy Merge against the floor",
        (
            *(Ratio(instance, GM, FLOOR, at_most(6)) for instance in LARGE),
            *(
                Ratio(instance, Designing("gm", ties=rule), FLOOR, at_most(9))
                for instance in LARGE
                for rule in TIE_RULES
                if rule != "balanced"
            ),
            *(Ratio(instance, GM, FASTEST_FLOOR) for instance in LARGE),
        ),
    ),
    "published": Case(
        "Greedy Merge against its published data structures",
        (
            Ratio(large(ZIPF_STEEP), PUBLISHED, GM, at_least(30)),
            Ratio(large(UNIFORM), PUBLISHED, GM, at_least(10)),
            Ratio(large(EXPONENTIAL), PUBLISHED, GM),
            *(
                Ratio(instance, PUBLISHED, Designing("gm", ties=rule))
                for instance in LARGE
                for rule in TIE_RULES
                if rule != "balanced"
            ),
        ),
    ),
    "published-small-sets": Case(
        "The same, ten topics per node",
        (
            Ratio(small_sets(ZIPF_FLAT), PUBLISHED, GM, at_least(6)),
            Ratio(small_sets(EXPONENTIAL), PUBLISHED, GM, at_least(10)),
        ),
    ),
    "rules": Case(
        "The rules that look at degrees, against Greedy Merge and the floor",
        (
            *(Ratio(instance, rule, GM, at_most(3)) for instance in LARGE for rule in DEGREE_RULES),
            *(Ratio(instance, rule, FLOOR) for instance in LARGE for rule in DEGREE_RULES),
        ),
    ),
    "rules-middle": Case(
        "The same, middling instance",
        tuple(Ratio(MIDDLE, rule, GM, at_most(3)) for rule in DEGREE_RULES[:2]),
    ),
    "growth": Case(
        "Growth with the number of nodes",
        tuple(
            Growth(
                tuple(large(law, num_nodes) for num_nodes in (2_500, 10_000, 20_000)),
                base=large(law, 5_000),
                subject=GM,
                bar=at_most(1.5),
            )
            for law in (ZIPF_STEEP, UNIFORM, EXPONENTIAL)
        ),
    ),
    "memory": Case(
        "Peak memory",
        tuple(
            PeakMemory(large(law, num_nodes), at_most(gigabytes))
            for num_nodes, gigabytes in ((10_000, 1), (20_000, 4))
            for law in (ZIPF_STEEP, UNIFORM, EXPONENTIAL)
        ),
    ),
    "ties": Case(
        "What the tie rules are worth",
        (
            TieQuality(
                tuple(
                    small_sets(law, num_nodes, num_topics)
                    for law in (ZIPF_FLAT, UNIFORM, EXPONENTIAL)
                    for num_topics in (100, 200)
                    for num_nodes in (1_000, 2_000, 5_000, 10_000)
                )
            ),
        ),
    ),
    "near": Case(
        "Near candidates, against all pairs",
        (
            *(NearQuality(instance, at_most(1)) for instance in LARGE),
            *(NearQuality(small_sets(law, num_topics=200)) for law in (ZIPF_FLAT, UNIFORM, EXPONENTIAL)),
            *(NearQuality(large(law, 20_000), at_most(0.5)) for law in (ZIPF_STEEP, UNIFORM, EXPONENTIAL)),
            *(NearQuality(instance, None, None, rule) for rule in ("minmax", "low") for instance in LARGE),
        ),
    ),
    "near-ways": Case(
        "Ways to find near candidates, against all pairs",
        (
            *(NearWays(small_sets(law, num_topics=200)) for law in (ZIPF_FLAT, UNIFORM, EXPONENTIAL)),
            NearWays(Instance(20_000, 2_000, "zipf", 20, 0.5)),
        ),
    ),
    "scale": Case("From ten thousand nodes to a million", scale.CHECKS),
    "startup": Case("Start-up", (ImportTime(), SecondProcess())),
    "workload": Case(
        "Drawing a workload, against designing for it",
        tuple(Ratio(instance, Generation(), GM, at_most(1)) for instance in LARGE),
    ),
    "pipeline": Case("The data pipeline, against Spark alone", pipeline.CHECKS),
    "churn": Case("Nodes that come and go", churn.CHECKS),
    "content": Case(
        "Content-based overlays, against one product of all pairs' traffic",
        (*(ContentSpeed(price_ratio=ratio) for ratio in (0.1, 1.0, 10.0)), CoreSpeed()),
    ),
    "content-seconds": Case("Content-based overlays: CPU seconds of each method", (MethodSeconds(),)),
    "content-gap": Case("Content-based overlays: the best method against the lower bound", (ContentGap(),)),
    "content-adapt": Case("Content-based overlays: adapting an earlier assignment", (Adapting(),)),
    "content-tree": Case(
        "Content-based overlays: one tree chosen for the traffic against the spanning tree", (TreeGain(),)
    ),
    "content-quality": Case("Content-based overlays, against random assignment", (ContentQuality(),)),
    "content-quality-small": Case(
        "Content-based overlays, against random assignment, in small", (ContentQuality((1_000,), num_instances=2),)
    ),
    "content-distributed": Case(
        "Brokers that decide for themselves, against central methods", (Distributed("sparse"), Distributed("dense"))
    ),
    "content-throughput": Case(
        "Throughput of one broker process over TCP", (Throughput(), Throughput(by_content=True))
    ),
    "content-matching": Case(
        "Matching of publications by content, against a scan of all subscriptions",
        (Matching(0.05, bar=20), Matching(0.02, bar=20), Matching(0.2)),
    ),
    "content-traffic": Case("Publications to an Instance, against Spark's bare count", (ContentTraffic(),)),
}

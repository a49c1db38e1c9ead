"""Every public function, called with one unusable argument: one sentence of our own, never a bare error."""

from __future__ import annotations

import pkgutil
from fractions import Fraction
from importlib import import_module

import numpy as np
import pytest

import topicweave
from topicweave import (
    Interest,
    Overlay,
    Requirements,
    churn,
    content,
    design,
    metrics,
    optimise,
    outages,
    trees,
    verify,
    workloads,
)
from topicweave.content.quotes import Quotes
from topicweave.errors import TopicweaveError
from topicweave.lazy import loader
from topicweave.model import LinkCost

INTEREST = Interest.from_pairs([("a", "x"), ("b", "x"), ("c", "x"), ("c", "y"), ("d", "y")])
NEWCOMERS = Interest.from_pairs([("n", "x"), ("m", "y")])
OVERLAY = design(INTEREST, "gm").overlay
INSTANCE = content.Instance([[1], [0]], [[0], [1]], [[1, 9], [9, 1]], [[0, 3], [3, 0]], 2)
PRICES = content.Prices(("p", "q"), np.array([[0.0, 1.0], [1.0, 0.0]]))
QUOTES = Quotes(("A", "B"), np.array([0, 1, 0]), np.array([1.0, 2.0, 3.0]), np.ones(3))
TREES = trees.trees(INTEREST, OVERLAY)
CARRIED = {("x", ("a", "b")): "both"}
BOTH = {"interest": INTEREST, "overlay": OVERLAY}
CHURN = {"interest": INTEREST, "newcomers": NEWCOMERS}


def on_a_new_maintainer(name):
    """A method of a maintainer that has not been changed yet."""

    def call(**arguments):
        return getattr(churn.Shadow(INTEREST), name)(**arguments)

    call.__qualname__ = f"Shadow.{name}"
    return call


# A call that works, for each function; every argument of it is then replaced by each of the values below.
CALLS = {
    design: {"interest": INTEREST, "algorithm": "low", "start": OVERLAY, "pairs": [[0, 1], [2, 3]], "topics": ["x"],
             "ties": "random", "candidates": "all", "memory_limit": 10**9, "progress": None, "seed": 1, "k": 3,
             "requirements": Requirements()},
    verify: {**BOTH, "requirements": Requirements(max_hops=3)},
    Interest.from_pairs: {"pairs": [("a", "x")]},
    Interest.from_sets: {"topics_by_node": {"a": ["x"]}},
    Interest.from_matrix: {"matrix": [[1, 0]], "nodes": ["a"], "topics": ["x", "y"]},
    Interest.from_csr: {"nodes": ["a"], "topics": ["x"], "indptr": [0, 1], "indices": [0]},
    INTEREST.restrict: {"nodes": ["a"], "topics": ["x"]},
    INTEREST.add: {"topics_by_node": {"z": ["x"]}},
    INTEREST.remove: {"nodes": ["a"]},
    INTEREST.topics_of: {"node": "a"},
    Overlay.from_pairs: {"pairs": [("a", "b")], "labels": ["a", "b"]},
    Overlay.from_scipy: {"matrix": [[0, 1], [1, 0]], "labels": ["a", "b"]},
    Overlay: {"labels": ["a", "b"], "edges": [[0, 1]]},
    Requirements: {"max_hops": 3, "connectivity": 2, "link_cost": {"a": (1, 2)}, "cost_weight": 0.5, "max_degree": 3,
                   "forbidden": [("a", "b")], "required": [("b", "c")], "allowed": [("b", "c")],
                   "regions": {"a": "eu"}},
    LinkCost.of: {"given": [[0, 1], [1, 0]]},
    Requirements(max_hops=2).resolve: {"interest": INTEREST, "ignore_unknown": True},
    workloads.synthetic: {"num_nodes": 5, "num_topics": 5, "popularity": "zipf", "alpha": 0.5, "subscriptions": 2,
                          "seed": 1},
    workloads.topic_probabilities: {"num_topics": 3, "popularity": "zipf", "alpha": 1.0},
    workloads.social: {"edges": [("a", "b")], "directed": True},
    workloads.bfs_sample: {"edges": [("a", "b")], "num_nodes": 2, "seeds": 1, "seed": 1},
    workloads.as_edge_list: {"edges": [("a", "b")]},
    workloads.read_edge_list: {"path": __file__},
    workloads.EdgeList: {"users": ("a", "b"), "ends": [[0, 1]]},
    workloads.poisson_sessions: {**CHURN, "days": 0.01, "joins_per_day": 10.0, "mean_stay": 100.0, "swing": 0.5,
                                 "seed": 1},
    workloads.flash_crowd: {**CHURN, "topic": "x", "crowd": 1, "stay": 10.0, "seed": 1},
    workloads.mass_leaves: {**CHURN, "num_events": 3, "rack_size": 1, "num_racks": 1, "seed": 1},
    workloads.random_churn: {**CHURN, "num_events": 3, "seed": 1},
    content.assign: {"instance": INSTANCE, "method": "migrate", "start": "random", "passes": 2, "core": "tree",
                     "seed": 1},
    content.adapt: {"instance": INSTANCE, "earlier": {"0": "1"}, "max_moves": 2, "core": "tree", "seed": 0},
    content.cost: {"instance": INSTANCE, "broker": [0, 1], "core": "tree", "tree": [[0, 1]]},
    content.lower_bound: {"instance": INSTANCE, "core": "steiner"},
    content.transition: {"assignment": content.assign(INSTANCE, "random"), "current": {"0": "1"}},
    content.sparse_instance: {"num_users": 4, "num_brokers": 2, "num_channels": 3, "price_ratio": 1.0, "spare": 2.0,
                              "seed": 1},
    content.evaluation_instance: {"num_users": 4, "num_brokers": 2, "num_channels": 3, "price_ratio": 1.0,
                                  "spare": 2.0, "seed": 1},
    content.Instance: {"publish": [[1], [0]], "subscribe": [[0], [1]], "access_price": [[1, 9], [9, 1]],
                       "core_price": [[0, 3], [3, 0]], "capacity": 2, "users": ["u", "v"], "brokers": ["p", "q"],
                       "channels": ["c"]},
    content.Channels: {"edges": {"value": [0.0, 1.0]}},
    content.Routing: {"instance": INSTANCE, "broker": [0, 1], "core": "tree", "tree": [[0, 1]]},
    content.broker_links: {"instance": INSTANCE, "cost": content.cost(INSTANCE, [0, 1])},
    content.summarize: {"users": [0, 1], "values": {"value": [0.5, 0.6]},
                        "channels": content.Channels({"value": [0.0, 1.0]}), "num_users": 2, "amounts": [1.0, 2.0],
                        "duration": 1.0},
    content.quotes_instance: {"quotes": QUOTES, "prices": PRICES, "num_users": 4, "num_brokers": 2, "num_channels": 2,
                              "spare": 2.0, "seed": 1},
    content.read_prices: {"path": __file__},
    content.read_places: {"path": __file__},
    content.read_quotes: {"path": __file__},
    PRICES.between: {"rows": ["p"], "columns": ["q"]},
    churn.Naive: {**BOTH, "seed": 1},
    churn.Shadow: {**BOTH, "seed": 1},
    churn.Rebuild: {**BOTH, "seed": 1},
    churn.Strict: {**BOTH, "requirements": None, "seed": 1},
    churn.Event: {"action": "join", "node": "a", "topics": ["x"], "sequence": 1, "time": 0.0},
    churn.load: {"path": __file__},
    churn.replay: {"maintainer": churn.Naive(INTEREST), "events": [], "each": None},
    metrics.measure: {**BOTH, "sample": 2, "seed": 1},
    metrics.topic_components: BOTH,
    metrics.topic_diameters: {**BOTH, "inside": True, "topics": ["x"], "sample": 2, "seed": 1},
    metrics.topic_distances: {**BOTH, "inside": True, "topics": ["x"], "sample": 2, "seed": 1},
    metrics.redundancy: BOTH,
    metrics.filtering_cost: {**BOTH, "topics": ["x"]},
    metrics.degree_distribution: {"overlay": OVERLAY},
    trees.check_trees: {**BOTH, "edges": {"x": [("a", "b")]}},
    trees.trees: {**BOTH, "objective": "latency", "latency": [1.0] * OVERLAY.num_edges, "prefer": TREES},
    trees.trees_from_arrow: {**BOTH, "table": TREES.to_arrow(), "objective": "depth"},
    trees.failures: {"found": TREES, "nodes": ["a"]},
    trees.link_failures: {"found": TREES, "links": [("a", "b")]},
    trees.standby: {"found": TREES, "nodes": ["a"], "links": [("a", "b")]},
    trees.tree_changes: {"before": CARRIED, "after": CARRIED},
    optimise.lower_bound: {"interest": INTEREST, "objective": "links", "max_degree": 3, "seconds": 0.01, "rounds": 1,
                           "progress": None, "seed": 1},
    optimise.improve: {**BOTH, "max_degree": 4, "max_changes": 2, "prefer": OVERLAY, "seconds": 0.01, "rounds": 1,
                       "progress": None, "seed": 1},
    outages.single_outages: BOTH,
    outages.outage: {**BOTH, "nodes": ["a"]},
    outages.region_outages: {**BOTH, "regions": {"a": "eu"}},
    outages.read_regions: {"path": __file__},
    metrics.satisfies: {**BOTH, "average_degree": 2.0, "maximum_degree": 3.0, "average_diameter": 2.0,
                        "maximum_diameter": 3.0, "filtering": 1.0},
    **{
        on_a_new_maintainer(name): arguments
        for name, arguments in {
            "join": {"node": "z", "topics": ["x"]}, "leave": {"node": "a"}, "drain": {"node": "a"},
            "resubscribe": {"node": "a", "topics": ["y"]}, "apply": {"events": []}, "reoptimise": {"budget": 1},
        }.items()
    },
}  # fmt: skip

HOSTILE = {
    "inf": float("inf"), "-inf": float("-inf"), "nan": float("nan"), "10**400": 10**400, "-10**400": -(10**400),
    "-1": -1, "0": 0, "1.5": 1.5, "fraction": Fraction(1, 3), "none": None, "true": True, "text": "no", "empty": "",
    "digits": "3", "surrogate": "\ud800", "long": "q" * 200_000, "bytes": b"x", "list": [1], "deep": [[["x"]]],
    "ragged": [[1], [1, 2]], "object": object(), "dict": {"x": 1}, "interest": INTEREST, "overlay": OVERLAY,
    "nan array": np.array([np.nan]), "class": type, "complex": 1j,
}  # fmt: skip


@pytest.mark.parametrize("function", CALLS, ids=lambda function: getattr(function, "__qualname__", str(function)))
def test_one_argument_that_cannot_be_used(function):
    """The call works, or one of our own errors says in a sentence of readable length what was wrong."""
    bare = []
    for name in CALLS[function]:
        for what, value in HOSTILE.items():
            try:
                function(**{**CALLS[function], name: value})
            except TopicweaveError as error:
                if len(str(error)) > 1300:
                    bare.append(f"{name}={what}: {len(str(error)):,} characters")
            except Exception as error:
                bare.append(f"{name}={what}: {type(error).__name__}: {error}"[:160])
    assert not bare, "\n".join(bare)


def test_the_calls_themselves_work():
    """Otherwise the errors above would say nothing; files are given that are not ours."""
    for function, arguments in CALLS.items():
        if "path" not in arguments:
            function(**arguments)


MADE_BY_OTHERS = "errors, table entries and results: made by our own functions, from what those have checked"
# What is not tried here, and why; a name that is offered no more must go from this list.
LEFT_OUT = {
    MADE_BY_OTHERS: {
        "Algorithm", "Assignment", "BfsSample", "Bound", "BrokenTopic", "Certificate", "Change", "Cost", "Design",
        "Failure",
        "InfeasibleError", "InputError", "LinkFailure", "LowerBound", "Maintainer", "Measures", "Method", "Moves",
        "Options", "Outage", "Prices", "Progress", "Replay", "Report", "Resolved", "Satisfaction",
        "SingleOutage", "SingleOutages", "Standby", "TopicDistances", "TopicweaveError", "Trace",
        "Transition", "TreeChange", "Trees", "Violation",
    },
    "its constructors and methods are tried one by one": {"Interest", "LinkCost"},
    "called by design, which is tried": {"check_options"},
    "writes a file, and takes a maintainer, which is tried": {"save"},
}  # fmt: skip


def offered_by(room):
    """The public functions and classes of a room, whether it imports them at once, later (by ``loader``), or lists
    them.
    """
    names = {name for name in (*dir(room), *getattr(room, "__all__", ())) if not name.startswith("_")}
    found = {name: getattr(room, name) for name in names}
    return {
        name: value
        for name, value in found.items()
        if callable(value) and str(getattr(value, "__module__", "")).startswith("topicweave") and value is not loader
    }


def rooms():
    """The package and its rooms; not the pipeline, which needs Spark and is tried in tests/pipeline and tests/cli."""
    inner = [info.name for info in pkgutil.iter_modules(topicweave.__path__) if info.ispkg and info.name != "pipeline"]
    return [topicweave, *(import_module(f"topicweave.{name}") for name in inner)]


def test_all_public_functions_are_tried():
    """Whatever a room offers is tried, or left out for a reason that is written down; and no reason is out of date."""
    tried = {id(function) for function in CALLS}
    untried = set()
    for room in rooms():
        offered = offered_by(room)
        untried |= {name for name, value in offered.items() if id(value) not in tried}
    assert untried == set().union(*LEFT_OUT.values())


@pytest.mark.parametrize(("room", "name"), [(workloads, "synthetic"), (churn, "Shadow"), (metrics, "satisfies")])
def test_public_names_are_found_however_they_are_exported(room, name):
    """By import, by a module's __getattr__, and without __all__."""
    assert name in offered_by(room)

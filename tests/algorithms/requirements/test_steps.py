"""Random combinations of requirements on few nodes, against brute force over all overlays."""

import random
from itertools import combinations

import numpy as np
import pytest

import topicweave as tw
from tests.every_overlay import every_overlay
from tests.reference_requirements import can_be_met
from topicweave import Interest, Requirements
from topicweave.errors import ImpossibleError, NotFoundError, ParameterError


def random_case(seed, num_nodes=None):
    """An interest of so many nodes, or of up to six, and requirements of all kinds."""
    rng = random.Random(seed)
    nodes = "abcdefg"[: num_nodes or rng.randint(3, 6)]
    interest = Interest.from_sets({node: set(rng.choices("xyz", k=rng.randint(1, 3))) for node in nodes})
    pairs = list(combinations(nodes, 2))
    made = {
        "max_hops": rng.choice([None, None, 2, 3]),
        "connectivity": rng.choice([1, 1, 2, 3]),
        "max_degree": rng.choice([None, rng.randint(2, 4), {node: rng.randint(1, 4) for node in rng.sample(nodes, 2)}]),
        "forbidden": rng.sample(pairs, rng.choice([0, 0, 1, 2])),
        "required": rng.sample(pairs, rng.choice([0, 0, 1])),
        "allowed": rng.choice([None, None, rng.sample(pairs, len(pairs) * 2 // 3)]),
        "link_cost": rng.choice([None, {node: (rng.random(), rng.random()) for node in nodes}]),
    }
    return interest, Requirements(**made), rng.choice(["gm", "low", "minmax"])


def meeting(interest, r):
    """The numbers of all overlays that meet the requirements, worked out for all of them at once."""
    nodes = interest.nodes
    plain = every_overlay({v: set(interest.topics_of(node)) for v, node in enumerate(nodes)})
    made = (np.arange(len(plain.links))[:, None] >> np.arange(len(plain.pairs))) & 1 == 1
    good = plain.is_tco.copy()
    for column, (u, v) in enumerate(plain.pairs):
        pair = (nodes[u], nodes[v])
        if pair in r.forbidden or (r.allowed is not None and pair not in r.allowed):
            good &= ~made[:, column]
        if pair in r.required:
            good &= made[:, column]
    for v, node in enumerate(nodes):
        cap = r.max_degree if isinstance(r.max_degree, int) or r.max_degree is None else r.max_degree.get(node)
        if cap is not None:
            good &= made[:, [v in pair for pair in plain.pairs]].sum(axis=1) <= cap
    left = np.flatnonzero(good)
    step = np.zeros((len(left), len(nodes), len(nodes)), dtype=np.int64)
    for column, (u, v) in enumerate(plain.pairs):
        step[:, u, v] = step[:, v, u] = made[left, column]
    is_met = np.ones(len(left), dtype=bool)
    for topic in interest.topics:
        inside = sorted(interest.node_numbers[node] for node in interest.subscribers_of(topic))
        part = step[:, inside][:, :, inside]
        if len(inside) <= r.connectivity:
            is_met &= part.sum(axis=(1, 2)) == len(inside) * (len(inside) - 1)
            continue
        if r.max_hops is not None:
            is_met &= reach_all(part, r.max_hops)
        for number in range(r.connectivity):
            for failed in combinations(range(len(inside)), number):
                rest = [i for i in range(len(inside)) if i not in failed]
                is_met &= reach_all(part[:, rest][:, :, rest], len(rest))
    return {int(one) for one in left[is_met]}, plain


def reach_all(step, hops):
    """For each graph, whether every node reaches every other within this many hops, by powers of its matrix."""
    once = step + np.eye(step.shape[1], dtype=np.int64)
    power = once
    for _ in range(hops - 1):
        power = np.minimum(power @ once, 1)
    return (power > 0).all(axis=(1, 2))


@pytest.mark.parametrize("block", range(6))
def test_fifty_combinations_against_brute_force(block):
    """If design() says "impossible", it is; if an overlay exists, it is found; and each overlay returned meets
    everything.
    """
    outcomes = {"met": 0, "impossible": 0}
    for seed in range(50 * block, 50 * block + 50):
        interest, requirements, algorithm = random_case(seed)
        good, plain = meeting(interest, requirements)
        try:
            made = tw.design(interest, algorithm, requirements=requirements, seed=seed)
        except ImpossibleError:
            assert not good, f"seed {seed} is possible"
            outcomes["impossible"] += 1
            continue
        assert plain.number(made.overlay.edges.tolist()) in good, f"seed {seed}"
        assert tw.verify(interest, made.overlay, requirements).satisfied
        outcomes["met"] += 1
    assert min(outcomes.values()) >= 5


def limits_of(interest, r):
    """The most links of each node, and the permitted pairs."""
    named = {} if r.max_degree is None or isinstance(r.max_degree, int) else r.max_degree
    most = r.max_degree if isinstance(r.max_degree, int) else interest.num_nodes
    permitted = [
        pair for pair in combinations(interest.nodes, 2)
        if pair not in r.forbidden and (r.allowed is None or pair in r.allowed)
    ]  # fmt: skip
    return {node: named.get(node, most) for node in interest.nodes}, permitted


def outcome_of_seven(seed):
    """Design for seven nodes; what is said must agree with a search through all overlays, or with the verifier."""
    interest, r, algorithm = random_case(seed, num_nodes=7)
    try:
        made = tw.design(interest, algorithm, requirements=r, seed=seed)
    except ImpossibleError:
        caps, pairs = limits_of(interest, r)
        if not set(r.required) <= set(pairs):
            return "impossible"
        topics_of = {node: set(interest.topics_of(node)) for node in interest.nodes}
        useful = [pair for pair in pairs if topics_of[pair[0]] & topics_of[pair[1]] or pair in r.required]
        assert not can_be_met(topics_of, useful, caps, r.required, r.max_hops or 0, r.connectivity), f"seed {seed}"
        return "impossible"
    assert tw.verify(interest, made.overlay, r).satisfied, f"seed {seed}"
    return "met"


def test_combinations_for_seven_nodes_against_brute_force():
    """With seven nodes it is never "not found" either."""
    outcomes = [outcome_of_seven(seed) for seed in range(20)]
    assert min(map(outcomes.count, ("met", "impossible"))) >= 4


@pytest.mark.slow
def test_three_hundred_combinations_for_seven_nodes():
    """The same three hundred times."""
    outcomes = [outcome_of_seven(seed) for seed in range(300)]
    assert min(map(outcomes.count, ("met", "impossible"))) >= 50


def test_the_search_through_all_overlays_is_the_plain_one():
    """For the few nodes of the other cases it finds an overlay just where the enumeration of all finds one."""
    for seed in range(12):
        interest, r, _ = random_case(seed, num_nodes=5)
        caps, pairs = limits_of(interest, r)
        if set(r.required) <= set(pairs):
            topics_of = {node: set(interest.topics_of(node)) for node in interest.nodes}
            found = can_be_met(topics_of, pairs, caps, r.required, r.max_hops or 0, r.connectivity)
            assert found == bool(meeting(interest, r)[0]), f"seed {seed}"


def test_what_is_not_found_comes_with_the_best_overlay():
    """Sixteen nodes of one topic with three links each cannot all be within two hops, but no proof of that is found
    here.
    """
    everybody = Interest.from_sets({f"n{i:02}": ["t"] for i in range(10)})
    requirements = Requirements(max_degree={f"n{i:02}": 3 - (i == 0) for i in range(10)}, max_hops=2)
    with pytest.raises(NotFoundError, match="there may be one") as caught:
        tw.design(everybody, "gm", requirements=requirements)
    best = caught.value.fields["design"].overlay
    report = tw.verify(everybody, best, requirements)
    assert report.violations == caught.value.fields["violations"] and best.maximum_degree <= 3


@pytest.mark.parametrize("algorithm", ["gm", "low", "minmax"])
def test_prefer_keeps_links(algorithm):
    """A second design that prefers the links of the first keeps most of them, whatever its seed."""
    interest = tw.workloads.synthetic(num_nodes=40, num_topics=8, popularity="zipf", alpha=0.5, subscriptions=3, seed=0)
    requirements = Requirements(max_degree=6, connectivity=2)
    first = tw.design(interest, algorithm, requirements=requirements).overlay
    kept = {}
    for prefer in (None, first):
        again = tw.design(interest, algorithm, requirements=requirements, prefer=prefer, seed=5).overlay
        kept[prefer is first] = len(set(first.pairs()) & set(again.pairs()))
    assert kept[True] > 1.5 * kept[False]


def test_requirements_that_ask_nothing_change_nothing():
    """The design is the one without requirements, link by link."""
    interest = tw.workloads.synthetic(num_nodes=30, num_topics=8, popularity="zipf", alpha=0.5, subscriptions=3, seed=0)
    plain = tw.design(interest, "low")
    assert tw.design(interest, "low", requirements=Requirements()).overlay.pairs() == plain.overlay.pairs()


@pytest.mark.parametrize(
    ("algorithm", "arguments", "sentence"),
    [
        ("ring", {}, "'ring' does not take the requirement max_hops; gm, "),
        ("gm", {"passes": 2}, "passes= cannot be combined"),
        ("minmax", {"fill": True}, "fill= cannot be combined"),
        ("low", {"pairs": [[0, 1]]}, "pairs= cannot be combined"),
        ("low", {"candidates": "near"}, "candidates= cannot be combined"),
    ],
)
def test_what_cannot_be_combined_is_refused(algorithm, arguments, sentence):
    """The error says which algorithms take the requirement, or what to leave out."""
    interest = Interest.from_sets({node: ["t"] for node in "abc"})
    with pytest.raises(ParameterError, match=sentence):
        tw.design(interest, algorithm, requirements=Requirements(max_hops=3), **arguments)

"""The greedy family against its twins, edge by edge and in order; under the other tie rules by replaying the trace."""

from __future__ import annotations

import heapq

import numba
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import topicweave as tw
from tests import instances, reference

TIE_RULES = ["balanced", "random", "lexicographic"]


@st.composite
def tasks(draw):
    """A rule with parameters, and an interest with or without start, pairs and topics."""
    case = draw(instances.cases(max_nodes=8))
    pairs = reference.all_pairs(range(case.interest.num_nodes))
    prefer = draw(st.one_of(st.just([]), st.lists(st.sampled_from(pairs), unique=True) if pairs else st.just([])))
    rule, parameters = draw(
        st.one_of(
            st.tuples(st.just("gm"), st.fixed_dictionaries({"passes": st.integers(1, 3)})),
            st.tuples(st.just("minmax"), st.fixed_dictionaries({"fill": st.booleans()})),
            st.tuples(st.just("low"), st.fixed_dictionaries({"k": st.sampled_from([1.0, 1.4, 2.0, 3.0, 8.0])})),
            st.tuples(st.just("gpa"), st.fixed_dictionaries({"m": st.integers(0, 12)})),
            st.tuples(st.just("gpm"), st.fixed_dictionaries({"d": st.integers(0, 5), "fill": st.booleans()})),
        )
    )
    if parameters.get("fill"):
        case = case._replace(pairs=None)
    return case, prefer, rule, parameters


def twin_options(case, prefer):
    return {
        "prefer": prefer,
        "start": case.start,
        "pairs": case.pairs,
        "topics": case.topics,
    }


def run(case, prefer, rule, parameters, **options):
    topics = None if case.topics is None else [case.interest.topics[t] for t in case.topics]
    start = tw.Overlay(case.interest.nodes, case.start) if case.start else None
    prefer = tw.Overlay(case.interest.nodes, prefer) if prefer else None
    return tw.design(
        case.interest, rule, start=start, prefer=prefer, pairs=case.pairs, topics=topics, **parameters, **options
    )


@given(tasks())
def test_equals_its_twin_edge_by_edge(task):
    """Lexicographic ties: same links, same order, same contributions, start's links first."""
    case, prefer, rule, parameters = task
    expected = reference.greedy(
        reference.topics_by_number(case.interest),
        reference.RULES[rule](**{key: value for key, value in parameters.items() if key not in ("passes", "fill")}),
        passes=parameters.get("passes", 1),
        fill=parameters.get("fill", False),
        **twin_options(case, prefer),
    )
    made = run(case, prefer, rule, parameters, ties="lexicographic")
    assert [tuple(edge) for edge in made.overlay.edges[len(case.start) :].tolist()] == expected.edges
    assert made.trace.contribution.tolist() == expected.contributions
    counted = case.interest
    if case.topics is not None:
        counted = counted.restrict(topics=[counted.topics[t] for t in case.topics])
    report = tw.verify(counted, made.overlay)
    assert (made.components, made.support) == (report.components, report.support)


@given(tasks(), st.sampled_from(TIE_RULES), st.integers(0, 3))
def test_every_step_is_one_its_rule_allows(task, ties, seed):
    """Whatever the ties: each link was maximal for its rule when it was added, and the design ended when it had to.

    Of equally good ones each was preferred, if any was; then, if balanced, its ends had least links; then it was the
    first by node numbers or by the hash of its labels.
    """
    case, prefer, rule, parameters = task
    made = run(case, prefer, rule, parameters, ties=ties, seed=seed)
    of_seed, nodes = int(np.random.SeedSequence(seed).generate_state(1, np.uint64)[0]), case.interest.nodes
    keys = {
        "lexicographic": lambda u, v: (u, v),
        "random": lambda u, v: reference.tie_key(nodes[u], nodes[v], of_seed),
    }
    reference.replay(
        reference.topics_by_number(case.interest),
        made.overlay.edges[len(case.start) :].tolist(),
        rule,
        contributions=made.trace.contribution.tolist(),
        balanced=ties == "balanced",  # so few pairs fit into one batch
        key=keys.get(ties, keys["random"]),
        **twin_options(case, prefer),
        **parameters,
    )


def union_find(topics_of):
    """Two functions on plain components: the topics in which two nodes are apart, and joining them in some."""
    parent = {(v, t): (v, t) for v, wanted in topics_of.items() for t in wanted}

    def find(one):
        while parent[one] != one:
            parent[one] = parent[parent[one]]
            one = parent[one]
        return one

    def apart(u, v):
        return [t for t in topics_of[u] & topics_of[v] if find((u, t)) != find((v, t))]

    def join(u, v, topics):
        for t in topics:
            parent[find((u, t))] = find((v, t))

    return apart, join


def lazy_greedy(topics_of):
    """GM with a heap and plain union-find: quick enough for hundreds of nodes, and nothing of the sweep in it."""
    apart, join = union_find(topics_of)
    heap = [(-len(topics_of[u] & topics_of[v]), u, v) for u in topics_of for v in topics_of if u < v]
    heap = [entry for entry in heap if entry[0]]
    heapq.heapify(heap)
    edges = []
    while heap:
        weight, u, v = heapq.heappop(heap)
        topics = apart(u, v)
        if len(topics) == -weight:
            edges.append((u, v))
            join(u, v, topics)
        elif topics:
            heapq.heappush(heap, (-len(topics), u, v))
    return edges


def check_gm_trace(topics_of, edges):
    """Assert that no pair ever contributes more than the link that is made; bounds that have fallen are looked up
    lazily.
    """
    apart, join = union_find(topics_of)
    heap = [(-len(topics_of[u] & topics_of[v]), u, v) for u in topics_of for v in topics_of if u < v]
    heapq.heapify(heap)
    for u, v in edges:
        topics = apart(u, v)
        while -heap[0][0] > len(topics):
            _, a, b = heapq.heappop(heap)
            now = len(apart(a, b))
            assert now <= len(topics), f"({a}, {b}) contributes {now}, but ({u}, {v}) with {len(topics)} was linked"
            heapq.heappush(heap, (-now, a, b))
        join(u, v, topics)
    assert not any(apart(u, v) for _, u, v in heap)


@pytest.mark.compiled
@pytest.mark.parametrize("ties", ["balanced", "random"])
def test_gm_is_greedy_on_hundreds_of_nodes_whatever_the_ties(ties):
    """With batches, heaps and several segments per row, each link still has the largest contribution."""
    interest = tw.workloads.synthetic(num_nodes=350, num_topics=90, popularity="exponential", subscriptions=6, seed=4)
    edges = tw.design(interest, "gm", ties=ties, seed=1).overlay.edges.tolist()
    check_gm_trace(reference.topics_by_number(interest), edges)


@pytest.mark.compiled
@pytest.mark.parametrize(
    "interest",
    [
        pytest.param(instances.single_topic(400), id="one topic, more ties than a lot holds"),
        pytest.param(instances.interest_of({v: {0, 1, 2, 3 + v % 5} for v in range(300)}), id="nearly equal"),
        pytest.param(tw.workloads.synthetic(num_nodes=300, num_topics=90, subscriptions=(3, 40), seed=2), id="zipf"),
        pytest.param(
            tw.workloads.synthetic(num_nodes=300, num_topics=200, popularity="uniform", subscriptions=(3, 90), seed=2),
            id="uniform, four words",
        ),
    ],
)
def test_gm_equals_a_lazy_greedy_on_hundreds_of_nodes(interest):
    """With several segments per row, words, batches per level and recounts in between, the links are the same."""
    made = tw.design(interest, "gm", ties="lexicographic")
    assert [tuple(e) for e in made.overlay.edges.tolist()] == lazy_greedy(reference.topics_by_number(interest))


def test_more_equal_pairs_than_a_thread_keeps_come_in_order():
    """600 nodes with the same topics: 179,700 pairs of one level; each thread keeps 32,768 of those it finds."""
    if numba.config.DISABLE_JIT:
        pytest.skip("too slow when kernels are interpreted")
    interest = tw.Interest.from_sets({f"n{node:03}": {"a", "b", "c"} for node in range(600)})
    before = numba.get_num_threads()
    edges: dict[str, list[list[list[int]]]] = {"lexicographic": [], "random": [], "balanced": []}
    try:
        for threads in (1, before):
            numba.set_num_threads(threads)
            for ties, results in edges.items():
                results.append(tw.design(interest, "gm", ties=ties, seed=5).overlay.edges.tolist())
    finally:
        numba.set_num_threads(before)
    assert edges["lexicographic"][0] == [[0, node] for node in range(1, 600)]
    for results in edges.values():
        assert results[0] == results[1]
        assert len(results[0]) == 599

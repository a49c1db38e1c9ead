"""The twins against answers worked out by hand, against the definitions, and against the papers' lemmas."""

from __future__ import annotations

import random
from itertools import product

import networkx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests import instances, reference
from tests.reference import Built, topics_by_number

FOUR = topics_by_number(instances.four_brokers())  # 0: {0, 1}, 1: {0, 1}, 2: {1, 2}, 3: {2}
HUB = topics_by_number(instances.hub())  # 0: {1, 2, 3, 4}; i: all but i (topic i has number i − 1)
CROWD = topics_by_number(instances.crowd_and_couple())
LONERS = topics_by_number(instances.loners())


class TestDefinitions:
    def test_components_are_those_of_the_induced_sub_overlay(self):
        """Node 3 does not want topic 1, so a path through it does not connect topic 1."""
        assert reference.components(FOUR, [(0, 3), (2, 3)], 1) == [{0}, {1}, {2}]
        assert reference.components(FOUR, [(0, 2), (2, 3)], 1) == [{0, 2}, {1}]

    def test_tcc_of_no_link_is_the_number_of_subscriptions(self):
        """2 + 2 + 2 + 1 subscriptions; with all pairs, one component for each of three topics."""
        assert reference.tcc(FOUR, []) == 7
        assert reference.tcc(FOUR, reference.all_pairs(FOUR)) == 3
        assert reference.tcc(FOUR, [(0, 1)], topics=[0]) == 1

    def test_support_goes_from_0_to_1(self):
        """7 components fall to 5 of at least 3 with the link (0, 1)."""
        assert reference.support(FOUR, []) == 0
        assert reference.support(FOUR, [(0, 1)]) == 0.5
        assert reference.support(FOUR, [(0, 1), (0, 2), (2, 3)]) == 1

    def test_support_is_1_where_nothing_can_be_joined(self):
        """Disjoint interests, and no nodes at all."""
        assert reference.support({0: {0}, 1: {1}}, []) == 1
        assert reference.support({}, []) == 1
        assert reference.is_tco({}, [])

    def test_contribution_counts_common_topics_that_are_apart(self):
        """(0, 1) share two topics, but after (0, 2) and (1, 2) topic 1 is joined already."""
        assert reference.contribution(FOUR, [], (0, 1)) == 2
        assert reference.contribution(FOUR, [(0, 2), (1, 2)], (0, 1)) == 1
        assert reference.contribution(FOUR, [], (0, 3)) == 0
        assert reference.contribution(FOUR, [], (0, 1), topics=[0]) == 1

    @given(
        instances.interests().flatmap(lambda interest: st.tuples(st.just(interest), instances.pair_subsets(interest)))
    )
    @settings(max_examples=50)
    def test_components_are_those_of_networkx(self, drawn):
        """An implementation by others, on the induced subgraph."""
        topics_of, edges = topics_by_number(drawn[0]), drawn[1]
        graph = networkx.Graph(edges)
        graph.add_nodes_from(topics_of)
        for t in reference.all_topics(topics_of):
            induced = graph.subgraph(reference.subscribers(topics_of, t))
            expected = sorted(sorted(piece) for piece in networkx.connected_components(induced))
            assert sorted(sorted(piece) for piece in reference.components(topics_of, edges, t)) == expected

    @given(instances.cases())
    @settings(max_examples=50)
    def test_weights_are_the_positive_contributions(self, case):
        """What the loop uses, counted by common topics, equals the fall of TCC."""
        topics_of = topics_by_number(case.interest)
        candidates = [e for e in reference.all_pairs(topics_of) if e not in case.start]
        expected = {e: reference.contribution(topics_of, case.start, e, case.topics) for e in candidates}
        found = reference.weights_at(topics_of, case.start, candidates, case.topics)
        assert found == {e: weight for e, weight in expected.items() if weight > 0}


class TestGreedyByHand:
    def test_gm(self):
        """(0, 1) joins two topics; then (0, 2), (1, 2) and (2, 3) join one each, and (0, 2) makes (1, 2) useless."""
        assert reference.gm(FOUR) == Built([(0, 1), (0, 2), (2, 3)], [2, 1, 1], [3])

    def test_minmax(self):
        """After (0, 1) only (2, 3) leaves Δ at 1; then (0, 2) must raise it."""
        assert reference.minmax(FOUR) == Built([(0, 1), (2, 3), (0, 2)], [2, 1, 1], [3])

    def test_minmax_finds_the_ring_of_the_hub(self):
        """0-1, 2-3, then 0-2 (3 topics, raises Δ to 2), and 1-4, 3-4 close the ring at degree 2."""
        assert reference.minmax(HUB) == Built([(0, 1), (2, 3), (0, 2), (1, 4), (3, 4)], [3, 2, 3, 2, 2], [5])

    def test_gpa(self):
        """GM's first m links; a budget of 0 gives none."""
        assert reference.gpa(FOUR, 2).edges == [(0, 1), (0, 2)]
        assert reference.gpa(FOUR, 0) == Built([], [], [0])
        assert reference.gpa(FOUR, 99) == reference.gm(FOUR)

    def test_gpm(self):
        """MinMax-ODA until Δ would pass d."""
        assert reference.gpm(FOUR, 1) == Built([(0, 1), (2, 3)], [2, 1], [2])
        assert reference.gpm(FOUR, 0) == Built([], [], [0])
        assert reference.gpm(FOUR, 2) == reference.minmax(FOUR)

    @pytest.mark.parametrize(("k", "like"), [(1, "gm"), (1.49, "gm"), (1.5, "minmax"), (1000, "minmax")])
    def test_low_turns_where_the_ratio_is_met(self, k, like):
        """In the hub the second step offers w(e1) = 2 against w(e2) = 3, so k = 3/2 is where e1 begins to win."""
        assert reference.low(HUB, k) == getattr(reference, like)(HUB)

    def test_low_with_k_1_prefers_the_calm_edge_among_equals(self):
        """After (0, 1) all others weigh 1; GM would take (0, 2), but (2, 3) leaves Δ as it is."""
        assert reference.low(FOUR, 1).edges == [(0, 1), (2, 3), (0, 2)]

    def test_passes(self):
        """The second pass has (0, 3), (1, 2), (1, 3) left, of which only (1, 2) shares a topic; the third has none."""
        assert reference.gm(FOUR, passes=3) == Built([(0, 1), (0, 2), (2, 3), (1, 2)], [2, 1, 1, 1], [3, 1, 0])

    def test_later_links_remove_nothing_from_a_finished_overlay(self):
        """A second pass counts in its own pass; the whole overlay was connected before."""
        built = reference.gm(FOUR, passes=2)
        assert reference.removed_components(FOUR, built.edges) == [2, 1, 1, 0]

    def test_start_counts_for_components(self):
        """(0, 2) joins topic 1 for two of three, so (0, 1) still joins two topics and (1, 2) is never needed."""
        assert reference.gm(FOUR, start=[(0, 2)]) == Built([(0, 1), (2, 3)], [2, 1], [2])

    def test_start_counts_for_budgets(self):
        """One link of a budget of two is used; and with (0, 2) there, every useful link raises Δ to 2."""
        assert reference.gpa(FOUR, 2, start=[(0, 2)]).edges == [(0, 1)]
        assert reference.gpm(FOUR, 1, start=[(0, 2)]).edges == []
        assert reference.gpm(FOUR, 2, start=[(0, 2)]).edges == [(0, 1), (2, 3)]

    def test_gpm_adds_nothing_when_the_start_is_above_d(self):
        """Δ is of the whole overlay: with a node of degree 3 it is above 2 whatever is added."""
        assert reference.gpm(FOUR, 2, start=[(0, 3), (1, 3), (2, 3)]).edges == []

    def test_start_is_not_used_again_in_a_later_pass(self):
        """The second pass begins apart, but (0, 2) is taken: only (1, 2) is left to use."""
        assert reference.gm(FOUR, passes=2, start=[(0, 2)]) == Built([(0, 1), (2, 3), (1, 2)], [2, 1, 1], [2, 1])

    def test_pairs_limit_the_candidates(self):
        """Topic 0 stays apart: its only pair is not offered. Pairs may come either way round."""
        assert reference.gm(FOUR, pairs=[(2, 1), (2, 3)]) == Built([(1, 2), (2, 3)], [1, 1], [2])

    def test_topics_limit_the_contributions(self):
        """Only topic 1 counts: (0, 1) joins one topic now, and node 3 is of no interest."""
        assert reference.gm(FOUR, topics=[1]) == Built([(0, 1), (0, 2)], [1, 1], [2])

    def test_nodes_and_topics_that_need_nothing(self):
        """One pair shares one topic; the idle node and the lonely topic ask for no link."""
        for rule, parameters in [("gm", {}), ("minmax", {}), ("low", {"k": 3}), ("gpa", {"m": 9}), ("gpm", {"d": 9})]:
            assert reference.greedy(LONERS, reference.RULES[rule](**parameters)).edges == [(1, 2)]

    def test_budgets_are_floors_of_the_minmax_design(self):
        """The hub's MinMax-ODA design has 5 links and Δ = 2."""
        assert reference.budgets(HUB, 1) == (5, 2)
        assert reference.budgets(HUB, 0.5) == (2, 1)
        assert reference.budgets(HUB, 0.2) == (1, 0)


class TestOthersByHand:
    def test_cd(self):
        """Node 2 shares a topic with every node; topic 0 is left, and node 0 is its lowest subscriber."""
        assert reference.cd(FOUR) == Built([(0, 2), (1, 2), (2, 3), (0, 1)], [1, 1, 1, 1], [4])

    def test_cd1_and_cd2(self):
        """w = 5, 5, 5, 2 and w/n = 5/3, 5/3, 5/4, 1: node 0 in both, then node 2 for topic 2."""
        assert reference.cd1(FOUR) == Built([(0, 1), (0, 2), (2, 3)], [2, 1, 1], [3])
        assert reference.cd2(FOUR) == reference.cd1(FOUR)

    def test_the_scores_disagree(self):
        """The crowd has n = w = 5 and density 1, the couple n = 2, w = 4 and density 2."""
        crowd = [(0, 1), (0, 2), (0, 3), (0, 4)]
        assert reference.cd(CROWD).edges == reference.cd1(CROWD).edges == [*crowd, (5, 6)]
        assert reference.cd2(CROWD).edges == [(5, 6), *crowd]

    def test_ring(self):
        """Topic 1's ring 0-1-2-0 has (0, 1) from topic 0 already; two subscribers have one link."""
        assert reference.ring(FOUR) == Built([(0, 1), (1, 2), (0, 2), (2, 3)], [2, 1, 0, 1], [4])

    def test_chain(self):
        """The ring without its closing link."""
        assert reference.chain(FOUR) == Built([(0, 1), (1, 2), (2, 3)], [2, 1, 1], [3])

    def test_star(self):
        """Topics 0 and 1 centre on node 0 (two topics, lowest of three), topic 2 on node 2 (two topics against one)."""
        assert reference.star(FOUR) == Built([(0, 1), (0, 2), (2, 3)], [2, 1, 1], [3])
        assert reference.star({0: {0}, 1: {0}, 2: {0, 1}}).edges == [(0, 2), (1, 2)]

    @pytest.mark.parametrize("name", ["cd", "cd1", "cd2", "ring", "chain", "star"])
    def test_nothing_to_do(self, name):
        """One subscriber or none makes no link."""
        twin = getattr(reference, name)
        assert twin({}).edges == twin({0: set()}).edges == twin({0: {0}, 1: {1}}).edges == []
        assert twin(LONERS).edges == [(1, 2)]

    @given(instances.interests())
    @settings(max_examples=50)
    def test_all_are_topic_connected(self, interest):
        """Each of them is meant to make a TCO, and none links nodes without a common topic."""
        topics_of = topics_by_number(interest)
        for name in ("gm", "minmax", "cd", "cd1", "cd2", "ring", "chain", "star"):
            edges = getattr(reference, name)(topics_of).edges
            assert reference.is_tco(topics_of, edges)
            assert all(topics_of[u] & topics_of[v] for u, v in reference.check_simple(topics_of, edges))

    @given(instances.interests())
    def test_constant_diameter_makes_stars(self, interest):
        """LOW Lemma 7: some subscriber of each topic is linked to all others."""
        topics_of = topics_by_number(interest)
        for twin in (reference.cd, reference.cd1, reference.cd2):
            edges = set(twin(topics_of).edges)
            for t in reference.all_topics(topics_of):
                nodes = reference.subscribers(topics_of, t)
                assert any(all(u == v or (min(u, v), max(u, v)) in edges for v in nodes) for u in nodes)


class TestLemmas:
    @pytest.mark.parametrize("n", [4, 6, 8])
    def test_low_lemma_1(self, n):
        """GM makes the n − 1 links of the optimum; MinMax-ODA, read literally, the printed n(n − 2)/2 or one more.

        With links of positive contribution only it makes fewer, but still at least n²/4.
        """
        topics_of = topics_by_number(instances.low_lemma_1(n))
        built = reference.gm(topics_of)
        assert built.edges == [(0, v) for v in range(1, n)]
        assert set(built.contributions) == {2 * n - 1}
        for seed in range(3):
            picks = random.Random(seed)
            assert len(reference.gm(topics_of, pick=picks.choice).edges) == n - 1
            assert len(reference.minmax(topics_of, pick=picks.choice).edges) >= n * n / 4
            literal = len(reference.minmax(topics_of, fill=True, pick=picks.choice).edges)
            assert n * (n - 2) / 2 <= literal <= n * (n - 2) / 2 + 1

    @pytest.mark.parametrize(("k", "m"), [(3, 3), (3, 4), (4, 4)])
    def test_gm_lemma_6_6(self, k, m):
        """GM makes 2k + km links whatever its ties; both planes linked to everything else is a TCO of 2k + 2m."""
        topics_of = topics_by_number(instances.cuboid(k, m))
        assert len(reference.all_topics(topics_of)) == 2 * (2**k - 1) * m
        assert len(reference.gm(topics_of).edges) == 2 * k + k * m
        assert len(reference.gm(topics_of, pick=random.Random(k).choice).edges) == 2 * k + k * m
        optimum = instances.cuboid_optimum(k, m)
        assert len(optimum) == 2 * k + 2 * m and reference.is_tco(topics_of, optimum)

    def test_gm_lemma_6_6_optimum_is_one(self):
        """Every topic has one plane, slab and layer, and needs two of their three links: try all, for k = m = 3."""
        best = 99
        for flags in product((0, 1), repeat=12):
            to_slab, to_layer = (flags[0:3], flags[3:6]), (flags[6:9], flags[9:12])
            joined = {(i, p): [(to_slab[r][i], to_layer[r][p]) for r in (0, 1)] for i in range(3) for p in range(3)}
            if all((0, 0) not in ends for ends in joined.values()):
                best = min(best, sum(flags) + sum(ends != [(1, 1), (1, 1)] for ends in joined.values()))
        assert best == 12

    @pytest.mark.parametrize("others", [4, 5, 8])
    def test_gm_can_have_the_largest_degree_where_2_suffices(self, others):
        """LOW §I-B: GM makes a star whatever its ties; the ring of all nodes is a TCO, as MinMax-ODA finds here."""
        topics_of = topics_by_number(instances.hub(others))
        for seed in range(3):
            edges = reference.gm(topics_of, pick=random.Random(seed).choice).edges
            assert sorted(edges) == [(0, v) for v in range(1, others + 1)]
        ring = [(v, v + 1) for v in range(others)] + [(0, others)]
        assert reference.is_tco(topics_of, ring) and reference.maximum_degree(ring) == 2
        assert reference.maximum_degree(reference.minmax(topics_of).edges) == 2


RULED = st.sampled_from(
    [("gm", {}), ("gpa", {"m": 3}), ("minmax", {}), ("gpm", {"d": 2}), ("low", {"k": 1.5}), ("low", {"k": 3})]
)


class TestReplay:
    @given(instances.cases(), RULED, st.integers(1, 2), st.randoms(use_true_random=False))
    def test_accepts_what_the_loop_makes_under_any_ties(self, case, ruled, passes, rnd):
        """A trace whose ties were drawn by lot is legal, with its contributions."""
        rule, parameters = ruled
        passes = passes if rule == "gm" else 1
        limits = {"start": case.start, "pairs": case.pairs, "topics": case.topics, "passes": passes}
        topics_of = topics_by_number(case.interest)
        built = reference.greedy(topics_of, reference.RULES[rule](**parameters), pick=rnd.choice, **limits)
        reference.replay(topics_of, built.edges, rule, contributions=built.contributions, **limits, **parameters)

    @pytest.mark.parametrize(
        ("edges", "rule", "options", "message"),
        [
            ([(0, 1), (0, 2)], "gm", {}, "ended after 2 edges"),
            ([(0, 2), (0, 1), (2, 3)], "gm", {}, "step 0: took"),
            ([(0, 1), (0, 2), (2, 3), (1, 2)], "gm", {}, "should have ended"),
            ([(1, 0)], "gm", {}, "smaller, larger"),
            ([(0, 1), (0, 1)], "gm", {}, "taken before"),
            ([(0, 1), (0, 2), (2, 3)], "gm", {"pairs": [(0, 1)]}, "no candidate"),
            ([(0, 1), (2, 3)], "gm", {"start": [(0, 1)]}, "no candidate"),
            ([(0, 1), (0, 2), (2, 3)], "gm", {"contributions": [2, 1, 2]}, "contributes 1"),
            ([(0, 1), (0, 2), (2, 3)], "gm", {"contributions": [2, 1]}, "2 contributions"),
            ([(0, 1), (0, 2), (2, 3)], "minmax", {}, "step 1: took"),
            ([(0, 1), (0, 2), (2, 3)], "gpa", {"m": 2}, "should have ended"),
            ([(0, 1)], "gpa", {"m": 2}, "ended after 1 edges"),
            ([(0, 1), (2, 3), (0, 2)], "gpm", {"d": 1}, "should have ended"),
            ([(0, 1), (0, 2), (2, 3)], "low", {"k": 1}, "step 1: took"),
            ([(0, 1), (0, 2), (2, 3)], "gm", {"passes": 2}, "ended after 3 edges"),
            ([(0, 1), (1, 2), (0, 2), (2, 3)], "gm", {"passes": 2}, "step 2: took"),
        ],
    )
    def test_refuses_what_the_rule_would_not_make(self, edges, rule, options, message):
        """Each of these traces of the four brokers breaks one thing."""
        with pytest.raises(AssertionError, match=message):
            reference.replay(FOUR, edges, rule, **options)

    def test_low_must_take_e2_where_e1_is_too_light(self):
        """In the hub with k = 1 the second link must be node 0's; with k = 2 it must not."""
        star = [(0, 1), (0, 2), (0, 3), (0, 4)]
        reference.replay(HUB, star, "low", k=1)
        with pytest.raises(AssertionError, match="step 1: took"):
            reference.replay(HUB, star, "low", k=2)


class TestRandomCheckers:
    def test_random_avg(self):
        """Ends at the budget or at the TCO, never before and never after."""
        reference.check_random_avg(FOUR, [(0, 3), (1, 3)], 2)
        reference.check_random_avg(FOUR, [(0, 3), (0, 1), (1, 2), (2, 3)], 9)
        for edges, m in [([(0, 3)], 2), ([(0, 1), (1, 2), (2, 3)], 2), ([(0, 1), (1, 2), (2, 3), (0, 3)], 9)]:
            with pytest.raises(AssertionError):
                reference.check_random_avg(FOUR, edges, m)

    def test_random_max(self):
        """(0, 3), (1, 2) use up d = 1; with one link alone, another fits."""
        reference.check_random_max(FOUR, [(0, 3), (1, 2)], 1)
        reference.check_random_max(FOUR, [], 0)
        for edges, d in [([(0, 3)], 1), ([(0, 3), (1, 3)], 1), ([(0, 1), (1, 2), (2, 3), (0, 3)], 3)]:
            with pytest.raises(AssertionError):
                reference.check_random_max(FOUR, edges, d)

    def test_spidercast(self):
        """Covered once: the chain will do. Covered twice: topic 1 needs its triangle, the others have one other."""
        chain, triangle = [(0, 1), (1, 2), (2, 3)], [(0, 1), (1, 2), (0, 2), (2, 3)]
        reference.check_spidercast(FOUR, chain, k_greedy=1, k_random=0)
        reference.check_spidercast(FOUR, triangle, k_greedy=1, k_random=1)
        reference.check_spidercast(FOUR, triangle, k_greedy=0, k_random=2)
        for edges, k_random in [(chain, 1), (chain[:2], 0), ([*triangle, (0, 3)], 1)]:
            with pytest.raises(AssertionError):
                reference.check_spidercast(FOUR, edges, k_greedy=1, k_random=k_random)

    def test_spidercast_counts_its_two_coverages_apart(self):
        """One topic, three nodes: after one greedy link for each, node 0 still takes a random one, which closes it."""
        topics_of = {0: {0}, 1: {0}, 2: {0}}
        reference.replay_spidercast(topics_of, [(0, 1), (0, 2), (1, 2)], [0, 1, 2], k_greedy=1, k_random=1)
        reference.replay_spidercast(topics_of, [(0, 1), (0, 2)], [0, 1, 2], k_greedy=1, k_random=0)
        with pytest.raises(AssertionError):  # what counting them together gave
            reference.replay_spidercast(topics_of, [(0, 1), (0, 2)], [0, 1, 2], k_greedy=1, k_random=1)

    def test_spidercast_max(self):
        """With d = 1 a maximal matching of the pairs that share a topic; (0, 3) share none."""
        reference.check_spidercast_max(FOUR, [(0, 1), (2, 3)], 1)
        reference.check_spidercast_max(FOUR, [(1, 2)], 1)
        for edges, d in [([(0, 1)], 1), ([(0, 1), (1, 2)], 1), ([(0, 3), (1, 2)], 1)]:
            with pytest.raises(AssertionError):
                reference.check_spidercast_max(FOUR, edges, d)

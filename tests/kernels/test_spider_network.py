"""What SpiderCast's nodes know of their links, against counting them again."""

import numpy as np

import topicweave as tw
from topicweave.kernels.spider_network import GREEDY, RANDOM, link, new_network


def test_links_cover_common_topics_and_use_up_room():
    """After every link: how often each subscription is covered by each kind of choice, and who has room left."""
    interest = tw.workloads.synthetic(30, 12, subscriptions=(2, 6), seed=2)
    net = new_network(interest.indptr, interest.indices, *interest.subscribers, 3)
    rng = np.random.default_rng(1)
    made = []
    while len(made) < 25:
        u, v = rng.permutation(net.with_room[: net.num_with_room[0]])[:2].tolist()
        if {u, v} in [{*ends} for *ends, _ in made]:
            continue
        kind = int(rng.choice([GREEDY, RANDOM]))
        link(net, u, v, kind)
        made.append((u, v, kind))
        sets = [interest.topics_of(label) for label in interest.nodes]
        for w, topics in enumerate(sets):
            row = slice(interest.indptr[w], interest.indptr[w + 1])
            others = [(one + other - w, how) for one, other, how in made if w in (one, other)]
            assert net.degrees[w] == len(others)
            for how in (GREEDY, RANDOM):
                covering = [sets[other] for other, by in others if by == how]
                expected = [sum(topic in each for each in covering) for topic in sorted(topics)]
                assert net.covered[how, row].tolist() == expected
        room = sorted(net.with_room[: net.num_with_room[0]].tolist())
        assert room == [w for w in range(30) if net.degrees[w] < 3]
    assert (net.degrees == 3).any()


def test_bits_are_the_popular_topics():
    """A topic that one node in 16 wants has a bit, and is set for its subscribers; the lowest bits are the largest."""
    interest = tw.workloads.synthetic(100, 40, popularity="zipf", subscriptions=(2, 6), seed=3)
    net = new_network(interest.indptr, interest.indices, *interest.subscribers, 3)
    sizes = interest.topic_sizes
    assert (net.bit_of >= 0).tolist() == (16 * sizes >= 100).tolist()
    popular = np.flatnonzero(net.bit_of >= 0)
    assert (np.diff(sizes[popular[np.argsort(net.bit_of[popular])]]) <= 0).all()
    for v, label in enumerate(interest.nodes):
        found = {t for t in popular.tolist() if int(net.rows[v, net.bit_of[t] >> 6]) >> int(net.bit_of[t] & 63) & 1}
        assert found == {interest.topic_numbers[topic] for topic in interest.topics_of(label)} & set(popular.tolist())

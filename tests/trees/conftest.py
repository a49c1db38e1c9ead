"""Instances for trees: an interest with roles, and an overlay that connects every topic, with links to spare."""

import random

import hypothesis.strategies as st

import topicweave as tw


@st.composite
def instances(draw, with_publishers=True, max_nodes=9):
    num_nodes = draw(st.integers(1, max_nodes))
    nodes = [f"n{v}" for v in range(num_nodes)]
    topics = [f"t{t}" for t in range(draw(st.integers(1, 4)))]
    rng = random.Random(draw(st.integers(0, 10_000)))
    chance = rng.choice([0.3, 0.6, 1.0])
    subscribed, published = [(nodes[0], topics[0])], []
    for node in nodes:
        for topic in topics:
            if rng.random() < chance:
                (published if with_publishers and rng.random() < 0.3 else subscribed).append((node, topic))
    interest = tw.Interest.from_pairs(subscribed, publishers=published)
    return interest, spread_overlay(interest, rng)


def spread_overlay(interest, rng):
    """A random spanning tree of each topic's members, and some further links between members."""
    pairs = set()
    for topic in interest.topics:
        members = sorted(interest.subscribers_of(topic))
        rng.shuffle(members)
        for i in range(1, len(members)):
            pairs.add(tuple(sorted((members[i], members[rng.randrange(i)]))))
            if rng.random() < 0.4:
                pairs.add(tuple(sorted((members[i], members[rng.randrange(i)]))))
    return tw.Overlay.from_pairs(sorted(pairs), interest.nodes)

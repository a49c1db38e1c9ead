"""The members of some topics as an interest of their own."""

import topicweave as tw
from topicweave.churn import Shadow
from topicweave.churn.part import part_of


def test_a_part_has_the_members_and_links_of_its_topics():
    """Against the same by labels; links that carry none of the topics count as outside."""
    interest = tw.workloads.synthetic(40, 10, subscriptions=4, seed=2)
    maintainer = Shadow(interest)
    maintainer.leave(interest.nodes[7])
    maintainer.join("a newcomer", interest.topics[:3])
    state, now = maintainer.state, maintainer.interest
    topics = sorted(now.topics)[:3]
    part = part_of(state, state.topic_slots(topics))
    members = {node for topic in topics for node in now.subscribers_of(topic)}
    assert part.interest == now.restrict(nodes=members, topics=topics)
    assert [state.nodes.name(v) for v in part.slots.tolist()] == sorted(members)
    names = part.interest.nodes
    carrying = {
        (a, b) for a, b in maintainer.overlay.pairs() if now.topics_of(a) & now.topics_of(b) & set(topics)
    }  # fmt: skip
    assert {(names[u], names[v]) for u, v in part.links.tolist()} == carrying
    for node, outside in zip(names, part.outside.tolist(), strict=True):
        assert outside == sum(node in pair for pair in maintainer.overlay.pairs()) - sum(node in p for p in carrying)

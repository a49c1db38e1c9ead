"""Components, homes and bounds against plain sets, link by link."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tests import instances, reference
from topicweave.algorithms.greedy.problem import membership, reduce
from topicweave.kernels.greedy.membership import bound_of, connect, contribution_of


@given(instances.nonempty_interests(max_nodes=8), st.randoms(use_true_random=False))
def test_bounds_bound_and_contributions_are_exact(interest, random):
    """After every link of a random sequence: bound ≥ contribution = the definition's, and the state is consistent."""
    reduced = reduce(interest, None)
    members = membership(reduced)
    topics_of = reference.topics_by_number(interest)
    pairs = [(u, v) for u in range(reduced.num_nodes) for v in range(u + 1, reduced.num_nodes)]
    random.shuffle(pairs)
    overlay: list[tuple[int, int]] = []
    for u, v in pairs[:12]:
        edge = tuple(sorted((int(reduced.names[u]), int(reduced.names[v]))))
        expected = reference.contribution(topics_of, overlay, edge)
        bound = int(bound_of(members.rows, u, v))
        assert bound >= expected
        assert bound <= int(members.away[u]) + int(members.away[v])
        assert int(contribution_of(members.rows, members.first, members.label, u, v, bound)) == expected
        assert int(connect(members, u, v)) == expected
        overlay.append(edge)
        check_consistent(reduced, members)


def check_consistent(reduced, members):
    """Away bits, away counts, labels, circles and sizes tell one story."""
    home = members.home[reduced.topics]
    away = members.label != home
    topic_of_home = {int(label): topic for topic, label in enumerate(members.home) if label >= 0}
    for v in range(reduced.num_nodes):
        own = range(int(reduced.indptr[v]), int(reduced.indptr[v + 1]))
        bits = {
            int(w) * 64 + b
            for w in range(members.rows.shape[2])
            for b in range(64)
            if int(members.rows[v, 1, w]) >> b & 1
        }
        assert bits == {int(reduced.topics[s]) for s in own if away[s]}
        assert int(members.away[v]) == len(bits)
    for label in np.unique(members.label):
        inside = set(np.flatnonzero(members.label == label).tolist())
        topic = topic_of_home.get(int(label))
        size = members.size[label] if topic is None else members.home_size[topic]
        member, walked = int(label if topic is None else members.newest[topic]), []
        while member not in walked:
            walked.append(member)
            if topic is not None and member == label:
                break  # the circle of a home is open there
            member = int(members.next[member])
        assert set(walked) == inside and int(size) == len(inside)

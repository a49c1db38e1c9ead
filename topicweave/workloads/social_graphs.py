"""Social graphs: users linked to users, and the subscriptions that follow from the links (PART §IX-B)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from topicweave.workloads.edge_list import EdgeList, as_edge_list, folded_interest

if TYPE_CHECKING:
    from collections.abc import Iterable

    from numpy.typing import ArrayLike

    from topicweave.model import Interest


def social(edges: EdgeList | ArrayLike | Iterable[tuple[Any, Any]], directed: bool = False) -> Interest:
    """The interest of a social graph: every user is a node and a topic, and subscribes to the users it is linked to.

    Pairs listed twice count once; a user linked to itself does not subscribe to itself. Users who follow nobody stay
    as nodes without topics, users nobody follows as topics without subscribers.

    Parameters
    ----------
    edges
        Pairs of user labels, an (m, 2) array of them, or an :class:`EdgeList`.
    directed
        True: in each pair the first follows the second. False: the two are friends and subscribe to each other.

    Examples
    --------
    >>> friends = social([("ann", "bob"), ("bob", "cid")])
    >>> sorted(friends.topics_of("bob"))
    ['ann', 'cid']
    """
    listed = as_edge_list(edges)
    follower, followee = listed.ends[:, 0], listed.ends[:, 1]
    if not directed:
        follower, followee = np.concatenate((follower, followee)), np.concatenate((followee, follower))
    others = follower != followee
    return folded_interest(listed.users, listed.users, follower[others], followee[others])

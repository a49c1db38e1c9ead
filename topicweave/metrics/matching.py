"""Checks that an interest and an overlay have the same nodes, and translates topic labels to numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from topicweave.errors import OverlayError
from topicweave.model import Interest, Overlay
from topicweave.model.labels import find_numbers
from topicweave.parameters import check_kind

if TYPE_CHECKING:
    from collections.abc import Iterable

    import scipy.sparse
    from numpy.typing import NDArray


def check_nouns(interest: Interest, overlay: Overlay) -> None:
    """Raise an error if one of the arguments is not of the expected type."""
    if isinstance(interest, Overlay) and isinstance(overlay, Interest):
        raise OverlayError("The interest and the overlay are swapped; give the interest first, then the overlay.")
    hint = "give its .overlay" if hasattr(overlay, "overlay") else "build one with Overlay.from_pairs"
    check_kind(overlay, Overlay, "An Overlay is needed", hint, OverlayError)
    check_kind(interest, Interest, "An Interest is needed", "build one with from_pairs")


def matched_edges(interest: Interest, overlay: Overlay) -> NDArray[np.int64]:
    """The overlay's links in the node numbers of the interest; it is an error if the two do not have the same nodes."""
    check_nouns(interest, overlay)
    if overlay.labels is interest.nodes or tuple(overlay.labels) == tuple(interest.nodes):
        return overlay.edges
    number = interest.node_numbers
    unknown = sorted(set(overlay.labels) - number.keys())
    if unknown:
        raise OverlayError(
            f"The overlay has edges given for unknown nodes: {len(unknown)} of its nodes, such as {unknown[0]!r}, are "
            f"not in the interest; build both from the same nodes."
        )
    missing = sorted(number.keys() - set(overlay.labels))
    if missing:
        raise OverlayError(
            f"The overlay lacks {len(missing)} nodes of the interest, such as {missing[0]!r}; "
            f"build it with labels=interest.nodes, links or not."
        )
    renumbered = np.array([number[label] for label in overlay.labels], dtype=np.int64)
    return renumbered[overlay.edges]


def adjacency(interest: Interest, overlay: Overlay) -> scipy.sparse.csr_array:
    """The symmetric adjacency matrix in the node numbers of the interest, with ascending columns in each row."""
    from scipy import sparse

    edges = matched_edges(interest, overlay)
    ends = np.concatenate((edges, edges[:, ::-1]))
    size = (interest.num_nodes, interest.num_nodes)
    graph = sparse.csr_array((np.ones(len(ends)), (ends[:, 0], ends[:, 1])), shape=size)
    graph.sort_indices()
    return graph


def topic_selection(interest: Interest, topics: Iterable[str] | None) -> NDArray[np.int64]:
    """The numbers of these topics, in the same order; None stands for all topics."""
    if topics is None:
        return np.arange(interest.num_topics)
    return find_numbers(topics, interest.topic_numbers, "topic")

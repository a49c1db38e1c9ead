"""Convert an Interest to the arrays of the main loop: keep only what links can change, in an order that makes the loop
fast.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from topicweave.kernels import csr
from topicweave.kernels.greedy.membership import Membership, all_apart
from topicweave.kernels.greedy.pair_table import SEGMENT
from topicweave.kernels.intrinsics import AT_A_TIME, LINE_BYTES
from topicweave.kernels.labels import label_hashes

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from topicweave.kernels.greedy.near import Pool
    from topicweave.model import Interest


T = TypeVar("T", bound=np.generic)
MOST_BITS = 1 << 33  # if nodes × topics exceeds this, no bit rows are built: they would take more than 2 GB
# if a node's bit row has more than this many words per topic of the node, comparing lists of topics is faster
WORDS_PER_TOPIC = 2
# The pool: large nodes, which every node considers as partners. One half of it are the nodes with the most topics, the
# other half those with the most topics still to connect. Within limits, it has room for all nodes that have nearly as
# many topics as the largest (ALIKE), because these are good partners for all smaller nodes.
ALIKE, FEWEST_IN_POOL, MOST_WORDS_IN_POOL = 0.95, 1024, 40_960


def aligned(shape: tuple[int, ...], dtype: type[T]) -> NDArray[T]:
    """An array that starts on a cache-line boundary, so that segments and bit rows never share a line."""
    size = math.prod(shape) * np.dtype(dtype).itemsize
    raw = np.empty(size + LINE_BYTES, dtype=np.uint8)
    skip = -raw.ctypes.data % LINE_BYTES
    return raw[skip : skip + size].view(dtype).reshape(shape)


@dataclass(frozen=True)
class Problem:
    """The part of an interest that links can change: topics with at least two subscribers, and their subscribers.

    Topics with fewer than two subscribers, and nodes left without a topic, are removed. Nodes are ordered by descending
    number of topics: pairs of large nodes are then adjacent in the table, and the segments of small nodes are skipped
    until the sweep has come down to them.

    Attributes
    ----------
    names
        Node number in the interest, by number in the problem.
    marks
        Hashes of the labels, by number in the problem; they break ties.
    position
        Number in the problem by node number of the interest; -1 for removed nodes.
    indptr, topics
        CSR by node, in numbers of the problem.
    topic_sizes
        Number of subscribers of each remaining topic.
    """

    names: NDArray[np.int64]
    marks: NDArray[np.uint64]
    position: NDArray[np.int64]
    indptr: NDArray[np.int64]
    topics: NDArray[np.int32]
    topic_sizes: NDArray[np.int64]

    @property
    def num_nodes(self) -> int:
        return len(self.names)

    @property
    def num_topics(self) -> int:
        return len(self.topic_sizes)

    @property
    def words(self) -> int:
        return max(1, -(-self.num_topics // 64))

    @cached_property
    def by_topic(self) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
        """The subscriptions of the problem as CSR by topic: where each topic begins, and the nodes."""
        view: tuple[NDArray[np.int64], NDArray[np.int32]]
        view = csr.subscribers_of(self.indptr, self.topics, self.topic_sizes)
        return view

    @cached_property
    def bound_type(self) -> type[np.unsignedinteger]:
        """The integer type for bounds; it must hold twice the largest number of topics per node, because two such
        numbers are added.
        """
        largest = int(np.diff(self.indptr).max(initial=0))
        return np.uint16 if 2 * largest < 1 << 16 else np.uint32


def reduce(interest: Interest, topics: NDArray[np.int64] | None) -> Problem:
    """Reduce an interest to the given topics (default: all) that have at least two subscribers."""
    wanted = interest.topic_sizes >= 2
    if topics is not None:
        given = np.zeros(interest.num_topics, dtype=bool)
        given[topics] = True
        wanted &= given
    number = np.where(wanted, np.cumsum(wanted, dtype=np.int32) - 1, np.int32(csr.LEFT_OUT))
    is_whole = bool(wanted.all())
    sizes = np.diff(interest.indptr) if is_whole else csr.sizes_left(interest.indptr, interest.indices, number)
    names = _by_falling_size(sizes)[: np.count_nonzero(sizes)]
    position = np.full(interest.num_nodes, -1, dtype=np.int64)
    position[names] = np.arange(len(names))
    indptr, kept = csr.renumber(interest.indptr, interest.indices, number, names, sizes)
    return Problem(names, label_hashes(interest.nodes)[names], position, indptr, kept, interest.topic_sizes[wanted])


def _by_falling_size(sizes: NDArray[np.int64]) -> NDArray[np.int64]:
    """The positions that sort the sizes in descending order, keeping the order of equal sizes; faster than argsort."""
    codes = (sizes.max(initial=0) - sizes) * len(sizes) + np.arange(len(sizes))
    codes.sort()
    order: NDArray[np.int64] = codes % len(sizes)
    return order


def membership(problem: Problem, *, with_bits: bool = True) -> Membership:
    """The initial state, in which every subscription is a component of its own; bit rows are used if they fit into
    memory.
    """
    words = problem.words if with_bits else 0
    label, following, size, owner = (np.empty(len(problem.topics), dtype=np.int32) for _ in range(4))
    members = Membership(
        rows=aligned((problem.num_nodes, 2, words), np.uint64),
        first=np.empty((problem.num_nodes, words), dtype=np.int32),
        label=label,
        next=following,
        size=size,
        owner=owner,
        home=np.full(problem.num_topics, -1, dtype=np.int32),
        home_size=np.empty(problem.num_topics, dtype=np.int32),
        newest=np.empty(problem.num_topics, dtype=np.int32),
        scratch=np.empty((3, 64 * words + AT_A_TIME), dtype=np.int64),
        away=aligned((problem.num_nodes + SEGMENT,), problem.bound_type),
        indptr=problem.indptr,
        topics=problem.topics,
    )
    members.away[problem.num_nodes :] = 0
    all_apart(members)
    return members


def pool_of(problem: Problem, members: Membership, takes: NDArray[np.bool_], floor: int) -> Pool:
    """The pool of large nodes, as bit rows: half have the most topics, half have the most unconnected topics."""
    from topicweave.kernels.greedy.near import BLOCK, NOBODY, Pool

    words, sizes = problem.words, np.diff(problem.indptr)
    alike = int(np.searchsorted(-sizes, -ALIKE * sizes[0], side="right"))
    pool_size = max(BLOCK, min(max(alike, FEWEST_IN_POOL), MOST_WORDS_IN_POOL // words))
    worth_it = np.flatnonzero(takes[: np.searchsorted(-sizes, -floor, side="right")])
    away = members.away[worth_it].astype(np.int64)
    order = np.argsort(-away, kind="stable")
    lost, rest = worth_it[order[: pool_size // 2]], worth_it[np.sort(order[pool_size // 2 :])]
    inside = np.concatenate((rest[: pool_size - len(lost)], lost))
    padded = -(-len(inside) // BLOCK) * BLOCK
    nodes = np.full(padded, NOBODY, dtype=np.int32)
    nodes[: len(inside)] = inside
    place = np.full(problem.num_nodes, NOBODY, dtype=np.int32)
    place[inside] = np.arange(len(inside))
    turned = np.zeros((2, words, padded), dtype=np.uint64)
    turned[:, :, : len(inside)] = members.rows[inside].transpose(1, 2, 0)
    any_away = np.bitwise_or.reduce(turned[1].reshape(words, -1, BLOCK), axis=2)
    return Pool(nodes, place, turned[0], turned[1], any_away)


def codes(pairs: NDArray[np.int64], num_nodes: int) -> NDArray[np.int64]:
    """One number for each pair, the same for both orders of its ends."""
    return np.minimum(pairs[:, 0], pairs[:, 1]) * num_nodes + np.maximum(pairs[:, 0], pairs[:, 1])


def table_bytes(problem: Problem, num_pairs: int | None) -> int:
    """The memory in bytes of the arrays of the main loop, for all pairs or for this many listed pairs."""
    each = np.dtype(problem.bound_type).itemsize
    if num_pairs is None:
        n = problem.num_nodes
        pairs = (n * (n + SEGMENT) // 2) * each
    else:
        # bytes per pair: a bound and a partner, plus the temporary arrays for sorting, which take most of the memory
        pairs = num_pairs * (each + 4 + 110)
    return pairs + pairs // 32 + _bit_row_bytes(problem) + len(problem.topics) * 40 + (32 << 20)


def has_bits(problem: Problem) -> bool:
    """Whether contributions to near candidates are computed from bit rows; otherwise from lists of topics."""
    fits = problem.num_nodes * problem.num_topics <= MOST_BITS
    return fits and problem.words * problem.num_nodes <= WORDS_PER_TOPIC * len(problem.topics)


def near_bytes(problem: Problem, num_candidates: int) -> int:
    """The memory in bytes of the arrays of the main loop when it works on near candidates."""
    # bytes per candidate: partner and contribution in the shortlist; then key, partner and bounds in the table
    shortlists = problem.num_nodes * num_candidates * (8 + 20)
    # bytes per subscription: two CSR arrays and the components; two sets of lists; NumPy's temporary arrays
    lists = len(problem.topics) * (24 + 24 + 9)
    node = problem.num_nodes * 100
    return shortlists + lists + node + (_bit_row_bytes(problem) if has_bits(problem) else 0) + (64 << 20)


def _bit_row_bytes(problem: Problem) -> int:
    return problem.num_nodes * (2 * 8 * problem.words + 4 * problem.words + 64)

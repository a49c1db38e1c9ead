"""Near candidates on Spark: each task searches for one bucket of nodes, with the same compiled code as on the driver.

The subscriptions are sent to the workers once, the components again for every round. The division into buckets changes
nothing: each node's search depends on the round alone. Workers need topicweave.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any
from uuid import uuid4

import numpy as np

from topicweave.algorithms.greedy.near import Scene, SearchResult, search, search_lists

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from pyspark import Broadcast
    from pyspark.sql import SparkSession

    from topicweave.algorithms.greedy.loop import ProgressFn

log = logging.getLogger("topicweave.pipeline")

FEW = 20_000  # with fewer nodes than this, sending the current components takes longer than the search itself
BUCKETS_PER_CORE = 2
NOTHING = np.empty(0, dtype=np.int32)


class SparkSearch:
    """Searches on the workers; if few nodes search or no worker is able to, searches on the driver.

    Parameters
    ----------
    spark
        The session.

    Attributes
    ----------
    num_jobs
        Number of rounds searched on Spark.
    """

    def __init__(self, spark: SparkSession) -> None:
        self.num_jobs = 0
        self._context = spark.sparkContext
        self._subscriptions: Broadcast[tuple[NDArray[np.int64], NDArray[np.int32]]] | None = None
        self._works = True

    def __call__(self, scene: Scene, searching: NDArray[np.int64], length: int, tell: ProgressFn) -> SearchResult:
        if len(searching) < FEW or not self._works:
            return search(scene, searching, length, tell)
        tell(0.0)
        try:
            return self._on_workers(scene, searching, length)
        except Exception as error:
            if "topicweave" not in str(error) or "ModuleNotFoundError" not in str(error):
                raise
            log.warning("the workers do not have topicweave installed, so near candidates are searched on the driver")
            self._works = False
            return search(scene, searching, length, tell)

    def _on_workers(self, scene: Scene, searching: NDArray[np.int64], length: int) -> SearchResult:
        members = scene.members
        if self._subscriptions is None:
            self._subscriptions = self._context.broadcast((members.indptr, members.topics))
        bare = members._replace(indptr=NOTHING, topics=NOTHING, next=NOTHING, size=NOTHING, owner=NOTHING)
        moment = self._context.broadcast(replace(scene, members=bare))
        num_buckets = min(len(searching), BUCKETS_PER_CORE * self._context.defaultParallelism)
        buckets = [searching[bucket::num_buckets].tobytes() for bucket in range(num_buckets)]
        task = SearchBucket(self._subscriptions, moment, uuid4().hex, length)
        try:
            answers = self._context.parallelize(buckets, num_buckets).map(task).collect()
        finally:
            moment.destroy()
        self.num_jobs += 1
        partner = np.empty((len(searching), length), dtype=np.int32)
        worth = np.empty((len(searching), length), dtype=np.int32)
        others = np.empty(len(searching), dtype=np.int32)
        for bucket, (its_partner, its_worth, its_others) in enumerate(answers):
            partner[bucket::num_buckets] = np.frombuffer(its_partner, np.int32).reshape(-1, length)
            worth[bucket::num_buckets] = np.frombuffer(its_worth, np.int32).reshape(-1, length)
            others[bucket::num_buckets] = np.frombuffer(its_others, np.int32)
        return partner, worth, others

    def close(self) -> None:
        """Free the memory that the subscriptions take on the workers."""
        if self._subscriptions is not None:
            self._subscriptions.destroy()
            self._subscriptions = None


@dataclass(frozen=True)
class SearchBucket:
    """On a worker: searches for partners of the nodes in a bucket."""

    subscriptions: Broadcast[tuple[NDArray[np.int64], NDArray[np.int32]]]
    moment: Broadcast[Scene]
    name: str
    length: int

    def __call__(self, nodes: bytes) -> tuple[bytes, bytes, bytes]:
        scene, lists = _scene(self)
        found = search_lists(scene, lists, np.frombuffer(nodes, np.int64), self.length, 1, _nobody_listens)
        return found[0].tobytes(), found[1].tobytes(), found[2].tobytes()


def _nobody_listens(share: float) -> None:
    """On a worker: ignores progress, because nobody displays it."""


# On a worker: the current round and its lists, so that the next bucket of the round can use them again.
_at_hand: dict[str, tuple[Scene, Any]] = {}


def _scene(task: SearchBucket) -> tuple[Scene, Any]:
    if task.name not in _at_hand:
        _at_hand.clear()
        indptr, topics = task.subscriptions.value
        bare = task.moment.value
        scene = replace(bare, members=bare.members._replace(indptr=indptr, topics=topics))
        _at_hand[task.name] = scene, scene.lists()
    return _at_hand[task.name]

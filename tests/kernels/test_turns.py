"""Pieces of work that threads take in turns."""

import numpy as np

from topicweave.kernels.jit import njit, prange
from topicweave.kernels.turns import next_turn


@njit(parallel=True, cache=False)
def take_all(takers, turn, workers):
    for _ in prange(workers):
        piece = next_turn(turn)
        while piece < len(takers):
            takers[piece] += 1
            piece = next_turn(turn)


def test_every_piece_is_taken_once():
    for workers in (1, 2, 5):
        takers, turn = np.zeros(10_000, np.int64), np.zeros(1, np.int64)
        take_all(takers, turn, workers)
        assert takers.tolist() == [1] * 10_000
        assert turn[0] == 10_000 + workers  # each found once that nothing is left

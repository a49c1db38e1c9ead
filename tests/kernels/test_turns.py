"""Pieces of work that threads take in turns."""

import numpy as np

from topicweave.kernels.jit import njit, prange
from topicweave.kernels.turns import take_turn


@njit(parallel=True, cache=False)
def take_all(num_pieces, workers):
    turn = np.zeros(1, np.int64)
    takers = np.zeros(num_pieces, np.int64)
    for _ in prange(workers):
        piece = take_turn(turn)
        while piece < num_pieces:
            takers[piece] += 1
            piece = take_turn(turn)
    return takers, turn[0]


def test_every_piece_is_taken_once():
    for workers in (1, 2, 5):
        takers, asked = take_all(10_000, workers)
        assert takers.tolist() == [1] * 10_000
        assert asked == 10_000 + workers  # each found once that nothing is left

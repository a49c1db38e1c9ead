"""Limits: how much a single user may demand of a broker."""

from __future__ import annotations

from dataclasses import dataclass

MEBIBYTE = 2**20


@dataclass(frozen=True)
class Limits:
    """Limits of a broker.

    Attributes
    ----------
    longest_frame
        The most bytes of a frame from a user; a user that registers sends its latest publications in one frame.
    most_users
        How many users may be connected at a time.
    rate
        How many frames a second a user may send on average; a faster one is read more slowly.
    most_unsent
        How many bytes may wait to be sent on a connection; more is dropped, and sent again when it is asked for.
    hello
        Within how many seconds the first frame must have come.
    """

    longest_frame: int = 16 * MEBIBYTE
    most_users: int = 10_000
    rate: float = 20_000.0
    most_unsent: int = 16 * MEBIBYTE
    hello: float = 5.0


LONGEST_HELLO = 4096  # the maximum size of a frame, in bytes, before the sender has identified itself
# larger than other frames, because replicas of users contain their latest publications
LONGEST_FROM_BROKER = 256 * MEBIBYTE

"""A 64-bit hash for every label, which is the same on every machine and in every version, and depends on no other
label.

These numbers break ties. If node numbers did, one node that leaves would shift the numbers of all later nodes, and a
new design would have little in common with the previous one.
"""

from collections.abc import Sequence

import numpy as np

from topicweave.kernels.jit import njit

FNV_START, FNV_PRIME = np.uint64(0xCBF29CE484222325), np.uint64(0x100000001B3)


@njit(forceinline=True)
def scramble(word):
    """The last step of splitmix64: a one-to-one map of 64-bit words in which every output bit depends on all input
    bits.
    """
    word = (word ^ (word >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    word = (word ^ (word >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return word ^ (word >> np.uint64(31))


@njit
def hash_texts(octets, ends, hashes):
    """Write the FNV-1a hash of each string, scrambled, to ``hashes``. ``octets``, uint8: the bytes of all strings, one
    string after the other; ``ends``, int64: where each string ends.
    """
    at = 0
    for text in range(len(ends)):
        value = FNV_START
        while at < ends[text]:
            value = (value ^ np.uint64(octets[at])) * FNV_PRIME
            at += 1
        hashes[text] = scramble(value)


def label_hashes(labels: Sequence[str]) -> np.ndarray:
    """The hash of each label, uint64, computed from its text in UTF-8."""
    octets = "".join(labels).encode("utf-8", "surrogatepass")
    lengths = np.fromiter(map(len, labels), dtype=np.int64, count=len(labels))
    if len(octets) > lengths.sum():
        texts = (label.encode("utf-8", "surrogatepass") for label in labels)
        lengths = np.fromiter(map(len, texts), dtype=np.int64, count=len(labels))
    hashes = np.empty(len(labels), dtype=np.uint64)
    hash_texts(np.frombuffer(octets, dtype=np.uint8), np.cumsum(lengths), hashes)
    return hashes

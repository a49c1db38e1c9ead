"""Finds the subscriptions (boxes of ranges) that contain a publication (a point), by bitmaps.

Each attribute is divided into slabs. For every slab there is a bitmap with one bit per subscription, set if the
subscription's range of this attribute overlaps the slab, and a summary with one bit per word of the bitmap, set if the
word is not zero. The summaries of a point's slabs, one per attribute, are combined first, then the words that they
leave, 64 subscriptions at a time; only the subscriptions that are left are compared with the point itself. The last
slab of every attribute stands for points without a value of that attribute.
"""

import numpy as np

from topicweave.kernels.intrinsics import ONE, lowest, without_lowest
from topicweave.kernels.jit import njit

LOW, HIGH = 0, 1


@njit
def slab_of(borders, value):
    """The number of borders that are at most ``value``: the slab that contains it."""
    first, last = 0, len(borders)
    while first < last:
        middle = (first + last) >> 1
        if borders[middle] <= value:
            first = middle + 1
        else:
            last = middle
    return first


@njit
def mark(bitmaps, summary, borders, ends, slot, is_set):
    """Set (or clear) the bit of one subscription in the bitmaps of all slabs that its ranges overlap.

    bitmaps is attributes × slabs × words, summary has a bit for each of these words, and ends is subscriptions ×
    attributes × (low, high).
    """
    word, bit = slot >> 6, ONE << np.uint64(slot & 63)
    above, its_bit = word >> 6, ONE << np.uint64(word & 63)
    num_attributes, num_slabs = bitmaps.shape[:2]
    for a in range(num_attributes):
        first, last = slab_of(borders[a], ends[slot, a, LOW]), slab_of(borders[a], ends[slot, a, HIGH])
        is_unlimited = ends[slot, a, LOW] == -np.inf and ends[slot, a, HIGH] == np.inf
        for s in range(first, num_slabs if is_unlimited else last + 1):
            if is_set:
                bitmaps[a, s, word] |= bit
                summary[a, s, above] |= its_bit
            else:
                bitmaps[a, s, word] &= ~bit
                if bitmaps[a, s, word] == 0:
                    summary[a, s, above] &= ~its_bit


@njit
def mark_all(bitmaps, summary, borders, ends, num_slots):
    """Set the bits of the first ``num_slots`` subscriptions in empty bitmaps."""
    for slot in range(num_slots):
        mark(bitmaps, summary, borders, ends, slot, True)


@njit
def matching(bitmaps, summary, borders, ends, point, found):
    """Write the numbers of the subscriptions that contain ``point`` to ``found``; returns how many there are.

    A value that is missing is NaN; only subscriptions without a limit on this attribute match it.
    """
    num_attributes, num_slabs = bitmaps.shape[:2]
    slabs = np.empty(num_attributes, dtype=np.int64)
    for a in range(num_attributes):
        slabs[a] = num_slabs - 1 if np.isnan(point[a]) else slab_of(borders[a], point[a])
    num_found = 0
    for above in range(summary.shape[2]):
        words = summary[0, slabs[0], above]
        for a in range(1, num_attributes):
            words &= summary[a, slabs[a], above]
        while words != 0:
            w = (above << 6) + np.int64(lowest(words))
            words = without_lowest(words)
            word = bitmaps[0, slabs[0], w]
            for a in range(1, num_attributes):
                word &= bitmaps[a, slabs[a], w]
            while word != 0:
                slot = (w << 6) + np.int64(lowest(word))
                word = without_lowest(word)
                is_inside = True
                for a in range(num_attributes):
                    if point[a] < ends[slot, a, LOW] or point[a] > ends[slot, a, HIGH]:
                        is_inside = False
                        break
                if is_inside:
                    found[num_found] = slot
                    num_found += 1
    return num_found

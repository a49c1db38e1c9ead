"""Excuses: decides from outside observations when the guarantees of docs/content.md allow a publication to be lost."""

import bisect
import itertools
import math

KEPT_AFTER = 55.0  # seconds for which publications are certainly stored
ASKED = 25.0  # seconds within which two brokers certainly find what is missing if nothing is wrong
ACKNOWLEDGED = 3.0  # seconds within which a user certainly reports what it has received if nothing is wrong
ARRIVED = 10.0  # seconds within which a publication certainly reaches its publisher's broker if nothing is wrong


def is_calm(record, since, until):
    """Whether nothing was wrong between two times."""
    return not any(begun < until and ended > since for begun, ended in record.disturbed)


def has_calm(record, since, until, length):
    """Whether nothing was wrong for this long without interruption between two times."""
    for begun, ended in sorted(record.disturbed):
        if begun - since >= length and until - since >= length:
            return True
        if begun < until:
            since = max(since, ended)
    return until - since >= length


def is_excused(record, one, receiver, time):
    """Whether it may be lost: its publisher crashed or left, and its broker died or never had it, before they had time
    to pass it on.
    """
    publisher, _ = one
    life = record.lives[publisher]
    ends = [_lost_at(record, publisher, time, each.crash, each.back, each.broker) for each in life.restarts]
    if life.gone is not None:
        ends.append(_lost_at(record, publisher, time, life.gone, None, life.broker, life.was_let_go))
        ends.append(_stored_until(record, one, time))
    ends = [end for end in ends if end is not None]
    return bool(ends) and not could_exchange(record, publisher, receiver, time, min(ends))


def _later(record, one, until=math.inf):
    """The times of what the publisher published after a publication, before some time."""
    publisher, number = one
    times = []
    while (later := record.published.get((publisher, number := number + 1))) is not None and later[0] < until:
        times.append(later[0])
    return times


def _stored_until(record, one, time):
    """Until when a publication is surely stored after its publisher has gone: a minute after the last one, but after
    its own time if it is not among the latest.
    """
    later = _later(record, one)
    return (later[-1] if later and len(later) < record.kept else time) + KEPT_AFTER


def _lost_at(record, publisher, time, crash, back, broker, was_let_go=False):
    """When the last copy of a publication was lost, if it was, because its publisher crashed and was not back yet."""
    if crash < time:
        return None
    # if the broker dies at which it is, a publisher has to give everything to another one
    homes = {places.get(publisher) for second, places in record.places if time - 1 <= second <= crash} | {broker}
    given = max([time, *(death for death, name in record.deaths if death <= crash and name in homes)])
    if not was_let_go and not has_calm(record, given, crash, ARRIVED):
        return crash
    deaths = [death for death, name in record.deaths if name == broker and death >= crash]
    return min([death for death in deaths if back is None or death <= back], default=None)


def were_apart(record, one, receiver, time):
    """Whether their brokers did not hear each other until a publication was nearly a minute old, and so many others
    had followed that it was not stored any more.
    """
    ends = [until for since, until, _ in record.splits if since < time + 60 and until > time]
    if not ends or len(_later(record, one, max(ends) + ASKED)) < record.kept:
        return False
    return not could_exchange(record, one[0], receiver, time, time + KEPT_AFTER)


def could_exchange(record, publisher, receiver, since, until):
    """Whether the brokers of two users had the time to find what the receiver lacks: both were there, and for some
    seconds at a stretch nothing was wrong.
    """
    together = None
    first = bisect.bisect_left(record.places, since, key=lambda place: place[0])
    for second, places in itertools.islice(record.places, first, None):
        if second >= until:
            break
        pair = where(record, second, places, publisher), places.get(receiver)
        is_split = any(begun <= second < ended and pair in pairs for begun, ended, pairs in record.splits)
        is_disturbed = any(begun <= second < ended for begun, ended in record.disturbed)
        if None in pair or is_split or is_disturbed:
            together = None
        elif together is None:
            together = second
        if together is not None and second - together >= ASKED:
            return True
    return together is not None and until - together >= ASKED


def where(record, second, places, publisher):
    """Its broker, or else the one that still has its publications."""
    life = record.lives[publisher]
    for restart in life.restarts:
        if restart.crash <= second and (restart.back is None or second < restart.back):
            return restart.broker
    return places.get(publisher) or life.broker or None

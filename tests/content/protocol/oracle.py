"""The oracle: the guarantees of docs/content.md, judged from outside, by what was published, wanted and handed out."""

import itertools
from collections import Counter
from dataclasses import dataclass, field

KEPT_AFTER = 45.0  # seconds for which what a publisher that has gone has published is surely kept
ASKED = 25.0  # seconds in which two brokers surely find what is missing if nothing is wrong
ACKNOWLEDGED = 5.0  # seconds in which a user surely reports what it has got if nothing is wrong
ARRIVED = 10.0  # seconds in which a publication surely reaches its publisher's broker if nothing is wrong


@dataclass
class Life:
    """What became of a user, as its own program sees it."""

    channels: tuple
    range: tuple | None = None  # the values that it wants
    changes: list = field(default_factory=list)  # begun, ended (how many publications there were), channels, range
    restarts: list = field(default_factory=list)  # (time, broker, number of publications when it was back, if resumed)
    registered: int | None = None  # when start() returned: how many publications there were
    gone: float | None = None
    was_let_go: bool = False  # leave() said that a broker has everything
    broker: str = ""  # its broker when it went


@dataclass
class Record:
    """What was seen from outside."""

    lives: dict = field(default_factory=dict)
    published: dict = field(default_factory=dict)  # (publisher, count) -> time, channel, in order
    handed_out: dict = field(default_factory=dict)  # receiver -> list of (publisher, count)
    unwanted: list = field(default_factory=list)  # (receiver, publisher, count) that it did not want at that time
    begun: dict = field(default_factory=dict)  # receiver -> at which of its deliveries its lives begin
    times: dict = field(default_factory=dict)  # receiver -> times of its deliveries
    deaths: list = field(default_factory=list)  # (time, broker)
    disturbed: list = field(default_factory=list)  # (from, until)
    splits: list = field(default_factory=list)  # (from, until, pairs of brokers)
    places: list = field(default_factory=list)  # (time, user -> broker), every second


@dataclass
class Verdict:
    """What went wrong, and how much was looked at; ``excused`` is what no broker and no publisher had any more."""

    lost: list
    twice: list
    disordered: list
    unwanted: list
    num_expected: int
    num_excused: int

    @property
    def is_good(self):
        return not (self.lost or self.twice or self.disordered or self.unwanted)

    def __str__(self):
        kinds = "lost", "twice", "disordered", "unwanted"
        faults = [f"{len(getattr(self, kind))} {kind} {getattr(self, kind)[:5]}" for kind in kinds]
        return f"{self.num_expected} expected, {self.num_excused} excused: " + ", ".join(faults)


def judge(record):
    """Each user gets every publication that it wants, once, in each publisher's order."""
    verdict = Verdict([], [], [], [], 0, 0)
    for receiver, life in record.lives.items():
        got = record.handed_out.get(receiver, [])
        counts = Counter(got)
        begun = [0, *record.begun.get(receiver, ()), len(got)]
        for number, (start, end) in enumerate(itertools.pairwise(begun)):
            counted = Counter(got[start:end])
            verdict.twice += [(receiver, *one) for one, count in counted.items() if count > 1]
            last = {}
            for publisher, count in got[start:end]:
                if count < last.get(publisher, -1):
                    verdict.disordered.append((receiver, publisher, count))
                last[publisher] = count
                if not life.changes and not life.range:
                    is_wanted = publisher != receiver and record.published[publisher, count][1] in life.channels
                    verdict.unwanted += [] if is_wanted else [(receiver, publisher, count)]
            if number:
                verdict.twice += _repeated(record, receiver, number, begun)
        for one, time in due(record, receiver):
            verdict.num_expected += 1
            if one not in counts:
                if is_excused(record, one[0], time) or were_apart(record, one[0], receiver, time):
                    verdict.num_excused += 1
                else:
                    verdict.lost.append((receiver, *one))
    verdict.unwanted += record.unwanted
    return verdict


def _repeated(record, receiver, number, begun):
    """What a user gets that it had reported long before it restarted, if nothing was wrong at that time."""
    crash, _, _, was_resumed = record.lives[receiver].restarts[number - 1]
    if not was_resumed or any(since < crash and until > crash - ARRIVED for since, until in record.disturbed):
        return
    got, times = record.handed_out[receiver], record.times[receiver]
    last = dict(zip(got[: begun[number]], times, strict=False))
    for one in got[begun[number] : begun[number + 1]]:
        if last.get(one, crash) < crash - ACKNOWLEDGED:
            yield (receiver, *one)


def wants(life, index, channel, value):
    """Whether a user wants the publication with this index, whichever of its subscriptions is in force if one is just
    being changed.
    """
    in_force = [(life.channels, life.range)]
    for _, ended, *wished in life.changes:
        if ended is not None and ended <= index:
            in_force = [tuple(wished)]
        else:
            # a publication that is on its way when the user changes its mind may be dropped: it is due only if it is
            # wanted afterwards, too
            in_force.append(tuple(wished))
    return all(
        channel in channels and (values is None or values[0] <= value <= values[1]) for channels, values in in_force
    )


def due(record, receiver):
    """What a user that is still there must get, with times: what others published for it since it registered."""
    life = record.lives[receiver]
    if life.gone is not None or life.registered is None:
        return
    # what was published before a life without memory of the former one may be lost
    first = max([life.registered, *(ended for _, _, ended, was_resumed in life.restarts if not was_resumed)])
    for index, ((publisher, count), (time, channel, *value)) in enumerate(list(record.published.items())):
        if index >= first and publisher != receiver and wants(life, index, channel, value[0] if value else None):
            yield (publisher, count), time


def late(record, calm, now):
    """What was published before all was calm and should have come since: brokers ask for what is missing."""
    lately = [places for time, places in record.places if time > now - ASKED]
    for receiver in record.lives:
        got = set(record.handed_out.get(receiver, []))
        for one, time in due(record, receiver):
            if time < calm and one not in got and not is_excused(record, one[0], time):
                pairs = {(_where(record, places, one[0]), places.get(receiver)) for places in lately}
                if not any(pair in split for pair in pairs for _, _, split in record.splits):
                    yield (receiver, *one)


def is_excused(record, publisher, time):
    """Whether it may be lost: its publisher has gone, and its broker too, or never had it, or could not pass it on."""
    life = record.lives[publisher]
    for crash, broker, _, _ in life.restarts:
        broker_died = any(death >= time and name == broker for death, name in record.deaths)
        disturbed = any(since < crash and until > time - ARRIVED for since, until in record.disturbed)
        if time <= crash and (broker_died or disturbed or crash - time < ARRIVED):
            return True
    if life.gone is None:
        return False
    broker_died = any(death >= time and broker == life.broker for death, broker in record.deaths)
    too_long = any(until > time + KEPT_AFTER for _, until in record.disturbed)
    was_disturbed = any(since < life.gone and until > time - ARRIVED for since, until in record.disturbed)
    never_had_it = not life.was_let_go and (life.gone - time < ARRIVED or was_disturbed)
    return broker_died or too_long or never_had_it


def were_apart(record, publisher, receiver, time):
    """Whether their brokers did not hear each other until a publication was nearly a minute old."""
    if not any(since < time + 60 and until > time for since, until, _ in record.splits):
        return False
    together = None
    for second, places in record.places:
        pair = _where(record, places, publisher), places.get(receiver)
        is_split = any(since <= second < until and pair in pairs for since, until, pairs in record.splits)
        is_disturbed = any(since <= second < until for since, until in record.disturbed)
        if second < time or None in pair or is_split or is_disturbed:
            together = None
        elif together is None:
            together = second
        if together is not None and second - together >= ASKED:
            return False
        if second > time + 55:
            return True
    return False


def _where(record, places, publisher):
    """Its broker, or the one that still has what it published."""
    return places.get(publisher) or record.lives[publisher].broker or None

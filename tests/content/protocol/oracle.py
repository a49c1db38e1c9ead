"""The oracle: checks the guarantees of docs/content.md from outside, by what was published, wanted and delivered."""

import itertools
from collections import Counter
from dataclasses import dataclass, field

from tests.content.protocol.excuses import (
    ACKNOWLEDGED,
    ARRIVED,
    ASKED,
    could_exchange,
    is_calm,
    is_excused,
    were_apart,
    where,
)

ADMITTED = 10.0  # seconds before and after a restart in which nothing may be wrong if a former life is to be remembered


@dataclass
class Change:
    """A user wants something else: when it said so, and how many publications there were when that began and ended."""

    time: float
    begun: int
    channels: tuple
    range: tuple | None
    ended: int | None = None


@dataclass
class Restart:
    """A user crashes and begins again without its memory; ``back`` is when it was registered again."""

    crash: float
    broker: str
    back: float | None = None
    num_published: int = 0  # how many publications there were when it was back
    was_resumed: bool = True


@dataclass
class Life:
    """What became of a user, as its own program sees it."""

    channels: tuple
    range: tuple | None = None  # the values that it wants
    changes: list = field(default_factory=list)
    restarts: list = field(default_factory=list)
    registered: int | None = None  # when start() returned: how many publications there were
    gone: float | None = None
    was_let_go: bool = False  # leave() said that a broker has everything
    broker: str = ""  # its broker when it went


@dataclass
class Record:
    """Everything that was observed from outside."""

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
    kept: int = 200  # so many publications of a user are stored, however old


@dataclass
class Verdict:
    """What went wrong, and how much was checked; ``excused`` counts what no broker and no publisher had any more."""

    lost: list
    twice: list
    disordered: list
    unwanted: list
    not_resumed: list
    num_expected: int
    num_excused: int

    @property
    def is_good(self):
        return not (self.lost or self.twice or self.disordered or self.unwanted or self.not_resumed)

    def __str__(self):
        kinds = "lost", "twice", "disordered", "unwanted", "not_resumed"
        faults = [f"{len(getattr(self, kind))} {kind} {getattr(self, kind)[:5]}" for kind in kinds]
        return f"{self.num_expected} expected, {self.num_excused} excused: " + ", ".join(faults)


def judge(record):
    """Each user gets every publication that it wants, once, in each publisher's order."""
    verdict = Verdict([], [], [], [], [], 0, 0)
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
                if is_excused(record, one, receiver, time) or were_apart(record, one, receiver, time):
                    verdict.num_excused += 1
                else:
                    verdict.lost.append((receiver, *one))
        verdict.not_resumed += [(receiver, restart.crash) for restart in _unremembered(record, life)]
    verdict.unwanted += record.unwanted
    return verdict


def _repeated(record, receiver, number, begun):
    """What a life of a user gets although a former life had got it, and surely reported it before it crashed."""
    restarts = record.lives[receiver].restarts[:number]
    got, times = record.handed_out[receiver], record.times[receiver]
    former = {one: (time, 0) for one, time in zip(got[: begun[1]], times, strict=False)}
    for life, (start, end) in enumerate(itertools.pairwise(begun[1 : number + 1]), 1):
        former |= {one: (time, life) for one, time in zip(got[start:end], times[start:end], strict=True)}
    for one in got[begun[number] : begun[number + 1]]:
        if one not in former:
            continue
        time, life = former[one]
        crash = restarts[life].crash
        was_resumed = all(restart.was_resumed for restart in restarts[life:])
        if was_resumed and time < crash - ACKNOWLEDGED and is_calm(record, crash - ARRIVED, crash):
            yield (receiver, *one)


def _unremembered(record, life):
    """Restarts of a user after which no broker remembered it, although its broker lived and nothing was wrong."""
    for restart in life.restarts:
        if restart.back is not None and not restart.was_resumed:
            since, until = restart.crash - ADMITTED, restart.back
            is_split = any(begun < until and ended > since for begun, ended, _ in record.splits)
            has_died = any(since <= time <= until for time, _ in record.deaths)
            if not (is_split or has_died) and is_calm(record, since, until):
                yield restart


def wants(record, receiver, publisher, index, time, channel, value):
    """Whether a user wants a publication, whichever of its subscriptions is in force if one is just being changed.

    A publication that is on its way when the user changes its mind may be dropped: it is due only if it is wanted
    afterwards, too. It is not on its way any more if brokers had the time to pass it on.
    """
    life = record.lives[receiver]
    in_force = [(life.channels, life.range)]
    for change in life.changes:
        wished = change.channels, change.range
        if change.ended is not None and change.ended <= index:
            in_force = [wished]
        elif index >= change.begun or not could_exchange(record, publisher, receiver, time, change.time):
            in_force.append(wished)
    return all(
        channel in channels and (values is None or values[0] <= value <= values[1]) for channels, values in in_force
    )


def due(record, receiver):
    """What a user must get, with times: what others published for it since it registered, and long before it went."""
    life = record.lives[receiver]
    if life.registered is None:
        return
    new_lives = [restart for restart in life.restarts if not restart.was_resumed]
    for index, ((publisher, count), (time, channel, *value)) in enumerate(list(record.published.items())):
        if publisher == receiver or index < life.registered:
            continue
        if not wants(record, receiver, publisher, index, time, channel, value[0] if value else None):
            continue
        # publications in flight to a user that has left, or to a process that no later one remembers, may be lost
        ends = [restart.crash for restart in new_lives if index < restart.num_published]
        ends += [] if life.gone is None else [life.gone]
        if not ends or could_exchange(record, publisher, receiver, time, min(ends)):
            yield (publisher, count), time


def late(record, calm, now):
    """What was published before everything was calm and should have arrived since, because brokers request what is
    missing.
    """
    lately = [(second, places) for second, places in record.places if second > now - ASKED]
    for receiver in record.lives:
        got = set(record.handed_out.get(receiver, []))
        for one, time in due(record, receiver):
            if time < calm and one not in got and not is_excused(record, one, receiver, time):
                pairs = {(where(record, second, places, one[0]), places.get(receiver)) for second, places in lately}
                if not any(pair in split for pair in pairs for _, _, split in record.splits):
                    yield (receiver, *one)

"""Schedules: what befalls brokers, users and the transport, when and for how long; drawn by a seed, printed, shrunk."""

import random
from dataclasses import dataclass, field, replace

CALM = 4.0  # seconds at the beginning in which nothing happens


@dataclass(frozen=True)
class Event:
    """Something that happens at a time to some actors, and lasts for a while or, as a death may, for ever."""

    time: float
    kind: str
    actors: tuple
    lasts: float | None = None
    amount: float = 0.0

    @property
    def end(self):
        return self.time + (self.lasts or 0.0)

    @property
    def is_for_ever(self):
        return self.kind == "death" and self.lasts is None

    def __str__(self):
        lasts = "" if self.lasts is None else f" for {self.lasts:.2f} s"
        amount = f" by {self.amount:.2f}" if self.amount else ""
        actors = " ".join(
            "->".join(map(str, actor)) if isinstance(actor, tuple) else str(actor) for actor in self.actors
        )
        return f"{self.time:7.2f}  {self.kind:<6} {actors}{lasts}{amount}"


@dataclass(frozen=True)
class Schedule:
    """A world and what happens in it.

    ``users`` has broker and channels of each, ``late`` are those of them that join by an event, ``loyal`` those that
    know no broker but their own, ``kept`` is how many publications are kept whatever their age, ``loss``, ``repeat``,
    ``delay`` and ``straggle`` are the transport's everyday faults. In a rich schedule, publications travel along
    planned trees, have values, and are wanted by ranges; users change these and restart without their memory.
    """

    seed: int
    brokers: tuple
    users: dict
    late: tuple
    loyal: tuple
    ttl: float
    kept: int
    loss: float
    repeat: float
    delay: float
    straggle: float
    publications: tuple  # time, publisher, channel, and what else a publication needs: its value of attribute x
    events: tuple = field(repr=False)
    prices: tuple | None = None  # between brokers; without them, publications do not travel along trees
    ranges: dict = field(default_factory=dict)  # for some users the values of x that they want

    @property
    def end(self):
        """When the last fault is over."""
        return max([event.end for event in self.events if event.kind not in ("move", "join")], default=CALM)

    @property
    def calm(self):
        """When all is over but a long split."""
        return max([event.end for event in self.events if event.kind not in ("move", "join", "split")], default=CALM)

    def __str__(self):
        world = f"seed {self.seed}: brokers {' '.join(self.brokers)}; ttl {self.ttl}; kept {self.kept}; "
        world += f"loss {self.loss}; repeat {self.repeat}; delay {self.delay}; "
        world += f"straggle {self.straggle}; {len(self.publications)} publications"
        users = [
            f"  {name} at {broker}: {' '.join(channels)}{', loyal' if name in self.loyal else ''}"
            for name, (broker, channels) in self.users.items()
        ]
        return "\n".join([world, *users, *map(str, self.events)])


def draw(seed):
    """A schedule by its seed: in half of them 200 publications are kept, in half hardly any, but faults are short.

    In some of these, two brokers do not hear each other for more than a minute, which must not trouble others. Where
    some users know no broker but their own, none dies for ever.
    """
    rng = random.Random(seed)
    is_short = rng.random() < 0.5
    horizon = rng.uniform(12, 28) if is_short else rng.uniform(20, 70)
    brokers = tuple(f"b{number}" for number in range(rng.randint(2, 5)))
    channels = [f"c{number}" for number in range(rng.randint(1, 3))]
    users = {
        f"u{number}": (rng.choice(brokers), tuple(sorted(rng.sample(channels, rng.randint(1, len(channels))))))
        for number in range(rng.randint(2, 6))
    }
    late = tuple(name for name in list(users)[2:] if rng.random() < 0.2)
    loyal = tuple(name for name in users if rng.random() < 0.3) if rng.random() < 0.3 else ()
    events = []
    for _ in range(rng.randint(1, 7)):
        events += _events(rng, horizon, brokers, users)
    events = [replace(event, lasts=horizon - event.time) if loyal and event.is_for_ever else event for event in events]
    events += [Event(rng.uniform(0, horizon), "join", (name,)) for name in late]
    events += [
        Event(rng.uniform(0.5, horizon + 5), "move", (rng.choice(list(users)), rng.choice(brokers)))
        for _ in range(rng.choice([0, 3, 10, 25]))
    ]
    if is_short and rng.random() < 0.4:
        split = _split(rng, horizon, brokers, users)
        horizon = split[0].end
        events += split
    rate = min(rng.choice([0.3, 1, 2]) * len(users), 150 * len(users) / (horizon + CALM))
    publications, time = [], 0.0
    while (time := time + rng.expovariate(rate)) < horizon + CALM:
        publications.append((time, rng.choice(list(users)), rng.choice(channels)))
    return Schedule(
        seed=seed,
        brokers=brokers,
        users=users,
        late=late,
        loyal=loyal,
        ttl=rng.choice([2.0, 5.0, 30.0]),
        kept=3 if is_short else 200,
        loss=rng.choice([0, 0, 0.02, 0.1]),
        repeat=rng.choice([0, 0.05, 0.2]),
        delay=rng.choice([0, 0.01, 0.1]),
        straggle=rng.choice([0, 0, 0.02]),
        publications=tuple(publications),
        events=tuple(sorted(events, key=lambda event: event.time)),
    )


def enrich(schedule):
    """The same schedule with planned trees, ranges, changes of subscriptions, and users that restart."""
    rng = random.Random(f"rich {schedule.seed}")
    count, names = len(schedule.brokers), list(schedule.users)
    end = max(schedule.publications[-1][0], CALM + 3)
    prices = [[rng.choice([1.0, 2.0, 5.0]) for _ in range(count)] for _ in range(count)]
    ranges = {name: _range(rng) for name in names if rng.random() < 0.6}
    events = list(schedule.events)
    for _ in range(rng.randint(0, 4)):
        events.append(Event(rng.uniform(CALM, end), "change", (rng.choice(names), *_wishes(rng, schedule))))
    for _ in range(rng.randint(0, 3)):
        events.append(Event(rng.uniform(CALM, end), "restart", (rng.choice(names),), rng.uniform(0.1, 15)))
    return replace(
        schedule,
        prices=tuple(tuple(row) for row in prices),
        ranges=ranges,
        events=tuple(sorted(events, key=lambda event: event.time)),
        publications=tuple((*one, rng.random()) for one in schedule.publications),
    )


def _range(rng):
    low = rng.uniform(0, 0.7)
    return low, low + rng.uniform(0.1, 0.6)


def _wishes(rng, schedule):
    channels = sorted({channel for _, wanted in schedule.users.values() for channel in wanted})
    return tuple(sorted(rng.sample(channels, rng.randint(1, len(channels))))), rng.choice([None, _range(rng)])


def _events(rng, horizon, brokers, users):
    """One fault, or a move in the middle of one; it ends by the horizon, except for a death for ever."""
    time = rng.uniform(CALM, horizon - 1)

    def lasts(least, most):
        return min(rng.uniform(least, most), horizon - time)

    kinds = {"cut": 8, "request": 3, "death": 8, "slow": 3, "clock": 2, "leap": 1, "leave": 1, "crash": 1}
    kind = rng.choices(list(kinds), list(kinds.values()))[0]
    if kind == "cut":
        return [Event(time, kind, _pairs(rng, brokers, tuple(users)), lasts(0.2, 30))]
    if kind == "request":  # the way back from a broker is cut for a while, and it asks a user to move
        user = rng.choice(list(users))
        home = users[user][0]
        pair = rng.choice([(home, user), (user, home)])
        return [
            Event(time, "cut", (pair,), lasts(1, 5)),
            Event(time + rng.uniform(0, 2), "move", (user, rng.choice(brokers))),
        ]
    if kind == "death":
        gap = rng.choice([rng.uniform(0.1, 3), rng.uniform(0.1, 30), None])
        return [Event(time, kind, (rng.choice(brokers),), gap if gap is None else min(gap, horizon - time))]
    if kind == "slow":
        return [Event(time, kind, (rng.choice(brokers),), lasts(1, 20), rng.choice([0.3, 1, 2, 4]))]
    if kind == "clock":
        return [Event(time, kind, (), None, rng.choice([-1e6, -3600, -2, 2, 3600, 1e6]))]
    if kind == "leap":
        return [Event(time, kind, (), None, rng.uniform(0.5, 10))]
    return [Event(time, kind, (rng.choice(list(users)),))]


def _pairs(rng, brokers, users):
    """Directed links: between two halves of the world, or one broker and some others, one way or both."""
    if rng.random() < 0.25:
        actors = [*brokers, *users]
        half = {actor for actor in actors if rng.random() < 0.5}
        return tuple((one, other) for one in actors for other in actors if (one in half) != (other in half))
    one = rng.choice(brokers)
    others = [actor for actor in (*brokers, *users) if actor != one]
    some = rng.choice([others, [actor for actor in brokers if actor != one], list(users)])
    others = rng.choice([some, rng.sample(some, rng.randint(1, len(some))), rng.sample(some, 1)])
    ways = [(one, other) for other in others], [(other, one) for other in others]
    return tuple(pair for way in rng.choice([ways[:1], ways[1:], ways]) for pair in way)


def _split(rng, horizon, brokers, users):
    """Two brokers are apart for long; a user leaves the first at the beginning, and all is not well at the second."""
    number = rng.randrange(len(brokers))
    one, other = brokers[number], brokers[(number + 1) % len(brokers)]  # where users turn to next
    time = rng.uniform(CALM, horizon - 5)
    guests = [user for user, (broker, _) in users.items() if broker == one]
    rest = [broker for broker in brokers if broker not in (one, other)]
    split = [Event(time, "split", ((one, other), (other, one)), horizon - time + rng.uniform(80, 130))]
    for user in guests[:1]:
        split.append(Event(time + 0.1, "cut", ((one, user), (user, one)), horizon - time))
    for broker in rest:
        for near in (one, other):
            since = rng.uniform(time, horizon)
            pairs = ((near, broker), (broker, near))
            split.append(Event(since, "cut", pairs, horizon - since + rng.uniform(-1, 1)))
    return split


def shrink(schedule, fails):
    """The schedule with as few events as still fail, dropping halves, quarters and at last single ones."""
    events = list(schedule.events)
    size = max(1, len(events) // 2)
    while size:
        start = 0
        while start < len(events):
            fewer = events[:start] + events[start + size :]
            if fails(replace(schedule, events=tuple(fewer))):
                events = fewer
            else:
                start += size
        size //= 2
    return replace(schedule, events=tuple(events))

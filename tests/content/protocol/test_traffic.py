"""Traffic: rates over a sliding window, against a list of all that happened."""

import random

import pytest

from topicweave.content.processes.framing import LENGTH, frame, parse
from topicweave.content.protocol.traffic import PARTS, Meter, Traffic
from topicweave.errors import InputError


@pytest.mark.parametrize("seed", range(5))
def test_rates_are_those_of_a_window_that_slides_by_parts(seed):
    """Counts of the parts that are still inside, divided by the time that these have lasted."""
    rng = random.Random(seed)
    window, start = 6.0, rng.uniform(0, 10)
    traffic, sent, got, now = Traffic(start, window), [], [], start
    for _ in range(200):
        now += rng.expovariate(4)
        if rng.random() < 0.5:
            channel = rng.choice("xy")
            traffic.publish(channel, now)
            sent.append((now, channel))
        else:
            traffic.receive(now, 2.0)
            got.append(now)
        first = max(start, (int(now) - PARTS + 1) * window / PARTS)
        span = max(now - first, window / PARTS / 2)
        expected = {}
        for time, channel in sent:
            if int(time) > int(now) - PARTS:
                expected[channel] = expected.get(channel, 0) + 1
        assert traffic.published(now) == pytest.approx({channel: count / span for channel, count in expected.items()})
        assert traffic.received(now) == pytest.approx(sum(2 for time in got if int(time) > int(now) - PARTS) / span)
    assert traffic.need(now + 100) == 0


def test_a_new_broker_begins_with_the_rates_of_the_former_one():
    """They are the same at first, and fade as the window slides."""
    traffic = Traffic.begun_with({"published": {"x": 3.0}, "received": 5.0}, 100.25, window=6.0)
    assert traffic.published(100.25) == pytest.approx({"x": 3.0})
    assert traffic.received(100.25) == pytest.approx(5.0)
    state = traffic.state(100.25)
    assert state["published"] == pytest.approx({"x": 3.0}) and state["received"] == pytest.approx(5.0)
    assert 0 < traffic.received(103.0) < 5
    assert traffic.need(107.0) == 0
    assert Traffic.begun_with(None, 0.0).need(1.0) == 0


@pytest.mark.parametrize(
    ("body", "size"),
    [(None, 4), ("a trade", 9), ("é€", 7), ({"a": [1, 2.5]}, 13), ("\ud800", 5), ("x" * 1000, 1002), (1e300, 6)],
)
def test_a_publication_has_as_many_bytes_at_every_broker(body, size):
    """Those by which it makes a frame longer; also after a broker has received it, and whatever else is in it."""
    meter, one = Meter("bytes"), {"publisher": "ann", "number": 3, "channel": "x", "body": body}
    empty = len(frame({"body": 0})) - 1
    assert meter.amount(one) == size == len(frame({"body": body})) - empty
    if body != "\ud800":  # no other broker accepts it
        arrived = parse(frame(one | {"content": {"price": 1.0}})[LENGTH.size :])
        assert meter.amount(arrived) == Meter("bytes").amount(arrived) == size
    assert meter.amount(one | {"body": [body]}) == size + 2
    assert Meter().amount(one) == 1


def test_traffic_is_counted_in_known_units_only():
    with pytest.raises(InputError, match="in publications or bytes, not in 'litres'"):
        Meter("litres")

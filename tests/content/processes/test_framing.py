"""Framing: frames can be parsed however they are cut up, and invalid ones are reported."""

import random

import pytest

from topicweave.content.processes.framing import LENGTH, FrameError, Frames, frame, packet_frame, parse


@pytest.mark.parametrize("seed", range(5))
def test_frames_are_cut_out_of_any_pieces(seed):
    """Of one byte or many; text beyond ASCII, and half a surrogate pair is refused."""
    rng = random.Random(seed)
    messages = [{"n": n, "text": "ä€\n" * rng.randrange(50), "deep": [{}, None, 0.5]} for n in range(20)]
    data, frames, found = b"".join(map(frame, messages)), Frames(10_000), []
    while data:
        size = rng.choice([1, 3, 50, 1000])
        found += frames.add(data[:size])
        data = data[size:]
    assert found == messages
    with pytest.raises(FrameError, match="UTF-8"):
        parse(frame({"text": "\ud800"})[LENGTH.size :])


def test_a_packet_is_framed_as_any_message_is():
    """This holds although the encoded text of a publication is used again for its next receiver."""
    one, other = ({"publisher": name, "number": 1, "body": {"}": "ä"}} for name in ("ann", "bob"))
    packets = [
        {"kind": "message", "number": number, "message": {"kind": "deliver", "previous": 0, "publication": publication}}
        for number, publication in enumerate((one, one, other, one, dict(one, number=2)))
    ]
    packets += [{"kind": "open"}, {"kind": "message", "message": {"publication": one}}, {"message": {"kind": "ping"}}]
    for packet in packets:
        assert parse(packet_frame(packet)[LENGTH.size :]) == packet


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"[1]", "object, not list"),
        (b"{", "JSON"),
        (b'{"a": NaN}', "NaN is not a number"),
        (b'{"a": -Infinity}', "not a number"),
        (b"\xff", "UTF-8"),
        (b"[" * 100_000, "JSON"),
        (b'{"a": ' + b"1" * 5000 + b"}", "JSON"),
    ],
)
def test_what_is_no_frame_is_refused(data, words):
    """The message says why the frame is invalid."""
    with pytest.raises(FrameError, match=words):
        parse(data)


def test_a_frame_that_is_too_long_is_refused_by_its_length():
    """It is refused before any of its content has arrived."""
    with pytest.raises(FrameError, match="1,001 bytes is longer than 1,000"):
        Frames(1000).add(LENGTH.pack(1001))
    assert Frames(1000).add(LENGTH.pack(1000)) == []

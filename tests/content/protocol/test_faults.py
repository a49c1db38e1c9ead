"""A transport with faults: as many as asked for, the same for the same seed, and what passes is unchanged."""

import asyncio

import pytest

from topicweave.content.protocol import Faults, FaultyTransport, InProcess

COUNT = 2_000


def heard(faults, meddle=lambda transport: None):
    """The numbers that arrive, in order, and the transport."""

    async def scenario():
        transport, numbers = FaultyTransport(InProcess(), faults), []
        await transport.open("a", lambda source, packet: None)
        await transport.open("b", lambda source, packet: numbers.append(packet["n"]))
        meddle(transport)
        for n in range(COUNT):
            transport.send("a", "b", {"n": n})
        await asyncio.sleep(2 * faults.delay + 0.05)
        await transport.close("b")
        return numbers, transport

    return asyncio.run(scenario())


def test_without_faults_everything_arrives_once_and_in_order():
    numbers, transport = heard(Faults())
    assert numbers == list(range(COUNT))
    assert transport.num_lost == transport.num_repeated == transport.num_delayed == 0


def test_packets_are_lost_and_repeated_in_the_shares_asked_for():
    """Within four standard deviations; the counters say what happened."""
    numbers, transport = heard(Faults(lost=0.3, repeated=0.2))
    assert len(set(numbers)) == COUNT - transport.num_lost
    assert len(numbers) == len(set(numbers)) + transport.num_repeated
    assert transport.num_lost / COUNT == pytest.approx(0.3, abs=0.041)
    assert transport.num_repeated / (COUNT - transport.num_lost) == pytest.approx(0.2, abs=0.043)


def test_delays_put_packets_out_of_order_and_lose_none():
    numbers, transport = heard(Faults(delay=0.05, delayed=0.5))
    assert sorted(numbers) == list(range(COUNT)) and numbers != sorted(numbers)
    assert transport.num_delayed / COUNT == pytest.approx(0.5, abs=0.045)


def test_the_same_seed_has_the_same_faults():
    first, again, other = (heard(Faults(lost=0.5, seed=seed))[0] for seed in (1, 1, 2))
    assert first == again != other


def test_a_cut_path_loses_everything_until_it_is_repaired():
    """In one direction only."""
    assert heard(Faults(), lambda transport: transport.cut("a", "b"))[0] == []
    assert len(heard(Faults(), lambda transport: transport.cut("b", "a"))[0]) == COUNT

    def mend(transport):
        transport.cut("a", "b")
        transport.send("a", "b", {"n": -1})
        transport.repair("a", "b")

    assert heard(Faults(), mend)[0] == list(range(COUNT))

"""GuestBook: which users are known, what is reported about them, and what is requested from which broker."""

import asyncio

from tests.content.protocol import simulated_time
from topicweave.content.protocol.guest_book import GuestBook, claims
from topicweave.content.protocol.guests import PATIENCE, Guest
from topicweave.content.protocol.log import Log
from topicweave.content.protocol.rosters import Claim


def book():
    """ann has published two on news and one on sport, bob nothing; bob has seen one of them."""
    log = Log()
    for number, channel in enumerate(["news", "news", "sport"]):
        log.add({"publisher": "ann", "number": number, "channel": channel, "body": None})
    ann, bob = Guest("ann", 3, [], log, {}), Guest("bob", 1, ["news"], Log(), {"ann": 0})
    return GuestBook(ann=ann, bob=bob)


def in_simulated_time(test):
    def wrapped():
        async def scenario():
            await asyncio.sleep(1)
            test()

        simulated_time.run(scenario())

    return wrapped


@in_simulated_time
def test_only_a_connected_guest_of_that_visit_is_known():
    guests = book()
    assert guests.known("ann", {"visit": 3}) is guests["ann"]
    assert guests.known("ann", {"visit": 2}) is None and guests.known("cat", {"visit": 3}) is None
    guests["ann"].part(kept_until=60.0)
    assert guests.known("ann", {"visit": 3}) is None


@in_simulated_time
def test_the_roster_wants_nothing_for_those_who_have_parted():
    guests = book()
    assert guests.roster() == {"ann": (3, [], {"news": 1, "sport": 2}), "bob": (1, ["news"], {})}
    guests["bob"].part(kept_until=60.0)
    assert guests.roster()["bob"] == (1, None, {})
    guests["bob"].sent_on = True
    assert guests.roster()["bob"] == (1, ["news"], {})
    assert claims(guests.roster())["ann"] == Claim(3, {"news": 1, "sport": 2})


@in_simulated_time
def test_a_user_starts_after_the_latest_numbers_on_channels_that_are_new_to_it():
    """Pairs of the latest number on its former channels, and on all of its present ones."""
    assert book().start("bob", [], ["news"]) == {"ann": (-1, 1)}
    assert book().start("bob", [], ["news", "sport"]) == {"ann": (-1, 2)}
    assert book().start("bob", ["news"], ["news", "sport"]) == {"ann": (1, 2)}
    assert book().start("bob", ["sport"], ["news", "sport"]) == {}
    assert book().start("ann", [], ["news"]) == {} == book().start("bob", [], ["weather"])


@in_simulated_time
def test_the_last_number_of_a_publisher_is_the_highest_that_anybody_knows():
    """In its log, or in what other users have seen."""
    guests = book()
    assert guests.last_number("ann") == 2 and guests.last_number("nobody") == -1
    guests["bob"].has_seen({"ann": 9})
    assert guests.last_number("ann") == 9


@in_simulated_time
def test_the_broker_whose_claim_holds_is_asked_for_what_is_missing_after_a_while():
    guests = book()
    newest = {"ann": ("far", Claim(4, {"news": 5})), "cat": ("here", Claim(1, {"sport": 7}))}

    def asked(now, beginners=frozenset()):
        return list(guests.missing(newest, beginners, now))

    assert asked(0.0) == []
    question = {"kind": "missing", "user": "bob", "visit": guests["bob"].visit}
    question |= {"channels": ["news"], "seen": {"ann": 0}}
    assert asked(PATIENCE, {"bob"}) == []
    assert asked(PATIENCE) == [("far", question)]
    assert asked(PATIENCE + 0.1) == []  # patience has doubled
    guests["bob"].has_seen({"ann": 5})
    assert asked(100.0) == []

"""Names and addresses on the wire."""

import pytest

from topicweave.content.processes.names import join_address, split_address, user_name, wire_name
from topicweave.errors import InputError

BROKERS = {"Paris", "Tokyo"}


def test_users_and_brokers_never_have_the_same_name_on_the_wire():
    """A user named like a broker gets another name, from which its own can be told; all others keep theirs."""
    users = ["ann", "Paris", "Lima", "Tokyo", "ann (user)"]
    wired = [wire_name(user, BROKERS) for user in users]
    assert BROKERS.isdisjoint(wired) and len(set(wired)) == len(users)
    assert [user_name(wire, BROKERS) for wire in wired] == users
    assert (wire_name("ann", BROKERS), wire_name("ann (user)", BROKERS)) == ("ann", "ann (user)")


@pytest.mark.parametrize(
    ("address", "parts"),
    [("127.0.0.1:7000", ("127.0.0.1", 7000)), ("paris.eu:0", ("paris.eu", 0)), ("[::1]:65535", ("::1", 65535))],
)
def test_an_address_is_split_and_joined_again(address, parts):
    assert split_address(address) == parts
    assert join_address(*parts) == address


@pytest.mark.parametrize("address", ["", "paris", ":7000", "paris:", "paris:port", "paris:-1", "paris:65536"])
def test_what_is_no_address_is_refused_with_the_value(address):
    with pytest.raises(InputError, match=r"host:port") as refused:
        split_address(address)
    assert repr(address) in str(refused.value)

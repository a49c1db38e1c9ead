"""The files for mosquitto."""

import pytest

import topicweave as tw
from tests.deploy.conftest import inventory_of
from topicweave.deploy.bridges import deployment
from topicweave.deploy.inventory import Broker, Inventory
from topicweave.deploy.mosquitto import mosquitto_files
from topicweave.errors import InputError

FOUND = tw.deploy.trees(tw.Interest.from_pairs([("a", "x"), ("b", "x")]), tw.Overlay.from_pairs([("a", "b")]))


def test_a_link_is_written_on_one_end_only():
    files = mosquitto_files(deployment(FOUND, inventory_of("ab")), inventory_of("ab"))
    assert "connection" not in files["a"]
    lines = files["b"].splitlines()
    for line in ("connection topicweave.b.a", "address 127.0.0.1:10000", "cleansession true", "try_private true",
                 "topic x both 1", "notifications_local_only true"):  # fmt: skip
        assert line in lines


def test_a_sidecar_keeps_messages_over_a_restart():
    files = mosquitto_files(deployment(FOUND, inventory_of("ab")), inventory_of("ab"), "sidecar")
    for line in ("listener 10003", "persistence true", "autosave_interval 1", "cleansession false",
                 "connection topicweave.b.b", "address 127.0.0.1:10002", "address 127.0.0.1:10001"):  # fmt: skip
        assert line in files["b"].splitlines()


def test_passwords_are_placeholders_and_tls_files_paths():
    inventory = Inventory([Broker("a", "h", 1, credentials="PLANT", cafile="ca.pem"), Broker("b", "h", 2)])
    lines = mosquitto_files(deployment(FOUND, inventory), inventory)["b"].splitlines()
    for line in ("remote_username ${PLANT_USERNAME}", "remote_password ${PLANT_PASSWORD}", "bridge_cafile ca.pem"):
        assert line in lines


def test_sidecars_need_ports():
    """A sidecar without a port, and a layout that does not exist, are refused."""
    inventory = Inventory([Broker("a", "h", 1), Broker("b", "h", 2)])
    with pytest.raises(InputError, match="needs a sidecar_port"):
        mosquitto_files(deployment(FOUND, inventory), inventory, "sidecar")
    with pytest.raises(InputError, match="There is no layout 'both'"):
        mosquitto_files(deployment(FOUND, inventory), inventory, "both")


def test_a_sidecar_is_reached_by_its_own_columns_and_keeps_the_operators_listener():
    """The broker's own login is for its own sidecar; others log in at the sidecar."""
    inventory = Inventory(
        Broker(name, "h", 2 * i + 1, 2 * i + 2, "PLANT", "ca.pem", sidecar_settings="/own", sidecar_credentials="SIDE")
        for i, name in enumerate("ab")
    )
    text = mosquitto_files(deployment(FOUND, inventory), inventory, "sidecar")["b"]
    head, own, link = text.split("\nconnection ")
    assert "include_dir /own" in head
    assert "listener" not in head.replace("# The listener", "")
    assert "PLANT_USERNAME" in own and "bridge_cafile ca.pem" in own
    assert "SIDE_USERNAME" in link and "bridge_cafile" not in link


@pytest.mark.parametrize(
    ("columns", "message"),
    [
        ({"credentials": "PLANT"}, "asks for TLS or a password, but its sidecar would not; name a folder"),
        ({"sidecar_cafile": "ca.pem"}, "but not where the settings of such a listener are"),
        ({"sidecar_credentials": "SIDE", "sidecar_settings": "-"}, "but not where the settings"),
    ],
)
def test_a_sidecar_that_nobody_could_reach_or_that_lets_everybody_in_is_refused(columns, message):
    """A sidecar in plain beside a broker that asks for a password must be asked for."""
    inventory = Inventory([Broker("a", "h", 1, 2, **columns), Broker("b", "h", 3, 4)])
    with pytest.raises(InputError, match=message):
        mosquitto_files(deployment(FOUND, inventory), inventory, "sidecar")
    assert mosquitto_files(deployment(FOUND, inventory), inventory, "inside")
    if "credentials" in columns:
        closed = Inventory([Broker("a", "h", 1, 2, sidecar_settings="-", **columns), Broker("b", "h", 3, 4)])
        assert "allow_anonymous true" in mosquitto_files(deployment(FOUND, closed), closed, "sidecar")["a"]

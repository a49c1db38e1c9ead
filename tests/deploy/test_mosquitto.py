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

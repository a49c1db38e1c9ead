"""The inventory: errors in it are reported in one sentence."""

import pytest

from topicweave.deploy.inventory import Broker, Inventory, read_inventory
from topicweave.errors import InfeasibleError, InputError

HEAD = "name,host,port,sidecar_port,credentials,cafile,certfile,keyfile,region,reachable_from\n"


def written(tmp_path, text):
    path = tmp_path / "brokers.csv"
    path.write_text(text, encoding="utf-8")
    return path


def test_a_whole_line_is_read(tmp_path):
    text = HEAD + "a,h,1883,1884,PLANT,ca.pem,c.pem,k.pem,eu,b us\nb,h,1885,,,,,,us,-\n"
    one, other = read_inventory(written(tmp_path, text))
    reach = frozenset({"b", "us"})
    assert one == Broker("a", "h", 1883, 1884, "PLANT", "ca.pem", "c.pem", "k.pem", "eu", reach)
    assert other.reachable_from == frozenset()


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("name,host\na,h\n", "no column 'port'"),
        ("name,host,port,password\na,h,1,x\n", "must hold no secrets"),
        ("name,host,port,hots\na,h,1,x\n", "did you mean 'host'"),
        ("name,host,port\na,h,0\n", "the port '0'"),
        ("name,host,port\na,h,x\n", "the port 'x'"),
        ("name,host,port\na,,1\n", "gives no host for 'a'"),
        ("name,host,port\na,admin:hunter2@10.0.0.0,1\n", "neither a name nor an address; leave out user names"),
        ("name,host,port\na,mqtt://h,1\n", "neither a name nor an address"),
        ("name,host,port\na,h:1883,1\n", "neither a name nor an address"),
        ("name,host,port\na/b,h,1\n", "calls a broker 'a/b'"),
        ("name,host,port\na,h,1\na,h,2\n", "lists broker 'a' twice"),
        ("name,host,port\na,h,1\nb,h,1\n", "gives port 1 of h to 'a' and to 'b'"),
        ("name,host,port,credentials\na,h,1,s3cret!\n", "not a name"),
        ("name,host,port,certfile,keyfile\na,h,1,c.pem,\n", "only one of certfile and keyfile"),
        ("name,host,port,sidecar_credentials\na,h,1,s3cret!\n", "sidecar_credentials for 'a' that are not a name"),
        ("name,host,port,sidecar_certfile,sidecar_keyfile\na,h,1,c.pem,\n", "only one of sidecar_certfile and"),
        ("name,host,port,reachable_from\na,h,1,nowhere\n", "neither a broker nor a region"),
    ],
)
def test_bad_inventories_are_refused_in_a_sentence(tmp_path, text, message):
    with pytest.raises(InputError, match=message) as caught:
        read_inventory(written(tmp_path, text))
    assert "hunter2" not in str(caught.value), "what may be a password is not shown"


@pytest.mark.parametrize("host", ["ams-01.example.org", "10.0.0.1", "::1", "fe80::1%eth0", "broker_7"])
def test_names_and_addresses_are_hosts(host):
    """Of version 6, too."""
    assert Inventory([Broker("a", host, 1)])["a"].host == host


def test_a_missing_file_is_named(tmp_path):
    with pytest.raises(InputError, match=r"none.csv cannot be read \(No such file"):
        read_inventory(tmp_path / "none.csv")


def test_missing_and_unknown_brokers_are_named():
    inventory = Inventory([Broker("a", "h", 1), Broker("c", "h", 2)])
    with pytest.raises(InputError, match="lacks 1 of the plan's 2 brokers: 'b'"):
        inventory.check_covers(["a", "b"])
    with pytest.raises(InputError, match="does not know: 'c'"):
        inventory.check_covers(["a"])
    inventory.check_covers(["a"], others=["c"])


def test_the_end_that_sorts_last_owns_a_link_unless_a_firewall_is_in_the_way():
    nobody = frozenset()
    inventory = Inventory(
        [Broker("a", "h", 1), Broker("b", "h", 2), Broker("c", "h", 3, reachable_from=nobody, region="x"),
         Broker("d", "h", 4, reachable_from=frozenset({"x"}))]
    )  # fmt: skip
    assert inventory.owner("a", "b") == inventory.owner("b", "a") == "b"
    assert inventory.owner("a", "c") == "c"
    assert inventory.owner("c", "d") == "c"  # by sorting it would be d, but c cannot be reached
    with pytest.raises(InfeasibleError, match="links 'a' and 'z'"):
        Inventory([Broker("a", "h", 1, reachable_from=nobody), Broker("z", "h", 2, reachable_from=nobody)]).owner(
            "a", "z"
        )

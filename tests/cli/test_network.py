"""``topicweave content serve``, ``publish`` and ``subscribe``: mistakes are named before anything is started."""

import pytest

from tests.content.processes.local import plan
from topicweave.cli.network import _network


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["serve", "--plan", "PLAN", "--broker", "x"], "There is no broker 'x'"),
        (["serve", "--plan", "nothing", "--broker", "0"], "cannot be read"),
        (["serve", "--plan", "PLAN", "--broker", "0", "--address", "x=a:1"], "no broker 'x'"),
        (["serve", "--plan", "PLAN", "--broker", "0", "--address", "0=a"], "host:port"),
        (["serve", "--plan", "PLAN", "--broker", "0", "--address", "a"], "BROKER=HOST:PORT"),
        (["serve", "--plan", "PLAN", "--broker", "0", "--inventory", "nothing"], "nothing"),
        (["serve", "--plan", "PLAN", "--broker", "0", "--address", "0=192.0.2.1:1"], "cannot listen at 192.0.2.1:1"),
        (["serve", "--plan", "PLAN", "--broker", "0", "--cert", "nothing"], "certificate"),
        (["publish", "127.0.0.1:1", "--name", "ann", "--channel", "c", "x"], "No broker lets user 'ann' in"),
        (["publish", "here", "--name", "ann", "--channel", "c", "x"], "host:port"),
        (["publish", "127.0.0.1:1", "--name", "ann", "--value", "x=y", "x"], "must be a number"),
        (["publish", "127.0.0.1:1", "--name", "ann", "--token-file", "nothing", "x"], "token"),
        (["subscribe", "127.0.0.1:1", "--name", "ann", "--range", "x=1"], "LOW..HIGH"),
        (["subscribe", "127.0.0.1:1", "--name", "ann", "--range", "x=5..1"], "below its start"),
    ],
)
def test_what_is_wrong_is_named(run, arguments, words, tmp_path):
    """In one sentence, with exit code 2."""
    plan(2).write(tmp_path / "network.json")
    arguments = [str(tmp_path) if word == "PLAN" else word for word in arguments]
    finished = run("content", *arguments)
    assert finished.code == 2 and words in finished.err, finished


def test_addresses_come_from_the_inventory_and_from_options(tmp_path):
    """An inventory may list more brokers than the plan has; an option comes before it."""
    network = plan(3)
    network.write(tmp_path / "network.json")
    (tmp_path / "brokers.csv").write_text("name,host,port\n0,10.0.0.5,7000\n1,fd00::6,7001\n2,lima,7002\nx,y,1\n")
    given = {"inventory": str(tmp_path / "brokers.csv"), "addresses": ("2=10.0.0.7:7",)}
    assert _network(str(tmp_path), given).addresses == {"0": "10.0.0.5:7000", "1": "[fd00::6]:7001", "2": "10.0.0.7:7"}

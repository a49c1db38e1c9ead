"""``topicweave content serve``, ``publish`` and ``subscribe``: mistakes are named before anything is started."""

import pytest

from tests.content.processes.local import plan


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["serve", "--plan", "PLAN", "--broker", "x"], "There is no broker 'x'"),
        (["serve", "--plan", "nothing", "--broker", "0"], "cannot be read"),
        (["serve", "--plan", "PLAN", "--broker", "0", "--address", "x=a:1"], "no broker 'x'"),
        (["serve", "--plan", "PLAN", "--broker", "0", "--address", "0=a"], "host:port"),
        (["serve", "--plan", "PLAN", "--broker", "0", "--address", "a"], "BROKER=HOST:PORT"),
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

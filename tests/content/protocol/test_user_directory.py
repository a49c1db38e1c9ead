"""UserDirectory, compared with a plain list of everything that was said."""

import random

import pytest

from topicweave.content.protocol.user_directory import UserDirectory


@pytest.mark.parametrize("seed", range(20))
def test_it_knows_what_was_said_last(seed):
    """Of each user, the word of the latest visit; of that, the last word of the broker that spoke of it first."""
    rng = random.Random(seed)
    directory, said = UserDirectory(), {}
    for now in range(200):
        user, visit, broker = rng.choice("uvw"), rng.randrange(now // 10 + 2), rng.choice("abc")
        channels = rng.choice([None, [], ["x"], ["x", "y"]])
        known = said.get(user)
        is_news = known is None or visit > known[0]
        assert directory.note(user, visit, broker, channels, now) == is_news
        if is_news or (visit, broker) == known[:2]:
            said[user] = visit, broker, channels, now
        if rng.random() < 0.1:
            before = now - rng.choice([5, 20])
            directory.forget(before)
            said = {user: word for user, word in said.items() if word[3] >= before}
        assert len(directory) == len(said)
        assert directory.all() == {user: word[1] for user, word in said.items() if word[2] is not None}
        for channel in "xy":
            wanting = {}
            for user, (visit, broker, wanted, _) in said.items():
                if channel in (wanted or ()) and user != "u":
                    wanting.setdefault(broker, {})[user] = 7 if "y" in wanted else 4, visit
            assert directory.receivers(channel, "u", {"x": 4, "y": 7}) == wanting
        for name in "uvw":
            visit, broker = said[name][:2] if name in said else (0, None)
            assert (directory.visit(name), directory.broker(name)) == (visit, broker)


def test_a_user_on_its_way_is_looked_for_where_it_goes():
    directory = UserDirectory()
    directory.note("ann", 1, "a", ["x"], 0)
    directory.send_on("ann", "b")
    assert directory.broker("ann") == "b"
    assert not directory.note("ann", 1, "a", None, 1)  # its old broker's word does not count any more
    assert directory.receivers("x", "bob", {}) == {"b": {"ann": (-1, 1)}}
    assert directory.receivers("x", "ann", {}) == directory.receivers("y", "bob", {}) == {}
    assert directory.note("ann", 2, "b", ["x"], 2)

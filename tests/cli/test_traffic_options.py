"""Options of both commands that assign users to brokers."""

import pytest

from topicweave.cli.traffic_options import TRAFFIC_OPTIONS, traffic_of


@pytest.mark.parametrize("command", ["assign", "adapt"])
def test_both_commands_have_them(run, command):
    """Each option is in the help of both commands, with the same words."""
    told = " ".join(run("content", command, "--help").out.split())
    for option in ("--attribute", "--channels", "--scale", "--cuts", "--broker", "--places", "--capacity", "--spare",
                   "--max-bad-fraction"):  # fmt: skip
        assert option in told
    assert len(TRAFFIC_OPTIONS) == 9


def test_borders_are_numbers_and_no_broker_means_all():
    """The parameters of the job, from what the command line parsed."""
    given = {"attributes": ("a",), "channels": 3, "scale": "mass", "places": None, "capacity": 4.0, "spare": 2.0,
             "max_bad_fraction": 0.1, "cuts": ("a=1,2.5",), "brokers": ()}  # fmt: skip
    found = traffic_of(given)
    assert found == {**given, "cuts": {"a": [1.0, 2.5]}, "brokers": None}
    assert traffic_of({**given, "cuts": (), "brokers": ("Bern",)})["brokers"] == ("Bern",)

"""The time left of experiments."""

from topicweave.cli.experiment import RECENT, Pace


def test_the_time_left_follows_the_pace_of_the_last_minutes():
    """Heavy runs took what was guessed; short ones at the end take ten times as long."""
    pace = Pace(total=1_000 + 10, now=0.0)
    assert pace.after(1_000, 1_000.0) == 10
    now = 1_000.0
    for _ in range(8):
        now += 40
        left = pace.after(1, now)
    assert now - 1_000 > 2 * RECENT and left == 80


def test_nothing_is_left_after_the_last_run():
    pace = Pace(total=2, now=0.0)
    assert pace.after(1, 5.0) == 5 and pace.after(1, 9.0) == 0
    assert Pace(total=0, now=0.0).after(0, 1.0) == 0

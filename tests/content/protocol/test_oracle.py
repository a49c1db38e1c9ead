"""Tests the oracle on records written by hand: what the guarantees excuse, and what they do not."""

from tests.content.protocol.oracle import Change, Life, Record, Restart, judge


def record(published, **fields):
    """Ann listens to bob at another broker for three minutes; they are somewhere else if ``fields`` says so."""
    made = Record({"ann": Life(("x",), registered=0), "bob": Life(("y",), registered=0)})
    made.published = {("bob", count): (time, "x") for count, time in enumerate(published)}
    made.places = [(float(second), {"ann": "a", "bob": "b"}) for second in range(180)]
    made.handed_out, made.times = {"ann": []}, {"ann": []}
    for name, value in fields.items():
        setattr(made, name, value)
    return made


def restarted(*crashes, broker="a", **fields):
    """A user that was away for two seconds each time."""
    return [Restart(crash, broker, crash + 2, **fields) for crash in crashes]


def get(made, *deliveries):
    """Ann gets bob's publications: their counts, with times; her lives begin at the ends of her restarts."""
    made.handed_out["ann"] = [("bob", count) for count, _ in deliveries]
    made.times["ann"] = [time for _, time in deliveries]
    backs = [restart.back for restart in made.lives["ann"].restarts]
    made.begun["ann"] = [sum(time < back for _, time in deliveries) for back in backs]
    return judge(made)


def test_what_was_not_reported_comes_again_in_whichever_life():
    """The second life crashed before it came; what the first had reported, or the second got, may not come again."""
    made = record([10.0])
    made.lives["ann"].restarts = restarted(12.0, 40.0)
    assert get(made, (0, 11.9), (0, 43.0)).is_good
    assert get(made, (0, 11.9), (0, 15.0)).is_good
    assert get(made, (0, 11.9), (0, 15.0), (0, 43.0)).twice == [("ann", "bob", 0)]
    assert get(made, (0, 12.0), (0, 39.9), (0, 43.0)).is_good
    made.lives["ann"].restarts = restarted(30.0)
    assert get(made, (0, 11.0), (0, 33.0)).twice == [("ann", "bob", 0)]
    made.disturbed = [(25.0, 29.0)]
    assert get(made, (0, 11.0), (0, 33.0)).is_good


def test_a_broker_that_dies_long_after_it_could_pass_a_publication_on_excuses_nothing():
    """Nor does one that dies before its user has crashed and had the time to find another one."""
    for death, num_lost in (20.0, 0), (60.0, 1):
        made = record([10.0], deaths=[(death, "b")], disturbed=[(death, death)])
        made.lives["bob"].gone, made.lives["bob"].broker, made.lives["bob"].was_let_go = 15.0, "b", True
        assert len(judge(made).lost) == num_lost
    for death, crash, num_lost in (20.0, 22.0, 0), (20.0, 50.0, 1), (51.0, 50.0, 1), (25.0, 24.0, 0), (27.0, 24.0, 1):
        made = record([10.0], deaths=[(death, "b")], disturbed=[(death, death)])
        made.lives["bob"].restarts = restarted(crash, broker="b", was_resumed=False)
        assert len(judge(made).lost) == num_lost, (death, crash)


def test_trouble_long_after_a_publication_excuses_nothing():
    """It had reached its publisher's broker by then, and the receiver's, too."""
    made = record([10.0])
    made.lives["bob"].restarts = restarted(100.0, broker="b")
    made.disturbed = [(80.0, 85.0)]
    assert judge(made).lost == [("ann", "bob", 0)]
    made.disturbed = [(5.0, 98.0)]
    assert judge(made).num_excused == 1
    made = record([10.0], splits=[(50.0, 120.0, (("b", "a"), ("a", "b")))], kept=0)
    assert judge(made).lost == [("ann", "bob", 0)]


def test_what_is_among_the_latest_is_stored_however_long_brokers_are_apart():
    """Of two publications, the older one may be gone after a minute if only one is stored."""
    for kept, num_excused in (0, 2), (1, 1), (2, 0):
        made = record([10.0, 20.0], splits=[(5.0, 90.0, (("b", "a"), ("a", "b")))], kept=kept)
        verdict = judge(made)
        assert (verdict.num_excused, len(verdict.lost)) == (num_excused, 2 - num_excused)


def test_publications_of_users_that_have_gone_are_stored_a_minute_after_the_last_one():
    """Their brokers are apart until the first publication is older than that."""
    for kept, num_excused in (1, 1), (2, 0):
        made = record([10.0, 60.0], splits=[(5.0, 75.0, (("b", "a"), ("a", "b")))], kept=kept)
        made.lives["bob"].gone, made.lives["bob"].broker, made.lives["bob"].was_let_go = 61.0, "b", True
        verdict = judge(made)
        assert (verdict.num_excused, len(verdict.lost)) == (num_excused, 2 - num_excused)


def test_a_broker_that_its_publisher_was_not_at_excuses_nothing():
    """Bob's broker lives and has had the publication for long; another one dies just before bob crashes."""
    for dead, num_excused in ("a", 0), ("b", 1):
        made = record([10.0], deaths=[(30.0, dead)], disturbed=[(30.0, 30.0)])
        made.lives["bob"].restarts = restarted(32.0, broker="b", was_resumed=False)
        assert judge(made).num_excused == num_excused, dead


def test_a_later_change_of_mind_excuses_only_what_is_on_its_way():
    """Ann does not want the channel any more when it is two, or ninety, seconds old."""
    for time, num_due in (12.0, 0), (100.0, 1):
        made = record([10.0])
        made.lives["ann"].changes = [Change(time, 1, ("z",), None, 1)]
        assert len(judge(made).lost) == num_due == judge(made).num_expected


def test_a_life_that_nobody_remembers_excuses_only_what_is_on_its_way():
    """And where nothing was wrong, it has to be remembered."""
    for crash, num_lost in (12.0, 0), (100.0, 1):
        made = record([10.0])
        made.lives["ann"].restarts = restarted(crash, was_resumed=False, num_published=1)
        verdict = judge(made)
        assert len(verdict.lost) == num_lost and verdict.not_resumed == [("ann", crash)]
        made.deaths = [(crash + 1, "a")]
        assert not judge(made).not_resumed


def test_users_that_have_gone_must_have_got_what_was_old_by_then():
    """What was published shortly before may still have been on its way."""
    made = record([10.0, 80.0])
    made.lives["ann"].gone = 81.0
    assert judge(made).lost == [("ann", "bob", 0)] and judge(made).num_expected == 1

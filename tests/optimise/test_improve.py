"""improve(): never worse in links or maximum degree, still connected, and as asked for in changes and seeds."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import topicweave as tw
from tests.instances import nonempty_interests
from topicweave.errors import InputError, OverlayError, ParameterError
from topicweave.optimise import improve as exported
from topicweave.optimise.ascent import Ascent
from topicweave.optimise.dive import dive
from topicweave.optimise.dives import Dives
from topicweave.optimise.link_search import LinkSearch

STARTS = ("gm", "minmax", "low", "ring", "star", "chain", "cd")


def is_not_worse(interest, before, seed, **given):
    after = tw.improve(interest, before, rounds=1, seed=seed, **given).overlay
    assert tw.verify(interest, after).topic_connected
    assert after.num_edges <= before.num_edges
    assert after.maximum_degree <= before.maximum_degree
    return after


@given(interest=nonempty_interests(max_nodes=8), name=st.sampled_from(STARTS), seed=st.integers(0, 3))
@settings(max_examples=100, deadline=None)
def test_never_worse(interest, name, seed):
    """From any design: connected, no more links, no larger maximum degree."""
    is_not_worse(interest, tw.design(interest, name, seed=seed).overlay, seed)


@pytest.mark.slow
def test_never_worse_from_a_thousand_random_starts():
    """Random interests, and random connected overlays of them with needless links."""
    for seed in range(1000):
        draw = random.Random(seed)
        interest = tw.workloads.synthetic(
            num_nodes=draw.randint(5, 40), num_topics=draw.randint(3, 20), subscriptions=3, seed=seed
        )
        extra = [tuple(draw.sample(range(interest.num_nodes), 2)) for _ in range(draw.randint(0, 20))]
        links = {(min(pair), max(pair)) for pair in extra}
        start = tw.Overlay(interest.nodes, np.array(sorted(links), dtype=np.int64).reshape(-1, 2))
        is_not_worse(interest, tw.design(interest, draw.choice(("gm", "low")), start=start).overlay, seed)


@pytest.mark.compiled
def test_it_does_save_links_and_says_how():
    interest = tw.workloads.synthetic(num_nodes=100, num_topics=60, subscriptions=8, seed=4)
    before = tw.design(interest, "gm").overlay
    made = tw.improve(interest, before, rounds=3)
    assert made.overlay.num_edges < 0.96 * before.num_edges
    assert made.notes and made.support == 1 and made.algorithm == "improve"


@pytest.mark.compiled
def test_few_changes_where_few_are_allowed():
    """The result differs by no more links than allowed, and what is allowed is used."""
    interest = tw.workloads.synthetic(num_nodes=100, num_topics=60, subscriptions=8, seed=4)
    before = tw.design(interest, "gm").overlay
    old = set(map(tuple, before.edges.tolist()))
    links = []
    for most in (0, 10, 60):
        after = tw.improve(interest, before, rounds=3, max_changes=most).overlay
        assert len(old ^ set(map(tuple, after.edges.tolist()))) <= most
        assert tw.verify(interest, after).topic_connected
        links.append(after.num_edges)
    assert before.num_edges == links[0] > links[1] > links[2]


@pytest.mark.compiled
def test_preferred_links_stay():
    """With prefer= more of the running network is left than without."""
    interest = tw.workloads.synthetic(num_nodes=100, num_topics=60, subscriptions=8, seed=4)
    before = tw.design(interest, "gm").overlay
    old = set(map(tuple, before.edges.tolist()))
    kept = [
        len(old & set(map(tuple, tw.improve(interest, before, rounds=3, prefer=prefer).overlay.edges.tolist())))
        for prefer in (before, None)
    ]
    assert kept[0] > kept[1]


def test_a_number_caps_the_degree():
    """A star may keep its hub, but other nodes stay below the number."""
    interest = tw.Interest.from_pairs([(f"n{i:02}", "news") for i in range(12)])
    star = tw.design(interest, "star").overlay
    after = tw.improve(interest, star, rounds=1, max_degree=3).overlay
    assert after.num_edges == 11 and np.sort(after.degrees)[-2] <= 3


def test_the_time_is_kept():
    """A search of one second ends soon after it, and tells of itself meanwhile."""
    interest = tw.workloads.synthetic(num_nodes=300, num_topics=60, subscriptions=8, seed=4)
    before = tw.design(interest, "gm").overlay
    tw.improve(interest, before, rounds=0)  # compiled now
    begun = time.perf_counter()
    told = []
    tw.improve(interest, before, seconds=1, progress=told.append)
    assert time.perf_counter() - begun < 15 and told


def test_ctrl_c_keeps_what_was_found(monkeypatch):
    interest = tw.workloads.synthetic(num_nodes=60, num_topics=30, subscriptions=(5, 20), seed=4)
    before = tw.design(interest, "ring").overlay
    monkeypatch.setattr(LinkSearch, "run", lambda *_: (_ for _ in ()).throw(KeyboardInterrupt))
    made = tw.improve(interest, before, seconds=60)
    assert made.overlay.num_edges < before.num_edges  # what trimming had saved before
    assert any("Stopped" in note for note in made.notes)


@pytest.mark.compiled
def test_same_links_on_any_number_of_threads():
    """Processes with other thread counts: by a dive, by ruin and recreate, and with few changes."""
    program = (
        "import hashlib, topicweave as tw\n"
        "import topicweave.optimise.tables as tables\n"
        "tables.ENTRIES_PER_THREAD = 1\n"
        "for sizes in (6, (10, 30)):\n"
        "    interest = tw.workloads.synthetic(num_nodes=80, num_topics=40, subscriptions=sizes, seed=2)\n"
        "    start = tw.design(interest, 'gm').overlay\n"
        "    for given in ({}, {'max_changes': 20}, {'prefer': tw.design(interest, 'low').overlay}):\n"
        "        made = tw.improve(interest, start, rounds=2, seed=5, **given)\n"
        "        print(made.notes, hashlib.sha256(made.overlay.edges.tobytes()).hexdigest())\n"
    )
    said = [
        subprocess.run(
            [sys.executable, "-c", program], env={**os.environ, "NUMBA_NUM_THREADS": threads},
            capture_output=True, text=True, check=True,
        ).stdout
        for threads in ("1", "3")
    ]  # fmt: skip
    assert said[0] == said[1] and "from a dive" in said[0] and "a dive was not tried" in said[0]


def test_a_real_ctrl_c_ends_the_search():
    """A signal in the middle of the search: the best so far is returned, and a note says so."""
    interest = tw.workloads.synthetic(num_nodes=500, num_topics=50, subscriptions=8, seed=1)
    before = tw.design(interest, "ring").overlay
    tw.improve(interest, before, rounds=1)  # compiled now
    timer = threading.Timer(0.5, lambda: os.kill(os.getpid(), signal.SIGINT))
    timer.start()
    made = tw.improve(interest, before, seconds=300)
    assert "Stopped before the time was up." in made.notes
    assert tw.verify(interest, made.overlay).topic_connected and made.overlay.num_edges < before.num_edges


def test_what_cannot_be_improved_is_refused(four_brokers):
    apart = tw.Overlay.empty(four_brokers.nodes)
    with pytest.raises(InputError, match="disconnected"):
        tw.improve(four_brokers, apart)
    with pytest.raises(OverlayError, match=r"labels=interest\.nodes"):
        tw.improve(four_brokers, tw.Overlay.from_pairs([("x", "y")]))
    with pytest.raises(ParameterError):
        tw.improve(four_brokers, tw.design(four_brokers).overlay, max_changes=-1)
    assert exported is tw.improve


@pytest.mark.compiled
def test_ctrl_c_in_a_later_dive_keeps_what_the_first_found(monkeypatch):
    interest = tw.workloads.synthetic(num_nodes=100, num_topics=60, subscriptions=8, seed=4)
    before = tw.design(interest, "gm").overlay
    monkeypatch.setattr(LinkSearch, "run", lambda *_: (_ for _ in ()).throw(KeyboardInterrupt))
    monkeypatch.setattr(Dives, "dive_again", lambda *_: (_ for _ in ()).throw(KeyboardInterrupt))
    made = tw.improve(interest, before, rounds=9)
    assert made.overlay.num_edges < 0.96 * before.num_edges
    assert any("Stopped" in note for note in made.notes)


def test_ctrl_c_in_the_ascent_ends_the_search(monkeypatch):
    """It is not mistaken for the end of the ascent, after which the dive would start."""
    interest = tw.workloads.synthetic(num_nodes=60, num_topics=40, subscriptions=6, seed=4)
    monkeypatch.setattr(Ascent, "step", lambda *_: (_ for _ in ()).throw(KeyboardInterrupt))
    made = tw.improve(interest, tw.design(interest, "gm").overlay, rounds=1)
    assert made.notes == ("Stopped before the time was up.",)


@pytest.mark.compiled
def test_where_a_dive_takes_too_long_the_other_search_goes_on(monkeypatch):
    interest = tw.workloads.synthetic(num_nodes=100, num_topics=60, subscriptions=8, seed=4)
    before = tw.design(interest, "gm").overlay
    runs = []
    monkeypatch.setattr(Dives, "dive", lambda *_: None)
    monkeypatch.setattr(LinkSearch, "run", lambda self, moves: runs.append(moves))
    made = tw.improve(interest, before, seconds=1)
    assert runs and any("too long" in note for note in made.notes)


def test_a_dive_stops_when_the_time_is_up():
    interest = tw.workloads.synthetic(num_nodes=60, num_topics=40, subscriptions=6, seed=4)
    cap = np.full(60, 20, dtype=np.int64)
    answers = iter([False] * 5)
    steps = []

    def is_over():
        steps.append(1)
        return next(answers, True)

    assert dive(Ascent(interest, 200.0), cap, is_over) is None
    assert len(steps) == 6

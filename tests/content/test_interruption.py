"""Calls that do not hear Ctrl-C are left at once when it is pressed."""

import os
import signal
import threading
import time

import pytest

from topicweave.content import assign, evaluation_instance
from topicweave.content.best import SEARCH
from topicweave.content.interruption import interruptible
from topicweave.errors import InputError


def test_what_the_call_gives_or_raises_is_passed_on():
    def refuse():
        raise InputError("No.")

    assert interruptible(lambda: 3, "three") == 3
    with pytest.raises(InputError, match="No"):
        interruptible(refuse, "refusal")


def press_when(name):
    """Press Ctrl-C as soon as a thread of this name is there; the list returned says when."""
    pressed = []

    def press():
        while not any(thread.name == name for thread in threading.enumerate()):
            time.sleep(0.001)
        pressed.append(time.perf_counter())
        os.kill(os.getpid(), signal.SIGINT)

    threading.Thread(target=press, daemon=True).start()
    return pressed


def test_a_call_that_goes_on_is_left_within_a_second():
    goes_on = threading.Event()
    pressed = press_when("deaf")
    with pytest.raises(KeyboardInterrupt):
        interruptible(lambda: goes_on.wait(60), "deaf")
    assert time.perf_counter() - pressed[0] < 1
    goes_on.set()


def test_best_is_left_within_a_second():
    """Its steps run in a thread, although a single one of them may take seconds."""
    instance = evaluation_instance(300, 20, seed=1)
    assign(evaluation_instance(20, 4, seed=1), "best")  # so that everything is compiled
    pressed = press_when(SEARCH)
    with pytest.raises(KeyboardInterrupt):
        assign(instance, "best")
    assert time.perf_counter() - pressed[0] < 1

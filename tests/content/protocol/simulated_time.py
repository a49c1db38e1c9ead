"""An event loop whose clock jumps to the next timer: hours of a protocol in seconds, the same on every machine."""

import asyncio

LOOKS = 1000  # turns between two looks at the world outside: signals come from there


class SimulatedTime(asyncio.SelectorEventLoop):
    """Nothing in it may wait for the world outside; with such a thing to wait for, and no timer, it raises."""

    def __init__(self):
        super().__init__()
        self._now = 0.0
        self._turns = 0
        self._inner, self._selector = self._selector, self

    def time(self):
        return self._now

    def leap(self, seconds):
        """All clocks jump ahead while no actor does anything, as when a machine was suspended."""
        self._now += seconds

    def select(self, timeout):
        if timeout is None:
            raise RuntimeError("everybody waits for somebody else")
        self._now += timeout
        self._turns += 1
        return [] if self._turns % LOOKS else self._inner.select(0)

    def __getattr__(self, name):  # what else the loop wants of its selector
        return getattr(self.__dict__["_inner"], name)


def run(scenario):
    """Run a coroutine in simulated time; an error in any callback is raised, too."""
    errors = []
    with asyncio.Runner(loop_factory=SimulatedTime) as runner:
        runner.get_loop().set_exception_handler(lambda loop, context: errors.append(context))
        result = runner.run(scenario)
    for context in errors:
        raise context.get("exception") or RuntimeError(context["message"])
    return result

"""An event loop whose clock jumps to the next timer: hours of a protocol in seconds, the same on every machine."""

import asyncio


class SimulatedTime(asyncio.SelectorEventLoop):
    """Nothing in it may wait for the world outside; with such a thing to wait for, and no timer, it raises."""

    def __init__(self):
        super().__init__()
        self._now = 0.0
        self._inner, self._selector = self._selector, self

    def time(self):
        return self._now

    def select(self, timeout):
        if timeout is None:
            raise RuntimeError("everybody waits for somebody else")
        self._now += timeout
        return self._inner.select(0)

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

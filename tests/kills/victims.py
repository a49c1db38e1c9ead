"""Processes to kill: each is forked, works, and dies at its n-th change of the disk or after a while."""

import os
import signal
import sys
import time
import traceback

WATCHED = {"os.rename", "os.remove", "os.mkdir", "os.rmdir", "os.truncate", "shutil.rmtree"}


def killed(work, *, dealing=None, seconds=None):
    """Run the work in a process of its own; returns whether ``kill -9`` ended it. Any other bad end is an error."""
    child = os.fork()
    if child == 0:
        try:
            if dealing is not None:
                _arm(dealing)
            work()
            os._exit(0)
        except BaseException:
            traceback.print_exc()
            os._exit(1)
    if seconds is not None:
        time.sleep(seconds)
        os.kill(child, signal.SIGKILL)
    _, status = os.waitpid(child, 0)
    if os.WIFSIGNALED(status) and os.WTERMSIG(status) == signal.SIGKILL:
        return True
    assert status == 0, "the work failed by itself"
    return False


def _arm(dealing):
    """Die just before the n-th change of the disk: a file opened for writing or forced there, a name given or taken."""
    left = dealing

    def count():
        nonlocal left
        left -= 1
        if left < 0:
            os.kill(os.getpid(), signal.SIGKILL)

    def hook(event, arguments):
        if event in WATCHED or (event == "open" and str(arguments[1] or "").startswith(("w", "a", "x"))):
            count()

    force = os.fsync

    def fsync(descriptor):
        count()
        force(descriptor)

    os.fsync = fsync
    sys.addaudithook(hook)

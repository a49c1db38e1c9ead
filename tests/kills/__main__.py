"""Kill work at many moments: ``python -m tests.kills --count 1000`` prints how often, and fails if anything is wrong.

Most kills come just before a dealing with the disk, one after the other; three in ten at random times. After each, what
must always hold is looked at; then the same work is done again, killed again, and at last let go to its end.
"""

import argparse
import random
import tempfile
import time
from collections import Counter
from pathlib import Path

from tests.kills.victims import killed
from tests.kills.works import WORKS


def kill_many(count, seed, names):
    """Returns how many processes were killed, by work and by how the moment was chosen."""
    rng, kills = random.Random(seed), Counter()
    longest = {}
    for name in names:
        with tempfile.TemporaryDirectory() as folder:  # compiled code and libraries are loaded before the forks
            work = WORKS[name](Path(folder), seed)
            work.run()
            begun = time.perf_counter()
            assert not killed(WORKS[name](Path(folder) / "again", seed).run)
            longest[name] = time.perf_counter() - begun
    number = 0
    while kills.total() < count:
        number += 1
        name = min(names, key=lambda name: sum(kills[name, way] for way in ("dealing", "seconds")))
        with tempfile.TemporaryDirectory() as folder:
            work = WORKS[name](Path(folder), seed + number)
            dealing = 0
            for _ in range(3):  # the plan that is there is replaced again and again
                while kills.total() < count:
                    at = {"dealing": dealing} if rng.random() < 0.7 else {"seconds": rng.uniform(0, longest[name])}
                    dealing += rng.randint(1, 4)
                    if not killed(work.run, **at):
                        break
                    kills[name, *at] += 1
                    assert not killed(work.look)
                assert not killed(work.run)
                assert not killed(work.check)
                work.advance()
                dealing = rng.randint(0, 5)
    return kills


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--count", type=int, default=1000, help="how many kills")
    parser.add_argument("--seed", type=int, default=0, help="of logs, plans and moments")
    parser.add_argument("--work", choices=WORKS, action="append", help="what is killed; all by default")
    options = parser.parse_args()
    kills = kill_many(options.count, options.seed, options.work or list(WORKS))
    print(f"{kills.total()} kills: " + ", ".join(f"{' by '.join(key)} {times}" for key, times in sorted(kills.items())))

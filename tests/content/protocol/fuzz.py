"""Fuzz the protocol: ``python -m tests.content.protocol.fuzz --first 0 --count 500`` runs schedules and prints figures.

A schedule that fails is printed with its seed; ``--shrink`` drops the events it can fail without.
"""

import argparse
import sys
from collections import Counter

from tests.content.protocol.oracle import judge
from tests.content.protocol.schedules import draw, enrich, shrink
from tests.content.protocol.trial import Trial


def fault(schedule):
    """What goes wrong in a schedule, as text; empty if all is well."""
    return examine(schedule)[0]


def examine(schedule):
    """What goes wrong in a schedule, as text, and the oracle's verdict."""
    trial = Trial(schedule)
    verdict = judge(trial.run())
    wrong = {
        str(verdict): not verdict.is_good,
        f"{len(trial.late)} late {trial.late[:5]}": trial.late,
        f"{trial.num_stuck} users never registered or moves never ended": trial.num_stuck,
        f"{trial.num_forgotten} times publications were forgotten that were not old": (
            # on channels that are new to a user, it is told of publications that it never wanted
            trial.num_forgotten and not verdict.num_excused and not schedule.prices
        ),
        "brokers disagree on who is where": not trial.is_settled,
    }
    return "; ".join(words for words, is_so in wrong.items() if is_so), verdict


def main(first, count, is_shrinking, is_rich=False):
    """Returns how many schedules failed."""
    totals, kinds = Counter(), Counter()
    for seed in range(first, first + count):
        schedule = enrich(draw(seed)) if is_rich else draw(seed)
        wrong, verdict = examine(schedule)
        kinds.update(event.kind for event in schedule.events)
        totals.update(
            schedules=1,
            failed=bool(wrong),
            deliveries_expected=verdict.num_expected,
            excused=verdict.num_excused,
            lost=len(verdict.lost),
            twice=len(verdict.twice),
            out_of_order=len(verdict.disordered),
        )
        if wrong:
            print(f"{wrong}\n{shrink(schedule, fault) if is_shrinking else schedule}\n", flush=True)
    print(", ".join(f"{name} {number}" for name, number in totals.items()))
    print("events: " + ", ".join(f"{kind} {number}" for kind, number in sorted(kinds.items())))
    return totals["failed"]


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--first", type=int, default=0, help="the first seed")
    parser.add_argument("--count", type=int, default=40, help="how many seeds")
    parser.add_argument("--shrink", action="store_true", help="print failing schedules with as few events as possible")
    parser.add_argument("--rich", action="store_true", help="with planned trees, ranges, and users that restart")
    options = parser.parse_args()
    sys.exit(1 if main(options.first, options.count, options.shrink, options.rich) else 0)

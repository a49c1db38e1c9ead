"""Random logs of events, in micro-batches, and the nodes present after them, computed without a maintainer."""

import topicweave as tw
from topicweave.churn import Event, Shadow
from topicweave.churn.snapshot import load
from topicweave.model.event_schema import GREATEST_SEQUENCE, LEAST_SEQUENCE
from topicweave.pipeline.churn.event_files import EventFiles
from topicweave.pipeline.churn.seen_files import Stamp
from topicweave.pipeline.sources.event_rows import EventRow

LABELS = ["a", "b", "ä", " x", "x ", "[", '["p","q"]', "null", "\0", "line\nbreak", "x" * 3000]


def nobody():
    return Shadow(tw.Interest.from_sets({}))


def draw_log(rng, count):
    """Events with the numbers from 1 on; many are impossible when it is their turn."""
    actions = ["join", "join", "leave", "drain", "subscribe", "unsubscribe", "resubscribe"]
    return [
        Event(rng.choice(actions), rng.choice([*LABELS, *"cdefghij"]), frozenset(rng.sample(LABELS, 2)), number)
        for number in range(1, count + 1)
    ]


def present(log):
    """The nodes present after a log, with their topics, by the words of docs/churn.md alone.

    And the number of invalid events.
    """
    there, refused = {}, 0
    for event in log:
        if (event.node in there) == (event.action == "join"):
            refused += 1
        elif event.action in ("join", "resubscribe"):
            there[event.node] = set(event.topics)
        elif event.action in ("leave", "drain"):
            del there[event.node]
        elif event.action == "subscribe":
            there[event.node] |= event.topics
        else:
            there[event.node] -= event.topics
    return there, refused


def found_in(folder):
    """What the state holds, every topic of which is connected."""
    maintainer = load(folder / "snapshot")
    assert tw.verify(maintainer.interest, maintainer.overlay).topic_connected
    return {node: set(maintainer.topics_of(node)) for node in maintainer.interest.nodes}


def micro_batch(rng, folder, number, rows):
    """Some rows of one file, and some that are none of the log's: other content, numbers beyond the end or before."""
    file = str(folder / f"{number}.jsonl")
    intruders = [
        Event("join", "intruder", frozenset(["t"]), rng.choice([0, -7, LEAST_SEQUENCE, GREATEST_SEQUENCE, 2**62]))
        for _ in range(rng.randint(0, 2))
    ]
    bad = [{"reason": "malformed JSON", "file": file, "line": "{"}] * rng.randint(0, 2)
    events = [*rows, *intruders]
    rng.shuffle(events)
    return EventFiles([EventRow(event, file, "") for event in events], bad), [(file, Stamp(1, number))]

"""Hostile event files, drawn by a seed, each with what a reader must make of it.

What is expected is known from how a row was made, never from reading it. A row is an event with a number of its own, or
it is not one and has to be in the quarantine; a file that cannot be read has to be there by its name.
"""

import gzip
import io
import json
import random
from dataclasses import dataclass, field

import pyarrow as pa
import pyarrow.orc as orc
import pyarrow.parquet as pq

WHOLE = "the file cannot be read"
LABELS = ["a", "b", "ä", "東京", "a b", " padded ", 'q"q', "it's", "[x", '["p","q"]', "{", "=1+1", "-", "null", "\\",
          "tab\tin", "line\nbreak", "nul\0in", "🙂", "x" * 1024, "%20", "NaN", "1", "01"]  # fmt: skip

MORE_FIELDS = [
    {}, {}, {"time": "yesterday"}, {"time": None}, {"role": "Subscriber"}, {"role": ""}, {"a": {"b": [1]}},
    {"reason": "none", "line": 3, "file": [], "_corrupt": "x"},
]  # fmt: skip


@dataclass
class HostileFile:
    """A file: its events by number (node, action, topics), and the lines that are none, or ``WHOLE``."""

    name: str
    content: bytes
    events: dict = field(default_factory=dict)
    bad: list | str = field(default_factory=list)


class Maker:
    """Draws files; the numbers of all their events follow each other from 1 on, in no order."""

    def __init__(self, seed):
        self.rng = random.Random(seed)
        self.used = 0

    def files(self, count):
        """Files under names that mean something to a shell, to Hadoop, or to neither."""
        makers = [self.json_lines] * 10 + [self.delimited] * 5 + [self.columns] * 2 + [self.unreadable] * 3
        made = []
        for number in range(count):
            file = self.rng.choice(makers)()
            odd = self.rng.choice(["", "", "", " ", ":", "[1]", "{a}", "%20", "é", "*", "?", "#", "=", "\\", "'"])
            file.name = f"{number:04}{odd}{file.name}"
            made.append(file)
        return made

    def event(self):
        """An event that is one, and its row."""
        self.used += 1
        rng = self.rng
        node = f"n{rng.randrange(30)}" if rng.random() < 0.8 else rng.choice(LABELS)
        action = rng.choice(["join", "join", "leave", "drain", "subscribe", "unsubscribe", "resubscribe"])
        topics = rng.sample(LABELS, rng.randint(1, 3))
        if action in ("leave", "drain"):
            topics = []
        row = {"sequence": self.used, "node": node, "action": action}
        return (node, action, frozenset(topics)), row | ({"topic": topics} if topics else {})

    # ---- JSON lines -------------------------------------------------------------------------------------------

    def json_lines(self):
        rng = self.rng
        file = HostileFile(rng.choice([".jsonl", ".json", ".ndjson", ".JSONL"]), b"")
        lines = []
        for _ in range(rng.randint(0, 6)):
            if rng.random() < 0.5:
                event, row = self.event()
                file.events[row["sequence"]] = event
                lines.append(self.odd_but_right(row))
            else:
                lines.append(self.wrong_line())
                file.bad.append(lines[-1].strip(b"\r"))
            if rng.random() < 0.1:
                lines.append(rng.choice([b"", b"   ", b"\r"]))
        file.content = b"\n".join(lines) + rng.choice([b"\n", b"", b"\n\n"])
        if rng.random() < 0.2:
            file.content = b"\xef\xbb\xbf" + file.content
        if rng.random() < 0.2:
            file.content, file.name = gzip.compress(file.content), file.name + ".gz"
        return file

    def odd_but_right(self, row):
        """The same event, written in another way."""
        rng, row = self.rng, dict(row)
        number = row["sequence"]
        row["sequence"] = rng.choice([number, number, number, str(number), float(number), f" {number} ", f"+{number}"])
        row["action"] = rng.choice([row["action"], row["action"].upper(), f" {row['action']}\t"])
        if len(row.get("topic", ())) == 1 and row["topic"][0][0] not in "[{" and rng.random() < 0.5:
            (row["topic"],) = row["topic"]
        elif "topic" in row and rng.random() < 0.2:
            row["topic"] = json.dumps(row["topic"])
        row |= rng.choice(MORE_FIELDS)
        items = list(row.items())
        rng.shuffle(items)
        text = json.dumps(dict(items), ensure_ascii=rng.random() < 0.5)
        return (rng.choice(["", "", " ", "\t"]) + text + rng.choice(["", "", " ", "\r"])).encode()

    def wrong_line(self):
        """A line that is not an event, one for each reason."""
        rng = self.rng
        row = {"sequence": rng.randint(1, 10**6), "node": "a", "action": "subscribe", "topic": ["t"]}
        text = json.dumps(row)
        fields = {
            "sequence": [None, 1.5, 2**63, -(2**63) - 1, 10**300, "one", "", True, [1], {"a": 1}, "1 2", "0x1"],
            "node": [None, "", "  ", "\u3000", "x" * 1025, {"a": 1}, "\ud800", "a\udfffb"],
            "action": [None, "", "jump", ["join"], 1, {"join": 1}],
            "role": ["publisher", 7],
            "topic": [None, "", [], [""], ["t", " "], [None], ["x" * 1025], [["t"]], [{"t": 1}], {"t": 1}, ["\udc00"]],
        }
        name = rng.choice(list(fields))
        broken = json.dumps({**row, name: rng.choice(fields[name])})
        return rng.choice([
            broken.encode(), broken.encode(), broken.encode(), broken.encode(),
            text[: rng.randint(1, len(text) - 1)].encode(), text.encode() + b" trailing", (text + text).encode(),
            (text + "," + text).encode(), f"[{text},{text}]".encode(), f"[{text}]".encode(), b"null", b"1", b'"text"',
            b"\xff\xfe" + text.encode(), text.replace('"t"', '"\xe9"').encode("latin-1"), b"\0\0\0", b"NaN", b"<xml/>",
            b"[" * 3000, b'{"node":' * 3000, b"x" * 200_000, text.encode("utf-16-le"), b"{}",
            json.dumps({key: value for key, value in row.items() if key != "sequence"}).encode(),
        ])  # fmt: skip

    # ---- columns ----------------------------------------------------------------------------------------------

    def delimited(self):
        """Lines of columns: labels without what would need quoting, and lines of too few or too many columns."""
        rng = self.rng
        kind, separator = rng.choice([(".csv", ","), (".tsv", "\t")])
        names = ["sequence", "node", "action", "topic", *rng.choice([[], ["time"], ["other"]])]
        rng.shuffle(names)
        file, lines = HostileFile(kind, b""), [separator.join(names).encode()]
        for _ in range(rng.randint(1, 6)):
            if rng.random() < 0.5:
                self.used += 1
                node, topic = f"n{rng.randrange(30)}", rng.choice(["a", "ä", "a b", "=1+1"])
                action = rng.choice(["join", "resubscribe", "subscribe"])
                row = {"sequence": str(self.used), "node": node, "action": action, "topic": topic}
                lines.append(separator.join(row.get(name, "") for name in names).encode())
                file.events[self.used] = node, action, frozenset([topic])
            else:
                good = [{"sequence": "7", "node": "a", "action": "join", "topic": "t"}.get(name, "") for name in names]
                place = names.index(rng.choice(["sequence", "node", "action"]))
                bad = rng.choice([[*good, "more"], good[:-1], [*good[:place], "", *good[place + 1 :]], ["\x00"]])
                lines.append(separator.join(bad).encode() if rng.random() < 0.8 else b"\xff\xff" + separator.encode())
                file.bad.append(lines[-1])
        if rng.random() < 0.2:
            lines.insert(0, b"")
        file.content = rng.choice([b"\n", b"\r\n"]).join(lines) + rng.choice([b"", b"\n"])
        return file

    def columns(self):
        """Parquet and ORC, of any types that can stand for numbers and labels."""
        rng, rows, file = self.rng, [], HostileFile("", b"")
        for _ in range(rng.randint(1, 4)):
            event, row = self.event()
            file.events[row["sequence"]] = event
            rows.append({"topic": None, **row})
        numbers = rng.choice([pa.int64(), pa.int32(), pa.float64(), pa.string()])
        sequence = pa.array([row["sequence"] for row in rows]).cast(numbers)
        table = pa.table({
            "sequence": sequence, "node": [row["node"] for row in rows], "action": [row["action"] for row in rows],
            "topic": pa.array([row["topic"] for row in rows], pa.list_(pa.string())),
        })  # fmt: skip
        if not any(row["topic"] for row in rows):
            table = table.drop_columns(["topic"])
        buffer = io.BytesIO()
        if rng.random() < 0.7:
            pq.write_table(table, buffer)
            file.name = ".parquet"
        else:
            orc.write_table(table, buffer)
            file.name = ".orc"
        file.content = buffer.getvalue()
        return file

    def unreadable(self):
        """Files that cannot be read; half of them contain nothing but noise."""
        rng = self.rng
        noise = bytes(rng.randrange(256) for _ in range(rng.randint(1, 300)))
        text = b'{"sequence": 1, "node": "a", "action": "leave"}\n' * rng.randint(1, 200)
        packed = gzip.compress(text)
        buffer = io.BytesIO()
        pq.write_table(pa.table({"sequence": [[1]], "node": [{"a": 1}], "action": ["leave"]}), buffer)
        whole = buffer.getvalue()
        name, content = rng.choice([
            (".jsonl.gz", noise), (".jsonl.gz", packed[: len(packed) // 2]), (".jsonl.bz2", b"BZh9" + noise),
            (".zip", noise), (".parquet", noise), (".parquet", b""), (".parquet", whole), (".parquet", whole[:-9]),
            (".orc", noise), (".dat", text), ("", text), (".csv", b"sequence;node;action\n1;a;leave\n"),
            (".csv", b"sequence,node\n1,a\n"), (".csv", b""), (".csv", b"sequence,node,node,action\n1,a,b,leave\n"),
            (".csv", b"\xff\xfe" + text), (".txt", b"1 a leave\n"), (".jsonl.zst", noise), (".jsonl.snappy", noise),
            (".jsonl.lz4", noise), (".jsonl.xz", noise), (".tar.gz", packed),
        ])  # fmt: skip
        return HostileFile(name, content, bad=WHOLE)

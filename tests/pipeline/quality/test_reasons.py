"""Every bad row is found, kept with its content, and counted."""

import json

import pytest

from tests.pipeline.helpers import pairs_of
from topicweave.errors import BadRowsError, LabelError, ParameterError
from topicweave.model.labels import as_label
from topicweave.pipeline import Subscriptions, Table, design, encode, load, verify
from topicweave.pipeline.quality.reasons import BLANKS, Counts

ROWS = [
    (b"a,x", None),
    (b"a,x", None),
    (b"b,y", None),
    (b"lonely", "wrong number of columns"),
    (b"a,b,c", "wrong number of columns"),
    (b'"open,y', "wrong number of columns"),
    (b",y", "node is missing"),
    (b"a,", "topic is missing"),
    (b"a,   ", "topic is blank"),
    ("\u3000\u200b,y".encode(), "node is blank"),
    (b"caf\xe9,y", "not valid UTF-8"),
    (b"\xff\xfe\x00a", "not valid UTF-8"),
    (b"a," + b"t" * 1025, "topic is too long"),
    (b"a," + "é".encode() * 1024, None),
    ("ß\u00a0,y".encode(), None),
    (b"", "blank line"),
    (b"   ", "blank line"),
]


@pytest.fixture
def records(spark, write):
    path = write("mixed.csv", b"node,topic\n" + b"".join(line + b"\n" for line, _ in ROWS))
    return Subscriptions(Table(path)).read(spark)


def test_every_row_has_its_reason(records):
    """Reasons are what they should be, and rows in = distinct + repeated + quarantined + ignored."""
    expected = {}
    for _, reason in ROWS:
        expected[reason] = expected.get(reason, 0) + 1
    encoded = encode(records.pairs)
    valid = expected.pop(None)
    blank_lines = expected.pop("blank line")
    assert encoded.counts == Counts(valid, expected, {"header": 1, "blank line": blank_lines})
    assert encoded.counts.read == len(ROWS) - blank_lines
    assert encoded.interest.num_subscriptions + encoded.duplicates + encoded.counts.num_bad + blank_lines == len(ROWS)
    assert records.parts[0].count() == encoded.counts


def test_quarantine_holds_content_file_and_bytes(records):
    """Nothing of a bad row is lost, not even bytes that are no text."""
    found = records.quarantine.collect()
    bad = {line: reason for line, reason in ROWS if reason not in (None, "blank line")}
    kept = {bytes(row["bytes"]) if row["bytes"] is not None else row["line"].encode(): row["reason"] for row in found}
    assert kept == bad
    assert all(row["file"].endswith("mixed.csv") for row in found)
    assert (
        next(row["line"] for row in found if row["bytes"] is not None and bytes(row["bytes"]).startswith(b"caf"))
        == "caf\ufffd,y"
    )


def test_rows_of_structured_formats_are_kept_whole(spark):
    """The whole row goes to the quarantine, including columns that were not asked for."""
    frame = spark.createDataFrame([("a", None, 7), ("b", "x", 8)], "node STRING, topic STRING, other INT")
    found = Subscriptions(Table(frame)).read(spark).quarantine.collect()
    assert [(row["reason"], row["line"]) for row in found] == [("topic is missing", '{"node":"a","other":7}')]


def test_undecodable_strings_in_parquet_are_found(spark, tmp_path):
    """Parquet promises text; not every writer keeps the promise."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    table = pa.table({"node": pa.array([b"good", b"b\xe9d"]), "topic": pa.array([b"x", b"x"])})
    pq.write_table(table, tmp_path / "bytes.parquet")
    encoded = encode(Subscriptions(Table(str(tmp_path / "bytes.parquet"))).read(spark).pairs)
    assert pairs_of(encoded.interest) == {("good", "x")}
    assert encoded.counts.bad == {"node is not valid UTF-8": 1}


def is_a_label(text):
    try:
        return bool(as_label(text, "node"))
    except LabelError:
        return False


def test_python_takes_the_same_labels_as_files(spark, tmp_path):
    """Every single character, surrogates among them, and some put together; only files limit the length."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    texts = [
        *map(chr, range(0x3100)),
        "",
        "\ud800",
        "\udfff",
        "a\udc80",
        "\U0001f600",
        BLANKS,
        f"{BLANKS}.",
        "[",
        "null",
    ]
    column = pa.array([text.encode("utf-8", "surrogatepass") for text in texts])
    pq.write_table(pa.table({"node": column, "topic": pa.array(["x"] * len(texts))}), tmp_path / "labels.parquet")
    found = load(tmp_path / "labels.parquet", max_bad_fraction=1, spark=spark).interest.nodes
    assert set(found) == set(filter(is_a_label, texts)) and set(BLANKS).isdisjoint(found)
    assert len(found) > 0x3000


def test_longer_labels_can_be_allowed(spark, write):
    """How long a label may be is the user's choice."""
    path = write("long.csv", f"node,topic\na,{'t' * 5000}\n")
    assert encode(Subscriptions(Table(path), max_label_length=5000).read(spark).pairs).interest.num_subscriptions == 1


def test_too_many_bad_rows_fail_with_the_top_reasons(spark, write):
    """The error says how many, why most, and shows one; a higher limit lets the good rows through."""
    path = write("bad.csv", "node,topic\n" + "a,x\n" * 90 + "lonely\n" * 8 + ",x\n" * 2)
    with pytest.raises(BadRowsError) as caught:
        load(path, spark=spark)
    message = str(caught.value)
    assert "10 of 100 rows" in message and "(10 %)" in message and "at most 1 %" in message
    assert "8 × wrong number of columns; 2 × node is missing, such as 'lonely' in" in message
    assert load(path, max_bad_fraction=0.1, spark=spark).num_bad == 10
    with pytest.raises(ParameterError, match="max_bad_fraction must be a number from 0 to 1, but is 5"):
        load(path, max_bad_fraction=5, spark=spark)


def test_what_counts_as_blank():
    """All that Python calls white space, and the two invisible characters that are none."""
    assert set(" \t\n\u00a0\u2003\u3000\u200b\ufeff") <= set(BLANKS)
    assert not any(letter.isprintable() and not letter.isspace() for letter in BLANKS)


def test_a_plan_with_longer_labels_can_be_used_again(spark, write, tmp_path):
    """Its labels have passed the limit when it was made, so it is used unchanged."""
    path = write("long.csv", f"node,topic\n{'n' * 3000},x\nb,x\nc,x\n")
    made = design(Subscriptions(Table(path), max_label_length=5000), "gm", out=tmp_path / "plan", spark=spark)
    assert verify(tmp_path / "plan", spark=spark).topic_connected
    assert load(tmp_path / "plan", spark=spark).interest == made.interest


@pytest.mark.parametrize("label", ["{}", '{"a": 1}', "[]", '["a"]', "{"])
def test_a_text_that_looks_nested_is_a_label(spark, write, label):
    path = write("in.jsonl", json.dumps({"node": label, "topic": "x"}) + "\n")
    assert pairs_of(load(path, spark=spark).interest) == {(label, "x")}


@pytest.mark.parametrize("node", [{}, {"a": 1}, [], ["a"]])
def test_a_list_or_an_object_is_no_label(spark, write, node):
    path = write("in.jsonl", json.dumps({"topic": "x", "node": node}) + "\n")
    found = Subscriptions(Table(path)).read(spark).quarantine.collect()
    assert [row["reason"] for row in found] == ["a nested value where a label belongs"]

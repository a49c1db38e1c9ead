"""Every format, plain and compressed, files, folders, globs, tables and data frames."""

import bz2
import gzip
import json

import pyarrow as pa
import pyarrow.orc
import pyarrow.parquet
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from tests.pipeline.helpers import pairs_of, read_pairs
from topicweave.errors import ReadError
from topicweave.model import Interest
from topicweave.pipeline import Subscriptions, Table, encode
from topicweave.pipeline.sources.formats.files import format_of_name

PAIRS = [
    ("berlin", "alarms"),
    ("berlin", "prices"),
    ("oslo", "alarms"),
    ("rome", 'say "hi", twice'),
    ("zürich", "näh/#1"),
]


def as_csv(pairs, separator=","):
    def quoted(text):
        return '"' + text.replace('"', '""') + '"'

    return f"node{separator}topic\n" + "".join(f"{quoted(n)}{separator}{quoted(t)}\n" for n, t in pairs)


def as_json(pairs):
    return "".join(json.dumps({"node": node, "topic": topic}) + "\n" for node, topic in pairs)


def zstd(data):
    return pa.compress(data, codec="zstd", asbytes=True)


def as_table(pairs):
    columns = {"node": [node for node, _ in pairs], "topic": [topic for _, topic in pairs]}
    return pa.table({name: pa.array(values, pa.string()) for name, values in columns.items()})


def write_as(kind, pairs, folder):
    """Write pairs in a format; return the path."""
    path = folder / f"input.{kind}"
    if kind == "parquet":
        pa.parquet.write_table(as_table(pairs), path)
    elif kind == "orc":
        pa.orc.write_table(as_table(pairs), path)
    else:
        plain, _, packing = kind.partition(".")
        text = as_json(pairs) if plain == "jsonl" else as_csv(pairs, "\t" if plain == "tsv" else ",")
        pack = {"": bytes, "gz": gzip.compress, "bz2": bz2.compress, "zst": zstd}[packing]
        path.write_bytes(pack(text.encode()))
    return str(path)


@pytest.mark.parametrize("kind", ["csv", "tsv", "jsonl", "parquet", "orc", "csv.gz", "tsv.bz2", "jsonl.zst"])
def test_golden(spark, tmp_path, kind):
    """The same five subscriptions come back from every format, quotes, commas and umlauts included."""
    found, others = read_pairs(spark, write_as(kind, PAIRS, tmp_path))
    assert found == set(PAIRS)
    assert set(others) <= {"header"}


# Every example takes seconds, so there are few, and a failing one is shown as it was found.
@settings(max_examples=3, phases=[Phase.generate], suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(data=st.data())
def test_any_pairs_in_any_format_and_order_are_the_same_interest(spark, tmp_path_factory, data):
    """What is written is what is read: formats, order, repetition and the spread over files do not matter."""
    # No line breaks, which end a line of text; nothing blank, which no label may be.
    label = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\r\n\x00"), min_size=1, max_size=6)
    label = label.filter(
        lambda text: text.strip("\u200b\ufeff \t") and text.strip() and not text.startswith(("\ufeff", "[", "{"))
    )
    pairs = data.draw(st.lists(st.tuples(label, label), min_size=1, max_size=12))
    expected = Interest.from_pairs(pairs)
    for kind in ("csv", "tsv", "jsonl", "parquet", "orc"):
        shuffled = data.draw(st.permutations(pairs))
        cut = data.draw(st.integers(0, len(pairs)))
        folder = tmp_path_factory.mktemp("any")
        paths = [
            write_as(kind, part, sub(folder, place)) for place, part in enumerate((shuffled[:cut], shuffled[cut:]))
        ]
        encoded = encode(Subscriptions(Table(paths)).read(spark).pairs)
        assert encoded.interest == expected, kind
        assert encoded.duplicates == len(pairs) - expected.num_subscriptions
        assert not encoded.counts.bad


def sub(folder, name):
    path = folder / str(name)
    path.mkdir()
    return path


def test_folder_glob_list_and_single_file(spark, write, tmp_path):
    """A folder, a glob and a list of paths stand for all their files."""
    one, two = write("in/one.csv", as_csv(PAIRS[:2])), write("in/two.csv", as_csv(PAIRS[2:]))
    write("in/_SUCCESS", "")
    for path in (str(tmp_path / "in"), str(tmp_path / "in" / "*.csv"), [one, two]):
        assert read_pairs(spark, path) == (set(PAIRS), {"header": 2})
    assert read_pairs(spark, one)[0] == set(PAIRS[:2])


def test_table_of_the_session_any_other_format_and_data_frame(spark, tmp_path):
    """Whatever the session can load can be read."""
    frame = spark.createDataFrame(as_table(PAIRS))
    frame.createOrReplaceTempView("wishes")
    assert read_pairs(spark, "wishes")[0] == set(PAIRS)
    assert read_pairs(spark, frame)[0] == set(PAIRS)
    frame.write.format("json").save(str(tmp_path / "spark"))
    assert read_pairs(spark, Table(str(tmp_path / "spark"), format="json"))[0] == set(PAIRS)
    spark.catalog.dropTempView("wishes")


def test_columns_by_name_and_position_and_numbers_as_labels(spark, write):
    """Fields are found where the user says; numbers become labels."""
    path = write("dump.csv", "time,client,qos,subject\n1,7,0,alarms\n2,8,1,prices\n")
    named = Table(path, columns={"node": "client", "topic": "subject"})
    assert read_pairs(spark, named)[0] == {("7", "alarms"), ("8", "prices")}
    path = write("bare.tsv", "x\t7\talarms\nx\t8\tprices\n")
    placed = Table(path, columns={"node": 1, "topic": 2})
    assert read_pairs(spark, placed)[0] == {("7", "alarms"), ("8", "prices")}
    path = write("named.csv", "client,subject\n7,alarms\n8,prices\n")
    both = Table(path, columns={"node": 0, "topic": 1}, header=True)
    assert read_pairs(spark, both) == ({("7", "alarms"), ("8", "prices")}, {"header": 1})
    typed = spark.createDataFrame([(7, 1.5), (8, None)], "node INT, topic DOUBLE")
    assert read_pairs(spark, typed) == ({("7", "1.5")}, {"topic is missing": 1})


def test_lists_of_topics_are_taken_apart(spark, write):
    """A node with a list of topics is a row for each."""
    path = write(
        "lists.jsonl", '{"node": "a", "topic": ["x", "y"]}\n{"node": "b", "topic": "x"}\n{"node": "c", "topic": []}\n'
    )
    assert read_pairs(spark, path) == ({("a", "x"), ("a", "y"), ("b", "x")}, {"topic is missing": 1})
    typed = spark.createDataFrame([("a", ["x", "y"])], "node STRING, topic ARRAY<STRING>")
    assert read_pairs(spark, typed)[0] == {("a", "x"), ("a", "y")}


def test_marks_line_ends_comments_and_spaces(spark, write):
    """A byte order mark, Windows line ends, comments and blank lines are no trouble; spaces in labels are kept."""
    path = write("win.csv", "\ufeffnode,topic\r\n# old\r\n a,x \r\n\r\nb,x\r\n")
    assert read_pairs(spark, Table(path, comment="#")) == (
        {(" a", "x "), ("b", "x")},
        {"header": 1, "comment": 1, "blank line": 1},
    )


def test_quoting_can_be_switched_off(spark, write):
    """Dumps that do not quote hold quotes as they are."""
    path = write("raw.tsv", 'node\ttopic\n"a\tsay "x"\n')
    assert read_pairs(spark, Table(path, quote=""))[0] == {('"a', 'say "x"')}


@pytest.mark.parametrize(
    ("name", "kind"),
    [("a.csv", "csv"), ("a.CSV.gz", "csv"), ("x/a.ndjson.bz2", "jsonl"), ("a.pq", "parquet"), ("g.txt.gz", "edges"),
     ("a", None), ("x.csv/a", None), ("a.xlsx", None)],
)  # fmt: skip
def test_format_of_name(name, kind):
    """Endings speak, compression aside."""
    assert format_of_name(name) == kind


def test_a_file_with_another_header_is_found_out(spark, write, tmp_path):
    """Two files with their columns in different orders would silently swap nodes and topics."""
    write("in/a.csv", "node,topic\n" + "a,x\n" * 300)
    other = write("in/b.csv", "topic,node\nx,b\n")
    records = Subscriptions(Table(str(tmp_path / "in"))).read(spark)
    counts = encode(records.pairs).counts
    with pytest.raises(ReadError, match=r"b\.csv does not begin with the same header"):
        records.parts[0].check(counts, 0.01)
    assert other.endswith("b.csv")


def test_interest_equals_the_one_built_in_memory(spark, tmp_path):
    """Numbering on Spark is numbering in memory."""
    encoded = encode(Subscriptions(Table(write_as("parquet", PAIRS * 3, tmp_path))).read(spark).pairs)
    assert encoded.interest == Interest.from_pairs(PAIRS)
    assert encoded.duplicates == 10
    assert pairs_of(encoded.interest) == set(PAIRS)

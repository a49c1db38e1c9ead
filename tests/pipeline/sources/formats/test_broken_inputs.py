"""Inputs that are broken in every way we could think of: one sentence each, and nothing lost."""

import gzip
from pathlib import Path

import pytest

from topicweave.errors import BadRowsError, InputError, ReadError
from topicweave.pipeline import Table, load

GOOD = "node,topic\n" + "".join(f"broker-{i},topic/{i % 7}\n" for i in range(2000))


def junk(size, seed=0):
    import random

    return random.Random(seed).randbytes(size)


CASES = {
    "empty file": ("a.csv", b"", ReadError, "holds no line"),
    "header only": ("a.csv", b"node,topic\n", ReadError, r"no subscription in .*: 0 rows read \(1 × header\)"),
    "wrong columns": ("a.csv", b"foo,bar\n1,2\n", ReadError, "no column 'node': its first line reads 'foo', 'bar'"),
    "no header": ("a.tsv", b"a\tx\nb\tx\n", ReadError, "or that the file has no header"),
    "another separator": (
        "a.csv",
        b"node;topic\na;x\n",
        ReadError,
        r"has one column only, 'node;topic', when split at ','; name the character .* \(separator=';'\?\)",
    ),
    "one column": ("a.csv", b"node\na\n", ReadError, "no column 'topic'"),
    "binary junk": ("a.csv", junk(5000), ReadError, "does not begin with a line of UTF-8 text"),
    "junk after a header": ("a.csv", b"node,topic\n" + junk(5000), BadRowsError, "not valid UTF-8"),
    "truncated gzip": ("a.csv.gz", gzip.compress(GOOD.encode())[:-500], ReadError, r"a\.csv\.gz ends in the middle"),
    "not a gzip": ("a.csv.gz", b"node,topic\na,x\n", ReadError, "is not what its extension says"),
    "a packing Spark does not know": ("a.csv.xz", junk(500), ReadError, "is packed in a way that Spark cannot read"),
    "silent bzip2": ("a.csv.bz2", junk(500), ReadError, "gave no line at all"),
    "mixed encodings": (
        "a.csv",
        GOOD.encode() + "köln,y\n".encode("latin-1") * 200,
        BadRowsError,
        "200 × not valid UTF-8",
    ),
    "UTF-16": ("a.csv", GOOD.encode("utf-16"), ReadError, "does not begin with a line of UTF-8 text"),
    "ten percent bad": ("a.csv", GOOD.encode() + b"lonely\n" * 222, BadRowsError, "222 × wrong number of columns"),
    "a megabyte label": (
        "a.csv",
        b"node,topic\na," + b"x" * 1_000_000 + b"\nb,y\n",
        BadRowsError,
        "1 × topic is too long",
    ),
    "broken JSON": ("a.jsonl", b'{"node": "a", "topic"\n{"node": "b", "topic": "x"}\n', BadRowsError, "malformed JSON"),
    "JSON of something else": ("a.jsonl", b'{"user": 1}\n{"user": 2}\n', BadRowsError, "2 × node is missing"),
    "not Parquet": ("a.parquet", junk(500), ReadError, r"a\.parquet is not a readable file of that format"),
    "empty Parquet": ("a.parquet", b"", ReadError, "holds no data files of that format"),
    "not ORC": ("a.orc", junk(500), ReadError, r"a\.orc is not a readable file of that format"),
    "unknown ending": ("a.xlsx", junk(50), ReadError, "unknown ending; name it"),
}


@pytest.mark.parametrize("case", CASES)
def test_one_sentence(spark, write, capfd, case):
    """The right class, the right words, no line break, and nothing from Spark itself."""
    name, content, kind, words = CASES[case]
    path = write(name, content)
    with pytest.raises(kind, match=words) as caught:
        load(path, spark=spark)
    assert "\n" not in str(caught.value) and len(str(caught.value)) < 600
    assert isinstance(caught.value, InputError)
    assert Path(path).read_bytes() == content
    assert capfd.readouterr().err == ""


def test_missing_path(spark, tmp_path):
    """A path that is not there is named."""
    for path in (str(tmp_path / "nope.csv"), str(tmp_path / "nope"), str(tmp_path / "*.csv")):
        with pytest.raises(ReadError, match=r"no file .*nope|no file .*\*"):
            load(path, spark=spark)


def test_a_name_like_that_of_a_table(spark):
    """Of three words, as a table of a catalogue that is not there: nothing of Spark's own about namespaces."""
    with pytest.raises(ReadError, match=r"There is no file or folder at .*no\.such\.thing"):
        load("no.such.thing", spark=spark)


def test_mixed_and_empty_folders(spark, write, tmp_path):
    """A folder with several formats cannot be identified; an empty one has nothing."""
    write("mix/a.csv", "node,topic\na,x\n")
    write("mix/b.jsonl", "{}\n")
    with pytest.raises(ReadError, match="files of csv and jsonl are mixed"):
        load(str(tmp_path / "mix"), spark=spark)
    (tmp_path / "void").mkdir()
    with pytest.raises(ReadError, match="There is no file in"):
        load(str(tmp_path / "void"), spark=spark)


def test_format_and_columns_that_do_not_exist(spark, write):
    """An unknown format, and columns for fields that are not read, are named."""
    path = write("a.csv", "node,topic\na,x\n")
    with pytest.raises(ReadError, match="knows no such format"):
        load(Table(path, format="excel"), spark=spark)
    with pytest.raises(ReadError, match=r"field 'nodes', but .* read for node, topic"):
        load(Table(path, columns={"nodes": "node"}), spark=spark)
    with pytest.raises(ReadError, match=r"position 9, but the first line .* has 2 columns"):
        load(Table(path, columns={"node": 9, "topic": 1}), spark=spark)
    with pytest.raises(ReadError, match=r"2 columns called 'node'; give the position"):
        load(write("twice.csv", "node,node,topic\na,b,x\n"), spark=spark)
    with pytest.raises(ReadError, match="separator must be one character, but 'abc'"):
        load(Table(path, separator="abc"), spark=spark)
    with pytest.raises(ReadError, match="separator must be one character, but ''"):
        load(Table(path, separator=""), spark=spark)
    with pytest.raises(ReadError, match="beginning of comment lines is empty"):
        load(Table(path, comment=""), spark=spark)
    with pytest.raises(ReadError, match=r"Options of Spark's own reader \(sep\) do not apply to csv"):
        load(Table(path, options={"sep": ";"}), spark=spark)
    with pytest.raises(ReadError, match="A int cannot be read"):
        load(7, spark=spark)


def test_a_megabyte_label_is_kept_in_the_quarantine(spark, write):
    """However long, it is not lost."""
    path = write("a.csv", b"node,topic\n" + b"a,x\n" * 200 + b"a," + b"x" * 1_000_000 + b"\n")
    loaded = load(path, spark=spark)
    assert loaded.interest.num_subscriptions == 1 and loaded.num_bad == 1
    assert [len(row["line"]) for row in loaded.records.quarantine.collect()] == [1_000_002]


@pytest.mark.slow
def test_unreadable_folder(tmp_path, as_mortal):
    """A folder, and a file, that this user may not read."""
    (tmp_path / "folder").mkdir()
    for path in (tmp_path / "folder" / "a.csv", tmp_path / "file.csv"):
        path.write_text("node,topic\na,x\n")
    (tmp_path / "folder").chmod(0)
    (tmp_path / "file.csv").chmod(0)
    said = as_mortal(f"""
from topicweave.errors import ReadError
from topicweave.pipeline import load, session
spark = session("local[1]")
for path in ("folder", "file.csv"):
    try:
        load({str(tmp_path)!r} + "/" + path, spark=spark)
    except ReadError as error:
        print(error)
""")
    (tmp_path / "folder").chmod(0o700)
    assert len(said.splitlines()) == 2
    assert all("may not be read by this user" in line and str(tmp_path) in line for line in said.splitlines()), said

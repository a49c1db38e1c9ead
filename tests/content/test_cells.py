"""Small CSV files: their rows, and which cell is wrong."""

import gzip

import pytest

from topicweave.content.cells import read_cells
from topicweave.errors import ReadError


def written(tmp_path, content, name="prices.csv"):
    path = tmp_path / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        ("a,b\n1,2\n", [["a", "b"], ["1", "2"]]),
        ("a,b\r\n1,2\r\n\r\n ,\t\n", [["a", "b"], ["1", "2"]]),
        ("a,b,\n1,2,\n3\n", [["a", "b"], ["1", "2"], ["3", ""]]),
        (",b\nc,1\n", [["", "b"], ["c", "1"]]),
        ('\ufeffa,b\n"x,y","two\nlines"\n', [["a", "b"], ["x,y", "two\nlines"]]),
        ("", []),
    ],
)
def test_rows_are_as_wide_as_the_header(tmp_path, text, rows):
    """Blank lines, commas at the end, a byte-order mark and quotes do no harm; short rows are filled up."""
    path = written(tmp_path, text)
    assert read_cells(path, "the prices") == (path, rows)


def test_a_gzipped_file_is_read_as_it_would_be_unpacked(tmp_path):
    path = written(tmp_path, gzip.compress("ä,b\n1,2\n".encode()), "prices.csv.gz")
    assert read_cells(str(path), "the prices")[1] == [["ä", "b"], ["1", "2"]]


@pytest.mark.parametrize(
    ("content", "name", "sentence"),
    [
        ("a,b\n1,2,3\n", "prices.csv", "has more cells than its header has names; name the column of '3'"),
        (b"a,b\n\xff,1\n", "prices.csv", r"The prices in .* cannot be read: .*utf-8"),
        (b"a,b\n1,2\n", "prices.csv.gz", "The prices in .* cannot be read: "),
        (gzip.compress(b"a,b\n1,2\n" * 99, mtime=0)[:-12], "prices.csv.gz", "The prices in .* cannot be read: "),
    ],
)
def test_what_cannot_be_read_is_told_in_a_sentence(tmp_path, content, name, sentence):
    with pytest.raises(ReadError, match=sentence):
        read_cells(written(tmp_path, content, name), "the prices")


def test_a_file_that_is_not_there_is_named(tmp_path):
    with pytest.raises(ReadError, match=r"The prices in .*nowhere\.csv cannot be read"):
        read_cells(tmp_path / "nowhere.csv", "the prices")

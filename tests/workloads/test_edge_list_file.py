"""Reading edge lists from files."""

import gzip

import pytest

from tests.workloads.data import real_file
from topicweave.errors import InputError
from topicweave.workloads import read_edge_list

SNAP = "# Directed graph\n# FromNodeId\tToNodeId\n0\t4\n0\t5\n\n10\t0\n"


def written(tmp_path, content, name="edges.txt"):
    path = tmp_path / name
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


@pytest.mark.parametrize("zipped", [False, True])
def test_snap_file(tmp_path, zipped):
    """A file as SNAP publishes it, zipped or not, with comments and repeated pairs."""
    content = gzip.compress(SNAP.encode()) if zipped else SNAP
    edges = read_edge_list(written(tmp_path, content))
    assert list(edges) == [("0", "4"), ("0", "5"), ("10", "0")]


def test_gzip_is_told_by_content_not_by_name(tmp_path):
    assert list(read_edge_list(str(written(tmp_path, "a b\n", "edges.gz")))) == [("a", "b")]


@pytest.mark.parametrize(
    ("content", "pairs"),
    [
        ("a b\nc   d\n", [("a", "b"), ("c", "d")]),
        ("  a b\n c d", [("a", "b"), ("c", "d")]),
        ("a\tb\r\nc\td\r\n", [("a", "b"), ("c", "d")]),
        ("ann lee\tC#\nbob\t#1 hits\n", [("ann lee", "C#"), ("bob", "#1 hits")]),
        ("  # a comment\na b\n#c d\ne f\n", [("a", "b"), ("e", "f")]),
        ("a b 0.5 17\nc d 0.7 18\n", [("a", "b"), ("c", "d")]),
        ("a b\nc d 0.7 18\n", [("a", "b"), ("c", "d")]),
        ("001 1\nNA nan\nnull 1e3\n", [("001", "1"), ("NA", "nan"), ("null", "1e3")]),
        ('"a b"\tc\n', [('"a b"', "c")]),
        ("\ufeffa b\n", [("a", "b")]),
        ("zoë\t東京\n", [("zoë", "東京")]),
    ],
    ids=[
        "spaces",
        "indented, no last newline",
        "windows lines",
        "tabs keep spaces and #",
        "comments anywhere",
        "further columns",
        "further columns in some lines",
        "labels stay text",
        "quotes are letters",
        "byte order mark",
        "unicode",
    ],
)
def test_layouts(tmp_path, content, pairs):
    """Each layout named above gives its pairs."""
    assert list(read_edge_list(written(tmp_path, content))) == pairs


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("", "holds no pairs"),
        ("# only\n# comments\n\n", "holds no pairs"),
        ("a\nb\n", "is no list of pairs"),
        ("a b\nc\n", "Pair 2 of the file"),
        ("a\tb\nc\t\n", "Pair 2 of the file"),
        (b"a\tb\n\xff\xfe\tc\n", "is no list of pairs"),
        (gzip.compress(SNAP.encode())[:-9], "cannot be read"),
        (b"\x1f\x8bnonsense", "cannot be read"),
    ],
    ids=["empty", "comments only", "one column", "short line", "no topic", "not utf-8", "cut off", "no gzip"],
)
def test_what_cannot_be_read_is_named(tmp_path, content, words):
    with pytest.raises(InputError) as caught:
        read_edge_list(written(tmp_path, content))
    assert words in str(caught.value)
    assert "edges.txt" in str(caught.value)


def test_no_file_and_a_folder(tmp_path):
    with pytest.raises(InputError, match="There is no file"):
        read_edge_list(tmp_path / "nowhere.txt")
    with pytest.raises(InputError, match="cannot be read"):
        read_edge_list(tmp_path)


@pytest.mark.parametrize("path", [None, 5, ["edges.txt"], b"edges.txt"], ids=repr)
def test_what_is_no_path(path):
    """Something else in place of a path is refused with what it is."""
    with pytest.raises(InputError, match=f"path of the edge list is needed, but got a {type(path).__name__}; give"):
        read_edge_list(path)


def test_artists():
    """Users and artists of the README's table: 1,892 × 17,632, 92,834 pairs."""
    interest = read_edge_list(real_file("lastfm_artists.pairs.tsv.gz")).to_interest()
    assert (interest.num_nodes, interest.num_topics, interest.num_subscriptions) == (1_892, 17_632, 92_834)

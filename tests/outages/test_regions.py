"""The file that says which region each node is in."""

import pytest

from topicweave.errors import ReadError
from topicweave.outages import read_regions


def test_regions_are_read_by_the_names_of_their_columns(write):
    """Other columns, empty regions and repeated rows do no harm; an inventory calls the node its name."""
    assert read_regions(write("a.csv", "port,region,node\n1,eu,a\n2,us,b\n3,,c\n1,eu,a\n")) == {"a": "eu", "b": "us"}
    assert read_regions(write("b.csv", "name,host,region\na,h,eu\nb\n")) == {"a": "eu"}


def test_files_that_cannot_be_used_are_refused(write, tmp_path):
    """A missing file, a missing column, a node in two regions, and bytes that are no text."""
    with pytest.raises(ReadError, match="There is no file"):
        read_regions(tmp_path / "none.csv")
    with pytest.raises(ReadError, match="needs the columns 'node' and 'region'"):
        read_regions(write("a.csv", "a,eu\n"))
    with pytest.raises(ReadError, match="'a' into the regions 'eu' and 'us'"):
        read_regions(write("b.csv", "node,region\na,eu\na,us\n"))
    with pytest.raises(ReadError, match="cannot be read as CSV"):
        read_regions(write("c.csv", b"node,region\n\xff\xfe,eu\n"))

"""Where users are: from a file, a mapping, a data frame."""

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from topicweave.content import read_places
from topicweave.content.places import as_placement, as_places
from topicweave.errors import InputError, ReadError

HOMES = {"ann": "Bern", "bob": "Kiel"}


@pytest.mark.parametrize(
    "text",
    ["user,place\nann,Bern\nbob,Kiel\n", "country,place,user\n\nCH,Bern,ann,\nDE,Kiel,bob\n,,\n"],
    ids=["plain", "other columns, blank lines, a comma too many"],
)
def test_files(tmp_path, text):
    """Columns in any order, blank lines and a comma too many do not matter, nor whether the path is text."""
    path = tmp_path / "homes.csv"
    path.write_text(text)
    assert read_places(path) == as_places(path) == as_places(str(path)) == HOMES


def test_objects():
    """A data frame and a mapping mean the same as a file."""
    frame = pd.DataFrame({"user": list(HOMES), "place": list(HOMES.values())})
    assert as_places(frame) == as_places(HOMES) == HOMES
    assert as_places({1: "Bern"}) == {"1": "Bern"}


def test_what_holds_no_places_is_refused(tmp_path):
    path = tmp_path / "homes.csv"
    path.write_text("user,home\nann,Bern\n")
    with pytest.raises(ReadError, match="no columns user and place"):
        read_places(path)
    path.write_text("")
    with pytest.raises(ReadError, match="no columns user and place"):
        read_places(path)
    path.write_bytes(b"user,place\n\xff\xfe,x\n")
    with pytest.raises(ReadError, match=r"The places in .*homes.csv cannot be read"):
        read_places(path)
    path.write_text("user,place\nann,Washington, DC\n")
    with pytest.raises(ReadError, match="put quotes around what belongs together"):
        read_places(path)
    with pytest.raises(InputError, match="data frame of places has no columns user and place"):
        as_places(pd.DataFrame({"user": ["ann"]}))
    with pytest.raises(InputError, match="but got a list"):
        as_places(["Bern"])


def test_the_placement_of_today_may_come_from_a_plan(tmp_path):
    table = pa.table({"user": ["ann", "bob"], "broker": ["Bern", "Kiel"], "traffic": [1.0, 2.0]})
    pq.write_table(table, tmp_path / "assignment.parquet")
    (tmp_path / "today.csv").write_text("broker,user\nBern,ann\nKiel,bob\n")
    for given in (tmp_path / "assignment.parquet", tmp_path / "today.csv", table.to_pandas(), HOMES):
        assert as_placement(given) == HOMES
    (tmp_path / "bad.parquet").write_bytes(b"no")
    with pytest.raises(ReadError, match=r"The placement in .*bad.parquet cannot be read"):
        as_placement(tmp_path / "bad.parquet")
    pq.write_table(table.drop(["broker"]), tmp_path / "users.parquet")
    with pytest.raises(ReadError, match="no columns user and broker"):
        as_placement(tmp_path / "users.parquet")

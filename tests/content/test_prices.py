"""Prices from a latency matrix: gaps, directions, and what cannot be read."""

import gzip

import numpy as np
import pandas as pd
import pytest

from topicweave.content import Prices, read_prices
from topicweave.content.prices import as_prices
from topicweave.errors import InputError, ReadError


@pytest.mark.parametrize("zipped", [False, True])
def test_gaps_are_filled_and_directions_averaged(tmp_path, zipped):
    text = ",a,b,c,d\na,,1,5,\nb,3,,1,\nc,,1,,2\nd,,,,\n"
    path = tmp_path / ("prices.csv.gz" if zipped else "prices.csv")
    path.write_bytes(gzip.compress(text.encode()) if zipped else text.encode())
    found = read_prices(path)
    assert found.between(["a"], ["b", "c", "d"]).tolist() == [[2, 5, 5]]  # mean; one direction; a-b-c-d
    assert found.between(["c"], ["d"]).tolist() == [[2]] and found.num_filled == 2
    with pytest.raises(InputError, match="no place 'x'"):
        found.between(["x"], ["a"])


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "no prices"),
        (",a,b\na,0,1\n", "other places"),
        (",a,b\na,0,x\nb,1,0\n", "price of 'a' and 'b' .* 'x'"),
        (",a,b\na,0,-1\nb,1,0\n", "'-1'"),
        (",a,b\na,0,\nb,,0\n", "no price, direct or by a detour"),
    ],
)
def test_bad_prices(tmp_path, text, says):
    """A table that is not a matrix of prices is refused with what is wrong."""
    path = tmp_path / "prices.csv"
    path.write_text(text)
    with pytest.raises(ReadError, match=says):
        read_prices(path)


@pytest.mark.parametrize(
    "text",
    [
        ",a,b\n\na,0,1\n,,\nb,1,0\n\n",
        ",a,b,\na,0,1,\nb,1,0,\n",
        ",a,b\na,0,1,,\nb,1,0\n",
        ",a,b\na,0,1\nb,1\n",
        "\ufeff,a,b\r\na,0,1\r\nb,1,0\r\n",
    ],
    ids=["blank lines", "a comma too many", "commas too many in a row", "a row that ends early", "of a spreadsheet"],
)
def test_blank_lines_and_trailing_commas_do_no_harm(tmp_path, text):
    path = tmp_path / "prices.csv"
    path.write_text(text, newline="")
    found = read_prices(path)
    assert found.places == ("a", "b") and found.matrix.tolist() == [[0, 1], [1, 0]]


def test_a_value_without_a_column_is_refused(tmp_path):
    path = tmp_path / "prices.csv"
    path.write_text(",a,b\na,0,1,7\nb,1,0\n")
    with pytest.raises(
        ReadError, match=r"row 'a,0,1,7' .* more cells than its header has names; name the column of '7'"
    ):
        read_prices(path)


def test_prices_may_be_given_as_objects():
    table = pd.DataFrame([[0, 2.0], [None, 0]], index=["a", "b"], columns=["a", "b"])
    found = as_prices(table)
    assert found.places == ("a", "b") and found.matrix.tolist() == [[0, 2], [2, 0]]
    assert as_prices(found) is found
    with pytest.raises(ReadError, match="rows of the data frame of prices name other places"):
        as_prices(table.rename(index={"a": "c"}))
    with pytest.raises(ReadError, match="price of 'a' and 'b' in the data frame of prices is -2"):
        as_prices(-table)
    with pytest.raises(InputError, match="but got a list"):
        as_prices([[0, 1], [1, 0]])


def test_files_that_cannot_be_read_are_answered_in_a_sentence(tmp_path):
    with pytest.raises(ReadError, match=r"The prices in .*none.csv cannot be read"):
        read_prices(tmp_path / "none.csv")
    damaged = tmp_path / "damaged.csv.gz"
    damaged.write_bytes(gzip.compress(b",a\na,0\n")[:-12] + b"x" * 12)
    with pytest.raises(ReadError, match="cannot be read"):
        read_prices(damaged)
    with pytest.raises(InputError, match="The path of the prices is needed, but got a NoneType"):
        read_prices(None)


def test_prices_know_their_places():
    """A place without prices is refused by name."""
    with pytest.raises(InputError, match="no place 'x' in the prices, which know 1"):
        Prices(("a",), np.zeros((1, 1))).between(["x"], ["a"])


def test_a_place_listed_twice_is_refused(tmp_path):
    """The last one would win in silence."""
    path = tmp_path / "prices.csv"
    path.write_text(",a,b,a\na,0,1,2\nb,1,0,3\na,2,3,0\n")
    with pytest.raises(ReadError, match="The place 'a' is listed twice"):
        read_prices(path)


def test_an_infinite_price_is_no_link_and_a_gap_is_filled(tmp_path):
    path = tmp_path / "prices.csv"
    path.write_text(",a,b,c\na,0,1,inf\nb,1,0,\nc,inf,3,0\n")
    found = read_prices(path)
    assert found.matrix.tolist() == [[0, 1, np.inf], [1, 0, 3], [np.inf, 3, 0]]
    path.write_text(",a,b,c\na,0,1,\nb,1,0,2\nc,,2,0\n")
    assert read_prices(path).matrix[0, 2] == 3

"""Small help for sentences."""

import pytest

from topicweave.wording import counted, label_in_words, percent, shortened


@pytest.mark.parametrize(
    ("share", "words"), [(0, "0 %"), (1, "100 %"), (0.5, "50 %"), (1 / 3, "33.33 %"), (1e-9, "less than 0.01 %")]
)
def test_percent(share, words):
    """Shares are rounded for people, but what is more than nothing is never shown as 0 %."""
    assert percent(share) == words


def test_counted():
    """One row, but two rows, and two entries."""
    assert [counted(number, "row") for number in (0, 1, 2000)] == ["0 rows", "1 row", "2,000 rows"]
    assert counted(2, "entry", "entries") == "2 entries"


def test_shortened():
    """Long labels and long lists end with an ellipsis."""
    assert shortened(["a", "b" * 50]) == f"'a', '{'b' * 39}…'"
    assert shortened(range(9)) == "'0', '1', '2', '3', '4', '5', '6', '7', …"


def test_labels_without_shape_and_without_end():
    """Control and direction marks become visible; a long label is cut."""
    assert label_in_words("a\x07\u202eb") == "a\N{REPLACEMENT CHARACTER}\N{REPLACEMENT CHARACTER}b"
    assert label_in_words("x" * 61) == "x" * 59 + "…" and label_in_words("x" * 60) == "x" * 60

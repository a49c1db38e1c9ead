"""What is drawn for readers is what the tree says."""

from tests.words.__main__ import CHECKOUT, drawn, of_code, of_page, passages


def test_comments_and_docstrings_are_found_and_joined(tmp_path, monkeypatch):
    """A comment over two lines is one passage, but not comments behind code; a docstring ends at a blank line.

    Each comes with the line of code that it is about.
    """
    monkeypatch.setattr("tests.words.__main__.CHECKOUT", tmp_path)
    file = tmp_path / "one.py"
    file.write_text(
        '"""First line of the module.\n\nMore."""\n# a comment that runs over\n# two lines of the file\n'
        "X = 1  # the first of two comments\nY = 2  # the second of two comments\n# a comment on its own line\n"
        'def function():\n    """What the function does."""\n'
    )
    assert [(text, beside) for _, text, beside in of_code(file)] == [
        ("a comment that runs over two lines of the file", "X = 1"),
        ("the first of two comments", "X = 1"),
        ("the second of two comments", "Y = 2"),
        ("a comment on its own line", "def function():"),
        ("First line of the module.", ""),
        ("What the function does.", "def function():"),
    ]


def test_sentences_are_found_outside_code_and_tables(tmp_path, monkeypatch):
    """Code blocks, tables and headings are not prose."""
    monkeypatch.setattr("tests.words.__main__.CHECKOUT", tmp_path)
    page = tmp_path / "page.md"
    page.write_text(
        "# Heading of the page\n\nA first sentence here. A second one follows.\n\n```\nno prose here\n```\n\n| a |\n"
    )
    heading = "# Heading of the page"
    sentences = [("A first sentence here.", heading), ("A second one follows.", heading)]
    assert [(text, beside) for _, text, beside in of_page(page)] == sentences


def test_the_same_seed_draws_the_same():
    """And every drawn passage is in a file of the checkout."""
    assert drawn(30, 1) == drawn(30, 1) != drawn(30, 2)
    assert len(passages()) > 2_000
    assert all((CHECKOUT / place.partition(":")[0]).is_file() for place, _, _ in drawn(30, 1))

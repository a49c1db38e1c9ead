"""The command: every claim's path of the code on tiny sizes, the table, and the page."""

import pytest

from experiments.report import BEGIN, END
from experiments.run import PAGE, main, parse
from experiments.table import CLAIMS, NAMES


@pytest.fixture(scope="module")
def quick(tmp_path_factory):
    """One quick run of everything: its folder and the page it wrote."""
    folder = tmp_path_factory.mktemp("quick")
    page = folder / "page.md"
    page.write_text(f"before\n{BEGIN}\nyesterday\n{END}\nafter\n", encoding="utf-8")
    assert main(["--quick", "--out", str(folder / "results"), "--page", str(page)]) == 0
    return folder


def test_quick_run_fills_the_page_between_the_markers(quick):
    text = (quick / "page.md").read_text(encoding="utf-8")
    assert text.startswith(f"before\n{BEGIN}\n") and text.endswith(f"\n{END}\nafter\n") and "yesterday" not in text
    rows = [line for line in text.splitlines() if line.startswith("| ")][1:]
    assert [row.split(" | ")[0].removeprefix("| ") for row in rows] == [claim.id for claim in CLAIMS]
    assert all(row.count(" | ") == 5 for row in rows)
    assert all(" | **not judged** | " in row for row in rows)
    assert "python -m experiments --quick --seeds 2" in text and "numpy" in text


def test_second_run_finds_everything_done(quick, capsys, monkeypatch):
    """Nothing is run again; a chosen claim is printed alone."""
    monkeypatch.setattr("experiments.runner.perform", lambda run: pytest.fail(f"ran {run.path} again"))
    assert main(["LOW-5", "--quick", "--out", str(quick / "results")]) == 0
    printed = capsys.readouterr().out
    assert "LOW-5" in printed and "GM-2" not in printed


def test_interrupt_ends_with_its_code(tmp_path, monkeypatch, capsys):
    def interrupted(_run):
        raise KeyboardInterrupt

    monkeypatch.setattr("experiments.runner.perform", interrupted)
    assert main(["GM-4b", "--quick", "--out", str(tmp_path)]) == 130
    assert "goes on from there" in capsys.readouterr().err.replace("\n", " ")


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["GM-9"], "no claim 'GM-9'"),
        (["--seeds", "0"], "1 or more, but is 0"),
        (["--page", "pyproject.toml"], "no place for the table"),
    ],
)
def test_bad_arguments_are_refused_in_one_sentence(arguments, words, capsys):
    with pytest.raises(SystemExit, match="2"):
        parse(arguments)
    assert words in " ".join(capsys.readouterr().err.split())


def test_only_a_full_run_of_all_claims_touches_the_page():
    assert parse([]).page == PAGE
    assert parse(["--quick"]).page is None and parse(["GM-2"]).page is None


def test_committed_page_has_a_row_for_every_claim():
    """If this fails: make claims."""
    rows = [line for line in PAGE.read_text(encoding="utf-8").splitlines() if line.startswith("| ")][1:]
    assert [row.split(" | ")[0].removeprefix("| ") for row in rows] == [claim.id for claim in CLAIMS]
    assert {row.split(" | ")[0].removeprefix("| ") for row in rows} == set(NAMES)

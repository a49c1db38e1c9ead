"""Every experiment's path of the code on tiny sizes, on Spark, from the command line to the page."""

import json
import re
import shutil
from pathlib import Path

import pytest

from experiments.command import experiments
from experiments.table import EXPERIMENTS
from topicweave.cli.main import main

ROW = r"^\| \*\*([A-Z]\S+|ours-\d)\*\* .*\| \*\*([a-z ]+)\*\*[^|]* \|$"
"""A claim's row: its id and its verdict."""
DOCS = Path(__file__).resolve().parents[2] / "docs"


def command(*words):
    """Run a command in this process; its exit code."""
    with pytest.raises(SystemExit) as ended:
        main([str(word) for word in words], command=experiments)
    return ended.value.code or 0


@pytest.fixture(scope="module")
def quick(spark, data, tmp_path_factory):
    """A quick run of everything and its report: the folder of both."""
    folder = tmp_path_factory.mktemp("quick")
    assert command("run", "--quick", "--out", folder / "results", "--data", data, "--quiet") == 0
    assert command("report", "--quick", "--out", folder / "results", "--docs", folder / "docs") == 0
    return folder


def test_page_has_every_claim_and_figure(quick):
    text = (quick / "docs" / "claims.md").read_text(encoding="utf-8")
    rows = re.findall(ROW, text, re.MULTILINE)
    assert [name for name, _ in rows] == [claim.id for e in EXPERIMENTS for claim in e.claims]
    assert {verdict for _, verdict in rows} == {"not judged"}
    for experiment in EXPERIMENTS:
        details = (quick / "docs" / "claims" / f"{experiment.name}.md").read_text(encoding="utf-8")
        for figure in experiment.figures:
            assert (quick / "docs" / "claims" / f"{figure.name}.svg").stat().st_size > 1_000
            assert f"({figure.name}.svg)" in details
        assert all(claim.says in details for claim in experiment.claims)


def test_tables_beside_the_page_stand_in_for_lost_results(quick, tmp_path):
    """Some experiments, one of them with curves, are reported again from what is committed beside the page."""
    shutil.copytree(quick / "docs", tmp_path / "docs")
    some = ("low-5", "part-t1", "beyond-80-20")
    assert command("report", *some, "--quick", "--out", tmp_path / "nothing", "--docs", tmp_path / "docs") == 0
    before, after = ((folder / "docs" / "claims.md").read_text(encoding="utf-8") for folder in (quick, tmp_path))
    found = [row[0] for row in re.findall(ROW, after, re.MULTILINE)]
    assert len(found) > 2 and set(found) < {row[0] for row in re.findall(ROW, before, re.MULTILINE)}
    assert "stale" not in re.sub(r"^- .*$", "", after, flags=re.MULTILINE)


def test_second_run_finds_everything_done(quick, data, capsys):
    """Only what is missing is run again."""
    lost = quick / "results" / "uniform_12x20_s4" / "cd2" / "seed-0.json"
    before = json.loads(lost.read_text())["result"]
    lost.unlink()
    arguments = ("run", "LOW-5", "--quick", "--out", quick / "results", "--data", data, "--quiet")
    assert command(*arguments) == 0
    assert "1 of them run now" in capsys.readouterr().out
    after = json.loads(lost.read_text())["result"]
    assert {**before, "seconds": 0} == {**after, "seconds": 0}
    assert command(*arguments) == 0
    assert "0 of them run now" in capsys.readouterr().out


def test_without_the_data_social_rows_are_skipped_with_a_sentence(spark, tmp_path, capsys):
    """The others run, and the page says what is missing."""
    arguments = ("PART-T1", "--quick", "--out", tmp_path / "results")
    assert command("run", *arguments, "--data", tmp_path, "--quiet") == 0
    assert "facebook_ego.edges.txt.gz is not in" in capsys.readouterr().err
    assert command("report", *arguments, "--docs", tmp_path / "docs") == 0
    text = (tmp_path / "docs" / "claims.md").read_text(encoding="utf-8")
    assert "**not measured**" in text
    details = (tmp_path / "docs" / "claims" / "part-t1.md").read_text(encoding="utf-8")
    assert "it needs facebook_ego" in details


@pytest.mark.parametrize("also", [(), ("--all",)])
def test_full_run_looks_into_the_tables_of_the_docs(also, spark, tmp_path):
    """Without the data nothing of PART-T1 can run, so this is quick although it is not ``--quick``."""
    assert command("run", "PART-T1", *also, "--out", tmp_path / "results", "--data", tmp_path, "--quiet") == 0
    assert not (tmp_path / "results").exists()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("run", "GM-9"), "no experiment 'GM-9'"),
        (("run", "--seeds", "0"), "--seeds"),
        (("report", "--quick"), "another folder with --docs"),
        (("report", "gm-2"), "another folder with --docs"),
    ],
)
def test_bad_arguments_are_refused_in_one_sentence(arguments, words, capsys):
    assert command(*arguments) == 2
    assert words in " ".join(capsys.readouterr().err.split())


def test_list_names_every_experiment(capsys):
    """Each on a line of its own."""
    assert command("list") == 0
    listed = capsys.readouterr().out
    assert all(f"\n{experiment.name} " in f"\n{listed}" for experiment in EXPERIMENTS)


def test_committed_page_has_a_row_for_every_claim():
    """If this fails, run: make claims."""
    text = (DOCS / "claims.md").read_text(encoding="utf-8")
    rows = re.findall(ROW, text, re.MULTILINE)
    assert [name for name, _ in rows] == [claim.id for e in EXPERIMENTS for claim in e.claims]
    for experiment in EXPERIMENTS:
        assert (DOCS / "claims" / f"{experiment.name}.md").is_file()
        assert f"(claims/{experiment.name}.md)" in text


def test_the_docs_stay_small():
    """Figures are vector graphics, results are compressed, and every page is there once."""
    files = [file for file in DOCS.rglob("*") if file.is_file() and "_build" not in file.parts]
    assert sum(file.stat().st_size for file in files) < 4_000_000
    assert not [file.name for file in files if file.suffix in (".png", ".html")]

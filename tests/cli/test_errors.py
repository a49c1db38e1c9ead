"""Every failure is one sentence and the exit code of its kind."""

import re
from pathlib import Path

import click
import pytest

import topicweave
from topicweave import errors
from topicweave.cli.errors import EXIT_CODES, WORDS, exit_code, in_options, one_sentence
from topicweave.cli.main import cli

PACKAGE = Path(topicweave.__file__).parent


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (KeyboardInterrupt(), 130),
        (click.exceptions.Abort(), 130),
        (errors.VerificationError("no"), 1),
        (errors.InfeasibleError("no"), 3),
        (errors.TooLargeError("no"), 3),
        (MemoryError(), 3),
        (errors.InputError("no"), 2),
        (errors.UnknownAlgorithmError("no"), 2),
        (errors.BadRowsError("no"), 2),
        (errors.TargetError("no"), 2),
        (errors.SetupError("no"), 2),
        (errors.SparkError("no"), 2),
        (click.UsageError("no"), 2),
        (PermissionError(13, "Permission denied", "x"), 2),
        (BrokenPipeError(), 141),
        (ZeroDivisionError(), 70),
    ],
)
def test_exit_codes(error, code):
    assert exit_code(error) == code


def test_every_error_of_ours_has_the_code_drawn_at_the_top_of_the_tree():
    drawn = dict(re.findall(r"[├└]── (\w+) .*\(exit code (\d)\)", errors.__doc__))
    assert len(drawn) == 4
    for name, code in drawn.items():
        assert exit_code(getattr(errors, name)("no")) == int(code), name


def test_every_exit_code_is_in_the_docs():
    listed = re.findall(r"^\| (\d+) \|", (PACKAGE.parent / "docs/how-to/command-line.md").read_text(), re.MULTILINE)
    assert {str(code) for code in EXIT_CODES.values()} | {"0"} <= set(listed)


def test_interrupts_say_what_is_kept():
    interrupt = KeyboardInterrupt()
    assert one_sentence(interrupt) == "Interrupted; nothing unfinished was left behind."
    interrupt.add_note("What was done is kept.")
    abort = click.exceptions.Abort()
    abort.__cause__ = interrupt
    assert one_sentence(abort) == "Interrupted; nothing unfinished was left behind. What was done is kept."


def test_what_is_no_error_of_ours_is_said_to_be_a_defect():
    assert one_sentence(ZeroDivisionError("division by zero")) == (
        "Error: ZeroDivisionError: division by zero (this is a defect of topicweave; run again with --debug to see "
        "where)"
    )


def test_the_operating_system_speaks_without_numbers():
    assert one_sentence(PermissionError(13, "Permission denied", "there")) == "Error: there: Permission denied."


@pytest.mark.parametrize(
    ("said", "shown"),
    [
        ("plan exists already; choose another folder, or allow it to be overwritten.", "or add --overwrite."),
        (
            "f.csv has no column 'topic': its first line reads 'a', 'b'; say which column holds the topic, or that "
            "the file has no header.",
            "say which column holds the topic (--column topic=NAME), or that the file has no header (--no-header).",
        ),
        (
            "x.parquet has no column 'source' but 'a'; say which column holds the source.",
            "(--column source=NAME, or --edge-column source=NAME or its position where a list of links is verified).",
        ),
        (
            "num_candidates must be at least 1, but 0 was given.",
            "--num-candidates must be at least 1, but 0 was given.",
        ),
        ("There is no file at /data/d=eu/m=3/k=x.csv.", "There is no file at /data/d=eu/m=3/k=x.csv."),
        (
            "its columns (separator=';'?).",
            "its columns (--separator ';', or --edge-separator ';' where a list of links is verified).",
        ),
        ("'gpa' needs m= or budget_ratio=: the most links.", "'gpa' needs --m or --budget-ratio: the most links."),
        ("Both budget_ratio=0.5 and m=3 were given.", "Both budget_ratio=0.5 and m=3 were given."),
        (
            "0.00 GB allowed; take candidates='near' (a few partners for each node), give pairs= (only the links worth "
            "looking at), or raise memory_limit= (bytes).",
            "(a few partners for each node) or --algorithm ring, or raise --memory-limit (bytes).",
        ),
        ("It was said; run again with its messages on to see more.", "run again with --spark-log to see more."),
    ],
)
def test_messages_of_the_library_speak_of_options(said, shown):
    assert in_options(said).endswith(shown)


@pytest.mark.parametrize("pattern", [pattern for pattern in WORDS if "(k|m" not in pattern])
def test_the_words_replaced_are_still_said(pattern):
    """A phrase that nobody says any more would be a dead entry, and its hint lost."""
    for file in PACKAGE.rglob("*.py"):
        # sentences are broken over lines and hold fields: join the lines, and let any field be a word
        text = re.sub(r'"\s*\n\s*f?"', "", file.read_text(encoding="utf-8"))
        if file.parent.name != "cli" and re.search(pattern, re.sub(r"\{\w+\}", "word", text)):
            return
    pytest.fail(f"nobody says {pattern!r}")


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["desing"], "There is no command 'desing'; did you mean 'design'?"),
        (["weave"], "There is no command 'weave'; choose one of: design,"),
        (["design"], "Missing argument 'INPUT...'."),
        (["design", "x.csv"], "Missing option '--out'."),
        (["design", "x.csv", "--out", "p", "--k", "three"], "'three' is not a valid float."),
        (["design", "x.csv", "--out", "p", "--sample", "0"], "Invalid value for '--sample'"),
        (["design", "x.csv", "--out", "p", "--max-bad-fraction", "2"], "Invalid value for '--max-bad-fraction'"),
        (["design", "x.csv", "--out", "p", "--conf", "verbose"], "'verbose' is not of the form KEY=VALUE."),
        (["design", "x.csv", "--out", "p", "--column", "node="], "'node=' is not of the form FIELD=COLUMN."),
        (["verify", "x.csv", "plan", "--edge-column", "source"], "'source' is not of the form FIELD=COLUMN."),
        (["design", "x.csv", "--out", "p", "--as", "tweets"], "Invalid value for '--as'"),
        (["design", "x.csv", "--out", "p", "--algoritm", "gm"], "--algoritm"),
        (["verify", "x.csv"], "Missing argument 'PLAN'."),
    ],
)
def test_slips_of_the_command_line(run, arguments, sentence):
    slip = run(*arguments)
    assert slip.code == 2
    assert not slip.out
    assert slip.err.startswith("Error: ")
    assert sentence in slip.err
    assert slip.err.count("\n") == 1
    assert "--help'" in slip.err


@pytest.fixture
def broken(monkeypatch):
    """A command that fails in a way nobody foresaw."""

    @click.command(params=[click.Option(["--debug"], is_flag=True, expose_value=False)])
    def command():
        raise ZeroDivisionError("division by zero")

    monkeypatch.setattr(type(cli), "get_command", lambda *_: command)


def test_no_traceback_unless_asked_for(run, broken):
    assert run("profile").err.startswith("Error: ZeroDivisionError: division by zero (this is a defect")


@pytest.mark.parametrize("arguments", [("--debug", "profile"), ("profile", "--debug")])
def test_debug_shows_the_traceback_and_keeps_the_exit_code(run, broken, arguments):
    failed = run(*arguments)
    assert failed.code == 70
    assert failed.err.startswith("Traceback")
    assert 'raise ZeroDivisionError("division by zero")' in failed.err
    assert failed.err.splitlines()[-1].startswith("Error: ")

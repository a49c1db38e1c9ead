"""Every failure is one sentence and the exit code of its kind."""

import re
from pathlib import Path

import click
import pytest

import topicweave
from topicweave import errors
from topicweave.algorithms import check_options
from topicweave.cli.errors import EXIT_CODES, REMEDIES, exit_code, one_sentence
from topicweave.cli.main import cli
from topicweave.errors import ReadError, Remedy
from topicweave.parameters import check_choice
from topicweave.workloads import synthetic

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
    """Each kind of error ends with the code that the docs promise."""
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


def test_every_remedy_has_words_for_the_command_line():
    assert set(REMEDIES) == set(Remedy)


@pytest.mark.parametrize(
    ("error", "shown"),
    [
        (
            errors.TargetError("{path} exists already; {remedy}.", path="a{b}", remedy=Remedy.OVERWRITE),
            "a{b} exists already; add --overwrite.",
        ),
        (
            errors.ReadError(
                "It has no {field!r}; {remedy}, or {other}.",
                field="topic", remedy=Remedy.NAME_COLUMN, other=Remedy.NO_HEADER,
            ),
            "say which column holds the topic (--column topic=NAME), or that the file has no header (--no-header).",
        ),
        (
            errors.ReadError(
                "It has no {field!r}; {remedy}, or {other}.", role="subscriptions",
                field="node", remedy=Remedy.NAME_COLUMN, other=Remedy.NO_HEADER,
            ),
            "say which column holds the node (--column subscriptions.node=NAME), or add a header.",
        ),
        (
            errors.ReadError("It has no {field!r}; {remedy}.", field="source", remedy=Remedy.NAME_COLUMN),
            "say which column holds the source (--column source=NAME).",
        ),
        (
            errors.ReadError("One column only ({remedy}).", separator=";", remedy=Remedy.SEPARATOR),
            "One column only (--separator ';').",
        ),
        (
            errors.SparkError("It was said; {remedy} to see more.", remedy=Remedy.SPARK_LOG),
            "run again with --spark-log to see more.",
        ),
        (
            errors.TooLargeError("Too large; {remedy}.", remedy=Remedy.FEWER_PAIRS),
            "(a few partners for each node) or --algorithm ring, or raise --memory-limit (bytes).",
        ),
    ],
)  # fmt: skip
def test_remedies_speak_of_options(error, shown):
    """On the command line, advice names options instead of arguments of Python."""
    assert one_sentence(error).startswith("Error: ")
    assert one_sentence(error).endswith(shown)


def test_only_verify_has_options_for_links():
    """Other commands must not name options that they lack."""
    column = errors.ReadError("It has no {field!r}; {remedy}.", field="source", remedy=Remedy.NAME_COLUMN)
    separator = errors.ReadError("One column only ({remedy}).", separator=";", remedy=Remedy.SEPARATOR)
    for error, option in ((column, "--edge-column source=NAME"), (separator, "--edge-separator ';'")):
        assert option in one_sentence(error, "verify")
        assert "--edge" not in one_sentence(error, "design") + one_sentence(error, "churn")


@pytest.mark.parametrize(
    ("call", "shown"),
    [
        (lambda: check_options(num_candidates=0), "--num-candidates must be a whole number, 1 or more, but is 0."),
        (lambda: check_options("gpa"), "'gpa' needs --m or --budget-ratio: the most links the overlay may have."),
        (
            lambda: check_options("gpa", m=3, budget_ratio=0.5),
            "Both --budget-ratio 0.5 and --m 3 were given; give one.",
        ),
        (
            lambda: check_options("gm", candidates="all", num_candidates=3),
            "Near candidates and --candidates all were both asked for; give one.",
        ),
        (
            lambda: check_options("minmax", fill=True, candidates="near"),
            "--fill makes links that connect nothing, so it needs all pairs and not near candidates; leave one of them "
            "out.",
        ),
        (lambda: check_options("gm", seed=-1), "--seed must be a whole number, 0 or more, but is -1."),
        (lambda: synthetic(0, 3), "--nodes must be a whole number, 1 or more, but is 0."),
        (
            lambda: check_choice("file", "/data/d=eu/m=3/k must be.csv", ["a"]),
            "There is no file '/data/d=eu/m=3/k must be.csv'; choose one of: a.",
        ),
    ],
)
def test_arguments_are_options_and_what_the_user_wrote_stays(call, shown):
    with pytest.raises(errors.InputError) as caught:
        call()
    assert one_sentence(caught.value) == f"Error: {shown}"


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
        (["verify"], "Missing argument"),
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
    """A command that fails with an unexpected error."""

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


def test_a_command_without_the_options_of_tables_does_not_name_them():
    """``content assign`` with two files swapped: it has no --column to answer with."""
    error = ReadError("log.csv has no column 'user'; {remedy}.", remedy=Remedy.NAME_COLUMN, field="user")
    assert "--column user=NAME" in one_sentence(error, "design")
    assert one_sentence(error, "content").endswith(
        "check the order of the files, or rename the column that holds the user."
    )

"""Errors carry fields; the library words them for callers from Python, other front ends in their own way."""

from __future__ import annotations

import ast
import pickle
import re
from pathlib import Path

import pytest

import topicweave
from topicweave import errors
from topicweave.errors import Argument, Dialect, InputError, ParameterError, Remedy, TargetError, TopicweaveError

PACKAGE = Path(topicweave.__file__).parent
KINDS = {name for name, kind in vars(errors).items() if isinstance(kind, type) and issubclass(kind, TopicweaveError)}


class Shouting(Dialect):
    """Another front end."""

    def parameter(self, name):
        return name.upper()

    def argument(self, argument):
        return f"<{argument.name}>"

    def remedy(self, remedy, fields):
        return f"{remedy.name} {fields.get('path')}"


def test_a_message_without_fields_stands_as_it_is():
    """Braces may come from what the user wrote."""
    assert str(ParameterError("There is no {column}.")) == "There is no {column}."
    assert ParameterError("There is no {column}.").sentence(Shouting()) == "There is no {column}."


def test_fields_are_worded_by_the_front_end():
    error = ParameterError(
        "{parameter} is {value!r}, {other} and {third} too; {remedy}.",
        parameter="k", value="{k}", other=Argument("m"), third=Argument("d", "x"), remedy=Remedy.OVERWRITE, path="k=",
    )  # fmt: skip
    assert str(error) == "k is '{k}', m= and d='x' too; allow it to be overwritten."
    assert error.sentence(Shouting()) == "K is '{k}', <m> and <d> too; OVERWRITE k=."
    assert (error.parameter, error.remedy, error.fields["value"]) == ("k", Remedy.OVERWRITE, "{k}")
    assert ParameterError("No.").parameter is None
    assert ParameterError("No.").remedy is None


def test_slots_of_a_remedy_are_filled_from_the_fields():
    error = TargetError("It is cut at commas ({remedy}).", remedy=Remedy.SEPARATOR, separator=";")
    assert str(error) == "It is cut at commas (separator=';'?)."


def test_errors_survive_a_journey_between_processes():
    error = TargetError("{path} exists; {remedy}.", path="plan", remedy=Remedy.OVERWRITE)
    again = pickle.loads(pickle.dumps(error))
    assert type(again) is TargetError
    assert str(again) == str(error)
    assert again.sentence(Shouting()) == "plan exists; OVERWRITE plan."


FILES = pytest.mark.parametrize("file", sorted(PACKAGE.rglob("*.py")), ids=lambda file: str(file.relative_to(PACKAGE)))


@FILES
def test_messages_hold_no_call_of_python(file):
    """The command line prints them too; what the two advise differently is a Remedy."""
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in KINDS and node.args:
            said = [part.value for part in ast.walk(node.args[0]) if isinstance(part, ast.Constant)]
            calls = [text for text in said if isinstance(text, str) and re.search(r"\w\([\w'\"]", text)]
            assert not calls, f"{file}:{node.lineno}"


@FILES
def test_templates_hold_nothing_of_the_user(file):
    """A message with fields is a template: an f-string would put braces of the user's into it."""
    for node in ast.walk(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in KINDS and node.keywords:
            assert not isinstance(node.args[0], ast.JoinedStr), f"{file}:{node.lineno}"


@pytest.mark.parametrize("value", ["x" * 10_000_000, "it's" * 2_000_000, ["y" * 5_000_000, 1]])
def test_long_values_are_cut(value):
    """Whatever was given is named, but the sentence stays one that people read; its end says what to do."""
    for error in (InputError(f"There is no node {value!r}; check it."), InputError("No {v!r}; check it.", v=value)):
        assert len(str(error)) < 1300 and "…" in str(error) and str(error).endswith("; check it.")

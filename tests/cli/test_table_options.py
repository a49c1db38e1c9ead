"""Options are generated from the table of parameters: a parameter added there gets its option and its help text."""

from __future__ import annotations

import json

import click
import numpy as np
import pytest

import topicweave as tw
from topicweave.algorithms import Algorithm
from topicweave.algorithms.options import SHARED
from topicweave.cli.design import design
from topicweave.cli.options import TableCommand, option_name
from topicweave.errors import ParameterError
from topicweave.parameters import Offer, Parameter


def help_of(command: click.Command) -> dict[str, str]:
    """The help text of each option."""
    context = click.Context(command)
    options = [option for option in command.get_params(context) if isinstance(option, click.Option)]
    assert len({option.name for option in options}) == len(options)
    return {option.opts[0]: option.help for option in options if "--help" not in option.opts}


def test_every_algorithm_and_each_of_its_parameters_is_an_option():
    shown = help_of(design)
    assert shown["--algorithm"] == ", ".join(tw.ALGORITHMS) + "."
    for name, entry in tw.ALGORITHMS.items():
        for parameter in entry.parameters:
            assert parameter.help in shown[option_name(parameter.name)]
            assert name in shown[option_name(parameter.name)].split(":")[0].split(", ")
    assert all(parameter.help in shown[option_name(parameter.name)] for parameter in SHARED)
    assert (
        shown["--k"] == "low: how many times as much a link must contribute to raise the maximum degree (3 by default)."
    )


def command(table: dict[str, Algorithm], shared: tuple[Offer, ...] = ()) -> TableCommand:
    @click.command(cls=TableCommand, chooser="method", table=table, default="one", shared=lambda: shared)
    @click.option("--out")
    @click.pass_context
    def made(context: click.Context, **given: object) -> None:
        click.echo(json.dumps([given["method"], context.command.given_parameters(given)]))

    return made


def entry(*parameters: Parameter) -> Algorithm:
    return Algorithm(print, parameters, "", "", "")


def test_help_names_takers_defaults_and_choices():
    everywhere = Parameter("trim", bool, "save links", False)
    table = {
        "one": entry(everywhere, Parameter("size_of", int, "how large", 3, minimum=1)),
        "two": entry(everywhere, Parameter("size_of", int, "how many"), Parameter("start", object, "an overlay", None)),
    }
    ties = Parameter("ties", str, "which of equals", "even", choices=("even", "odd"))
    assert help_of(command(table, (Offer(ties, ("two",)),))) == {
        "--out": None,
        "--method": "one, two.",
        "--trim": "Save links.",
        "--size-of": "one: how large (3 by default); two: how many.",
        "--ties": "two: which of equals (even by default; odd).",
    }


@pytest.mark.parametrize(
    ("arguments", "given"),
    [
        ([], ["one", {}]),
        (["--method", "two", "--trim", "--size-of", "7"], ["two", {"trim": True, "size_of": 7}]),
        (["--no-trim"], ["one", {"trim": False}]),
    ],
)
def test_only_what_was_given_is_passed_on(arguments, given, capsys):
    """Defaults are in the table, and the library fills them in."""
    table = {"one": entry(Parameter("trim", bool, "", False), Parameter("size_of", int, "", 3))}
    command(table).main(arguments, standalone_mode=False)
    assert json.loads(capsys.readouterr().out) == given


def zigzag(interest: tw.Interest, *, stride: int, seed: int) -> np.ndarray:
    """A toy: every node and the one ``stride`` places further."""
    ends = [(v, (v + stride) % interest.num_nodes) for v in range(interest.num_nodes)]
    return np.array(sorted({(min(pair), max(pair)) for pair in ends if pair[0] != pair[1]}), dtype=np.int64)


@pytest.fixture
def with_zigzag(monkeypatch):
    """One more line in the table, with a parameter that no other algorithm has; the values it was checked for."""
    checked = []

    class Watched(Parameter):
        def check(self, value):
            checked.append(value)
            return super().check(value)

    stride = Watched("stride", int, "how far apart the ends of a link are", 1, minimum=1)
    toy = Algorithm(zigzag, (stride,), "a toy", "none", "nowhere", complete=False)
    monkeypatch.setitem(tw.ALGORITHMS, "zigzag", toy)
    return checked


def test_an_algorithm_added_to_the_table_is_used_from_python(with_zigzag, four_brokers):
    made = tw.design(four_brokers, "zigzag", stride=2)
    assert made.overlay.edges.tolist() == [[0, 2], [1, 3]]
    assert made.parameters == {"stride": 2, "seed": 0}
    assert tw.design(four_brokers, "zigzag").parameters["stride"] == 1
    with pytest.raises(ParameterError, match="stride must be a whole number, 1 or more, but is 0"):
        tw.design(four_brokers, "zigzag", stride=0)


@pytest.mark.usefixtures("spark")
def test_an_algorithm_added_to_the_table_is_used_from_the_command_line(with_zigzag, run, tmp_path):
    shown = " ".join(run("design", "--help").out.split())
    assert "exact, zigzag." in shown
    assert "--stride INTEGER zigzag: how far apart the ends of a link are (1 by default)." in shown
    (tmp_path / "in.csv").write_text("node,topic\na,t\nb,t\nc,t\nd,t\n")
    refused = run("design", tmp_path / "in.csv", "--out", tmp_path / "plan", "--algorithm", "zigzag", "--stride", 0)
    assert refused.code == 2
    assert refused.err == "Error: --stride must be a whole number, 1 or more, but is 0.\n"
    done = run(
        "design", tmp_path / "in.csv", "--out", tmp_path / "plan", "--algorithm", "zigzag", "--stride", 2, "--json"
    )
    assert done.code == 0, done.err
    assert json.loads(done.out)["parameters"]["stride"] == 2
    assert with_zigzag == [0, 2], "the arguments of a run are checked once"
    assert (tmp_path / "plan" / "edges.parquet").exists()

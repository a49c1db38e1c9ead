"""The table of maintainers is complete: names, parameters and help come from it alone."""

from __future__ import annotations

import inspect
import subprocess
import sys

import pytest

import topicweave as tw
from topicweave import pipeline
from topicweave.algorithms.options import TIES, check_options
from topicweave.churn import MAINTAINERS, Maintainer, Shadow
from topicweave.churn.pace import EVERY, Pace
from topicweave.churn.registry import DEFAULT, LASTING, Entry
from topicweave.cli.main import main
from topicweave.errors import ParameterError
from topicweave.parameters import Deferred, Parameter


@pytest.mark.parametrize("name", MAINTAINERS)
def test_every_entry_makes_its_maintainer(name, four_brokers):
    """With the defaults of the table, and with nothing that is not in it."""
    made = MAINTAINERS[name](four_brokers)
    assert isinstance(made, Maintainer)
    assert type(made) is MAINTAINERS[name].load() and made.name == name
    defaults = {parameter.name: parameter.default for parameter in MAINTAINERS[name].parameters}
    assert made.parameters == {**defaults, "seed": 0}
    with pytest.raises(ParameterError, match=f"'{name}' has no parameter 'wings'"):
        MAINTAINERS[name](four_brokers, wings=2)


def test_the_table_is_read_without_compiled_code():
    program = "import sys, topicweave.churn.registry; sys.exit('numba' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0
    assert DEFAULT in MAINTAINERS


def test_defaults_are_those_of_the_table_and_of_the_algorithms():
    """Every default is written once: the jobs and the table take it from there."""
    assert inspect.signature(pipeline.maintain).parameters["maintainer"].default == DEFAULT
    assert inspect.signature(pipeline.follow).parameters["reoptimise_every"].default == EVERY == Pace().every
    for entry in MAINTAINERS.values():
        known = {parameter.name: parameter for parameter in entry.parameters}
        assert known["k"].default == check_options("low").parameters["k"]
        assert known["ties"].choices == (LASTING, *TIES)


class Lazy(Shadow):
    """A toy: Shadow with a parameter of its own."""

    name = "lazy"


def test_an_entry_with_a_new_parameter_is_all_it_takes(four_brokers, monkeypatch, capsys):
    """Python and the command line know it without any other edit."""
    naps = Parameter("naps", int, "how often it sleeps", 2, minimum=1)
    entry = Entry(Deferred(f"{__name__}:Lazy"), (*MAINTAINERS["shadow"].parameters, naps), "sleeps")
    monkeypatch.setitem(MAINTAINERS, "lazy", entry)
    assert MAINTAINERS["lazy"](four_brokers, naps=4).parameters["naps"] == 4
    with pytest.raises(ParameterError, match="naps must be a whole number, 1 or more, but is 0"):
        MAINTAINERS["lazy"](four_brokers, naps=0)
    with pytest.raises(SystemExit):
        main(["churn", "--help"])
    said = " ".join(capsys.readouterr().out.split())
    assert "lazy: how often it sleeps (2 by default)" in said
    with pytest.raises(SystemExit) as ended:
        main(["churn", "plan", "events.jsonl", "--out", "after", "--maintainer", "lazy", "--naps", "0"])
    assert ended.value.code == 2
    assert "--naps must be a whole number, 1 or more, but is 0" in capsys.readouterr().err


def test_former_names_warn():
    """Names of earlier versions still work, and the warning says what they are called now."""
    shadow = Shadow(tw.Interest.from_sets({"a": ["x"], "b": ["x"]}))
    with pytest.warns(DeprecationWarning, match="num_edges"):
        assert shadow.num_links == shadow.num_edges == 1
    with pytest.warns(DeprecationWarning, match="state"):
        assert shadow.network is shadow.state
    change = shadow.leave("a")
    with pytest.warns(DeprecationWarning, match="num_changed"):
        assert change.num_links == change.num_changed == 1

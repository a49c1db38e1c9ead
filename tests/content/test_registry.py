"""The table of methods keeps its promises for every entry, including future ones."""

import inspect

import pytest

from topicweave.content import METHODS
from topicweave.content.registry import DEFAULT, find_method
from topicweave.errors import UnknownAlgorithmError


@pytest.mark.parametrize("name", METHODS)
def test_every_entry_says_what_its_function_takes(name):
    method = METHODS[name]
    taken = inspect.signature(method.function).parameters
    core = ["core"] if method.minimises_core else []
    assert list(taken) == ["instance", *(parameter.name for parameter in method.parameters), *core, "seed"]
    assert method.does and method.paper
    for parameter in method.parameters:
        written = taken[parameter.name].default
        assert written is inspect.Parameter.empty or written == parameter.default


@pytest.mark.parametrize("name", METHODS)
def test_every_parameter_has_a_default_that_it_takes(name):
    for parameter in METHODS[name].parameters:
        assert not parameter.is_required
        assert parameter.check(parameter.default) == parameter.default
        assert parameter.help and not parameter.help.endswith(".")


def test_a_method_is_found_by_name():
    assert find_method(DEFAULT) is METHODS["best"]
    with pytest.raises(UnknownAlgorithmError, match="There is no method 'mix'"):
        find_method("mix")

"""Each checker notices what it is there for, on a package of a few lines."""

import ast
from textwrap import dedent

import pytest

from tests.house.calls import core_of, count_calls, count_parameters, helpers_of, long_signatures
from tests.house.imports import circles
from tests.house.names import private_uses, renamed_modules
from tests.house.source import read_package


@pytest.fixture
def package(tmp_path):
    """Write files of a package, and read them."""

    def write(**files):
        for name, text in {"__init__": "", **files}.items():
            path = tmp_path / "topicweave" / f"{name.replace('__in__', '/')}.py"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(dedent(text))
        return read_package(tmp_path)

    return write


# ---- private names ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("from topicweave.a import _hidden", "topicweave.a._hidden"),
        ("from topicweave import a\na._hidden()", "a._hidden"),
        ("from topicweave import a\ndef _hidden(): a._hidden()", "a._hidden"),
        ("from .a import _hidden", "topicweave.a._hidden"),
        ("def f(x): return x._hidden", "x._hidden"),
        ("def f(x): x.y()._hidden = 1", "x.y()._hidden"),
        ("def f(x): return getattr(x, '_hidden')", "x._hidden"),
        ("def f(x): vars(x).update(_hidden=1)", "x._hidden"),
    ],
)
def test_private_names_of_others_are_found(package, text, found):
    assert private_uses(package(a="def _hidden(): pass", b=text)) == {f"topicweave/b.py: {found}"}


@pytest.mark.parametrize(
    "text",
    [
        "class A:\n    def f(self): return self._hidden",
        "class A:\n    def f(self): return super()._hidden()",
        "class A:\n    def __init__(self): self._mine = 1\n    def __eq__(self, other): return other._mine",
        "def f(x): return x.__class__",
        "def f(x): return x._replace(y=1)",
        "import os\nos._exit(0)",
        "for _ in (): pass",
    ],
)
def test_own_and_documented_names_are_free(package, text):
    assert not private_uses(package(a="def _hidden(): pass", b=text))


def test_a_librarys_name_that_is_ours_as_well_is_not_free(package):
    assert private_uses(package(a="def _exit(): pass", b="def f(x): x._exit()")) == {"topicweave/b.py: x._exit"}


# ---- modules under another name -------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("from topicweave import a as other", "topicweave.a as other"),
        ("import topicweave.a as other", "topicweave.a as other"),
        ("import json as j", "json as j"),
        ("from importlib import metadata as about", "importlib.metadata as about"),
        ("import numpy as n", "numpy as n"),
    ],
)
def test_renamed_modules_are_found(package, text, found):
    """A module under another name is found however it is imported."""
    assert renamed_modules(package(a="f = 1", b=text)) == {f"topicweave/b.py: {found}"}


@pytest.mark.parametrize(
    "text",
    [
        "from topicweave import a as a",
        "from topicweave.a import f as g",
        "import numpy as np",
        "from pyspark.sql import functions as F",
        "from topicweave.room import verb as other",
    ],
)
def test_functions_and_conventions_may_have_other_names(package, text):
    """``room.verb`` is a file, but what the package re-exports under this name is the function in it."""
    files = {"room__in____init__": "from topicweave.room.verb import verb as verb", "room__in__verb": "verb = 1"}
    assert not renamed_modules(package(a="f = 1", b=text, **files))


# ---- circles --------------------------------------------------------------------------------------------------------


def test_circles_are_found(package):
    """Three modules that import one another in turn, by any form of import, are one circle."""
    tree = package(a="from topicweave.b import f", b="from topicweave import c", c="if True:\n    import topicweave.a")
    assert circles(tree) == [["topicweave.a", "topicweave.b", "topicweave.c"]]


def test_a_circle_through_the_init_of_another_folder_is_found(package):
    """Importing ``one.x`` runs the ``__init__`` of ``one`` first, which imports what imports ``two`` again."""
    tree = package(
        one__in____init__="from topicweave.one.y import g",
        one__in__x="",
        one__in__y="from topicweave.two.z import h",
        two__in____init__="",
        two__in__z="from topicweave.one.x import f",
    )
    assert circles(tree) == [["topicweave.one", "topicweave.one.y", "topicweave.two.z"]]


def test_a_file_that_imports_from_its_own_init_is_a_circle(package):
    tree = package(one__in____init__="from topicweave.one.x import f", one__in__x="from topicweave.one import f")
    assert circles(tree) == [["topicweave.one", "topicweave.one.x"]]


def test_imports_for_type_checkers_and_inside_functions_make_no_circle(package):
    later = "def f():\n    from topicweave import a"
    only_types = "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from topicweave import a"
    assert not circles(package(a="from topicweave import b", b=only_types))
    assert not circles(package(a="from topicweave import b", b=only_types), in_functions=True)
    assert not circles(package(a="from topicweave import b", b=later))
    assert circles(package(a="from topicweave import b", b=later), in_functions=True) == [
        ["topicweave.a", "topicweave.b"]
    ]


def test_a_folder_that_re_exports_its_files_is_no_circle(package):
    tree = package(
        one__in____init__="from topicweave.one.x import f as f",
        one__in__x="from topicweave.one.y import g",
        one__in__y="",
    )
    assert not circles(tree)


# ---- the greedy core ------------------------------------------------------------------------------------------------


def test_calls_of_the_core_are_counted(package):
    tree = package(
        kernels__in__greedy__in____init__="from topicweave.kernels.greedy.b import again as again",
        kernels__in__greedy__in__a="""
            from topicweave.kernels.greedy import again, b
            from topicweave.kernels.greedy.b import other as another
            from topicweave.kernels.bits import popcount
            def mine(): pass
            class Record: pass
            def caller():
                mine()                          # within
                b.other(another(again()))       # three across
                popcount(len([]))               # across, if helpers count
                Record().mine()                 # a method: not counted
        """,
        kernels__in__greedy__in__b="""
            def other(): again()                # within
            def again(): pass
        """,
        kernels__in__bits="def popcount(word): pass",
        algorithms__in__greedy="from topicweave.kernels.greedy import a\na.caller()",
        algorithms__in__design="from topicweave.kernels.greedy import a\na.caller()",
    )
    core = core_of(tree)
    assert [source.module.rpartition("topicweave.")[2] for source in core] == [
        "algorithms.greedy", "kernels.greedy.a", "kernels.greedy.b"
    ]  # fmt: skip
    calls = count_calls(tree, core)
    assert (len(calls.within), len(calls.across)) == (2, 4)
    assert calls.share == pytest.approx(2 / 3)
    assert len(count_calls(tree, core, helpers_of(tree, core)).across) == 5


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("def f(): pass", 0),
        ("def f(a, /, b, *, c): pass", 3),
        ("def f(self, a, *rest, **named): pass", 3),
        ("async def f(a, b): pass", 2),
    ],
)
def test_parameters_are_counted(text, count):
    """All kinds count; ``self`` counts as one, and what gathers the rest does not."""
    assert count_parameters(ast.parse(text).body[0]) == count


def test_long_signatures_are_found(package):
    """Nine parameters are too many, eight are not."""
    tree = package(
        kernels__in__greedy__in__a="""
            def short(a, b, c, d, e, f, g, h): pass
            def long(a, b, c, d, e, f, g, h, i): pass
        """
    )
    assert long_signatures(core_of(tree)) == {"topicweave/kernels/greedy/a.py: long"}

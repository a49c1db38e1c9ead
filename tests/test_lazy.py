"""Names that a package loads when they are first used."""

import subprocess
import sys

import pytest

from topicweave.lazy import loader


def test_a_name_comes_from_the_module_that_defines_it():
    """The object is the module's own, not a copy or a wrapper."""
    from decimal import Decimal

    assert loader("numbers_of_ours", {"Decimal": "decimal"})("Decimal") is Decimal


def test_a_sub_package_is_loaded_under_its_own_name():
    """A name whose module is the package's own part of that name stands for the module itself."""
    import xml.dom

    assert loader("xml", {"dom": "xml.dom"})("dom") is xml.dom


def test_an_unknown_name_is_refused_as_python_refuses_it():
    """The message names the package and the name, and hasattr() works."""
    with pytest.raises(AttributeError, match=r"module 'xml' has no attribute 'nothing'"):
        loader("xml", {})("nothing")


def test_every_name_of_the_packages_can_be_loaded():
    """In a fresh process, everything in ``__all__`` is there."""
    packages = ", ".join(f"topicweave{part}" for part in ("", ".model", ".metrics", ".outages", ".pipeline"))
    program = f"import {packages}\nfor one in ({packages}):\n    [getattr(one, name) for name in one.__all__]"
    subprocess.run([sys.executable, "-c", program], check=True)

"""The files around the code say the same as the code: versions, pinned dependencies, commands."""

import re
import tomllib
from pathlib import Path

import pytest

import topicweave

CHECKOUT = Path(__file__).resolve().parents[1]
PROJECT = tomllib.loads((CHECKOUT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
PINNED = dict(
    line.split("==", 1)
    for line in (CHECKOUT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    if not line.startswith("#")
)


def plain(name):
    """A package's name as registries compare it."""
    return re.sub(r"[-_.]+", "-", name).lower()


def required():
    """The names of all packages that the project or one of its extras asks for, itself left out."""
    wanted = [*PROJECT["dependencies"], *(one for extra in PROJECT["optional-dependencies"].values() for one in extra)]
    return sorted({plain(re.match(r"[\w.-]+", one)[0]) for one in wanted} - {"topicweave"})


@pytest.mark.parametrize("name", required())
def test_every_dependency_is_pinned(name):
    """A new machine gets the versions that were tested, next year as well."""
    assert name in {plain(pinned) for pinned in PINNED}


def test_pins_are_names_and_versions_only():
    """No addresses, no paths, no editable installs; a pin may be for some versions of Python alone."""
    pin_of = re.compile(r"[\w.]+(; python_full_version >= \"[\d.]+\")?")
    assert all(re.fullmatch(r"[\w.-]+", name) and pin_of.fullmatch(pin) for name, pin in PINNED.items())


def test_the_stock_python_of_debian_12_can_install():
    """Its 3.11.2 is older than the newest soupsieve wants; there pip chooses another one by itself."""
    assert PINNED["soupsieve"].endswith('python_full_version >= "3.11.5"')


def test_the_citation_names_this_version():
    """CITATION.cff is the second and last place where the version is written."""
    citation = (CHECKOUT / "CITATION.cff").read_text(encoding="utf-8")
    assert re.search(r"^version: (.+)$", citation, re.MULTILINE)[1] == topicweave.__version__


@pytest.mark.parametrize(
    "file", [".github/workflows/test.yml", ".pre-commit-config.yaml", ".ci/run", "docs/release.md"]
)
def test_only_targets_that_exist_are_called(file):
    """Every text that says `make x` means an existing target of the Makefile."""
    targets = set(re.findall(r"^([\w-]+):", (CHECKOUT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
    called = re.findall(r"\bmake ([\w-]+)", (CHECKOUT / file).read_text(encoding="utf-8"))
    assert called
    assert set(called) <= targets


def test_files_named_in_the_release_checklist_exist():
    """So that someone who follows it a year from now finds the files."""
    text = (CHECKOUT / "docs" / "release.md").read_text(encoding="utf-8")
    named = re.findall(r"`([\w./]+\.(?:py|txt|md|cff))`|tests/\w+\.py", text)
    assert named and all((CHECKOUT / file).is_file() for file in named if file)


def test_the_citation_has_the_papers_of_the_docs():
    """All five, each with the title under which the page of papers lists it."""
    citation = (CHECKOUT / "CITATION.cff").read_text(encoding="utf-8")
    page = " ".join((CHECKOUT / "docs" / "papers.md").read_text(encoding="utf-8").split())
    titles = re.findall(r'^    title: "(.+)"$', citation, re.MULTILINE)
    assert len(titles) == 5
    assert all(title in page for title in titles)


def test_the_workflow_runs_two_versions_of_python_that_the_project_names():
    """And both are listed in the classifiers."""
    workflow = (CHECKOUT / ".github" / "workflows" / "test.yml").read_text(encoding="utf-8")
    versions = re.findall(r'"(3\.\d+)"', re.search(r"python: \[(.*)\]", workflow)[1])
    named = {line.rsplit(" ", 1)[1] for line in PROJECT["classifiers"] if line.startswith("Programming Language")}
    assert len(set(versions)) >= 2 and set(versions) <= named

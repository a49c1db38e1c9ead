"""The README and the docs say what is true: examples run, links lead somewhere, tables are what the commands print."""

import csv
import doctest
import re
import subprocess
import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import pytest

import topicweave as tw
from benchmarks.compare import EXAMPLE, compare, main, markdown, read
from topicweave import errors
from topicweave.parameters import REQUIRED

ROOT = Path(__file__).resolve().parent.parent
DOCS = ROOT / "docs"
PAGES = sorted([*ROOT.glob("*.md"), *(page for page in DOCS.rglob("*.md") if "_build" not in page.parts)])
WITH_EXAMPLES = [page for page in PAGES if "\n>>> " in page.read_text(encoding="utf-8")]
OPTIONS = doctest.NORMALIZE_WHITESPACE


PUBLIC = (
    "", ".algorithms", ".churn", ".content", ".content.matching", ".content.processes", ".content.protocol", ".deploy",
    ".metrics", ".model", ".optimise", ".outages", ".pipeline", ".workloads",
)  # fmt: skip
"""The packages whose names are for users; the errors are listed as a module."""


def name_of(page):
    return str(page.relative_to(ROOT))


def split_fences(text):
    """The text with everything but pycon blocks blanked, and with all blocks blanked; line numbers stay."""
    examples, prose, inside = [], [], None
    for line in text.splitlines():
        fence = line.startswith("```")
        if fence:
            inside = None if inside is not None else line.removeprefix("```")
        examples.append(line if inside == "pycon" and not fence else "")
        prose.append(line if inside is None and not fence else "")
    return "\n".join(examples) + "\n", "\n".join(prose)


def load(path):
    """Import a script that is in no package."""
    spec = spec_from_file_location(path.stem, path)
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


# ---- examples ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("page", WITH_EXAMPLES, ids=name_of)
def test_examples_give_what_they_show(page, monkeypatch):
    """All examples of a page, run one after the other from the project's folder."""
    monkeypatch.chdir(ROOT)
    text = page.read_text(encoding="utf-8")
    examples, _ = split_fences(text)
    assert examples.count(">>> ") == len(re.findall(r"^>>> ", text, re.MULTILINE)), "an example is in no pycon block"
    found = doctest.DocTestParser().get_doctest(examples, {}, page.name, str(page), 0)
    said = []
    outcome = doctest.DocTestRunner(optionflags=OPTIONS).run(found, out=said.append)
    assert outcome.attempted and not outcome.failed, "".join(said)


def test_wrong_examples_would_be_noticed():
    """The runner above is not blind: the same way of running fails on a false answer."""
    examples, _ = split_fences("# Title\n\n```pycon\n>>> 1 + 1\n3\n```\n\n```python\n>>> not run\n```\n")
    found = doctest.DocTestParser().get_doctest(examples, {}, "page", "page", 0)
    assert doctest.DocTestRunner(optionflags=OPTIONS).run(found, out=lambda _: None) == (1, 1)


# ---- links -------------------------------------------------------------------------------------------------------


def anchors(page):
    """The anchors of a page's headings, as GitHub and MyST make them."""
    _, prose = split_fences(page.read_text(encoding="utf-8"))
    titles = re.findall(r"^#+ (.+)$", prose, re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


@pytest.mark.parametrize("page", PAGES, ids=name_of)
def test_relative_links_lead_somewhere(page):
    """Files exist, and so do the headings that links point at."""
    _, prose = split_fences(page.read_text(encoding="utf-8"))
    for target in re.findall(r"\]\(([^)\s]+)\)", prose):
        if target.startswith(("http://", "https://")):
            continue
        file, _, anchor = target.partition("#")
        there = (page.parent / file).resolve() if file else page
        assert there.is_file(), f"{name_of(page)} links to {target}"
        assert not anchor or anchor in anchors(there), f"{name_of(page)} links to {target}"


def test_every_page_is_in_a_table_of_contents():
    """A page that no toctree names would not be found by a reader."""
    listed = set()
    for page in DOCS.rglob("*.md"):
        for block in re.findall(r"```\{toctree\}\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL):
            names = [line.strip() for line in block.splitlines() if line.strip() and not line.startswith(":")]
            listed.update((page.parent / f"{name}.md").resolve() for name in names)
    assert listed | {DOCS / "index.md"} == {page for page in PAGES if DOCS in page.parents}


# ---- algorithms --------------------------------------------------------------------------------------------------


def test_pages_and_algorithms_match():
    """Every algorithm has its page, and no page is about something that does not exist."""
    assert {page.stem for page in (DOCS / "algorithms").glob("*.md")} == {*tw.ALGORITHMS, "index"}


@pytest.mark.parametrize("name", tw.ALGORITHMS)
def test_pages_follow_the_template(name):
    """Same sections in the same order everywhere, and every parameter is mentioned."""
    text = (DOCS / "algorithms" / f"{name}.md").read_text(encoding="utf-8")
    sections = re.findall(r"^## (.+)$", text, re.MULTILINE)
    assert sections == ["Problem", "Rule", "Guarantee", "Paper", "Cost", "Readings and deviations", "Example"]
    assert text.startswith(f"# {name}: ") and f'tw.design(interest, "{name}"' in text
    for parameter in tw.ALGORITHMS[name].parameters:
        inherited = parameter.name.startswith("k_") and "[spidercast](spidercast.md)" in text
        assert inherited or re.search(rf"\b{parameter.name}\b", text), f"{parameter.name} is not on the page of {name}"


def test_overview_agrees_with_the_table():
    """Parameters, defaults and completeness are those of ALGORITHMS."""
    text = (DOCS / "algorithms" / "index.md").read_text(encoding="utf-8")
    rows = dict(re.findall(r"^\| \[(\w+)\]\(\1\.md\) \|(.+)\|$", text, re.MULTILINE))
    assert list(rows) == list(tw.ALGORITHMS)
    for name, algorithm in tw.ALGORITHMS.items():
        _, parameters, complete = (cell.strip() for cell in rows[name].split("|"))
        expected = []
        for parameter in algorithm.parameters:
            ratio = " or `budget_ratio`" if parameter.from_ratio else ""
            has_none = parameter.default is REQUIRED or parameter.default is None
            shown = parameter.default if isinstance(parameter.default, bool) or has_none else f"{parameter.default:g}"
            default = "" if has_none else f"={shown}"
            expected.append(f"`{parameter.name}{default}`{ratio}")
        assert parameters == ", ".join(expected)
        assert complete == ("yes" if algorithm.complete else "no")


# ---- figures -----------------------------------------------------------------------------------------------------


def test_readme_table_is_what_the_command_prints():
    """If this fails: python -m benchmarks.compare --readme README.md."""
    interest = read(EXAMPLE)
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    assert markdown(list(compare(interest))) in readme
    sizes = f"{interest.num_nodes} brokers, {interest.num_topics} topics, {interest.num_subscriptions:,} subscriptions"
    assert sizes in " ".join(readme.split())


def test_captions_of_the_picture_are_true():
    """If this fails: python docs/pictures.py."""
    pictures = load(DOCS / "pictures.py")
    drawn = (DOCS / "_static" / "overlays.svg").read_text(encoding="utf-8")
    interest = pictures.sixty_brokers()
    assert interest.num_nodes == 60
    for name, parameters, title in pictures.PANELS:
        assert f">{title}<" in drawn
        assert f">{pictures.caption(tw.design(interest, name, **parameters).overlay)}<" in drawn


def test_compare_prints_one_line_per_algorithm(tmp_path, capsys):
    """Two brokers with one topic: every algorithm makes the one link there is."""
    file = tmp_path / "two.csv"
    file.write_text("node,topic\na,news\nb,news\n", encoding="utf-8")
    assert main([str(file), "--markdown"]) == 0
    lines = capsys.readouterr().out.splitlines()[2:]
    assert [line.split(" | ")[1:] for line in lines] == [["1", "1.00", "1", "1", "yes |"]] * 5


def test_compare_replaces_the_table_and_nothing_else(tmp_path, capsys):
    """Text around the table stays; a file without the table is refused."""
    file, readme = tmp_path / "two.csv", tmp_path / "README.md"
    file.write_text("node,topic\na,news\nb,news\n", encoding="utf-8")
    readme.write_text(f"before\n\n{markdown(())}\n| old | 1 |\n\nafter\n| x |\n", encoding="utf-8")
    assert main([str(file), "--readme", str(readme)]) == 0
    main([str(file), "--markdown"])
    assert readme.read_text(encoding="utf-8") == f"before\n\n{capsys.readouterr().out}\nafter\n| x |\n"
    readme.write_text("no table\n", encoding="utf-8")
    with pytest.raises(SystemExit, match="no table"):
        main([str(file), "--readme", str(readme)])


# ---- the example -------------------------------------------------------------------------------------------------


def test_example_is_what_its_script_writes(tmp_path):
    """The committed file and a fresh one are the same, byte for byte."""
    script = load(ROOT / "examples" / "make_brokers.py")
    script.write(tmp_path / "brokers.csv")
    assert (tmp_path / "brokers.csv").read_bytes() == EXAMPLE.read_bytes()


def test_example_is_worth_designing_for():
    """A few hundred brokers with readable names, no row twice, no topic that only one of them wants."""
    with EXAMPLE.open(newline="", encoding="utf-8") as file:
        rows = list(csv.reader(file))
    assert rows[0] == ["node", "topic"]
    pairs = [tuple(row) for row in rows[1:]]
    assert len(set(pairs)) == len(pairs)
    interest = tw.Interest.from_pairs(pairs)
    assert 250 <= interest.num_nodes <= 350 and 120 <= interest.num_topics <= 180
    assert all(re.fullmatch(r"[a-z]{3}-\d\d", node) for node in interest.nodes)
    assert min(len(interest.subscribers_of(topic)) for topic in interest.topics) >= 2


# ---- the build ---------------------------------------------------------------------------------------------------


@pytest.mark.slow
def test_docs_build_without_warnings(tmp_path):
    """What ``make docs`` does."""
    command = [sys.executable, "-m", "sphinx", "-W", "-q", str(DOCS), str(tmp_path / "html")]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "html" / "algorithms" / "gm.html").is_file()


def test_the_api_page_lists_what_there_is():
    """Every entry can be imported, and every public name of every package is listed."""
    import importlib
    import types

    from topicweave.deprecation import renamed

    text = (DOCS / "api.md").read_text(encoding="utf-8")
    listed = re.findall(
        r"^\.\. auto(?:function|class):: ([\w.]+)$|`(topicweave\.[\w.]+)` (?:maps|lists)", text, re.MULTILINE
    )
    listed = [function or table for function, table in listed]
    for name in listed:
        module, _, attribute = name.rpartition(".")
        assert hasattr(importlib.import_module(module), attribute), name
    short = {name.rpartition(".")[2] for name in listed}
    for package in PUBLIC:
        module = importlib.import_module(f"topicweave{package}")
        names = getattr(module, "__all__", None) or [name for name in dir(module) if not name.startswith("_")]
        missing = [
            name
            for name in names
            if name not in short and name != "__version__" and f"`topicweave{package}.{name}`" not in text
            if not isinstance(getattr(module, name), types.ModuleType) and not hasattr(errors, name)
            if getattr(getattr(module, name), "__module__", "topicweave").startswith("topicweave")
            if getattr(module, name) is not renamed
        ]
        assert missing == [], f"docs/api.md does not list these names of topicweave{package}"
    pipeline = importlib.import_module("topicweave.pipeline")
    modules = {name: getattr(getattr(pipeline, name), "__module__", "") for name in dir(pipeline)}
    jobs = [name for name, module in modules.items() if module.startswith("topicweave.pipeline.jobs")]
    assert {"design", "probe"} <= set(jobs)
    assert {f"topicweave.pipeline.{name}" for name in jobs} <= set(listed)


def test_the_page_of_the_command_line_names_the_function_that_each_command_calls():
    """The command line parses, calls one function, and prints; so Python can do the same in three lines."""
    import importlib

    from topicweave.cli.main import COMMANDS

    text = (DOCS / "how-to" / "command-line.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `(\w+)[\w ]*` \| .* \| (`[^|]+`) \|$", text, re.MULTILINE)
    assert {command for command, _ in rows} == set(COMMANDS)
    for command, functions in rows:
        code = Path(importlib.import_module(COMMANDS[command][0]).__file__).read_text(encoding="utf-8")
        for name in re.findall(r"`([\w.]+)`", functions):
            package, _, function = name.partition(".")
            assert callable(getattr(importlib.import_module(f"topicweave.{package}"), function))
            assert f"{name}(" in code or f"import {function}\n" in code

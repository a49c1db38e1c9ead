"""``topicweave bound``: the bound, the gap of a plan, the certificate as a file."""

from __future__ import annotations

import json

import pytest

from topicweave.cli.main import main
from topicweave.optimise import Bound

pytestmark = pytest.mark.usefixtures("spark")


def run(*arguments: str) -> int:
    try:
        return main(list(arguments)) or 0
    except SystemExit as ended:
        return int(ended.code or 0)


def test_bound_of_a_file_and_gap_of_its_plan(tmp_path, capsys):
    """A triangle of topics needs three links; the plan has them, and its own folder says the same."""
    file, plan, saved = tmp_path / "interest.csv", tmp_path / "plan", tmp_path / "bound.npz"
    file.write_text("node,topic\na,x\na,y\nb,x\nb,z\nc,y\nc,z\n", encoding="utf-8")
    assert run("design", str(file), "--algorithm", "gm", "--out", str(plan), "--quiet") == 0
    capsys.readouterr()
    assert run("bound", str(file), str(plan), "--seconds", "1", "--save", str(saved), "--json") == 0
    assert json.loads(capsys.readouterr().out) == {"bound": 3.0, "gap": 0.0, "least_links": 3, "links": 3}
    assert Bound.load(saved).check() == 3.0
    assert run("bound", str(plan), "--seconds", "1") == 0
    printed = capsys.readouterr().out
    assert "No overlay has fewer than 3 links" in printed and "3 links are planned: the plan has exactly" in printed

"""Results are files; existing ones are not run again, and nothing half-written or foreign is ever read."""

import json

import pytest

from experiments.claim import Claim, Finding
from experiments.designing import ask
from experiments.digest import digest_of
from experiments.experiment import Experiment
from experiments.results import Known, Results, load, load_all, save, spread
from experiments.run import Run
from experiments.wanted import chosen, missing_files, runs_of
from experiments.workload import Social, Workload

SMALL, LARGE = Workload(300, 120, "uniform", 3), Workload(600, 120, "uniform", 3)
GM, RING = ask("gm"), ask("ring")
POINTS = ((SMALL, GM), (LARGE, RING), (LARGE, GM))
CLAIM = Claim("X-1", "", "", "", lambda _: Finding("", ""))
EXPERIMENT = Experiment("x-1", "", POINTS, (CLAIM,), num_seeds=2)


def test_runs_are_listed_once_heavy_subjects_first():
    runs = runs_of([EXPERIMENT, EXPERIMENT], num_seeds=None, quick=False)
    assert [(run.subject, run.action, run.seed) for run in runs] == [
        (LARGE, GM, 0),
        (LARGE, RING, 0),
        (LARGE, GM, 1),
        (LARGE, RING, 1),
        (SMALL, GM, 0),
        (SMALL, GM, 1),
    ]
    assert len(runs_of([EXPERIMENT], num_seeds=5, quick=False)) == 15


@pytest.mark.parametrize("spoil", ["cut", "other run", "other code"])
def test_files_of_something_else_are_not_believed(tmp_path, spoil):
    run = Run(SMALL, GM, 0)
    save(tmp_path, run, {"links": 7})
    assert load(tmp_path, run) == {"links": 7}
    file = tmp_path / run.path
    content = json.loads(file.read_text())
    if spoil == "other run":
        content["run"]["seed"] = 1
    elif spoil == "other code":
        content["code"] = "0" * 16
    text = json.dumps(content)
    file.write_text(text[:20] if spoil == "cut" else text)
    assert load(tmp_path, run) is None


def test_a_table_beside_the_page_stands_in_for_files_if_its_code_is_that_of_today(tmp_path):
    """Results that were made elsewhere and committed are not run again; those of other code are."""
    run = Run(SMALL, GM, 0)
    assert load(tmp_path, run, {run.key: Known(digest_of(run), {"links": 7})}) == {"links": 7}
    assert load(tmp_path, run, {run.key: Known("0" * 16, {"links": 7})}) is None


def test_a_measure_is_listed_by_seed():
    found = {Run(SMALL, GM, seed): {"links": links} for seed, links in enumerate((10, 14, 99))}
    results = Results(found, num_seeds=2)
    assert results(SMALL, GM, "links").tolist() == [10, 14] and results.of(1)(SMALL, GM, "links").tolist() == [10]
    assert spread(results(SMALL, GM, "links"), ".1f") == "12.0 ± 2.8"


@pytest.mark.parametrize(
    ("name", "found"), [("gm", {"gm-2", "gm-3", "gm-4", "gm-passes"}), ("LOW-4", {"low-3"}), ("gm-2", {"gm-2"})]
)
def test_experiments_are_named_by_paper_claim_or_themselves(name, found):
    assert {experiment.name for experiment in chosen([name])} == found


def test_absent_data_files_are_named(tmp_path):
    runs = [Run(Social("graph.tsv", 50), GM, 0), Run(SMALL, GM, 0)]
    assert missing_files(runs, tmp_path) == {"graph.tsv"}
    (tmp_path / "graph.tsv").touch()
    assert missing_files(runs, tmp_path) == set()


def test_stale_results_are_shown_but_run_again(tmp_path):
    """A result of other code is listed as stale, whether it comes from the folder or from beside the page."""
    run, other = Run(SMALL, GM, 0), Run(SMALL, GM, 1)
    save(tmp_path, run, {"links": 7})
    published = {run.key: Known("0" * 16, {"links": 5}), other.key: Known("0" * 16, {"links": 6})}
    known, stale = load_all(tmp_path, [run, other, Run(SMALL, RING, 0)], published)
    found = {one: result.result for one, result in known.items()}
    assert found == {run: {"links": 7}, other: {"links": 6}}
    assert stale == {other}
    results = Results(found, 1, stale=stale)
    assert results(SMALL, GM, "links").tolist() == [7] and not results.is_stale
    assert Results(found, 2, stale=stale)(SMALL, GM, "links").tolist() == [7, 6]
    both = Results(found, 2, stale=stale)
    both(SMALL, GM, "links")
    assert both.is_stale and not both.unread().is_stale

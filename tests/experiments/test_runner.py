"""Results are files; what is there is not run again, and nothing half-written is ever read."""

import json

import pytest

import topicweave as tw
from experiments import runner
from experiments.claim import Claim, Finding
from experiments.description import Run, Workload, ask
from experiments.results import Results, load, save, spread
from experiments.runner import collect, wanted_runs

SMALL, LARGE = Workload(30, 12, "uniform", 3), Workload(60, 12, "uniform", 3)
GM, RING = ask("gm"), ask("ring")
CLAIM = Claim("X-1", "", "", "", ((SMALL, GM), (LARGE, RING), (LARGE, GM)), lambda _: Finding("", ""), num_seeds=2)


def nothing(_run):
    """No progress to show."""


@pytest.fixture
def performed(monkeypatch):
    """The runs that were really run, in order."""
    seen = []
    perform = runner.perform
    monkeypatch.setattr(runner, "perform", lambda run: seen.append(run) or perform(run))
    return seen


def test_runs_are_listed_once_heavy_workloads_first():
    runs = wanted_runs([CLAIM, CLAIM], num_seeds=None, quick=False)
    assert [(run.workload, run.asked, run.seed) for run in runs] == [
        (LARGE, GM, 0),
        (LARGE, RING, 0),
        (LARGE, GM, 1),
        (LARGE, RING, 1),
        (SMALL, GM, 0),
        (SMALL, GM, 1),
    ]
    assert len(wanted_runs([CLAIM], num_seeds=5, quick=False)) == 15


def test_killed_in_the_middle_it_goes_on_from_there(tmp_path, performed, monkeypatch):
    """The second call runs what the first did not finish, and all results are as if nothing had happened."""
    runs = wanted_runs([CLAIM], num_seeds=None, quick=False)
    perform = runner.perform

    def killed(run):
        if len(performed) == 2:
            raise KeyboardInterrupt
        return perform(run)

    with monkeypatch.context() as patched, pytest.raises(KeyboardInterrupt):
        patched.setattr(runner, "perform", killed)
        collect(runs, tmp_path, begin=nothing, done=nothing)
    assert performed == runs[:2]
    advanced = []
    found = collect(runs, tmp_path, begin=nothing, done=advanced.append)
    assert performed == runs and sorted(map(str, advanced)) == sorted(map(str, runs))
    assert set(found) == set(runs)
    assert collect(runs, tmp_path, begin=nothing, done=nothing) == found and performed == runs


@pytest.mark.parametrize("spoil", ["cut", "other run", "other version"])
def test_files_of_something_else_are_not_believed(tmp_path, spoil):
    run = Run(SMALL, GM, 0)
    save(tmp_path, run, {"links": 7})
    assert load(tmp_path, run) == {"links": 7}
    file = tmp_path / run.path
    content = json.loads(file.read_text())
    if spoil == "other run":
        content["run"]["seed"] = 1
    elif spoil == "other version":
        content["topicweave"] = tw.__version__ + ".post1"
    text = json.dumps(content)
    file.write_text(text[:20] if spoil == "cut" else text)
    assert load(tmp_path, run) is None


def test_view_lists_a_measure_by_seed():
    found = {Run(SMALL, GM, seed): {"links": links} for seed, links in enumerate((10, 14, 99))}
    values = Results(found, num_seeds=2)(SMALL, GM, "links")
    assert values.tolist() == [10, 14]
    assert spread(values, ".1f") == "12.0 ± 2.8"

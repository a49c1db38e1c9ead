"""Results of earlier code are accepted only if those repeated with the present code are the same."""

import pytest

from experiments.confirming import is_same, stale_groups
from experiments.content.assigning import Assigned
from experiments.content.market import Market
from experiments.designing import ask
from experiments.digest import digest_of
from experiments.experiment import Experiment
from experiments.report.markdown import accepted_in
from experiments.report.sections import section_of
from experiments.report.tables import read_tables, write_table
from experiments.results import Known, known, load, save
from experiments.run import Run
from experiments.workload import Workload

SMALL = Workload(30, 12, "uniform", 3)
RUNS = [Run(SMALL, ask(algorithm), seed) for algorithm in ("gm", "ring") for seed in range(8)]
EARLIER = {run.key: Known("0" * 16, run.perform(str)) for run in RUNS}
ONE = Experiment("x-0", "", ((SMALL, ask("gm")),), num_seeds=1)


def repeated(folder, published, *, least=2):
    """The groups, after their samples were run with the present code."""
    groups = stale_groups(RUNS, folder, published, share=0.01, least=least)
    for run in (run for group in groups for run in group.sample):
        save(folder, run, run.perform(str))
    return groups


def test_results_that_come_out_the_same_are_accepted(tmp_path):
    """One group for each algorithm; what is accepted is valid now, and says which code it was measured with."""
    groups = repeated(tmp_path, EARLIER)
    assert [(len(group.earlier), len(group.sample), group.differing(tmp_path)) for group in groups] == [(8, 2, [])] * 2
    for group in groups:
        for run, found in group.accepted().items():
            save(tmp_path, run, found.result, found.code)
    assert all(load(tmp_path, run) is not None for run in RUNS)
    assert sum(known(tmp_path, run).measured_with == "0" * 16 for run in RUNS) == 12
    assert stale_groups(RUNS, tmp_path, EARLIER, share=0.01, least=2) == []
    experiment = Experiment("x-1", "", ((SMALL, ask("gm")), (SMALL, ask("ring"))), num_seeds=8)
    section = section_of(experiment, tmp_path, tmp_path, {}, num_seeds=None, quick=False)
    assert accepted_in(section).startswith("12 of these 16 results were measured with an earlier version")


def test_a_changed_result_is_found(tmp_path):
    """One group whose results have changed does not hinder another."""
    changed = {
        key: Known(one.code, {**one.result, "links": one.result["links"] + ("gm" in key[1])})
        for key, one in EARLIER.items()
    }
    differing = [group.differing(tmp_path) for group in repeated(tmp_path, changed)]
    assert sorted(map(len, differing)) == [0, 2]


def test_only_stale_results_are_drawn(tmp_path):
    """Results of the present code need no confirmation, and where there is no result there is nothing to confirm."""
    published = {RUNS[0].key: Known(digest_of(RUNS[0]), {"links": 1})}
    assert stale_groups(RUNS[:2], tmp_path, published, share=1, least=1) == []


@pytest.mark.parametrize(("factor", "accepted"), [(1, True), (0.001, False), (1000, False)])
def test_judged_times_must_be_about_the_same(tmp_path, factor, accepted):
    """The same costs are not enough where the claim is about time: a thousand times as long is a difference."""
    runs = [Run(Market(40, 4), Assigned("clustering", timed=True), seed) for seed in range(3)]
    now = {run: run.perform(str) for run in runs}
    published = {
        run.key: Known("0" * 16, {**result, "seconds": factor * result["seconds"]}) for run, result in now.items()
    }
    (group,) = stale_groups(runs, tmp_path, published, share=1, least=1)
    for run, result in now.items():
        save(tmp_path, run, result)
    assert (group.differing(tmp_path) == []) is accepted


@pytest.mark.parametrize(
    ("other", "same"),
    [
        ({"links": 100_123, "curve": [0.123456, 1], "seconds": 9.0, "load": 2}, True),
        ({"links": 100_123, "curve": [0.123463, 1], "repair_ms": 3, "more": 1}, True),
        ({"links": 100_124, "curve": [0.123456, 1]}, False),
        ({"links": 100_123, "curve": [0.1235, 1]}, False),
        ({"links": 100_123, "curve": [0.123456]}, False),
        ({"seconds": 1.0}, False),
    ],
)
def test_times_and_rounding_do_not_count(tmp_path, other, same):
    """What a table holds is compared with what was repeated: counts exactly, other numbers to five digits."""
    published = {RUNS[0].key: Known("0" * 16, {"links": 100_123, "curve": [0.123457, 1.0], "seconds": 1.0})}
    for _ in range(2):  # a table that is read and written again keeps its numbers
        section = section_of(ONE, tmp_path / "no results", tmp_path, published, num_seeds=1, quick=False)
        published = read_tables([write_table(section, tmp_path)])
    assert is_same(published[RUNS[0].key].result, other) is same

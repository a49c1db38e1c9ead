"""Which code a result depends on."""

import ast
import subprocess
import sys
from dataclasses import replace

import pytest

from experiments import digest
from experiments.content.assigning import Assigned
from experiments.content.market import Market
from experiments.designing import ask
from experiments.run import Run
from experiments.shadow.replaying import Replayed
from experiments.workload import Workload

SMALL = Workload(30, 12, "uniform", 3)


def reached(run):
    """The modules behind a run."""
    algorithms = getattr(run.action, "algorithms", ())
    modules = {type(run.subject).__module__, type(run.action).__module__}
    modules |= {digest._where(algorithm) for algorithm in algorithms}
    return digest.reached_from(tuple(sorted(modules)))


@pytest.mark.parametrize(
    ("run", "uses", "does_not_use"),
    [
        (Run(SMALL, ask("gm"), 0), "topicweave.kernels.greedy.sweep", "topicweave.kernels.spidercast"),
        (Run(SMALL, ask("spidercast"), 0), "topicweave.kernels.spidercast", "topicweave.kernels.stars"),
        (Run(SMALL, ask("gm"), 0), "topicweave.metrics.verifier", "topicweave.churn.shadow"),
        (Run(SMALL, ask("gm"), 0), "topicweave.workloads.synthetic", "topicweave.algorithms.registry"),
        (Run(SMALL, Replayed(), 0), "topicweave.churn.shadow", "topicweave.content.assign"),
        (Run(SMALL, Replayed(), 0), "topicweave.kernels.greedy.sweep", "topicweave.kernels.content.steiner"),
        (Run(Market(40, 4), Assigned("clustering"), 0), "topicweave.content.clustering", "topicweave.churn.shadow"),
    ],
)  # fmt: skip
def test_a_run_depends_on_what_it_uses_and_on_nothing_else(run, uses, does_not_use):
    """A change of one algorithm makes no result of another stale."""
    assert uses in reached(run)
    assert does_not_use not in reached(run)


def test_words_do_not_count_but_code_does():
    """Comments, docstrings and layout make no result stale."""

    def code(text):
        return ast.dump(digest._Bare().visit(ast.parse(text)))

    before = code('"""Old."""\ndef f(x):\n    """Says."""\n    return x + 1  # why\n')
    assert code('"""New."""\n\n\ndef f(x):\n    return (x +\n            1)\n') == before
    assert code("def f(x):\n    return x + 2\n") != before


def test_a_default_that_changes_makes_results_stale(monkeypatch):
    """Parameters that an experiment leaves out come from the table of algorithms."""
    run = Run(SMALL, ask("low"), 0)
    before = digest.digest_of(run)
    entry = digest.ALGORITHMS["low"]
    other = [replace(one, default=9.0) if one.name == "k" else one for one in entry.parameters]
    monkeypatch.setitem(digest.ALGORITHMS, "low", replace(entry, parameters=tuple(other)))
    digest._digest_of.cache_clear()
    assert digest.digest_of(run) != before
    digest._digest_of.cache_clear()


PERFORM = """
import sys
from experiments.digest import NOT_ENTERED
from experiments.table import EXPERIMENTS

runs = {type(run.action): run for experiment in EXPERIMENTS for run in experiment.runs() if not run.subject.files}
for run in runs.values():
    run.reduced().perform(lambda name: name)
print(len(runs), *(name for name in sys.modules if f"{name}.".startswith(tuple(f"{room}." for room in NOT_ENTERED))))
"""


def test_no_run_enters_the_packages_that_digests_leave_out():
    """One small run of every kind, in a process of its own: it loads none of their modules."""
    done = subprocess.run([sys.executable, "-c", PERFORM], capture_output=True, text=True, check=True)
    number, *loaded = done.stdout.split()
    assert int(number) > 5 and loaded == []

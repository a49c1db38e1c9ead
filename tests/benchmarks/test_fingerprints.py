"""Fingerprints: the same code always gives the same, and different results give different ones."""

import json

import numba
import numpy as np
import pytest

from benchmarks import fingerprints

FEW = (
    "workload: zipf, small sets",
    "design: ring, uniform, small sets",
    "design: low random, exponential, small sets",
    "churn: shadow greedy, random",
    "content: greedy_packing, 60 users, price ratio 0.1, seed 0",
)
too_slow = pytest.mark.skipif(bool(numba.config.DISABLE_JIT), reason="too slow when kernels are interpreted")


def test_there_are_as_many_entries_as_promised():
    kinds = [name.partition(":")[0] for name in fingerprints.entries()]
    assert kinds.count("design") >= 135
    assert kinds.count("churn") >= 24
    assert kinds.count("content") >= 60


@too_slow
def test_two_runs_are_equal():
    """Made again, everything has the fingerprint it had; different cases have different ones."""
    chosen = {name: fingerprints.entries()[name] for name in FEW}
    first = fingerprints.compute(chosen)
    fingerprints.workload.cache_clear()
    fingerprints.content_instance.cache_clear()
    assert fingerprints.compute(chosen) == first
    assert len(set(first.values())) == len(FEW)
    assert all(len(value) == 64 for value in first.values())


@too_slow
def test_another_result_has_another_fingerprint():
    """A difference in a single entry is detected: another seed, another order of events."""
    law, size = "uniform", "small sets"
    assert fingerprints.design_print(law, size, "random_avg", m=50) != fingerprints.design_print(
        law, size, "random_avg", m=50, seed=2
    )
    history = fingerprints.churn_print(law, "naive", "random", num_events=20)
    assert history != fingerprints.churn_print(law, "naive", "random", num_events=21)


def test_order_shape_and_labels_count():
    one = fingerprints.digest(np.array([[0, 1], [2, 3]]))
    assert one == fingerprints.digest(np.array([[0, 1], [2, 3]], dtype=np.int32))
    assert one != fingerprints.digest(np.array([[2, 3], [0, 1]]))
    assert one != fingerprints.digest(np.array([0, 1, 2, 3]))
    assert fingerprints.digest(["a", "b"]) != fingerprints.digest(["b", "a"])
    assert fingerprints.digest([("a", "b")], []) != fingerprints.digest([], [("a", "b")])


def test_a_changed_entry_is_named_and_the_code_is_1(tmp_path, capsys):
    file = tmp_path / "deep" / "before.json"
    only = ["--only", "workload: zipf*"]
    assert fingerprints.main([*only, "--out", str(file)]) == fingerprints.SAME
    assert fingerprints.main([*only, "--against", str(file)]) == fingerprints.SAME
    before = json.loads(file.read_text(encoding="utf-8"))
    assert "workload: zipf, small sets" in before
    before["workload: zipf, small sets"] = "0" * 64
    before["workload: zipf, gone"] = "0" * 64
    del before["workload: zipf, many nodes"]
    file.write_text(json.dumps(before), encoding="utf-8")
    capsys.readouterr()
    assert fingerprints.main([*only, "--against", str(file)]) == fingerprints.DIFFERENT
    told = capsys.readouterr().out.splitlines()
    assert told[:3] == [
        "differs: workload: zipf, small sets",
        "new: workload: zipf, many nodes",
        "missing: workload: zipf, gone",
    ]


def test_an_entry_that_fails_is_told(monkeypatch, capsys):
    """Otherwise two versions that fail alike would look the same."""

    def failing():
        raise ValueError("no such option")

    monkeypatch.setattr(fingerprints, "entries", lambda: {"design: odd": failing})
    assert fingerprints.main([]) == fingerprints.DIFFERENT
    assert "error: design: odd: ValueError: no such option" in capsys.readouterr().out

"""topicweave bench hands over to the benchmarks of the checkout."""

from pathlib import Path

import pytest

from topicweave.cli import bench


def test_arguments_and_exit_code_go_through(start, tmp_path):
    known = start("bench", "--", "--help", cwd=tmp_path)
    out, err = known.communicate(timeout=120)
    assert known.returncode == 0, err.decode()
    assert b"--json" in out
    unknown = start("bench", "no-such-case", cwd=tmp_path)
    _, err = unknown.communicate(timeout=120)
    assert unknown.returncode == 2
    assert b"Traceback" not in err


def test_the_working_folder_stays_the_user_s(run, monkeypatch, tmp_path):
    """A relative name such as ``--json bench.json`` means the folder the user is in."""
    seen = {}

    def fake(command, **options):
        seen.update(options, command=command)
        return type("Finished", (), {"returncode": 1})

    monkeypatch.setattr(bench.subprocess, "run", fake)
    assert run("bench", "gm", "--json", "bench.json").code == 1
    assert seen["command"][-3:] == ["gm", "--json", "bench.json"]
    assert "cwd" not in seen


def test_without_a_checkout(run, monkeypatch, tmp_path):
    monkeypatch.setattr(bench, "CHECKOUT", Path(tmp_path))
    refused = run("bench")
    assert refused.code == 2
    assert refused.err == (
        "Error: The benchmarks are not part of the installed package; run this in a checkout of the project.\n"
    )


@pytest.mark.parametrize("code", [0, 130])
def test_other_exit_codes(run, monkeypatch, code):
    monkeypatch.setattr(bench.subprocess, "run", lambda *_, **__: type("Finished", (), {"returncode": code}))
    if code == 130:  # main ends the process hard then, so that no thread delays it
        monkeypatch.setattr("os._exit", lambda number: (_ for _ in ()).throw(SystemExit(number)))
    assert run("bench").code == code

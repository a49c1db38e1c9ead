"""Runs that did not get to their end: what they had done is not done again, unless anything has changed."""

import importlib
import json
import os
import shutil
import subprocess
import sys

import numpy as np
import pytest

from topicweave.algorithms import design as design_in_memory
from topicweave.errors import TargetError, VerificationError
from topicweave.model import Interest
from topicweave.pipeline import Clients, Counts, Observer, Table, Target, design, load
from topicweave.pipeline.plan.checkpoints import files, keys, store
from topicweave.workloads import synthetic

# Modules, where the package has functions of the same name.
publishing = importlib.import_module("topicweave.pipeline.publishing")
load_module = importlib.import_module("topicweave.pipeline.loading")

RESUMED = "(resumed from an interrupted run)"
BOTH = {"clean and encode", "design"}


@pytest.fixture(scope="module")
def rows():
    interest = synthetic(num_nodes=60, num_topics=15, popularity="zipf", alpha=0.5, subscriptions=3, seed=1)
    return "node,topic\n" + "".join(f"{node},{topic}\n" for node, topic in interest.pairs())


@pytest.fixture(autouse=True)
def everything_is_worth_keeping(monkeypatch):
    monkeypatch.setattr(load_module, "BYTES_WORTH_SAVING", 0)
    monkeypatch.setattr(store, "ROWS_WORTH_SAVING", 0)
    monkeypatch.setattr(store, "SECONDS_WORTH_SAVING", 0.0)
    # The package may be edited while its tests run.
    monkeypatch.setattr(keys, "_own_code", lambda: "the same")


class Killer(Observer):
    """Ends the run where a stage begins; hears what the others say."""

    def __init__(self, stage=None, end=RuntimeError):
        self.stage, self.end, self.heard = stage, end, {}

    def on_stage(self, name):
        if name == self.stage:
            raise self.end("killed")

    def on_stage_done(self, name, seconds, detail):
        self.heard[name] = detail


def broken_off(spark, source, out, algorithm="low", stage="verify", **parameters):
    with pytest.raises(RuntimeError, match="killed"):
        design(source, algorithm, out=out, progress=Killer(stage), spark=spark, **parameters)
    assert not out.exists()


def stages_of(out):
    folder = out.with_name(f".{out.name}.stages")
    return {path.name.rpartition("-")[0]: path for path in folder.iterdir()} if folder.exists() else {}


def resumed(spark, source, out, algorithm="low", **parameters):
    """Which stages a whole run resumes."""
    return set(design(source, algorithm, out=out, spark=spark, **parameters).manifest["resumed"])


def test_what_is_done_is_not_done_again(spark, write, tmp_path, rows, monkeypatch):
    """Neither encoded nor designed again; the same plan, which says so; nothing is left beside it."""
    path, out = write("in.csv", rows + "lonely\n"), tmp_path / "plan"
    settings = {"k": 3, "max_bad_fraction": 0.05, "candidates": "near"}
    whole = design(path, out=tmp_path / "whole", spark=spark, **settings)
    broken_off(spark, path, out, **settings)
    assert stages_of(out).keys() == {"clean-and-encode", "design"}

    def fail(*_, **__):
        raise AssertionError("done again")

    monkeypatch.setattr(load_module, "encode", fail)
    monkeypatch.setattr("topicweave.algorithms.design", fail)
    killer = Killer()
    plan = design(path, out=out, progress=killer, spark=spark, **settings)
    assert killer.heard["clean and encode"].endswith(RESUMED) and killer.heard["design"].endswith(RESUMED)
    assert plan.interest == whole.interest and plan.verification.topic_connected
    for name in ("edges.parquet", "nodes.parquet", "topics.parquet", "quarantine/rows.jsonl.gz"):
        assert (out / name).read_bytes() == (tmp_path / "whole" / name).read_bytes()
    told, expected = plan.manifest, whole.manifest
    assert {key: told[key] for key in ("rows", "parameters", "overlay", "seed")} == {
        key: expected[key] for key in ("rows", "parameters", "overlay", "seed")
    }
    assert told["resumed"].keys() == BOTH and expected["resumed"] == {}
    assert plan.design.trace.rounds == whole.design.trace.rounds and plan.design.trace.rounds
    assert plan.design.components == whole.design.components and plan.design.parameters == whole.design.parameters
    assert sorted(os.listdir(tmp_path)) == ["in.csv", "plan", "whole"]


@pytest.mark.slow
def test_a_run_that_ends_in_design_leaves_what_was_read(spark, write, tmp_path, rows, monkeypatch):
    path, out = write("in.csv", rows), tmp_path / "plan"
    broken_off(spark, path, out, stage="design")
    assert stages_of(out).keys() == {"clean-and-encode"}
    assert resumed(spark, path, out) == {"clean and encode"}


@pytest.mark.parametrize(("stage", "is_told"), [("clean and encode", False), ("write", True)])
def test_who_presses_ctrl_c_is_told_what_is_kept(spark, write, tmp_path, rows, stage, is_told):
    out = tmp_path / "plan"
    with pytest.raises(KeyboardInterrupt) as caught:
        design(write("in.csv", rows), "low", out=out, progress=Killer(stage, KeyboardInterrupt), spark=spark)
    notes = getattr(caught.value, "__notes__", [])
    told = [f"Finished stages are kept in {tmp_path / '.plan.stages'}; the same command continues from there."]
    assert notes == (told if is_told else [])
    assert bool(stages_of(out)) == is_told


@pytest.mark.slow
@pytest.mark.parametrize("stage", ["clean and encode", "write"])
def test_any_stage(spark, write, tmp_path, rows, stage):
    """Wherever a run breaks off, the next one continues after the last stage that was kept."""
    path, out = write("in.csv", rows), tmp_path / "plan"
    broken_off(spark, path, out, stage=stage)
    assert resumed(spark, path, out) == (set() if stage == "clean and encode" else BOTH)


@pytest.mark.slow
def test_changed_input(spark, write, tmp_path, rows):
    """A row more; the same bytes written again with their old time; another file: nothing is resumed."""
    path, out = write("in.csv", rows), tmp_path / "plan"
    broken_off(spark, path, out)
    write("in.csv", rows + "new,0\n")
    broken_off(spark, path, out)
    assert len(stages_of(out)) == 2, "what the first run left is gone"
    old = os.stat(path)
    write("in.csv", rows + "now,0\n")
    os.utime(path, ns=(old.st_atime_ns, old.st_mtime_ns))
    assert os.stat(path).st_size == old.st_size
    plan = design(path, out=out, spark=spark)
    assert plan.manifest["resumed"] == {} and "now" in plan.interest.nodes


@pytest.mark.slow
def test_changed_parameters(spark, write, tmp_path, rows, monkeypatch):
    """Another rule, parameter or seed gets a new design for what was read; other reading options lead to a new read."""
    path, out = write("in.csv", rows), tmp_path / "plan"
    broken_off(spark, path, out)
    for settings in ({"algorithm": "gm"}, {"k": 4}, {"seed": 1}):
        broken_off(spark, path, out, **settings)
        assert len(stages_of(out)) == 2, "only the last run's design is kept"
    assert resumed(spark, path, out) == {"clean and encode"}
    shutil.rmtree(out)
    broken_off(spark, path, out)
    swapped = Table(path, columns={"node": "topic", "topic": "node"})
    assert resumed(spark, swapped, out) == set()
    shutil.rmtree(out)
    broken_off(spark, path, out)
    monkeypatch.setattr("topicweave.pipeline.plan.manifest.__version__", "another")
    killer = Killer("verify")
    with pytest.raises(RuntimeError, match="killed"):
        design(path, out=out, progress=killer, spark=spark)
    assert RESUMED not in killer.heard["clean and encode"] + killer.heard["design"]
    monkeypatch.setattr(keys, "_own_code", lambda: "another")
    assert resumed(spark, path, out) == set()


@pytest.mark.slow
def test_fresh(spark, write, tmp_path, rows):
    """With ``fresh`` nothing that was kept is used."""
    path, out = write("in.csv", rows), tmp_path / "plan"
    broken_off(spark, path, out)
    assert resumed(spark, path, out, fresh=True) == set()


@pytest.mark.slow
def test_a_torn_file_is_not_used(spark, write, tmp_path, rows, caplog):
    path, out = write("in.csv", rows), tmp_path / "plan"
    broken_off(spark, path, out)
    file = stages_of(out)["clean-and-encode"]
    file.write_bytes(file.read_bytes()[:-1])
    assert resumed(spark, path, out) == {"design"}
    assert "is damaged and not used" in caplog.text


@pytest.mark.parametrize("stage", ["clean-and-encode", "design"])
@pytest.mark.parametrize("harm", ["none", "cut", "flip", "other", "empty", "folder"])
def test_whatever_is_wrong_with_a_file(tmp_path, stage, harm):
    """Its stage is done again; the other is resumed."""
    interest = Interest.from_pairs([("a", "x"), ("b", "x"), ("b", "y")])
    made = design_in_memory(interest, "gm")
    with Target(tmp_path / "plan") as target:
        first, again = (store.Checkpoints(target) for _ in range(2))
        for stages in (first, again):
            stages._input = "1"
        assert first.find_account() is None and first.find_design(interest, "gm", {}, 0) is None
        first.save_account((interest, {"links": Counts(3, {"bad": 2}, {"header": 1})}, 4), 5.0)
        first.save_design(made, 6.0)
        file = stages_of(tmp_path / "plan")[stage]
        content = bytearray(file.read_bytes())
        if harm == "cut":
            file.write_bytes(content[: len(content) // 2])
        elif harm == "flip":
            # the first number behind the header of an array
            name = b"indices.npy" if stage == "clean-and-encode" else b"edges.npy"
            content[content.index(b"\n", content.index(name)) + 1] ^= 1
            file.write_bytes(content)
        elif harm == "other":
            files.save(file, {"seconds": 1.0}, {"x": np.arange(3)})
        elif harm == "empty":
            file.write_bytes(b"")
        elif harm == "folder":
            file.unlink()
            file.mkdir()
        account, planned = again.find_account(), again.find_design(interest, "gm", {}, 0)
        torn = set() if harm == "none" else {stage.replace("-", " ")}
        assert again.resumed.keys() == BOTH - torn
        if account is not None:
            assert account == (interest, {"links": Counts(3, {"bad": 2}, {"header": 1})}, 4)
        if planned is not None:
            assert planned.overlay == made.overlay and planned.seconds == made.seconds
            assert planned.parameters == made.parameters and planned.trace.support.tolist() == [1.0]


def test_half_written_files_are_not_there(tmp_path, monkeypatch):
    """Writing that fails leaves neither the file nor a part of it."""

    def full(*_, **__):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(TargetError, match="No space"):
        files.save(tmp_path / "x.npz", {}, {"x": np.arange(3)})
    assert os.listdir(tmp_path) == []
    assert files.load(tmp_path / "x.npz") is None


@pytest.mark.slow
def test_where_nothing_can_be_kept(spark, write, tmp_path, rows, caplog):
    """Something else has the folder's name: the run works as it would without."""
    path, out = write("in.csv", rows), tmp_path / "plan"
    (tmp_path / ".plan.stages").write_text("mine")
    broken_off(spark, path, out)
    assert "is not kept" in caplog.text
    plan = design(path, out=out, spark=spark)
    assert plan.manifest["resumed"] == {} and plan.verification.topic_connected
    assert (tmp_path / ".plan.stages").read_text() == "mine"


@pytest.mark.slow
def test_full_disk(spark, write, tmp_path, rows, monkeypatch, caplog):
    """Nothing can be kept then, which is reported; the plan is made all the same."""
    path, out = write("in.csv", rows), tmp_path / "plan"

    def full(*_, **__):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(store, "save", full)
    assert design(path, out=out, spark=spark).verification.topic_connected
    assert "No space left on device" in caplog.text
    assert sorted(os.listdir(tmp_path)) == ["in.csv", "plan"]


def test_read_only_folder(tmp_path, as_mortal):
    """What is there may be read, but neither added to nor cleared: both are no obstacle."""
    folder = tmp_path / ".plan.stages"
    folder.mkdir()
    (folder / "design-0.npz").write_bytes(b"")
    folder.chmod(0o500)
    said = as_mortal(f"""
import logging
from topicweave.model import Interest
from topicweave.pipeline.plan.checkpoints import store
from topicweave.pipeline.plan.target import Target
logging.disable()
store.ROWS_WORTH_SAVING = 0
with Target({str(tmp_path / "plan")!r}) as target:
    stages = store.Checkpoints(target)
    stages._input = "1"
    stages.save_account((Interest.from_pairs([("a", "x")]), {{}}, 0), 1.0)
    print(stages.find_account(), stages.find_design(Interest.from_pairs([("a", "x")]), "gm", {{}}, 0))
    stages.clear()
""")
    folder.chmod(0o700)
    assert said == "None None" and os.listdir(folder) == ["design-0.npz"]


@pytest.mark.slow
def test_small_inputs_and_quick_designs_are_not_kept(spark, write, tmp_path, rows, monkeypatch):
    monkeypatch.setattr(store, "ROWS_WORTH_SAVING", 1_000_000)
    monkeypatch.setattr(store, "SECONDS_WORTH_SAVING", 1e9)
    out = tmp_path / "plan"
    broken_off(spark, write("in.csv", rows), out)
    assert os.listdir(tmp_path) == ["in.csv"]


@pytest.mark.slow
def test_a_plan_that_fails_its_verification_takes_all_with_it(spark, write, tmp_path, rows, monkeypatch):
    """If what was resumed is to blame, the next run must not meet it again."""
    path, out = write("in.csv", rows), tmp_path / "plan"
    broken_off(spark, path, out)
    whole = publishing.edges_table
    with monkeypatch.context() as patched:
        patched.setattr(publishing, "edges_table", lambda planned: whole(planned).slice(1))
        with pytest.raises(VerificationError):
            design(path, out=out, spark=spark)
    assert os.listdir(tmp_path) == ["in.csv"]


@pytest.mark.slow
def test_sources_that_have_no_files_of_their_own(spark, write, tmp_path, rows):
    """A data frame, a table and a view may have changed without a trace; several tables are one input."""
    path, out = write("in.csv", rows), tmp_path / "plan"
    frame = spark.read.option("header", True).csv(path)
    frame.createOrReplaceTempView("kept_view")
    for source in (frame, Table("kept_view", format="table"), "kept_view"):
        broken_off(spark, source, out)
        assert stages_of(out) == {}
    spark.catalog.dropTempView("kept_view")
    clients = Clients(
        Table(write("filters.csv", "client,filter\na,x\nb,x\n")), Table(write("on.csv", "client,broker\na,1\nb,2\n"))
    )
    broken_off(spark, clients, out)
    write("on.csv", "client,broker\na,1\nb,3\n")
    assert resumed(spark, clients, out) == set()


def test_labels_come_back(tmp_path):
    """All of Unicode, empty texts among them."""
    for labels in (("", "a", "ä", "\U0001f600\n"), ()):
        assert files.unpacked_labels(*files.packed_labels(labels)) == labels


@pytest.mark.slow
def test_load_alone_keeps_nothing(spark, write, tmp_path, rows):
    """Without a plan to continue with there is nothing to keep."""
    assert isinstance(load(write("in.csv", rows), spark=spark).interest, Interest)
    assert os.listdir(tmp_path) == ["in.csv"]


@pytest.mark.slow
@pytest.mark.parametrize(("stage", "left"), [("clean and encode", 0), ("design", 1), ("verify", 2), ("report", 2)])
def test_kill_9(write, tmp_path, rows, stage, left):
    """A process that is killed and started again as it was: what was done is there, in a session of its own."""
    path, out = write("in.csv", rows), tmp_path / "plan"
    code = f"""
import os, signal, sys
from topicweave.pipeline import Observer, design, session
from topicweave.pipeline.plan.checkpoints import keys, store
import importlib
importlib.import_module("topicweave.pipeline.loading").BYTES_WORTH_SAVING = 0
store.ROWS_WORTH_SAVING, store.SECONDS_WORTH_SAVING = 0, 0
keys._own_code = lambda: "the same"
class Killed(Observer):
    def on_stage(self, name):
        if name == sys.argv[1]:
            os.kill(os.getpid(), signal.SIGKILL)
plan = design({path!r}, "gm", out={str(out)!r}, progress=Killed(), spark=session("local[2]"))
"""

    def run(stage):
        return subprocess.run([sys.executable, "-c", code, stage], capture_output=True, check=False)

    assert run(stage).returncode == -9
    assert not out.exists() and len(stages_of(out)) == left
    again = run("none")
    assert again.returncode == 0, again.stderr.decode()
    assert len(json.loads((out / "manifest.json").read_text())["resumed"]) == left
    assert sorted(os.listdir(tmp_path)) == ["in.csv", "plan"]


def test_nothing_is_kept_of_small_files(spark, write, tmp_path, rows, monkeypatch):
    """They are read again as soon as a checkpoint would be found; what a larger run has left is still cleared away."""
    monkeypatch.setattr(load_module, "BYTES_WORTH_SAVING", 1_000_000)
    path, out = write("in.csv", rows), tmp_path / "plan"
    broken_off(spark, path, out)
    assert stages_of(out) == {}
    (tmp_path / ".plan.stages").mkdir()
    (tmp_path / ".plan.stages" / "design-of-something-else.npz").write_text("x")
    assert resumed(spark, path, out) == set()
    assert not (tmp_path / ".plan.stages").exists()

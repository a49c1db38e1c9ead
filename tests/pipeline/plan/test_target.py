"""The folder a plan is written to: finished, or not there."""

import errno
import os
import signal
import subprocess
import sys
import textwrap
import threading
import time

import pytest

from topicweave.errors import TargetError
from topicweave.pipeline.plan.target import Target


def publish(path, content="new", overwrite=False):
    with Target(path, overwrite) as target:
        (target.folder / "manifest.json").write_text(content)
        (target.folder / "quarantine").mkdir()
        return target.publish()


def test_appears_whole(tmp_path):
    """Nothing is at the target until all is; nothing is left beside it."""
    path = tmp_path / "deep" / "plan"
    with Target(path) as target:
        (target.folder / "manifest.json").write_text("x")
        assert not path.exists()
        target.publish()
    assert (path / "manifest.json").read_text() == "x"
    assert os.listdir(path.parent) == ["plan"]


def test_failure_leaves_nothing(tmp_path):
    """An error in the middle takes everything away."""
    with pytest.raises(RuntimeError), Target(tmp_path / "plan") as target:
        (target.folder / "edges.parquet").write_text("half")
        raise RuntimeError
    assert os.listdir(tmp_path) == []


def test_existing_plan_is_refused_unless_overwritten(tmp_path):
    """A plan is not replaced by accident; on request it is, whole."""
    publish(tmp_path / "plan", "old")
    (tmp_path / "plan" / "extra").write_text("x")
    with pytest.raises(TargetError, match="exists already; choose another folder, or allow"):
        publish(tmp_path / "plan")
    assert (tmp_path / "plan" / "manifest.json").read_text() == "old"
    publish(tmp_path / "plan", overwrite=True)
    assert sorted(os.listdir(tmp_path / "plan")) == ["manifest.json", "quarantine"]
    assert os.listdir(tmp_path) == ["plan"]


def test_what_is_no_plan_is_never_overwritten(tmp_path):
    """A folder with other things in it, or a file, is safe whatever was asked for; an empty folder is taken."""
    (tmp_path / "home").mkdir()
    (tmp_path / "home" / "thesis.tex").write_text("x")
    with pytest.raises(TargetError, match="is not a plan folder"):
        publish(tmp_path / "home", overwrite=True)
    (tmp_path / "file").write_text("x")
    with pytest.raises(TargetError, match="is a file"):
        publish(tmp_path / "file", overwrite=True)
    (tmp_path / "empty").mkdir()
    publish(tmp_path / "empty")
    assert sorted(os.listdir(tmp_path)) == ["empty", "file", "home"]


def test_a_link_is_followed(tmp_path):
    """What it leads to is replaced, each time; an empty folder or nothing at its end is taken as without the link."""
    publish(tmp_path / "plan", "old")
    (tmp_path / "link").symlink_to("plan")
    for content in ("one", "two"):
        publish(tmp_path / "link", content, overwrite=True)
        assert (tmp_path / "plan" / "manifest.json").read_text() == content
    (tmp_path / "empty").mkdir()
    for name in ("empty", "nothing"):
        (tmp_path / f"to {name}").symlink_to(name)
        publish(tmp_path / f"to {name}", name)
        assert (tmp_path / name / "manifest.json").read_text() == name
    assert sorted(os.listdir(tmp_path)) == ["empty", "link", "nothing", "plan", "to empty", "to nothing"]


def test_what_lies_in_the_way_is_removed_but_not_followed(tmp_path):
    """Links and files under the hidden names do not stop a run, and what they lead to is not touched."""
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "thesis.tex").write_text("x")
    publish(tmp_path / "plan", "old")
    (tmp_path / ".plan.replaced").symlink_to("other")
    (tmp_path / ".plan.partial").symlink_to("other")
    publish(tmp_path / "plan", overwrite=True)
    assert (tmp_path / "plan" / "manifest.json").read_text() == "new"
    assert os.listdir(tmp_path / "other") == ["thesis.tex"]


def test_two_at_once_one_wins(tmp_path):
    """The second run is refused in one sentence, at once; the first is not disturbed."""
    with Target(tmp_path / "plan") as target:
        (target.folder / "manifest.json").write_text("first")
        with pytest.raises(TargetError, match="Another run is writing"):
            publish(tmp_path / "plan", "second")
        target.publish()
    assert (tmp_path / "plan" / "manifest.json").read_text() == "first"
    with pytest.raises(TargetError, match="exists already"):
        publish(tmp_path / "plan", "third")


def test_who_comes_a_moment_too_late_leaves_nothing_behind(tmp_path, monkeypatch):
    """Another run publishes between the first look and the lock."""
    take = Target._take

    def take_late(self):
        monkeypatch.setattr(Target, "_take", take)
        publish(tmp_path / "plan", "first")
        take(self)

    monkeypatch.setattr(Target, "_take", take_late)
    with pytest.raises(TargetError, match="exists already"):
        publish(tmp_path / "plan", "second")
    assert os.listdir(tmp_path) == ["plan"]
    assert (tmp_path / "plan" / "manifest.json").read_text() == "first"


def test_many_at_once_one_wins(tmp_path):
    """However the runs interleave, exactly one gets through and what it wrote is whole."""
    outcomes = []

    def run(number):
        try:
            with Target(tmp_path / "plan") as target:
                for part in range(5):
                    (target.folder / f"part-{part}").write_text(str(number))
                    time.sleep(0.001)
                target.publish()
            outcomes.append(number)
        except TargetError:
            outcomes.append(None)

    threads = [threading.Thread(target=run, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    winners = [number for number in outcomes if number is not None]
    assert len(winners) == 1 and len(outcomes) == 8
    assert {file.read_text() for file in (tmp_path / "plan").iterdir()} == {str(winners[0])}
    assert os.listdir(tmp_path) == ["plan"]


def test_killed_run_leaves_nothing_that_looks_finished_and_does_not_block_the_next(tmp_path):
    """kill -9 in the middle: no target; the next run clears the remains away."""
    code = f"""
        import time
        from topicweave.pipeline.plan.target import Target
        with Target({str(tmp_path / "plan")!r}) as target:
            (target.folder / "edges.parquet").write_text("half")
            print("writing", flush=True)
            time.sleep(60)
    """
    child = subprocess.Popen([sys.executable, "-c", textwrap.dedent(code)], stdout=subprocess.PIPE, text=True)
    with child:
        assert child.stdout.readline().strip() == "writing"
        with pytest.raises(TargetError, match="Another run"):
            publish(tmp_path / "plan")
        child.send_signal(signal.SIGKILL)
    assert not (tmp_path / "plan").exists()
    publish(tmp_path / "plan")
    assert sorted(os.listdir(tmp_path / "plan")) == ["manifest.json", "quarantine"]
    assert os.listdir(tmp_path) == ["plan"]


@pytest.mark.parametrize(
    "words", [os.strerror(errno.ENOSPC), "Error writing bytes to file. Detail: [errno 28] No space"]
)
def test_full_disk_is_one_sentence(tmp_path, words):
    """What the operating system says is passed on with what to do."""
    refusal = pytest.raises(
        TargetError, match=r"plan cannot be written: No space left on device; choose another folder"
    )
    with refusal, Target(tmp_path / "plan") as target, target.writing():
        raise OSError(errno.ENOSPC, words)
    assert os.listdir(tmp_path) == []


def test_unwritable_place(tmp_path):
    """A folder that cannot be: its parent is a file."""
    (tmp_path / "file").write_text("x")
    with pytest.raises(TargetError, match="cannot be written: "):
        publish(tmp_path / "file" / "plan")


def test_read_only_parent(tmp_path, as_mortal):
    """A folder in which nothing may be made."""
    tmp_path.chmod(0o500)
    said = as_mortal(f"""
from topicweave.errors import TargetError
from topicweave.pipeline.plan.target import Target
try:
    with Target({str(tmp_path / "plan")!r}):
        print("made")
except TargetError as error:
    print(error)
""")
    tmp_path.chmod(0o700)
    assert (
        said == f"{tmp_path / 'plan'} cannot be written: Permission denied; choose another folder or make room there."
    )


@pytest.mark.parametrize("can_swap", [True, False])
def test_a_run_killed_while_it_replaces_a_plan_loses_neither(tmp_path, monkeypatch, can_swap):
    """If names can be swapped there is no moment without a plan; otherwise the next run restores the old one."""
    publish(tmp_path / "plan", "first")
    if not can_swap:
        monkeypatch.setattr("topicweave.pipeline.plan.target.swapped", lambda one, other: False)
        (tmp_path / "plan").rename(tmp_path / ".plan.replaced")  # where a kill between two renames leaves it
        with pytest.raises(TargetError, match="exists already"):
            publish(tmp_path / "plan", "second")
        assert (tmp_path / "plan" / "manifest.json").read_text() == "first"
    else:
        monkeypatch.setattr("os.rename", lambda one, other: pytest.fail("a name was free for a moment"))
    publish(tmp_path / "plan", "second", overwrite=True)
    assert (tmp_path / "plan" / "manifest.json").read_text() == "second"
    assert os.listdir(tmp_path) == ["plan"]

"""Files that are either complete or absent, and locks that only one owner can hold at a time."""

import errno
import os
import subprocess
import sys
import threading

import pytest

from topicweave.errors import TargetError
from topicweave.files import Lock, clear_leftovers, local_target, locked, sha256, write_atomically


def test_bytes_or_a_writer(tmp_path):
    """Either way the file is replaced, and nothing is left beside it."""
    path = tmp_path / "file"
    write_atomically(path, b"one")
    write_atomically(path, lambda file: file.write(b"two"))
    assert path.read_bytes() == b"two" and os.listdir(tmp_path) == ["file"]
    assert sha256(path) == "3fc4ccfe745870e2c0d99f71f30ff0656c8dedd41cc1d7d3d376b0dbe685e2f3"


def test_a_writer_that_fails_leaves_the_old_file(tmp_path):
    """Whatever it raises: the old content stays, the new part of it goes."""
    path = tmp_path / "file"
    write_atomically(path, b"old")

    def fail(file):
        file.write(b"half")
        raise RuntimeError

    with pytest.raises(RuntimeError):
        write_atomically(path, fail)
    assert path.read_bytes() == b"old" and os.listdir(tmp_path) == ["file"]


def test_what_the_system_refuses_is_one_sentence(tmp_path):
    """A full disk, a missing folder, and a name that is none."""

    def full(_):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with pytest.raises(TargetError, match=r"file cannot be written \(No space left on device\); free space"):
        write_atomically(tmp_path / "file", full)
    with pytest.raises(TargetError, match="No such file or directory"):
        write_atomically(tmp_path / "away" / "file", b"")
    with pytest.raises(TargetError, match="it is a folder"):
        write_atomically("/", b"")


def test_a_link_is_followed(tmp_path):
    """What the link leads to is replaced, also where there is nothing yet; the link stays."""
    (tmp_path / "link").symlink_to("file")
    for content in (b"one", b"two"):
        write_atomically(tmp_path / "link", content)
        assert (tmp_path / "file").read_bytes() == content and (tmp_path / "link").is_symlink()


def test_a_link_put_in_the_way_of_the_unfinished_file_leads_nowhere(tmp_path):
    """The file written first has a name that can be foreseen."""
    (tmp_path / "victim").write_bytes(b"mine")
    (tmp_path / f".file.{os.getpid()}").symlink_to("victim")
    write_atomically(tmp_path / "file", b"new")
    assert (tmp_path / "victim").read_bytes() == b"mine" and (tmp_path / "file").read_bytes() == b"new"


@pytest.mark.parametrize("address", ["s3a://bucket/p", "hdfs://host:9000/p", "file:///p", "abfss://c@a.net/p"])
def test_an_address_is_refused(address, tmp_path, monkeypatch):
    """It would be taken for a folder called "s3a:"."""
    monkeypatch.chdir(tmp_path)
    with pytest.raises(TargetError, match="is an address"):
        local_target(address)
    with pytest.raises(TargetError, match="is an address"):
        write_atomically(address, b"")
    assert os.listdir(tmp_path) == []


def test_what_killed_writers_left_is_cleared(tmp_path):
    """Only files of this name whose writer is not alive."""
    dead = subprocess.Popen([sys.executable, "-c", ""])
    dead.wait()
    for name in (f".file.{dead.pid}", f".file.{os.getpid()}", f".file2.{dead.pid}", ".file.old"):
        (tmp_path / name).write_bytes(b"")
    clear_leftovers(tmp_path / "file")
    assert sorted(os.listdir(tmp_path)) == sorted([f".file.{os.getpid()}", f".file2.{dead.pid}", ".file.old"])


def test_one_owner_at_a_time(tmp_path):
    """The second is refused at once, in this thread and in another; afterwards it may have it."""
    first, second = Lock(tmp_path / "lock"), Lock(tmp_path / "lock")
    first.take("taken")
    refused = []

    def try_it():
        with pytest.raises(TargetError, match="taken"):
            second.take("taken")
        refused.append(True)

    try_it()
    thread = threading.Thread(target=try_it)
    thread.start()
    thread.join()
    assert len(refused) == 2 and first.is_held and not second.is_held
    first.release()
    second.take("taken")
    second.release(remove=True)
    assert os.listdir(tmp_path) == []


@pytest.mark.skipif(not os.path.isdir("/proc/self"), reason="a folder in which not even root can create a file")
def test_a_lock_that_cannot_be_created_is_not_said_to_be_held():
    """The sentence that somebody else holds the lock would send the user looking for a process that does not exist."""
    with pytest.raises(TargetError, match="/proc/self cannot be written"):
        Lock("/proc/self/.plan.lock").take("Another run is writing")


def test_a_removed_lock_still_excludes(tmp_path):
    """Eight threads come and go; the file disappears each time, and never are two of them inside."""
    inside, most, done = [0], [0], [0]

    def work():
        for _ in range(40):
            try:
                with locked(tmp_path / "lock", "taken", remove=True):
                    inside[0] += 1
                    most[0] = max(most[0], inside[0])
                    inside[0] -= 1
                    done[0] += 1
            except TargetError:
                pass

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert most[0] == 1 and done[0] > 0


def test_who_comes_as_the_owner_leaves_is_not_refused(tmp_path, monkeypatch):
    """The owner finishes, and deletes the file, within the moment that the next one waits."""
    monkeypatch.setattr("topicweave.files.MOMENT", 10.0)
    owner, following = Lock(tmp_path / "lock"), Lock(tmp_path / "lock")
    owner.take("taken")
    leaving = threading.Timer(0.05, owner.release, kwargs={"remove": True})
    leaving.start()
    following.take("taken")
    assert following.is_held and not owner.is_held
    following.release(remove=True)
    leaving.join()

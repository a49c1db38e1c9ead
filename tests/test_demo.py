"""The demo: runs to its end with real brokers, and leaves no process behind, also when it is interrupted."""

import signal
import subprocess
import sys
import time

import psutil

from demo.cluster import CHECKOUT
from tests.deploy.conftest import needs_brokers

pytestmark = needs_brokers


def brokers_of(process):
    return [child for child in psutil.Process(process.pid).children() if "mosquitto" in child.name()]


def test_the_demo_ends_by_itself_and_every_message_came_once():
    done = subprocess.run([sys.executable, "-m", "demo"], cwd=CHECKOUT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.count(" 0 lost, 0 doubled, 0 stray") == 2
    page = (CHECKOUT / "demo-out" / "index.html").read_text()
    assert "rollout" in page and page.count("<svg") == 2


def test_an_interrupted_demo_leaves_no_broker_behind():
    process = subprocess.Popen([sys.executable, "-m", "demo"], cwd=CHECKOUT, stdout=subprocess.DEVNULL)
    limit = time.monotonic() + 120
    while len(found := brokers_of(process)) < 24 and time.monotonic() < limit:
        time.sleep(0.1)
    assert len(found) == 24
    begun = time.monotonic()
    process.send_signal(signal.SIGINT)
    assert process.wait(30) == 130
    assert time.monotonic() - begun < 1
    time.sleep(0.2)
    assert not any(broker.is_running() and broker.status() != psutil.STATUS_ZOMBIE for broker in found)


def test_an_interruption_while_brokers_are_being_started_is_not_lost():
    """Nor does it leave the broker behind that was being started."""
    process = subprocess.Popen([sys.executable, "-m", "demo"], cwd=CHECKOUT, stdout=subprocess.DEVNULL)
    limit = time.monotonic() + 120
    while not (found := brokers_of(process)) and time.monotonic() < limit:
        time.sleep(0.001)
    process.send_signal(signal.SIGINT)
    assert process.wait(30) == 130
    time.sleep(0.2)
    assert not any(broker.is_running() and broker.status() != psutil.STATUS_ZOMBIE for broker in found)


def test_a_dry_run_starts_nothing():
    """It names the brokers, and leaves the page of an earlier run alone."""
    before = {path: path.stat().st_mtime for path in (CHECKOUT / "demo-out").glob("*")}
    done = subprocess.run(
        [sys.executable, "-m", "demo", "--dry-run"], cwd=CHECKOUT, capture_output=True, text=True, check=True
    )
    assert "24 processes of mosquitto would be started" in done.stdout
    assert {path: path.stat().st_mtime for path in (CHECKOUT / "demo-out").glob("*")} == before

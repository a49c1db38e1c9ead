"""Real mosquitto brokers on loopback: on free ports, and gone when the cluster is closed or its process dies."""

from __future__ import annotations

import ctypes
import os
import shutil
import signal
import socket
import subprocess
import time
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Self

if TYPE_CHECKING:
    from collections.abc import Iterable

CHECKOUT = Path(__file__).parents[1]
UNPACKED = CHECKOUT / ".tools" / "mosquitto"
HOST = "127.0.0.1"
DIE_WITH_PARENT = 1  # PR_SET_PDEATHSIG


def find_mosquitto() -> str | None:
    """The broker's program: on PATH, where Debian installs it, or unpacked by ``make brokers``."""
    unpacked = UNPACKED / "usr/sbin/mosquitto"
    found = shutil.which("mosquitto") or shutil.which("/usr/sbin/mosquitto")
    return found or (str(unpacked) if unpacked.is_file() else None)


def free_ports(count: int) -> list[int]:
    """Free ports of the loopback interface; each stays occupied until the last is found, so that they differ."""
    held = [socket.socket() for _ in range(count)]
    try:
        for each in held:
            each.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            each.bind((HOST, 0))
        return [each.getsockname()[1] for each in held]
    finally:
        for each in held:
            each.close()


class Cluster:
    """Processes of mosquitto by name; a context manager that leaves none behind."""

    def __init__(self, folder: Path) -> None:
        program = find_mosquitto()
        if program is None:
            raise FileNotFoundError("mosquitto is not here; run: make brokers")
        self.folder = folder
        self._program = program
        self._running: dict[str, subprocess.Popen[bytes]] = {}
        libraries = [UNPACKED / part / "x86_64-linux-gnu" for part in ("usr/lib", "lib")]
        self._environment = dict(os.environ)
        if program.startswith(str(UNPACKED)):
            self._environment["LD_LIBRARY_PATH"] = ":".join(map(str, libraries))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def start(self, name: str, configuration: str, port: int) -> None:
        """Start a broker with this configuration in a folder of its own."""
        home = self.folder / name
        home.mkdir(parents=True, exist_ok=True)
        user = ["user root"] if os.getuid() == 0 else []
        (home / "mosquitto.conf").write_text("\n".join([*user, "log_dest none", configuration]), encoding="utf-8")
        self._running[name] = subprocess.Popen(
            [self._program, "-c", "mosquitto.conf"], cwd=home, env=self._environment, preexec_fn=_die_with_parent,
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        self.ports = {**getattr(self, "ports", {}), name: port}

    def start_broker(self, name: str, port: int, bridges: str = "") -> None:
        """Start a broker as an operator might have it, with these bridges in it."""
        own = f"listener {port} {HOST}\nallow_anonymous true\nmax_queued_messages 100000\npersistence false\n"
        self.start(name, own + bridges, port)

    def start_sidecar(self, name: str, port: int, bridges: str) -> None:
        """Start the sidecar of a broker; on loopback only, whatever its file says."""
        own = bridges.replace(f"listener {port}\n", f"listener {port} {HOST}\n")
        self.start(f"{name}.sidecar", own, port)

    def stop(self, name: str, hard: bool = False) -> None:
        """End a broker; with ``hard`` it is killed, as if its machine failed."""
        process = self._running.pop(name, None)
        if process is not None:
            process.send_signal(signal.SIGKILL if hard else signal.SIGTERM)
            process.wait()

    def is_running(self, name: str) -> bool:
        """Whether a broker was started and has not ended."""
        return name in self._running and self._running[name].poll() is None

    def wait(self, names: Iterable[str] | None = None, seconds: float = 30.0) -> None:
        """Wait until these brokers, by default all, accept connections."""
        limit = time.monotonic() + seconds
        for name in self._running if names is None else names:
            while True:
                if self._running[name].poll() is not None:
                    raise RuntimeError(f"the broker {name} has ended: see {self.folder / name / 'mosquitto.conf'}")
                try:
                    socket.create_connection((HOST, self.ports[name]), 1).close()
                    break
                except OSError:
                    if time.monotonic() > limit:
                        raise
                    time.sleep(0.02)

    @property
    def processes(self) -> list[int]:
        """The process ids of all brokers."""
        return [process.pid for process in self._running.values()]

    def kill(self) -> None:
        """Kill every broker without waiting for any, so that a signal handler may call this at any moment."""
        for process in list(self._running.values()):
            with suppress(ProcessLookupError):
                os.kill(process.pid, signal.SIGKILL)

    def close(self) -> None:
        """End every broker."""
        for process in self._running.values():
            process.send_signal(signal.SIGKILL)
        for process in self._running.values():
            process.wait()
        self._running.clear()


def _die_with_parent() -> None:
    ctypes.CDLL(None).prctl(DIE_WITH_PARENT, signal.SIGKILL)

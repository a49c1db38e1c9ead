"""A real browser without a window, controlled over a pipe (Chrome DevTools Protocol): one for many pages."""

from __future__ import annotations

import base64
import json
import os
import shutil
import subprocess
import sys
import time
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from pathlib import Path

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
needs_browser = pytest.mark.skipif(
    CHROMIUM is None, reason="needs Chromium on PATH; on Debian: apt-get install chromium"
)
OPTIONS = (
    "--headless=new",
    "--no-sandbox",  # tests also run as root, where the sandbox refuses to start
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-background-networking",
    "--no-first-run",
    "--host-resolver-rules=MAP * ~NOTFOUND",  # nothing may come from the network
    "--remote-debugging-pipe",
)

PATIENCE = 60.0
BECOME_CHROMIUM = """
import fcntl, os, sys
ends = [fcntl.fcntl(int(end), fcntl.F_DUPFD, 10) for end in sys.argv[1:3]]
os.dup2(ends[0], 3)
os.dup2(ends[1], 4)
os.execv(sys.argv[3], sys.argv[3:])
"""
"""Chromium reads from 3 and writes to 4, whatever stood there."""


class Browser:
    """One Chromium with one tab.

    Parameters
    ----------
    folder
        Where its profile and the pages are kept.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        its_input, self._output = os.pipe()
        self._input, its_output = os.pipe()
        command = [str(CHROMIUM), *OPTIONS, f"--user-data-dir={folder / 'profile'}", "about:blank"]
        self._process = subprocess.Popen(
            [sys.executable, "-S", "-c", BECOME_CHROMIUM, str(its_input), str(its_output), *command],
            pass_fds=(its_input, its_output), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        os.close(its_input)
        os.close(its_output)
        self._left, self._number, self._session = b"", 0, None
        target = self._ask("Target.createTarget", url="about:blank")["targetId"]
        self._session = self._ask("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        self._ask("Page.enable")

    def open(self, page: str, question: str = "") -> None:
        """Show a page, with a question in its address, and wait until its script has run."""
        file = self.folder / f"{self._number}.html"
        file.write_text(page, encoding="utf-8")
        self._ask("Page.navigate", url=file.as_uri() + question)
        self._heard(lambda message: message.get("method") == "Page.loadEventFired")

    def run(self, script: str) -> Any:
        """The value of an expression in the page."""
        found = self._ask("Runtime.evaluate", expression=script, returnByValue=True)
        assert "exceptionDetails" not in found, found["exceptionDetails"]
        return found["result"].get("value")

    def wait_for(self, script: str) -> None:
        """Wait until an expression is true in the page."""
        until = time.monotonic() + PATIENCE
        while not self.run(f"Boolean({script})"):
            assert time.monotonic() < until, f"{script} has not become true in {PATIENCE} seconds"
            time.sleep(0.01)

    def look_as(self, media: str = "screen", scheme: str = "light", width: int = 1200) -> None:
        """See pages on a screen or on paper, light or dark, so many pixels wide."""
        features = [{"name": "prefers-color-scheme", "value": scheme}]
        self._ask("Emulation.setEmulatedMedia", media=media, features=features)
        self._ask("Emulation.setDeviceMetricsOverride", width=width, height=900, deviceScaleFactor=1, mobile=False)

    def picture(self) -> bytes:
        """The whole page as a PNG."""
        return base64.b64decode(self._ask("Page.captureScreenshot", captureBeyondViewport=True)["data"])

    def printed(self) -> bytes:
        """The page as a PDF."""
        return base64.b64decode(self._ask("Page.printToPDF", printBackground=True)["data"])

    def close(self) -> None:
        """End the browser."""
        os.close(self._output)
        os.close(self._input)
        self._process.kill()
        self._process.wait()

    def _ask(self, method: str, **parameters: Any) -> dict[str, Any]:
        self._number += 1
        question: dict[str, Any] = {"id": self._number, "method": method, "params": parameters}
        if self._session is not None:
            question["sessionId"] = self._session
        os.write(self._output, json.dumps(question).encode() + b"\0")
        answer = self._heard(lambda message: message.get("id") == self._number)
        assert "error" not in answer, f"{method}: {answer['error']['message']}"
        return answer["result"]

    def _heard(self, is_wanted: Any) -> dict[str, Any]:
        """The next message of this kind; the others are events that no one waits for."""
        while True:
            while b"\0" not in self._left:
                part = os.read(self._input, 1 << 20)
                assert part, "Chromium has ended"
                self._left += part
            text, _, self._left = self._left.partition(b"\0")
            message = json.loads(text)
            if is_wanted(message):
                return message

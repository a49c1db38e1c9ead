"""A real browser without a window: what a page looks like after its script has run."""

from __future__ import annotations

import shutil
import subprocess
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
needs_browser = pytest.mark.skipif(
    CHROMIUM is None, reason="needs Chromium on PATH; on Debian: apt-get install chromium"
)


def chromium(folder: Path, *arguments: str) -> str:
    """Run Chromium with a profile of its own in ``folder`` and return what it prints."""
    command = [
        str(CHROMIUM),
        "--headless=new",
        "--no-sandbox",  # tests also run as root, where the sandbox refuses to start
        "--disable-gpu",
        "--disable-dev-shm-usage",
        "--no-first-run",
        "--host-resolver-rules=MAP * ~NOTFOUND",  # nothing may come from the network
        f"--user-data-dir={folder / 'profile'}",
        *arguments,
    ]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=True)
    return done.stdout


def page_after_script(folder: Path, page: str, question: str = "", then: str = "") -> str:
    """The page as the browser holds it after its script has run, with a question in the address.

    ``then`` is more script, run at the end of the page, for what a reader would do by hand.
    """
    file = folder / "report.html"
    # A page is a Markup, whose own replace would escape the script.
    file.write_text(str(page).replace("</body>", f"<script>{then}</script></body>"), encoding="utf-8")
    return chromium(folder, "--virtual-time-budget=5000", "--dump-dom", file.as_uri() + question)

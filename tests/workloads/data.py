"""Where the real data would be; tests that need it skip, saying so, where it is not."""

from pathlib import Path

import pytest

FOLDER = Path(__file__).resolve().parents[3] / "shared" / "data"


def real_file(name: str) -> Path:
    """The path of a real data file, or a skipped test."""
    path = FOLDER / name
    if not path.exists():
        pytest.skip(f"real data is not here: {name} is not in ../shared/data beside the checkout")
    return path

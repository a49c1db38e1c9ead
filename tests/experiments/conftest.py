"""Small stand-ins for the data files, so that every path of the code runs where the real ones are absent."""

import gzip

import numpy as np
import pytest

from experiments.table import EXPERIMENTS


@pytest.fixture(scope="session")
def data(tmp_path_factory):
    """A folder with a random graph or table under the name of each data file; never shown as the real thing."""
    folder = tmp_path_factory.mktemp("data")
    for number, name in enumerate(sorted({name for e in EXPERIMENTS for name in e.files})):
        pairs = np.random.default_rng(number).integers(0, 90, (900, 2))
        lines = [f"u{one}\tu{other}\n" for one, other in pairs.tolist() if one != other]
        with gzip.open(folder / name, "wt", encoding="utf-8") as stream:
            stream.writelines(dict.fromkeys(lines))
    return folder


@pytest.fixture
def find(data):
    """What a run looks for its files with."""
    return lambda name: str(data / name)

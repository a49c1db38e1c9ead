"""What the jobs that assign users to brokers share: inputs are checked, and described in the manifest."""

import numpy as np
import pytest

from topicweave.content import Prices
from topicweave.errors import InputError, ParameterError
from topicweave.pipeline.content_job import check_inputs

LEFT_OUT = {
    "attributes": ("value",), "channels": 10, "scale": "width", "cuts": None, "brokers": None, "places": None,
    "capacity": None, "spare": 2.0, "current": None, "max_bad_fraction": 0.01, "spark": None,
}  # fmt: skip


@pytest.fixture
def files(tmp_path):
    """Inputs as files, and a plan folder with an assignment."""
    (tmp_path / "log.csv").write_text("user,value\nBern,1\n")
    (tmp_path / "wishes.csv").write_text("user,attribute,low,high\nBern,value,0,4\n")
    (tmp_path / "today.csv").write_text("user,broker\nBern,Rome\n")
    return tmp_path


def test_all_places_have_brokers_and_objects_have_no_files(files):
    """Prices in memory are described without files, the placement of today with its file."""
    prices = Prices(("Bern", "Rome"), np.array([[0.0, 9.0], [9.0, 0.0]]))
    found = check_inputs(
        files / "log.csv", files / "wishes.csv", prices, **{**LEFT_OUT, "current": files / "today.csv"}
    )
    assert found.brokers == ("Bern", "Rome") and found.current == {"Bern": "Rome"}
    assert [(one["role"], len(one["files"])) for one in found.small] == [("prices", 0), ("current", 1)]


@pytest.mark.parametrize(
    ("option", "error"),
    [
        ({"spare": 0.5}, ParameterError),
        ({"brokers": ["Atlantis"]}, InputError),
        ({"max_bad_fraction": 2}, ParameterError),
        ({"channels": 0}, ParameterError),
        ({"current": ["Bern"]}, InputError),
    ],
)
def test_each_input_is_checked(files, option, error):
    """A wrong argument or a missing file is an error before anything is read."""
    prices = Prices(("Bern", "Rome"), np.array([[0.0, 9.0], [9.0, 0.0]]))
    with pytest.raises(error):
        check_inputs(files / "log.csv", files / "wishes.csv", prices, **{**LEFT_OUT, **option})

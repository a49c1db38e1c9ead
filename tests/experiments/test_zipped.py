"""The code that is sent to the workers."""

import zipfile

from experiments.zipped import zipped_package


def test_zipped_packages_keep_their_place_and_name_until_they_change(tmp_path):
    package = tmp_path / "parcel"
    (package / "inner").mkdir(parents=True)
    (package / "__init__.py").write_text("")
    (package / "inner" / "thing.py").write_text("x = 1\n")
    first = zipped_package(package)
    assert zipped_package(package) == first
    assert sorted(zipfile.ZipFile(first).namelist()) == ["parcel/__init__.py", "parcel/inner/thing.py"]
    (package / "inner" / "thing.py").write_text("x = 2\n")
    assert zipped_package(package) != first

"""topicweave generate."""

import os

import pyarrow.csv
import pyarrow.parquet
import pytest

import topicweave as tw

SMALL = ("generate", "--nodes", 50, "--topics", 20, "--subscriptions", "2-9", "--seed", 3)
READERS = {
    ".csv": pyarrow.csv.read_csv,
    ".tsv": lambda path: pyarrow.csv.read_csv(path, parse_options=pyarrow.csv.ParseOptions(delimiter="\t")),
    ".parquet": pyarrow.parquet.read_table,
}


@pytest.mark.parametrize("ending", READERS)
def test_the_file_holds_the_interest(run, tmp_path, ending):
    path = tmp_path / f"new/folder/s{ending}"
    written = run(*SMALL, "--out", path)
    assert written.code == 0, written.err
    table = READERS[ending](path)
    wanted = tw.workloads.synthetic(50, 20, subscriptions=(2, 9), seed=3)
    pairs = list(zip(table["node"].to_pylist(), table["topic"].to_pylist(), strict=True))
    read = tw.Interest.from_pairs(pairs)
    assert len(pairs) == wanted.num_subscriptions
    assert [set(read.topics_of(node)) for node in read.nodes] == [set(wanted.topics_of(node)) for node in wanted.nodes]
    assert written.out == f"{path}: {len(pairs)} subscriptions of 50 nodes to 20 topics\n"
    assert os.listdir(path.parent) == [path.name], "no unfinished file is left"


def test_all_laws_can_be_chosen(run, tmp_path):
    """The options of popularity and sizes mean what the parameters of the same names mean."""
    laws = ("--popularity", "exponential", "--top-tenth", 0.841, "--size-law", "shifted_power", "--size-exponent", 3)
    assert run(*SMALL, *laws, "--out", tmp_path / "s.parquet").code == 0
    wanted = tw.workloads.synthetic(
        50,
        20,
        popularity="exponential",
        top_tenth=0.841,
        subscriptions=(2, 9),
        size_law="shifted_power",
        size_exponent=3,
        seed=3,
    )
    table = pyarrow.parquet.read_table(tmp_path / "s.parquet")
    assert list(zip(table["node"].to_pylist(), table["topic"].to_pylist(), strict=True)) == list(wanted.pairs())


def test_same_seed_same_file(run, tmp_path):
    """The same options give the same bytes."""
    for name in ("a.csv", "b.csv"):
        run(*SMALL, "--out", tmp_path / name)
    assert (tmp_path / "a.csv").read_bytes() == (tmp_path / "b.csv").read_bytes()


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (("--out", "s.xml"), "The name 's.xml' says no format; end it in .csv, .tsv, .parquet."),
        (("--out", "there.csv"), "there.csv exists already; choose another file, or add --overwrite."),
        (("--out", "folder.csv"), "folder.csv is a folder; choose the name of a file."),
        (("--out", "there.csv/s.csv"), "there.csv/s.csv cannot be written: "),
        (("--out", "s.csv", "--subscriptions", "9-2"), "--subscriptions 9-2 runs from more to less"),
        (("--out", "s.csv", "--subscriptions", "many"), "'many' is neither a number of topics nor a range"),
        (("--out", "s.csv", "--subscriptions", "1-2-3"), "'1-2-3' is neither a number of topics nor a range"),
        (("--out", "s.csv", "--subscriptions", "21"), "cannot draw 21 distinct topics of 20"),
        (("--out", "s.csv", "--popularity", "zip"), "There is no popularity 'zip'; did you mean 'zipf'?"),
        (("--out", "s.csv", "--alpha", "-1"), "--alpha must be a finite number, 0 or more, but is -1.0."),
        (("--out", "s.csv", "--size-law", "powers"), "There is no law of sizes called 'powers'; did you mean 'power'?"),
        (("--out", "s.csv", "--size-exponent", "99"), "--size-exponent must be a number from 0 to 32, but is 99.0."),
        (("--out", "s.csv", "--nodes", "0"), "Invalid value for '--nodes'"),
    ],
)
def test_refusals(run, tmp_path, monkeypatch, options, sentence):
    """Wrong options are reported in one line."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "there.csv").write_text("mine")
    (tmp_path / "folder.csv").mkdir()
    refused = run(*SMALL, *options)
    assert refused.code == 2
    assert not refused.out
    assert sentence in refused.err
    assert refused.err.count("\n") == 1
    assert (tmp_path / "there.csv").read_text() == "mine"
    assert sorted(os.listdir(tmp_path)) == ["folder.csv", "there.csv"]


def test_overwrite(run, tmp_path):
    """With ``--overwrite`` the file that was there is replaced."""
    path = tmp_path / "s.csv"
    path.write_text("old")
    assert run(*SMALL, "--out", path, "--overwrite").code == 0
    assert path.read_text().startswith("node,topic\n")


def test_nobody_reads_the_result(start, tmp_path):
    """As in ``topicweave generate … | true``: no traceback, no word, and not the code that means "no"."""
    reader, writer = os.pipe()
    os.close(reader)
    written = start(*SMALL, "--out", tmp_path / "s.csv", stdout=writer)
    os.close(writer)
    _, err = written.communicate(timeout=120)
    assert (written.returncode, err) == (141, b"")

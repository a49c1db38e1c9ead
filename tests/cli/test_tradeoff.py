"""Trade-offs from the command line."""

import json

from topicweave.pipeline import read_tradeoff


def test_a_trade_off_is_written_with_commands_that_repeat_the_options(run, spark, subscriptions, tmp_path):
    """The commands on the page name the input and what was required; the summary and JSON have every design."""
    out = tmp_path / "my choices"
    done = run("tradeoff", subscriptions, "--axis", "degree", "--steps", 2, "--max-hops", 3, "--out", out, "--quiet")
    assert done.code == 0
    points = read_tradeoff(out)
    assert done.out.splitlines()[0].startswith(f"{len(points)} designs")
    assert done.out.splitlines()[-1].endswith("tradeoff.html")
    page = (out / "tradeoff.html").read_text()
    command = f"topicweave design {subscriptions} --max-hops 3 --tradeoff &#39;{out}&#39; --algorithm gm --out plan/"
    assert f"<code>{command}</code>" in page
    done = run("tradeoff", subscriptions, "--axis", "degree", "--steps", 2, "--out", out, "--overwrite", "--json")
    assert {point["axis"] for point in json.loads(done.out)} <= {"none", "degree"}


def test_mistakes_are_told(run, subscriptions, tmp_path):
    """Costs cannot be traded without costs, in terms of the command line."""
    done = run("tradeoff", subscriptions, "--axis", "cost", "--out", tmp_path / "out", "--quiet")
    assert (done.code, "give --link-cost" in done.err) == (2, True)

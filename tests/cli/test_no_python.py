"""The command line gives advice in terms of options and commands, never of Python calls: every command is given what it
refuses.
"""

import re

import pytest

import topicweave as tw
from tests.deploy.conftest import inventory_of
from tests.deploy.plans import write_inventory, write_plan
from topicweave.cli.main import COMMANDS

INTEREST = tw.Interest.from_sets({"a": ["x"], "b": ["x", "y"], "c": ["y", "z"], "d": ["z"]})
CONTENT = "content assign {log} {wishes} {prices} --out {out} --channels 5"
REFUSED = [
    # on a plan that leaves topics disconnected
    "churn {partial} {events} --out {out}",
    "churn --follow {folder} --state {out} --plan {partial} --once",
    "design {csv} --out {out} --algorithm gpa --m 1 --trees",
    "diff {partial} {whole}",
    "diff {whole} {partial}",
    "export {partial} --inventory {inventory} --out {out}",
    "export {partial} --to dot --out {out}",
    "improve {partial} --out {out} --seconds 0",
    "probe {partial} --inventory {inventory} --dry-run",
    "rollout {whole} {partial} --inventory {inventory} --out {out}",
    "status {partial} --inventory {inventory}",
    "trees {partial}",
    # on what belongs to another plan, and on limits that contradict each other
    "bound {csv} {other}",
    "churn {other} {events} --out {out} --subscriptions {csv}",
    "churn {whole} {events} --out {out} --reoptimise-every 3 --ties sideways",
    "churn --follow {folder} --state {out}",
    "churn --follow {folder} --state {out} --plan {whole} --once --first 99999999999999999999",
    f"{CONTENT} --method exact --form sets --core tree",
    f"{CONTENT} --method migrate --start greedy_packing --capacity 0.001",
    f"{CONTENT} --cuts value=3,1",
    f"{CONTENT} --attribute weight",
    "design {csv} --out {out} --algorithm low --fill",
    "design {csv} --out {out} --algorithm minmax --fill --candidates near",
    "design {csv} --out {out} --algorithm gpa --m 2 --budget-ratio 0.5",
    "design {csv} --out {out} --candidates all --num-candidates 3",
    "design {csv} --out {out} --memory-limit 1",
    "design {csv} --out {out} --as clients",
    "design {csv} --out {out} --as social --sample 9",
    "design {csv} --out {out} --prefer {csv}",
    "design {csv} --out {out} --column node=broker",
    "design {csv} --out {out} --format xml",
    "export {whole} --out {out}",
    "generate --nodes 2 --topics 3 --subscriptions 9 --out {out}.csv",
    "generate --nodes 2 --topics 3 --alpha -1 --out {out}.csv",
    "improve {whole} --out {out} --max-degree most",
    "improve {whole} --out {out} --rounds -1",
    "improve {whole} --out {whole}",
    "probe {other} --inventory {inventory} --dry-run",
    "profile {partial}/edges.parquet",
    "rollout {whole} {other} --inventory {inventory} --out {out} --hold",
    "trees {whole} --topic nothing",
    "trees {whole} --fail nobody",
    "whatif {whole} --fail nobody",
    "whatif {whole} --fail-region eu",
    "tradeoff {csv} --out {out} --axis cost",
    "verify {csv}",
    "verify {csv} {csv}",
]
IN_OPTIONS = re.compile(r"--[\w-]+ \S+")
PYTHON = re.compile(r"\w\([\w'\"\[]|\b[a-z_]+=|\b(None|True|False)\b|Interest\.|Overlay\.")


@pytest.fixture(scope="module")
def given(tmp_path_factory):
    """The files that the commands name."""
    at = tmp_path_factory.mktemp("given")
    texts = {
        "csv": "node,topic\na,x\nb,x\nb,y\nc,y\nc,z\nd,z\n",
        "log": "user,value\n" + "".join(f"{user},{value}\n" for user in ("Bern", "Rome") for value in range(20)),
        "wishes": "user,attribute,low,high\nBern,value,0,4\nRome,value,5,10\n",
        "prices": ",Bern,Rome\nBern,0,9\nRome,9,0\n",
    }
    for name, text in texts.items():
        (at / f"{name}.csv").write_text(text)
    (at / "events").mkdir()
    (at / "events" / "1.jsonl").write_text('{"sequence": 1, "node": "e", "action": "join", "topic": ["x"]}\n')
    return {
        **{name: at / f"{name}.csv" for name in texts},
        "folder": at / "events",
        "events": at / "events" / "1.jsonl",
        "whole": write_plan(at / "whole", INTEREST),
        "partial": write_plan(at / "partial", INTEREST, "gpa", m=1),
        "other": write_plan(at / "other", tw.Interest.from_sets({"p": ["x"], "q": ["x"]})),
        "inventory": write_inventory(at / "brokers.csv", inventory_of(INTEREST.nodes)),
    }


@pytest.mark.usefixtures("spark")
@pytest.mark.parametrize("command", REFUSED)
def test_advice_is_for_the_command_line(run, given, tmp_path, command):
    refused = run(*command.format(**given, out=tmp_path / "out").split())
    assert refused.code in (2, 3), refused
    (sentence,) = (line for line in refused.err.splitlines() if line.startswith("Error: "))
    assert "defect of topicweave" not in sentence
    assert not PYTHON.search(IN_OPTIONS.sub("", sentence)), sentence
    if "{partial}" in command and "edges.parquet" not in command:
        assert "topicweave design ... --algorithm low --prefer PLAN" in sentence


def test_every_command_is_tried():
    """A command that is added to the command line appears in the table above, too."""
    assert {command.split()[0] for command in REFUSED} == COMMANDS.keys()

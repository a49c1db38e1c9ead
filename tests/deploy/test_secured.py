"""Real brokers and sidecars that ask for TLS and passwords."""

import base64
import hashlib
import json
import os
import shutil
import subprocess
import time

import pytest

import topicweave as tw
from demo.cluster import Cluster
from tests.deploy.conftest import inventory_of, needs_brokers
from tests.deploy.plans import write_plan
from topicweave import pipeline
from topicweave.errors import TopicweaveError

pytestmark = [
    needs_brokers,
    pytest.mark.skipif(shutil.which("openssl") is None, reason="openssl is not here, which makes the certificates"),
]
LOGINS = {"PLANT": ("plant", "pl@nt $pass"), "SIDE": ("side", "an other # one")}
SECONDS = 30


@pytest.fixture
def secrets(tmp_path, monkeypatch):
    """A certificate of 127.0.0.1, a file of passwords for each credential, and the passwords in the environment."""
    folder = tmp_path / "secrets"
    folder.mkdir()
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-keyout", folder / "key", "-out",
         folder / "certificate", "-days", "2", "-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1"],
        check=True, capture_output=True,
    )  # fmt: skip
    for name, (user, password) in LOGINS.items():
        (folder / name).write_text(f"{user}:{hashed(password)}\n")
        monkeypatch.setenv(f"{name}_USERNAME", user)
        monkeypatch.setenv(f"{name}_PASSWORD", password)
    return folder


def hashed(password):
    """As mosquitto_passwd of version 2 writes it: PBKDF2 with SHA-512."""
    salt = b"twelve bytes"
    key = hashlib.pbkdf2_hmac("sha512", password.encode(), salt, 101)
    return f"$7$101${base64.b64encode(salt).decode()}${base64.b64encode(key).decode()}"


def listener(secrets, port, credentials):
    """What an operator writes for a listener that asks for TLS and a password."""
    return (
        f"listener {port} 127.0.0.1\ncafile {secrets}/certificate\ncertfile {secrets}/certificate\n"
        f"keyfile {secrets}/key\nallow_anonymous false\npassword_file {secrets}/{credentials}\n"
    )


def filled_in(path):
    """The file as the operator's machine uses it: by the command that docs/how-to/deploy.md names, if it is there."""
    names = " ".join(f"${{{name}_{part}}}" for name in LOGINS for part in ("USERNAME", "PASSWORD"))
    if shutil.which("envsubst"):
        return subprocess.run(
            ["envsubst", names], input=path.read_text(), capture_output=True, text=True, check=True
        ).stdout
    text = path.read_text()
    for name in names.split():
        text = text.replace(name, os.environ[name[2:-1]])
    return text


def secured(tmp_path, secrets, nodes, layout):
    """An inventory as a CSV file; every sidecar has settings of its own."""
    brokers = inventory_of(nodes, real=True)
    lines = ["name,host,port,sidecar_port,credentials,cafile,sidecar_settings,sidecar_credentials,sidecar_cafile"]
    for broker in brokers:
        own = tmp_path / "own" / broker.name
        own.mkdir(parents=True)
        (own / "listener.conf").write_text(listener(secrets, broker.sidecar_port, "SIDE"))
        lines.append(
            f"{broker.name},127.0.0.1,{broker.port},{broker.sidecar_port},PLANT,{secrets}/certificate,"
            f"{own},SIDE,{secrets}/certificate"
        )
    (tmp_path / "brokers.csv").write_text("\n".join(lines))
    return brokers, tmp_path / "brokers.csv"


def wait_until_as_planned(plan, listed, layout):
    limit = time.monotonic() + SECONDS
    while not (seen := pipeline.status(plan, listed, layout=layout)).is_as_planned:
        assert time.monotonic() < limit, seen
        time.sleep(0.5)


@pytest.mark.parametrize("layout", ["inside", "sidecar"])
def test_brokers_with_tls_and_passwords_deliver_every_message_and_take_a_rollout(tmp_path, secrets, layout):
    """No wave replaces what the operator says about a sidecar's listener; nobody without a password is let in."""
    pairs = [(node, topic) for node in "abc" for topic in ("x", "y")]
    old = write_plan(tmp_path / "old", tw.Interest.from_pairs([*pairs, ("a", "z"), ("b", "z")]))
    new = write_plan(tmp_path / "new", tw.Interest.from_pairs([*pairs, ("a", "z"), ("c", "z")]))
    brokers, listed = secured(tmp_path, secrets, "abc", layout)
    pipeline.export(old, inventory=listed, layout=layout, out=tmp_path / "configs")
    with Cluster(tmp_path / "run") as cluster:

        def start(folder, names):
            for name in names:
                bridges, own = (
                    filled_in(folder / name / "topicweave.conf"),
                    listener(secrets, brokers[name].port, "PLANT"),
                )
                cluster.stop(f"{name}.sidecar" if layout == "sidecar" else name)
                if layout == "sidecar":
                    cluster.start_sidecar(name, brokers[name].sidecar_port, bridges)
                else:
                    own = listener(secrets, brokers[name].port, "PLANT")
                    cluster.start(name, own + bridges, brokers[name].port)
            cluster.wait()

        if layout == "sidecar":
            for broker in brokers:
                cluster.start(broker.name, listener(secrets, broker.port, "PLANT"), broker.port)
        start(tmp_path / "configs", "abc")
        wait_until_as_planned(old, listed, layout)
        assert pipeline.probe(old, listed).run().is_good
        with pytest.raises(TopicweaveError, match=r"lets no client in \(Not authorized\); set NAME_USERNAME"):
            pipeline.probe(old, listed).run(login=lambda _: None)
        stranger = pipeline.status(old, listed, layout=layout, login=lambda _: None)
        assert sorted(stranger.unreachable) == ["a", "b", "c"]
        pipeline.rollout(old, new, inventory=listed, layout=layout, out=tmp_path / "steps")
        for wave in json.loads((tmp_path / "steps" / "waves.json").read_text()):
            start(tmp_path / "steps" / f"wave-{wave['wave']}", wave["restart"])
        wait_until_as_planned(new, listed, layout)
        report = pipeline.probe(new, listed).run()
        assert report.is_good, report.to_dict()


def test_a_probe_over_tls_reads_all_that_arrives_at_once(tmp_path, secrets):
    """Messages that TLS has decrypted already do not wait for the next ones."""
    topics = [f"t{number}" for number in range(300)]
    plan = write_plan(tmp_path / "plan", tw.Interest.from_pairs([("a", topic) for topic in topics]))
    (broker,), listed = secured(tmp_path, secrets, "a", "inside")
    with Cluster(tmp_path / "run") as cluster:
        cluster.start("a", listener(secrets, broker.port, "PLANT") + "max_inflight_messages 0\n", broker.port)
        cluster.wait()
        report = pipeline.probe(plan, listed).run()
    assert report.is_good, report.to_dict()
    assert report.num_once == 300

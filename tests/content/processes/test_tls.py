"""TLS: brokers and clients with real certificates; who has the wrong ones, or none, is not let in."""

import asyncio
import shutil
import ssl
import subprocess

import pytest

import topicweave as tw
from tests.content.processes.local import plan, running, until
from topicweave.cli.network import _tls
from topicweave.errors import InputError, ReadError

pytestmark = pytest.mark.skipif(shutil.which("openssl") is None, reason="needs openssl on PATH to make certificates")


def openssl(folder, *arguments):
    subprocess.run(["openssl", *arguments], cwd=folder, check=True, capture_output=True)


@pytest.fixture(scope="module")
def certificates(tmp_path_factory):
    """A folder with two authorities, and a certificate of the first for this machine and for another one."""
    folder = tmp_path_factory.mktemp("certificates")
    for authority in ("ca", "stranger"):
        openssl(
            folder, "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days", "2",
            "-subj", f"/CN={authority}", "-keyout", f"{authority}.key", "-out", f"{authority}.pem",
        )  # fmt: skip
    for name, alternative in (("here", "IP:127.0.0.1"), ("elsewhere", "DNS:elsewhere.example")):
        openssl(
            folder, "req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
            "-subj", f"/CN={name}", "-keyout", f"{name}.key", "-out", f"{name}.csr",
        )  # fmt: skip
        (folder / f"{name}.txt").write_text(f"subjectAltName={alternative}\n")
        openssl(
            folder, "x509", "-req", "-in", f"{name}.csr", "-CA", "ca.pem", "-CAkey", "ca.key", "-CAcreateserial",
            "-days", "2", "-extfile", f"{name}.txt", "-out", f"{name}.pem",
        )  # fmt: skip
    return folder


def contexts(folder, ca="ca", cert="here"):
    """What the commands make of --ca, --cert and --key."""
    making, accepting = _tls({name: str(folder / file) for name, file in (
        ("ca", f"{ca}.pem"), ("cert", f"{cert}.pem"), ("key", f"{cert}.key"),
    )})  # fmt: skip
    return {"tls": making, "server_tls": accepting}


def test_publications_travel_between_brokers_and_clients_by_tls(certificates):
    """The brokers are different ones, so both kinds of connections carry them; users move by TLS as well."""

    async def scenario():
        network = plan(2)
        first, second = network.addresses.values()
        made = contexts(certificates)
        async with running(network, is_deciding=False, **made) as servers:
            async with (
                tw.content.connect(first, "ann", channels=["news"], tls=made["tls"]) as ann,
                tw.content.connect(second, "bob", tls=made["tls"]) as bob,
            ):
                arriving = aiter(ann)
                for number in range(20):
                    bob.publish("news", number)
                assert [(await anext(arriving)).body for _ in range(20)] == list(range(20))
                one, other = servers.values()
                assert await one.broker.move("ann", other.name) == "moved"
                await until(lambda: ann.user.broker == other.name)
                bob.publish("news", 20)
                assert (await anext(arriving)).body == 20
            everybody = [connection for server in servers.values() for connection in server.sockets._all]
            assert everybody and all(
                connection._transport.get_extra_info("cipher") for connection in everybody if connection.is_open
            )

    asyncio.run(scenario())


@pytest.mark.parametrize(
    ("client", "words"),
    [(None, "perhaps its brokers want TLS"), ("stranger", "CERTIFICATE_VERIFY_FAILED")],
)
def test_a_client_without_the_right_certificates_is_told_so(certificates, client, words):
    """And users with the right ones are served as before."""

    async def scenario():
        network = plan(1)
        (address,) = network.addresses.values()
        made = contexts(certificates)
        tls = None if client is None else ssl.create_default_context(cafile=certificates / f"{client}.pem")
        async with running(network, is_deciding=False, **made):
            with pytest.raises(InputError, match=words):
                await tw.content.connect(address, "ann", tls=tls).__aenter__()
            async with tw.content.connect(address, "bob", tls=made["tls"]):
                pass

    asyncio.run(scenario())


def test_a_certificate_for_another_host_is_refused(certificates):
    """Otherwise anybody with a certificate of the same authority could stand in for a broker."""

    async def scenario():
        network = plan(1)
        (address,) = network.addresses.values()
        async with running(network, is_deciding=False, **contexts(certificates, cert="elsewhere")):
            with pytest.raises(InputError, match="IP address mismatch"):
                await tw.content.connect(address, "ann", tls=contexts(certificates)["tls"]).__aenter__()

    asyncio.run(scenario())


def test_a_client_with_tls_is_not_let_in_by_a_broker_without(certificates):
    async def scenario():
        network = plan(1)
        (address,) = network.addresses.values()
        async with running(network, is_deciding=False):
            with pytest.raises(InputError, match="No broker lets user 'ann' in"):
                await tw.content.connect(address, "ann", tls=contexts(certificates)["tls"]).__aenter__()
            async with tw.content.connect(address, "bob"):
                pass

    asyncio.run(scenario())


def test_brokers_with_a_certificate_use_tls_among_themselves(certificates):
    """Without --ca they trust the machine's certificates; a key that does not fit is named."""
    given = {"ca": None, "cert": str(certificates / "here.pem"), "key": str(certificates / "here.key")}
    making, accepting = _tls(given)
    assert making is not None and accepting is not None
    assert making.verify_mode == ssl.CERT_REQUIRED and making.check_hostname
    with pytest.raises(ReadError, match="cannot be used"):
        _tls(given | {"key": str(certificates / "ca.key")})
    assert _tls({"ca": None}) == (None, None)

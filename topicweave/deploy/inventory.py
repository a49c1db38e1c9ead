"""The inventory: the address of each broker of a plan, and which brokers can reach it.

A CSV file with the columns ``name``, ``host``, ``port`` and, where needed:

| column | meaning |
|---|---|
| ``sidecar_port`` | the port of the second broker beside it that holds the bridges (layout ``sidecar``) |
| ``credentials`` | the name of a credential, never the credential itself (see below) |
| ``cafile``, ``certfile``, ``keyfile`` | TLS files, as paths on the machine that connects to this broker |
| ``region`` | any name; ``reachable_from`` may use it |
| ``reachable_from`` | brokers or regions that can connect to this one, separated by blanks; empty: all; ``-``: none |
| ``sidecar_settings`` | a folder of the operator's own ``*.conf`` files, on the sidecar's machine (see below) |
| ``sidecar_credentials``, ``sidecar_cafile``, … | as the columns without ``sidecar_``, to connect to the sidecar |

The credential ``PLANT7`` stands for ``${PLANT7_USERNAME}`` and ``${PLANT7_PASSWORD}``, which are filled in on the
broker's machine.

The folder ``sidecar_settings`` holds the listener of the sidecar, with TLS and passwords. If there is none, the sidecar
listens in plain and lets everybody in, which is refused if its broker does not; ``-`` says that this is intended.
"""

from __future__ import annotations

import csv
import io
import re
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from topicweave.errors import InfeasibleError, InputError, ReadError
from topicweave.parameters import did_you_mean
from topicweave.wording import counted

if TYPE_CHECKING:
    import os
    from collections.abc import Iterable, Iterator, Mapping

COLUMNS = (
    "name", "host", "port", "sidecar_port", "credentials", "cafile", "certfile", "keyfile", "region", "reachable_from",
    "sidecar_settings", "sidecar_credentials", "sidecar_cafile", "sidecar_certfile", "sidecar_keyfile",
)  # fmt: skip
SIDECAR_PREFIX = "sidecar_"
ACCESS = ("credentials", "cafile", "certfile", "keyfile")
NOBODY = "-"
PLAIN = "-"  # in the column sidecar_settings: the sidecar may listen without TLS and passwords
SECRETS = ("password", "passwd", "secret", "token", "username", "user")
# Names of brokers become folder names and parts of client ids, so they must not contain separators or wildcards, nor
# start with a dot.
GOOD_NAME = re.compile(r"[^\s/\\+#$.\0][^\s/\\+#\0]*")
# Hosts with a single colon are refused: what follows it would be a port or a password. An IPv6 address has more colons.
GOOD_HOST = re.compile(r"[^\s:/\\@]+|[^\s/\\@]*:[^\s/\\@]*:[^\s/\\@]*")
GOOD_REFERENCE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")


@dataclass(frozen=True)
class Broker:
    """A broker; its attributes are the columns of the inventory file."""

    name: str
    host: str
    port: int
    sidecar_port: int | None = None
    credentials: str = ""
    cafile: str = ""
    certfile: str = ""
    keyfile: str = ""
    region: str = ""
    reachable_from: frozenset[str] | None = None
    sidecar_settings: str = ""
    sidecar_credentials: str = ""
    sidecar_cafile: str = ""
    sidecar_certfile: str = ""
    sidecar_keyfile: str = ""

    def sidecar(self) -> Broker:
        """The sidecar of this broker as a broker of its own: with its port, and what is needed to connect to it."""
        assert self.sidecar_port is not None
        return replace(
            self, port=self.sidecar_port, sidecar_port=None, credentials=self.sidecar_credentials,
            cafile=self.sidecar_cafile, certfile=self.sidecar_certfile, keyfile=self.sidecar_keyfile,
        )  # fmt: skip

    def is_reachable_from(self, other: Broker) -> bool:
        """Whether another broker can connect to this one."""
        return self.reachable_from is None or bool(self.reachable_from & {other.name, other.region or other.name})


class Inventory:
    """Brokers by name."""

    def __init__(self, brokers: Iterable[Broker]) -> None:
        self._by_name: dict[str, Broker] = {}
        taken: dict[tuple[str, int], str] = {}
        for broker in brokers:
            if broker.name in self._by_name:
                raise InputError(f"The inventory lists broker {broker.name!r} twice; list every broker once.")
            self._by_name[broker.name] = broker
            if not GOOD_HOST.fullmatch(broker.host):  # the message does not show the host: it may contain a password
                raise InputError(
                    f"The inventory gives {broker.name!r} a host that is neither a name nor an address; leave out user "
                    f"names, passwords, schemes and ports, and name credentials in the column 'credentials'."
                )
            for port in (broker.port, broker.sidecar_port):
                if port is None:
                    continue
                if (broker.host, port) in taken:
                    raise InputError(
                        f"The inventory gives port {port} of {broker.host} to {taken[broker.host, port]!r} and to "
                        f"{broker.name!r}; give each broker and sidecar a port of its own."
                    )
                taken[broker.host, port] = broker.name
        known = {*self._by_name, *(broker.region for broker in self if broker.region)}
        for broker in self:
            for name in sorted(broker.reachable_from or ()):
                if name not in known:
                    raise InputError(
                        f"The inventory says that {broker.name!r} is reachable from {name!r}, which is neither a "
                        f"broker nor a region; {did_you_mean(name, sorted(known))}"
                    )

    def __getitem__(self, name: str) -> Broker:
        return self._by_name[name]

    def __contains__(self, name: object) -> bool:
        return name in self._by_name

    def __iter__(self) -> Iterator[Broker]:
        return iter(self._by_name.values())

    def __len__(self) -> int:
        return len(self._by_name)

    def check_covers(self, nodes: Iterable[str], others: Iterable[str] = ()) -> None:
        """Raise an error unless the inventory lists every node of the plan.

        Brokers that are neither in the plan nor among ``others`` are an error.
        """
        wanted = set(nodes)
        missing = sorted(wanted - self._by_name.keys())
        unknown = sorted(self._by_name.keys() - wanted - set(others))
        if missing:
            raise InputError(
                f"The inventory lacks {len(missing)} of the plan's {len(wanted)} brokers: {_some(missing)}; add them."
            )
        if unknown:
            raise InputError(
                f"The inventory lists {counted(len(unknown), 'broker')} that the plan does not know: {_some(unknown)}; "
                f"remove what does not belong, or check the spelling."
            )

    def owner(self, one: str, other: str) -> str:
        """Which of two linked brokers opens the connection; its configuration file describes the bridge.

        It is the one whose name sorts last, so that a broker which joins under a new, higher name changes no other
        broker's file; unless the firewall lets only the other end connect.
        """
        first, last = sorted((one, other))
        if self._by_name[first].is_reachable_from(self._by_name[last]):
            return last
        if self._by_name[last].is_reachable_from(self._by_name[first]):
            return first
        raise InfeasibleError(
            f"The plan links {first!r} and {last!r}, but by the inventory neither can reach the other; forbid this "
            f"link in the design, or open one direction."
        )


def _some(names: list[str]) -> str:
    shown = ", ".join(repr(name) for name in names[:5])
    return shown + (f" and {len(names) - 5} more" if len(names) > 5 else "")


def read_inventory(path: str | os.PathLike[str] | Inventory) -> Inventory:
    """Read an inventory from a CSV file; an inventory is returned as it is. Errors say in one sentence what is
    wrong.
    """
    if isinstance(path, Inventory):
        return path
    try:
        text = Path(path).expanduser().read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "it is not UTF-8 text"
        raise ReadError(f"The inventory {path} cannot be read ({reason}); check the path.") from error
    reader = csv.DictReader(io.StringIO(text))
    header = [name.strip() for name in reader.fieldnames or ()]
    for name in header:
        if name.lower() in SECRETS:
            raise InputError(
                f"The inventory has a column {name!r}: it must hold no secrets, for its content goes into files; name "
                f"the credential in the column 'credentials' and keep it on the machine."
            )
        if name not in COLUMNS:
            raise InputError(f"The inventory has a column {name!r}; {did_you_mean(name, COLUMNS)}")
    for name in COLUMNS[:3]:
        if name not in header:
            raise InputError(f"The inventory has no column {name!r}; it needs {', '.join(COLUMNS[:3])}.")
    reader.fieldnames = header
    return Inventory(
        _broker({key: (value or "").strip() for key, value in row.items() if key}, reader.line_num) for row in reader
    )


def _broker(row: Mapping[str, str], line: int) -> Broker:
    name = row["name"]
    if not GOOD_NAME.fullmatch(name):
        raise InputError(
            f"Line {line} of the inventory calls a broker {name!r}; its name becomes a folder and a client id, so it "
            f"must not be empty, begin with '.' or '$', or hold blanks, slashes, '+' or '#'."
        )
    if not row["host"] or re.search(r"\s", row["host"]):
        raise InputError(f"Line {line} of the inventory gives no host for {name!r}; name one.")
    for prefix in ("", SIDECAR_PREFIX):
        _check_access(row, prefix, line)
    sidecar, listed = row.get("sidecar_port", ""), row.get("reachable_from", "").split()
    reachable = None if not listed else frozenset() if listed == [NOBODY] else frozenset(listed)
    return Broker(
        name=name,
        host=row["host"],
        port=_port(row["port"], line, name),
        sidecar_port=_port(sidecar, line, name) if sidecar else None,
        region=row.get("region", ""),
        reachable_from=reachable,
        sidecar_settings=row.get("sidecar_settings", ""),
        **{prefix + field: row.get(prefix + field, "") for prefix in ("", SIDECAR_PREFIX) for field in ACCESS},
    )


def _check_access(row: Mapping[str, str], prefix: str, line: int) -> None:
    """Check the columns that say how to connect to a broker, or to its sidecar."""
    name, reference = row["name"], row.get(f"{prefix}credentials", "")
    if reference and not GOOD_REFERENCE.fullmatch(reference):
        raise InputError(
            f"Line {line} of the inventory has {prefix}credentials for {name!r} that are not a name (letters, digits, "
            f"'_'); give the name of a credential, never the credential itself."
        )
    if bool(row.get(f"{prefix}certfile")) != bool(row.get(f"{prefix}keyfile")):
        raise InputError(
            f"Line {line} of the inventory gives {name!r} only one of {prefix}certfile and {prefix}keyfile; give both."
        )
    for field in (*(prefix + each for each in ACCESS), "sidecar_settings"):
        if re.search(r"[\r\n]", row.get(field, "")):
            raise InputError(f"Line {line} of the inventory has a line break in {field}; write it on one line.")


def _port(text: str, line: int, name: str) -> int:
    if not (text.isascii() and text.isdigit() and 1 <= int(text) <= 65535):
        raise InputError(f"Line {line} of the inventory gives {name!r} the port {text!r}; a port is from 1 to 65535.")
    return int(text)

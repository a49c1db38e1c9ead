"""Reads edge lists from text files, plain or gzipped."""

from __future__ import annotations

import csv
import gzip
import io
import re
import zlib
from typing import TYPE_CHECKING

import numpy as np

from topicweave.errors import InputError
from topicweave.files import as_path
from topicweave.workloads.edge_list import EdgeList, sorted_edge_list

if TYPE_CHECKING:
    import os
    from pathlib import Path

GZIP_MAGIC = b"\x1f\x8b"
BYTE_ORDER_MARK = b"\xef\xbb\xbf"


def read_edge_list(path: str | os.PathLike[str]) -> EdgeList:
    """Read pairs of users, one pair per line.

    Reads the text files of the SNAP collection and ``*.pairs.tsv``: UTF-8, plain or gzipped (detected from the content,
    not from the name). Lines starting with ``#`` and empty lines are skipped. Columns are separated by tabs if the
    first pair has a tab, otherwise by any white space; columns after the second (weights, times) are ignored.

    Parameters
    ----------
    path
        The file.
    """
    content = _content(as_path(path, "the edge list"))
    first = re.search(rb"[^\s].*", content)
    if first is None:
        raise InputError(f"The file {path} holds no pairs; give one pair of users a line.")
    separator = "\t" if b"\t" in first.group().strip() else r"\s+"
    return _parse(content, separator, path)


def _content(path: Path) -> bytes:
    """The text of the file without comment lines."""
    try:
        content = path.read_bytes()
        if content.startswith(GZIP_MAGIC):
            content = gzip.decompress(content)
    except FileNotFoundError:
        raise InputError(f"There is no file {path}; check the path.") from None
    except (OSError, EOFError, zlib.error) as problem:
        raise InputError(f"The file {path} cannot be read ({problem}); check that it is whole.") from None
    content = content.removeprefix(BYTE_ORDER_MARK)
    return re.sub(rb"(?m)^[ \t]*#[^\n]*$", b"", content) if b"#" in content else content


def _parse(content: bytes, separator: str, path: str | os.PathLike[str]) -> EdgeList:
    import pandas as pd

    try:
        table = pd.read_csv(
            io.BytesIO(content),
            sep=separator,
            header=None,
            usecols=[0, 1],
            dtype=str,
            na_filter=False,
            quoting=csv.QUOTE_NONE,
            engine="c",
        )
    except (ValueError, UnicodeDecodeError) as problem:
        raise InputError(f"The file {path} is no list of pairs ({problem}); give two columns in every line.") from None
    codes, names = pd.factorize(pd.concat((table[0], table[1]), ignore_index=True).to_numpy())
    ends = codes.reshape(2, -1).T.astype(np.int64)
    empty = np.flatnonzero((table[0].to_numpy() == "") | (table[1].to_numpy() == ""))
    if len(empty):
        seen = [str(value) for value in table.iloc[int(empty[0])]]
        raise InputError(f"Pair {empty[0] + 1} of the file {path} is {seen}, but both users need a name.")
    return sorted_edge_list([str(name) for name in names], ends)

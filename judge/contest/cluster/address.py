"""Checks the address of a cluster, as a user gives it."""

from __future__ import annotations

import re

LARGEST_PORT = 65535
_HOST = re.compile(r"[\w.:\[\]%-]{1,253}", re.ASCII)
_CLUSTER = re.compile(
    rf"(?:tls|tcp)://{_HOST.pattern}:(?P<port>\d{{1,5}})|local:(?P<workers>\d{{1,3}})", re.ASCII
)


def cluster(text: str) -> str:
    """Return the text if it is the address of a cluster: ``tls://HOST:PORT`` or ``tcp://HOST:PORT``
    for a scheduler, ``local:4`` for 4 workers on this machine. Otherwise raise ValueError."""
    found = _CLUSTER.fullmatch(text.strip())
    if found and 1 <= int(found["port"] or found["workers"]) <= LARGEST_PORT:
        return found[0]
    raise ValueError(
        f"{text!r} is not a cluster, such as tls://host:8786, the address of dask's scheduler, or "
        "local:4, workers on this machine"
    )


def is_host(text: str) -> bool:
    """Whether a text may be the name or the address of a host."""
    return _HOST.fullmatch(text) is not None

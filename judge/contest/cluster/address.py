"""Checks the address of a cluster, as a user gives it."""

from __future__ import annotations

import string

LARGEST_PORT = 65535
MOST_WORKERS = 999  # the largest N of local:N
_HOST = frozenset(string.ascii_letters + string.digits + "-_.:[]%")


def cluster(text: str) -> str:
    """Return the text if it is the address of a cluster: ``tls://HOST:PORT`` or ``tcp://HOST:PORT``
    for a scheduler, ``local:4`` for 4 workers on this machine. Otherwise raise ValueError."""
    kind, _, where = text.strip().partition(":")
    host, _, port = where.removeprefix("//").rpartition(":")
    is_scheduler = kind in ("tls", "tcp") and where.startswith("//") and is_host(host)
    if is_scheduler and _is_count(port, LARGEST_PORT):
        return text.strip()
    if kind == "local" and _is_count(where, MOST_WORKERS):
        return text.strip()
    raise ValueError(
        f"{text!r} is not a cluster, such as tls://host:8786, the address of dask's scheduler, or "
        "local:4, workers on this machine"
    )


def is_host(text: str) -> bool:
    """Whether a text may be the name or the address of a host."""
    return 0 < len(text) <= 253 and set(text) <= _HOST


def _is_count(text: str, most: int) -> bool:
    return text.isascii() and text.isdecimal() and len(text) <= 5 and 1 <= int(text) <= most

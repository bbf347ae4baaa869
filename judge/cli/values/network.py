"""Readers of typed addresses: a cluster, a server, a ladder, and an address to listen at."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from judge.cli.values.value import Value
from judge.contest.cluster.address import LARGEST_PORT, cluster, is_host

if TYPE_CHECKING:
    from judge.join.address import Address

_PORT = re.compile(r"\d{1,40}", re.ASCII)


def listening(text: str) -> tuple[str, int]:
    """Return the host and the port to listen at, from ``8000``, ``0.0.0.0:8000`` or ``[::]:8000``.
    Without a host, only this machine can connect."""
    host, colon, port = text.strip().rpartition(":")
    host = host.removeprefix("[").removesuffix("]") if colon else "127.0.0.1"
    if not host or not _PORT.fullmatch(port) or int(port) > LARGEST_PORT:
        raise ValueError(f"{text!r} is neither a port nor HOST:PORT, as 8000 or 0.0.0.0:8000")
    return host, int(port)


def _address(text: str) -> Address:
    from judge.join.address import address  # imported here: only one command needs it

    return address(text)


def url(text: str) -> str:
    """Return a URL such as ``https://ladder.example.org`` without a slash at its end. Raises
    ValueError for any other URL, such as one with a path."""
    from urllib.parse import urlsplit

    parts = urlsplit(text.strip().rstrip("/"))
    is_plain = parts.scheme in ("http", "https") and text.isprintable() and text.isascii()
    try:
        is_known = bool(parts.hostname) and is_host(parts.netloc) and (parts.port or 1) > 0
    except ValueError:
        is_known = False
    if not is_plain or not is_known or parts.path or parts.query or parts.fragment:
        raise ValueError(f"{text[:200]!r} is not an address such as https://ladder.example.org")
    return parts.geturl()


def ladder(text: str) -> tuple[str, str]:
    """Return the URL of a ladder, and the token of a link to the ladder. The token is empty if the
    address has none."""
    begin, _, token = text.strip().partition("/enter/")
    return url(begin), token.strip("/")


CLUSTER = Value("ADDRESS", cluster)
URL = Value("URL", url)
LADDER = Value("ADDRESS", ladder, names=lambda: ["https://"])
LISTENING = Value("[HOST:]PORT", listening)
ADDRESS = Value("ADDRESS", _address, names=lambda: ["xbs://", "bsp://"])

"""Claims: names that only one process on this machine can hold at a time.

Judges claim processors, so that they use different ones. Judges also claim games: bots of two games
with the same seed could tell each other where ships lie. One judge never plays two games with the
same bots and seed at once, but two judges with one ledger could.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import socket
import time
from collections.abc import Iterable, Iterator

from judge.errors import JudgeFault
from judge.process.run.listening import Stop

STEP_SECONDS = 0.05
MOST_SECONDS = 600.0  # seconds to wait for the game of another judge


def claimed(name: str) -> socket.socket | None:
    """Claim a name until the returned socket is closed or this process ends. Returns None if the
    name cannot be bound, as when it is claimed already."""
    claim = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    try:
        claim.bind(f"\0battleships-judge/{name}")
    except OSError:
        claim.close()
        return None
    return claim


@contextlib.contextmanager
def alone_with(seed: int, digests: Iterable[str], stop: Stop) -> Iterator[None]:
    """A ``with`` block in which no other judge on this machine plays these bots with this seed.
    Waits until such a game of another judge has ended. Raises `Interrupted` once the user stops the
    run. Raises `JudgeFault` if that game does not end within `MOST_SECONDS`."""
    # Other users can read the name, and must not learn the seed.
    text = json.dumps([seed, *sorted(digests)])
    name = f"game/{hashlib.blake2b(text.encode(), digest_size=16).hexdigest()}"
    until = time.monotonic() + MOST_SECONDS
    while (claim := claimed(name)) is None:
        if time.monotonic() > until:
            raise JudgeFault(
                "another judge on this machine plays these bots with the same seed, and has not ended "
                f"within {MOST_SECONDS:g} s: such games are never played at once"
            )
        stop.wait(STEP_SECONDS)
    with claim:
        yield

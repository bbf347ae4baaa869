"""Claims: what one process of this machine has at a time, whichever judge asks.

A processor is one, so that two judges take different ones. A game is another: bots of two games
with one seed can talk, on one machine, and one of them may know where to shoot in the other. The
games of one judge never overlap so; two judges on one ledger play the same schedule.
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
MOST_SECONDS = 600.0  # seconds for a game of another judge, which may never go on


def claimed(name: str) -> socket.socket | None:
    """A claim, which ends when it is closed or with the process; None if it is another's."""
    claim = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    try:
        claim.bind(f"\0battleships-judge/{name}")
    except OSError:
        claim.close()
        return None
    return claim


@contextlib.contextmanager
def alone_with(seed: int, digests: Iterable[str], stop: Stop) -> Iterator[None]:
    """Play the only game of this machine that these bots have with this seed.

    Raises `Interrupted` on the stop, and `JudgeFault` if another judge's game does not end.
    """
    # Other users can read the name, and are not to learn the seed.
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

"""A ledger of games of three bots in turn; as a program it writes one: FILE [GAMES]."""

from __future__ import annotations

import sys
from pathlib import Path

from msgspec.structs import replace

from games import played
from judge.contest.ledger.ledger import Ledger
from judge.documents.game import GameRecord, Termination

COUPLES = [("ada", "bob"), ("bob", "cyd"), ("cyd", "ada")]


def a_game(number: int) -> GameRecord:
    """Game of that number: three bots in turn, every fourth one forfeited by seat 0. From the
    ninth on bob's files are others."""
    record = played(
        seed=number,
        names=COUPLES[number % 3],
        forfeit=(0, Termination.TIMEOUT) if number % 4 == 3 else None,
        game_id=f"{number}",
        detail="took 2001 ms, over the limit of 2000 ms",
        stderr="still thinking",
    )
    seats = [
        replace(seat, digest=f"sha256:{'ab'[seat.name == 'bob' and number > 8] * 64}")
        for seat in record.seats
    ]
    return replace(record, seats=tuple(seats))


def fill(path: Path, games: int) -> None:
    with Ledger(path) as ledger:
        for number in range(games):
            ledger.add(a_game(number))


if __name__ == "__main__":
    fill(Path(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 12)

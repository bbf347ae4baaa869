"""The moves with which bots forfeited games of a fight, and commands that run these moves again."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from msgspec.structs import replace

from judge.contest.ledger.ledger import Repeated
from judge.contest.standings.summary import forfeits
from judge.documents.game import GameRecord, Termination
from judge.game.steps import steps
from judge.play.recorded_move import forfeiting
from judge.process.bots.specs import bundled_folders
from judge.quoting import line

DOCUMENT = "game.json"  # the file to which a command writes the games of a fight without a ledger


class FailingMoves:
    """The moves with which bots forfeited, if they can be run again. A game adds none if its bots
    forfeited in the same ways (`Termination`) before."""

    def __init__(self, specs: Sequence[str]) -> None:
        """``specs`` are the bots as they were typed, in the order of their seats."""
        self._specs = specs
        self._causes: set[tuple[int, Termination]] = set()
        self._moves: list[tuple[GameRecord, str, str]] = []

    def __len__(self) -> int:
        return len(self._moves)

    def add(self, record: GameRecord, repeated: Repeated | None) -> None:
        """Take the record of the next game. If ``repeated`` is given, the ledger holds a game with
        the same key already, and the moves of an equal game are named by its number there."""
        new = {(seat, one.termination) for seat, one in forfeits(record).items()} - self._causes
        if not new:
            return
        self._causes |= new
        if repeated is not None and repeated.difference is None:  # the game is in the ledger
            record = replace(record, number=repeated.number)
        moves = forfeiting(record, (step for step, _ in steps(record)))
        self._moves += [(record, move, self._specs[seat]) for seat, move in moves]

    def in_ledger(self, ledger: Path) -> list[str]:
        """Return the commands that run the moves again, if their games are in ``ledger``."""
        return [
            rerun(f"{ledger}#{record.number}", move, spec)
            for record, move, spec in self._moves
            if record.number is not None
        ]

    def in_document(self, fight: str, games: int) -> list[str]:
        """Return the commands that run the moves again if no ledger holds the games. The first
        command runs ``fight``, which plays all ``games`` again, and saves their document. Without
        moves there is no command."""
        if not self._moves:
            return []
        return [
            f"{fight} > {DOCUMENT}",
            *(
                rerun(DOCUMENT if games == 1 else f"{DOCUMENT}#{record.id}", move, spec)
                for record, move, spec in self._moves
            ),
        ]


def rerun(game: str, move: str, spec: str) -> str:
    """Return the command that runs a move of a game again with the bot ``spec``."""
    return line(["judge", "replay", game, *rerun_options(move, spec)])


def rerun_options(move: str, spec: str) -> list[str]:
    return ["--move", move, *([] if spec in bundled_folders() else ["--bot", spec])]

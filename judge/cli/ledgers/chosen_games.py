"""--which: some of the games in one place, as the contest's programs offer them."""

from __future__ import annotations

import re

from judge.cli.ledgers.game_source import GameSource
from judge.cli.values.value import Value
from judge.documents.game import Termination
from judge.game.record import GameRecord

LAST, ONE_OF_EACH, ALL = "last", "one-of-each", "all"
EVERY = re.compile("every:([1-9][0-9]{0,8})")

PLAYTHROUGH_MS = 300  # for each step, where several games play by themselves


def which(text: str) -> str:
    """``last``, ``one-of-each``, ``all`` or ``every:25``."""
    if text in (LAST, ONE_OF_EACH, ALL) or EVERY.fullmatch(text):
        return text
    raise ValueError(f"{text!r} is none of last, one-of-each, all, and every:N such as every:25")


WHICH = Value(
    "last|one-of-each|all|every:N", which, names=lambda: [LAST, ONE_OF_EACH, ALL, "every:25"]
)


def selected(games: GameSource, which: str) -> list[int]:
    """The numbers of these games, in order. Each 25th is counted back from the last one.

    One of each are the last game that the first player won, the last that it lost and the last tie,
    and the last of all if an error ended it.
    """
    last = len(games)
    if which == ONE_OF_EACH:
        return _one_of_each(games)
    if which == LAST:
        return [last]
    every = EVERY.fullmatch(which)
    step = int(every[1]) if every else 1
    return [number for number in range(1, last + 1) if (last - number) % step == 0]


def _one_of_each(games: GameSource) -> list[int]:
    found: dict[str, int] = {}
    for number in range(len(games), 0, -1):
        found.setdefault(_kind(games.game(number)), number)
        if {"won", "lost", "tied"} <= found.keys():
            break
    return sorted(found.values())


def _kind(record: GameRecord) -> str:
    how, winner = record.outcome.termination, record.outcome.winner
    if how.is_forfeit or how is Termination.BOTH_FAILED or not how.is_rated:
        return "error"
    return "tied" if winner is None else "won" if winner == 0 else "lost"

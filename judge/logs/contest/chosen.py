"""Which games of a match are logged or shown, as the contest offers them.

Its text has the first and the last five, five of each result with all that an error ended, or all;
its programs show the last one, one of each result, all, or each so-many-th.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

from judge.documents.game import GameRecord, Termination

LAST, ALL = "last", "all"
_ERROR = "error"


def kind(record: GameRecord) -> str:
    """How the first player ended a game."""
    termination, winner = record.outcome.termination, record.outcome.winner
    if termination.is_forfeit or termination is Termination.BOTH_FAILED or not termination.is_rated:
        return _ERROR
    return "tied" if winner is None else "won" if winner == 0 else "lost"


def chosen(which: str, games: int, kind_of: Callable[[int], str]) -> list[int]:
    """The numbers of these games of a match, in their order; ``which`` is a word as
    `judge.logs.CHOICE` has it, and ``kind_of`` gives the kind of a game by its number.

    One of each are the last game that the first player won, the last that it lost and the last tie,
    and the last of all if an error ended it. ``every:N`` chooses each N-th game, counted back from
    the last.
    """
    numbers = range(1, games + 1)
    what, _, count = which.partition(":")
    many = int(count or 1)
    match what:
        case "first-last":
            return [number for number in numbers if number <= many or number > games - many]
        case "each":
            return _each(many, games, kind_of)
        case "one-of-each":
            return _one_of_each(games, kind_of)
        case "every":
            return [number for number in numbers if (games - number) % many == 0]
    return list(numbers[-1:] if what == LAST else numbers)


def _each(many: int, games: int, kind_of: Callable[[int], str]) -> list[int]:
    found: list[int] = []
    counts: Counter[str] = Counter()
    for number in range(1, games + 1):
        counts[one := kind_of(number)] += 1
        if one == _ERROR or counts[one] <= many:
            found.append(number)
    return found


def _one_of_each(games: int, kind_of: Callable[[int], str]) -> list[int]:
    found: dict[str, int] = {}
    for number in range(games, 0, -1):
        found.setdefault(kind_of(number), number)
        if {"won", "lost", "tied"} <= found.keys():
            break
    return sorted(found.values())

"""The choice of the games of a match that are logged or shown.

The contest's description offers three choices: the first and last five games, all games, and five
games of each result with every game that an error ended. The contest's programs offer the last
game, one of each result, all games, and every N-th game.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable

from judge.documents.game import GameRecord, Termination

LAST, ALL = "last", "all"
_ERROR = "error"


def kind(record: GameRecord) -> str:
    """The result of a game for seat 0: won, lost or tied; but error for a game that forfeits or an
    abort ended."""
    termination, winner = record.outcome.termination, record.outcome.winner
    if termination.is_forfeit or termination is Termination.BOTH_FAILED or not termination.is_rated:
        return _ERROR
    return "tied" if winner is None else "won" if winner == 0 else "lost"


def chosen(which: str, games: int, kind_of: Callable[[int], str]) -> list[int]:
    """The numbers of the chosen games of a match, sorted and counted from 1. ``which`` matches
    `judge.logs.CHOICE`, and ``kind_of`` gives the `kind` of a game by its number.

    ``one-of-each`` chooses the last game that seat 0 won, the last game that seat 0 lost, the last
    tie, and the last game of the match if an error ended that game. ``every:N`` chooses every N-th
    game, counted back from the last.
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
        if (result := kind_of(number)) != _ERROR or number == games:
            found.setdefault(result, number)
        if {"won", "lost", "tied"} <= found.keys():
            break
    return sorted(found.values())

"""--which: some of the games in one place, as the contest offers them."""

from __future__ import annotations

from judge.cli.ledgers.game_source import GameSource
from judge.logs.contest.chosen import chosen, kind

PLAYTHROUGH_MS = 300  # a step, if several games play by themselves


def selected(games: GameSource, which: str) -> list[int]:
    """The numbers of these games, in order."""
    return chosen(which, len(games), lambda number: kind(games.game(number)))

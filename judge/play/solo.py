"""Games of one player alone, for `judge test`: the player clears boards, and nobody shoots back.

The opponent's seat is absent and skips every turn. The player is told the same as in a usual game
in which only this player has shot so far.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from msgspec import structs

from judge.documents.game import GameRecord, RecordedSeat
from judge.documents.rules import Fleet, Goal, Repeat, Rules
from judge.play.actions import GameSetup
from judge.play.conditions import Conditions
from judge.play.match import Match
from judge.play.player import Player
from judge.play.referee import play, table_with

PLAYER, OPPONENT = 0, 1  # the seats of the player and of the absent opponent
_SILENT = RecordedSeat.of("silent")


class Board(NamedTuple):
    """A board to clear: the id and the seed of its game, and the fleet to find."""

    id: str
    seed: int
    fleet: Fleet


def solo(rules: Rules) -> Rules:
    """The rules of a solo game: it ends when the fleet is sunk, a turn may be skipped, and nobody
    comes back.

    Repeats cost nothing in a solo game, so a player could go on for ever. If the rules allow
    repeats and have no limit of rounds, the game ends after twice as many rounds as there are
    cells.
    """
    limit = rules.round_limit
    if limit is None and rules.repeat is not Repeat.ILLEGAL:
        limit = 2 * rules.columns * rules.rows
    return structs.replace(
        rules,
        goal=Goal.FLEET,
        points=None,
        round_limit=limit,
        may_skip=True,
        may_return=False,
    )


def clear_boards(
    conditions: Conditions, player: Player, boards: Sequence[Board]
) -> list[GameRecord]:
    """Let one player clear these boards one after another, up to the first that it forfeits, and
    return the records.

    The fleets must be legal. The player is asked for its own fleet first, as in any game, unless
    the judge places fleets. The records have the rules of `solo`. Raises `IllegalFleet` if the
    rules draw ship lengths and a fleet has lengths that they cannot draw. Raises `JudgeFault` if
    the judge or the machine cannot play, and `Interrupted` once the user stops the run.
    """
    setups = [setup_of(board, conditions.rules) for board in boards]
    told = conditions.rules.drawn_as(boards[0].fleet)
    seating = table_with(replace(conditions, rules=told), [player], [_SILENT])
    seating = replace(seating, games=len(boards), until_forfeit=True)
    return play(Match(seating, setups), [player])


def setup_of(board: Board, rules: Rules) -> GameSetup:
    """The game in which a board is cleared. Raises `IllegalFleet` if these rules draw ship lengths
    and cannot draw those of the board's fleet."""
    told = rules.drawn_as(board.fleet)
    return GameSetup(
        id=board.id,
        seed=board.seed,
        first=PLAYER,
        rules=solo(told),
        fleets={OPPONENT: board.fleet},
        rules_told=told,
    )

"""One player alone with a board to clear: the opponent has a fleet and never shoots.

No rules of their own are needed for that: the opponent skips every turn. What the player is told
is what it would be told in a game in which it has been the only one to shoot so far.
"""

from __future__ import annotations

from dataclasses import replace

from judge.game.evidence import Evidence
from judge.game.record import GameRecord, RecordedSeat
from judge.game.rules import Fleet, Goal, Repeat, Rules
from judge.play.conditions import Conditions
from judge.play.player import Player
from judge.play.referee import play_game
from judge.wire.messages import AskShots, FromPlayer, Question, Skipped, ToPlayer

PLAYER, OPPONENT = 0, 1  # their seats


class Silent:
    """A player that skips whenever it is up."""

    entry = RecordedSeat("silent", None, 0, None, None)
    milliseconds = 0.0

    def tell(self, message: ToPlayer) -> None:
        """It hears nothing."""

    def ask(self, question: Question, timeout_ms: float | None) -> None:
        assert isinstance(question, AskShots), "it is given its fleet, and a skip is not refused"

    def answer(self) -> FromPlayer:
        return Skipped()

    def evidence(self, seat: int) -> Evidence | None:
        return None

    def part(self, timeout_ms: float | None) -> None:
        """It hears nothing."""


def solo(rules: Rules) -> Rules:
    """The same game when it is over with the fleet, and a turn may be skipped.

    Where a wasted shot costs nothing but the turn, and so nothing at all here, a player could go
    on for ever: so that there is an end, it has as many rounds as there are cells, twice.
    """
    limit = rules.round_limit
    if limit is None and rules.repeat is not Repeat.ILLEGAL:
        limit = 2 * rules.columns * rules.rows
    return replace(rules, goal=Goal.FLEET, points=None, round_limit=limit, may_skip=True)


def play_alone(
    conditions: Conditions, player: Player, fleet: Fleet, *, game_id: str, seed: int
) -> GameRecord:
    """Let one player clear the board of this fleet, which must be legal by the rules.

    The player is asked for a fleet first, as in any game. The record's rules are those of
    `solo`. Raises as `play_game`.
    """
    return play_game(
        replace(conditions, rules=solo(conditions.rules)),
        [player, Silent()],
        game_id=game_id,
        seed=seed,
        fleets={OPPONENT: fleet},
    )

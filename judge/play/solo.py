"""A player alone with a board to clear, as `judge test` has it: the opponent never shoots.

No rules of their own are needed for that: the opponent skips every turn. The player is told what it
would be told in a game in which it has been the only one to shoot so far.
"""

from __future__ import annotations

from dataclasses import replace

from msgspec import structs

from judge.documents.game import Evidence, GameRecord, RecordedSeat
from judge.documents.rules import Fleet, Goal, Repeat, Rules
from judge.errors import IllegalMove
from judge.play.conditions import Conditions
from judge.play.player import Player, WithoutProgram
from judge.play.referee import play_game
from judge.wire.messages import (
    AskShots,
    FromPlayer,
    GameStart,
    MatchStart,
    Question,
    Refused,
    Skipped,
    ToPlayer,
)

PLAYER, OPPONENT = 0, 1  # their seats


class Silent(WithoutProgram):
    """A player that skips whenever it is up."""

    entry = RecordedSeat.of("silent")

    def tell(self, message: ToPlayer) -> None:
        """It hears nothing."""

    def ask(self, question: Question, timeout_ms: float | None) -> None:
        assert isinstance(question, AskShots), "it is given its fleet, and a skip is not refused"

    def answer(self) -> FromPlayer:
        return Skipped()


class _ToldTheUsual:
    """A player that is told the rules of its game, and held to them, in a game by those of
    `solo`."""

    def __init__(self, player: Player, rules: Rules) -> None:
        self._player = player
        self._rules = rules

    @property
    def entry(self) -> RecordedSeat:
        return self._player.entry

    @property
    def joins(self) -> bool:
        return self._player.joins

    @property
    def milliseconds(self) -> float:
        return self._player.milliseconds

    def tell(self, message: ToPlayer) -> None:
        if isinstance(message, MatchStart | GameStart):
            message = structs.replace(message, rules=self._rules)
        self._player.tell(message)

    def ask(self, question: Question, timeout_ms: float | None) -> None:
        match question:
            case AskShots():
                question = self._usual(question)
            case Refused(why, AskShots() as again):
                question = Refused(why, self._usual(again))
        self._player.ask(question, timeout_ms)

    def answer(self) -> FromPlayer:
        said = self._player.answer()
        if isinstance(said, Skipped) and not self._rules.may_skip:
            raise IllegalMove(f"a turn cannot be skipped in {self._rules.name}")
        return said

    def evidence(self, seat: int) -> Evidence | None:
        return self._player.evidence(seat)

    def part(self, timeout_ms: float | None) -> None:
        self._player.part(timeout_ms)

    def hear_out(self) -> None:
        self._player.hear_out()

    def finish(self) -> None:
        self._player.finish()

    def close(self) -> None:
        self._player.close()

    def _usual(self, asked: AskShots) -> AskShots:
        return AskShots(structs.replace(asked.view, rules=self._rules))


def solo(rules: Rules) -> Rules:
    """The same game when it is over with the fleet, a turn may be skipped, and nobody comes back.

    A wasted shot costs nothing in a solo game, so a player could go on for ever: the game ends
    after twice as many rounds as there are cells.
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


def play_alone(
    conditions: Conditions, player: Player, fleet: Fleet, *, game_id: str, seed: int
) -> GameRecord:
    """Let one player clear the board of this fleet, which must be legal by the rules.

    The player is asked for a fleet first, as in any game, unless the judge places it. The record's
    rules are those of `solo`. Raises as `play_game`.
    """
    return play_game(
        replace(conditions, rules=solo(conditions.rules)),
        [_ToldTheUsual(player, conditions.rules), Silent()],
        game_id=game_id,
        seed=seed,
        fleets={OPPONENT: fleet},
    )

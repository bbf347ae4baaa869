"""A game that is played step by step and can be taken back: what the tester is about.

The position is what the answers so far lead to, and nothing else is kept: to take one back, the
game is played again without it; to write the record, the referee asks for the same answers again,
so a record from here is like any other.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from random import Random

from judge.errors import BotError, UsageError
from judge.game.events import Event, Termination
from judge.game.game import Game
from judge.game.record import Evidence, GameRecord
from judge.game.rules import Placing, Rules, random_fleet
from judge.play.player import Player
from judge.play.referee import Conditions, apply, play_game, stamp
from judge.wire import WIRES
from judge.wire.messages import AskFleet, AskShots, FromBot, Placed, Resigned, ToBot

WIRE = "brainjar"  # what is spoken with a side that is no bot, and so has no wire of its own


def require_expressible(rules: Rules) -> None:
    """Raise `UsageError` if there is no wire to tell a game of these rules by."""
    if reason := WIRES[WIRE].unsupported(rules):
        raise UsageError(
            f"the rules {rules.name!r} cannot be played here: in the {WIRE} protocol {reason}"
        )


@dataclass(frozen=True, slots=True)
class Answer:
    """What a seat answered, or what was wrong with it, which ends its game; and the run that said
    so, if there was one."""

    seat: int
    said: FromBot | BotError
    ms: float = 0.0
    evidence: Evidence | None = None


class Session:
    """A game of two ``players``, who need not be asked here: `take` takes what they answered.

    The rules must be drawn, and such as the wire can express.
    """

    def __init__(
        self, conditions: Conditions, players: Sequence[Player], *, seed: int, first: int
    ) -> None:
        self.players = players
        self.answers: list[Answer] = []
        self._conditions = conditions
        self._seed = seed
        self._first = first
        self._started = datetime.now(UTC)
        self.game = self._begun()

    @property
    def question(self) -> tuple[int, ToBot]:
        """Whoever is up first, and what they are asked. Not to be called once the game is over."""
        seat = self.game.to_move[0]
        return seat, AskFleet() if self.game.is_placing else AskShots(self.game.view(seat))

    def take(self, answer: Answer) -> tuple[Event, ...]:
        """Take an answer of the seat that is up; raises `BotError`, with nothing changed, for one
        that the rules do not allow."""
        events = _done(self.game, answer)
        self.answers.append(answer)
        return events

    def step(self, player: Player) -> tuple[Answer, tuple[Event, ...]]:
        """Ask the player who is up, and take the answer; a wrong one forfeits, as it would in
        any game."""
        seat, question = self.question
        try:
            answer = Answer(seat, player.ask(question), player.milliseconds, player.evidence(seat))
            return answer, self.take(answer)
        except BotError as error:
            answer = Answer(seat, error, player.milliseconds, player.evidence(seat))
            return answer, self.take(answer)

    def undo(self) -> Answer | None:
        """Take the last answer back, but no fleet once all are placed; None if there is none."""
        if not self.answers or isinstance(self.answers[-1].said, Placed):
            return None
        undone = self.answers.pop()
        self.game = self._begun()
        for answer in self.answers:
            _done(self.game, answer)
        return undone

    def told(self) -> str:
        """What a bot in the seat that is up would be given."""
        seat, question = self.question
        wire = WIRES[WIRE](self.game.rules, seat, self._conditions.dialect or "")
        wire.send(question)
        return wire.data_to_send().decode()

    def understood(self, text: str) -> FromBot:
        """What it would mean if a bot in the seat that is up had printed this.

        Raises `BadOutput` with what it would be told.
        """
        seat, question = self.question
        wire = WIRES[WIRE](self.game.rules, seat, self._conditions.dialect or "")
        wire.send(question)
        wire.receive_data(text.encode(errors="surrogateescape"))
        wire.receive_data(b"")
        event = wire.next_event()
        assert event is not None, "the reply is whole"
        return event

    def record(self, game_id: str) -> GameRecord:
        """The game so far. If it is not over, whoever is up resigns in it."""
        players = [
            _Again(player, deque(one for one in self.answers if one.seat == seat))
            for seat, player in enumerate(self.players)
        ]
        record = play_game(
            self._conditions, players, game_id=game_id, seed=self._seed, first=self._first
        )
        return replace(record, started=stamp(self._started))

    def _begun(self) -> Game:
        game = Game(self._conditions.rules, len(self.players), self._first)
        rng = Random(self._seed)
        while game.rules.placing is Placing.JUDGE and game.is_placing:
            game.place(game.to_move[0], random_fleet(game.rules, rng))
        return game


def _done(game: Game, answer: Answer) -> tuple[Event, ...]:
    if isinstance(answer.said, BotError):
        return game.forfeit(answer.seat, Termination(answer.said.termination), str(answer.said))
    return apply(game, answer.seat, answer.said)


class _Again:
    """A player who gives answers that were given before, and then resigns."""

    def __init__(self, player: Player, answers: deque[Answer]) -> None:
        self.name = player.name
        self.digest = player.digest
        self.seed = player.seed
        self._answers = answers
        self._last: Answer | None = None

    @property
    def milliseconds(self) -> float:
        return self._last.ms if self._last else 0.0

    def ask(self, message: ToBot) -> FromBot:
        self._last = self._answers.popleft() if self._answers else None
        if self._last is None:
            return Resigned()
        if isinstance(self._last.said, BotError):
            raise self._last.said
        return self._last.said

    def evidence(self, seat: int) -> Evidence | None:
        return self._last.evidence if self._last else None

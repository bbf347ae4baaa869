"""A match of one game that is played step by step, and whose answers can be taken back.

The position is what the answers so far lead to, and nothing else is kept. To take an answer back,
or to write the record, a new match is fed the answers that remain.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime

from judge.errors import BotError, UsageError
from judge.game.events import Event
from judge.game.evidence import Evidence
from judge.game.game import Game
from judge.game.record import GameRecord
from judge.game.rules import Rules
from judge.play.conditions import Conditions
from judge.play.deal import Abort, Deal
from judge.play.match import Match
from judge.play.player import Player
from judge.play.referee import stamp, table_for
from judge.wire import WIRES
from judge.wire.interface import Transport, Wire
from judge.wire.messages import FromPlayer, GameStart, Placed, PlacedShip, Question


def wire_for(rules: Rules) -> str:
    """The name of the wire that is spoken with a side that is no bot: the first that asks each
    question by itself and can express the rules. Raises `UsageError` if there is none."""
    reasons = []
    for name, wire in WIRES.items():
        if wire.transport is not Transport.ONE_SHOT:
            continue
        reason = wire.unsupported(rules, rules.players[0])
        if reason is None:
            return name
        reasons.append(f"in the {name} protocol {reason}")
    raise UsageError(f"the rules {rules.name!r} cannot be played here: {'; '.join(reasons)}")


@dataclass(frozen=True, slots=True)
class Answer:
    """What a seat answered, or what was wrong with it, which ends its game; and the run that said
    so, if there was one."""

    seat: int
    said: FromPlayer | BotError
    ms: float = 0.0
    evidence: Evidence | None = None


class Session:
    """A game of two ``players``, who need not be asked here: `take` takes what they answered. They
    are not told what happens, so the wire of one that is asked must not keep state.

    The rules must be drawn, and such as `wire_for` finds a wire for.
    """

    def __init__(
        self, conditions: Conditions, players: Sequence[Player], *, seed: int, first: int
    ) -> None:
        self.players = players
        self.answers: list[Answer] = []
        self._conditions = conditions
        self._usual_wire = wire_for(conditions.rules)
        self._table = table_for(conditions, [player.entry for player in players])
        self._deal = Deal(id="", seed=seed, first=first, rules=conditions.rules)
        self._started = datetime.now(UTC)
        self._events: list[Event] = []
        self._started_for: set[int] = set()  # the seats of programs that know which game it is
        self._match = self._fed(())

    @property
    def game(self) -> Game:
        return self._match.game

    @property
    def question(self) -> tuple[int, Question]:
        """Whoever is up first, and what they are asked. Not to be called once the game is over."""
        return min(self._match.waiting.items())

    def take(self, answer: Answer) -> tuple[Event, ...]:
        """Take an answer of the seat that is up; raises `BotError`, with nothing changed, for one
        that the rules do not allow."""
        if not isinstance(answer.said, BotError):
            self._match.check(answer.seat, answer.said)
        self._events.clear()
        self._feed(self._match, answer)
        self.answers.append(answer)
        return tuple(self._events)

    def step(self, player: Player) -> tuple[Answer, tuple[Event, ...]]:
        """Ask the player who is up, and take the answer; a wrong one forfeits, as it would in
        any game."""
        seat, question = self.question
        said: FromPlayer | BotError
        try:
            if seat not in self._started_for:
                self._started_for.add(seat)
                player.tell(self._start(seat))
            player.ask(question, self._conditions.limits.timeout_ms)
            said = player.answer()
            self._match.check(seat, said)
        except BotError as error:
            said = error
        answer = Answer(seat, said, player.milliseconds, player.evidence(seat))
        return answer, self.take(answer)

    def undo(self) -> Answer | None:
        """Take the last answer back, but no fleet once all are placed; None if there is none."""
        if not self.answers or isinstance(self.answers[-1].said, Placed | PlacedShip):
            return None
        undone = self.answers.pop()
        self._match = self._fed(self.answers)
        return undone

    def told(self) -> str:
        """What a bot in the seat that is up would be given."""
        wire = self._asked()
        return wire.shown(wire.data_to_send())

    def understood(self, text: str) -> FromPlayer:
        """What it would mean if a bot in the seat that is up had printed this.

        Raises `BadOutput` with what it would be told.
        """
        wire = self._asked()
        wire.receive_data(text.encode(errors="surrogateescape"))
        wire.receive_data(b"")
        event = wire.next_event()
        assert event is not None, "the reply is whole"
        return event

    def record(self, game_id: str) -> GameRecord:
        """The game so far. If it is not over, it is broken off in the record, and nobody loses."""
        match = self._fed(self.answers)
        if not match.is_over:
            match.host(Abort("kept before it was over"))
        (record,) = match.records
        now = stamp(datetime.now(UTC))
        return replace(record, id=game_id, started=stamp(self._started), finished=now)

    def _asked(self) -> Wire:
        """A wire that has been given the question of the seat that is up."""
        seat, question = self.question
        entry = self.players[seat].entry
        spoken = WIRES[entry.wire or self._usual_wire]
        wire = spoken(self.game.rules, seat, entry.dialect or self._usual_dialect(spoken))
        wire.send(self._start(seat))
        wire.send(question)
        return wire

    def _start(self, seat: int) -> GameStart:
        """What a seat is told before its first question."""
        names = tuple(player.entry.name for player in self.players)
        seed, fleet = self.players[seat].entry.seed, self.game.fleet(seat)
        return GameStart(seat, names, self.game.rules, seed, fleet, self.game.first)

    def _usual_dialect(self, wire: type[Wire]) -> str:
        """What is shown to a person, who speaks none."""
        asked = self._conditions.dialect
        return asked if asked and asked in wire.dialects else wire.dialects[0]

    def _fed(self, answers: Iterable[Answer]) -> Match:
        match = Match(self._table, [self._deal], lambda _, event: self._events.append(event))
        match.start()
        for answer in answers:
            self._feed(match, answer)
        return match

    @staticmethod
    def _feed(match: Match, answer: Answer) -> None:
        match.receive(answer.seat, answer.said, answer.ms, lambda: answer.evidence)

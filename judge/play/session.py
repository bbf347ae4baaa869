"""A game that is played step by step, and whose answers can be taken back.

A session keeps the answers of the game. To take the last answer back, a new match gets the answers
before it. A program that stays alive is then started anew: it is told the same again, and has to
answer the same. The record comes from a new match with all answers.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import UTC, datetime

from msgspec.structs import replace

from judge.documents.game import Evidence, GameRecord
from judge.documents.rules import Rules
from judge.errors import BotError, UsageError
from judge.game.events import Event
from judge.game.game import Game
from judge.game.variants import name_of
from judge.play.actions import Abort, Action, Ask, GameSetup, Tell
from judge.play.conditions import Conditions
from judge.play.match import Match
from judge.play.player import ShownPlayer, join
from judge.play.referee import seating_for, stamp, take_leave
from judge.wire import WIRES
from judge.wire.interface import Transport, Wire
from judge.wire.messages import (
    FromPlayer,
    GameStart,
    Placed,
    PlacedShip,
    Question,
    ToPlayer,
)


def wire_for(rules: Rules) -> str:
    """The name of the wire in which a person without a bot sees questions: the first wire that can
    express the rules and has a process for each question. Raises `UsageError` if no wire can."""
    reasons = []
    for name, wire in WIRES.items():
        if wire.transport is not Transport.ONE_SHOT:
            continue
        reason = wire.unsupported(rules, rules.players[0])
        if reason is None:
            return name
        reasons.append(f"over the wire {name} {reason}")
    raise UsageError(f"the rules {name_of(rules)!r} cannot be played here: {'; '.join(reasons)}")


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer of a seat, or its fault, with the evidence of its run if there was one. With
    ``is_typed``, a person typed the answer in place of the player."""

    seat: int
    said: FromPlayer | BotError
    ms: float = 0.0
    evidence: Evidence | None = None
    is_typed: bool = True


class AnsweredOtherwise(Exception):
    """A player that was started anew and told the same gave another answer than before."""

    def __init__(self, before: Answer, now: Answer) -> None:
        super().__init__(before, now)
        self.before = before
        self.now = now


class Session:
    """A game of two players, step by step: `step` asks a player, and `take` takes an answer from
    elsewhere.

    ``seats`` has a function for each seat that makes the seat's player; it is called again when the
    player is started anew. The rules of ``conditions`` must be drawn rules (`Rules.drawn`). Raises
    `UsageError` if `wire_for` finds no wire for these rules.
    """

    def __init__(
        self,
        conditions: Conditions,
        seats: Sequence[Callable[[], ShownPlayer]],
        *,
        seed: int,
        first: int,
    ) -> None:
        self.players = [seat() for seat in seats]
        self.answers: list[Answer] = []
        self._seats = seats
        self._conditions = conditions
        self._usual_wire = wire_for(conditions.rules)
        self._seating = seating_for(conditions, [player.entry for player in self.players])
        self._setup = GameSetup(id="", seed=seed, first=first, rules=conditions.rules)
        self._started = datetime.now(UTC)
        self._events: list[Event] = []
        self._play = _Play(self._match(), dict(enumerate(self.players)))

    @property
    def game(self) -> Game:
        return self._play.match.game

    @property
    def question(self) -> tuple[int, Question]:
        """The seat to be asked next, and its question. The game must not be over."""
        return min(self._play.match.waiting.items())

    def take(self, answer: Answer) -> tuple[Event, ...]:
        """Take an answer of the seat that is up, and return the events. Raises `BotError`, with
        nothing changed, if the question or the rules do not allow the answer."""
        if not isinstance(answer.said, BotError):
            self._play.match.check(answer.seat, answer.said)
        self._events.clear()
        self._play.feed(answer)
        self.answers.append(answer)
        return tuple(self._events)

    def step(self) -> tuple[Answer, tuple[Event, ...]]:
        """Ask the player that is up, and take its answer or fault. A fault costs what it costs in
        any game."""
        seat, _ = self.question
        answer = self._play.ask(seat)
        return answer, self.take(answer)

    def undo(self) -> Answer | None:
        """Take the last answer back and return it. Returns None, and takes nothing back, if there
        is no answer, or if the last answer placed a fleet or a ship.

        Raises `AnsweredOtherwise`, with nothing changed, if a player that is started anew does not
        repeat its answers.
        """
        if not self.answers or isinstance(self.answers[-1].said, Placed | PlacedShip):
            return None
        with ExitStack() as anew:
            fresh: dict[int, ShownPlayer] = {}
            for seat, player in enumerate(self.players):
                if self._lives(player):
                    fresh[seat] = self._seats[seat]()
                    anew.callback(fresh[seat].close)
            play = _Play(self._match(), fresh)
            for answer in self.answers[:-1]:
                if answer.seat in fresh and not answer.is_typed:
                    _require_same(answer, play.ask(answer.seat))
                play.feed(answer)
            anew.pop_all()
        for seat, player in fresh.items():
            self.players[seat].close()
            self.players[seat] = player
        play.players = dict(enumerate(self.players))
        self._play = play
        return self.answers.pop()

    def leave(self) -> None:
        """Take leave of the players if the game is over."""
        if self._play.match.is_over:
            take_leave(self._play.match, self.players)

    def prompt_text(self) -> str:
        """The text that a bot in the seat that is up would be sent: the news since its last answer,
        and its question."""
        seat, _ = self.question
        wire = copy.deepcopy(self._play.wires.get(seat)) or self._wire(seat)
        for message in self._play.news[seat]:
            wire.send(message)
        wire.send(self._play.asked[seat].message)
        return wire.readable(wire.data_to_send())

    def understood(self, text: str) -> FromPlayer:
        """The answer that ``text`` would be if a bot in the seat that is up had printed it. The
        seat's wire must not keep state.

        Raises `BadOutput` if the text cannot be read.
        """
        seat, question = self.question
        wire = self._wire(seat)
        wire.send(question)
        wire.receive_data(text.encode(errors="surrogateescape"))
        wire.receive_data(b"")
        event = wire.next_event()
        assert event is not None, "the reply is whole"
        return event

    def record(self, game_id: str) -> GameRecord:
        """The record of the game so far. A game that is not over is aborted in the record."""
        match = self._match()
        play = _Play(match, {})
        for answer in self.answers:
            play.feed(answer)
        if not match.is_over:
            match.host(Abort("kept before it was over"))
        (record,) = match.records
        now = stamp(datetime.now(UTC))
        return replace(record, id=game_id, started=stamp(self._started), finished=now)

    def _match(self) -> Match:
        return Match(self._seating, [self._setup], lambda _, event: self._events.append(event))

    @staticmethod
    def _lives(player: ShownPlayer) -> bool:
        """Whether the player is a program that stays alive between questions."""
        wire = player.entry.wire
        return wire is not None and WIRES[wire].transport is not Transport.ONE_SHOT

    def _wire(self, seat: int) -> Wire:
        """A new wire for a seat. The wire has been told that the game begins. The seat's player has
        no wire, or one that keeps no state."""
        entry = self.players[seat].entry
        spoken = WIRES[entry.wire or self._usual_wire]
        wire = spoken(self.game.rules, seat, entry.dialect or self._usual_dialect(spoken))
        wire.send(self._play.starts[seat])
        wire.data_to_send()  # the bytes of the beginning were sent already
        return wire

    def _usual_dialect(self, wire: type[Wire]) -> str:
        """The dialect of a wire for a player without a dialect: that of the conditions if the wire
        has it, or else the wire's first."""
        asked = self._conditions.dialect
        return asked if asked and asked in wire.dialects else wire.dialects[0]


class _Play:
    """A match under way, with the ``players`` that are told its messages, by their seats.

    ``news`` are the messages to each seat since its last answer, and ``wires`` are copies of the
    players' wires at that answer. ``asked`` are the latest questions, ``starts`` the last
    `GameStart` messages, by seat.
    """

    def __init__(self, match: Match, players: Mapping[int, ShownPlayer]) -> None:
        self.match = match
        self.players = players
        self.news: list[list[ToPlayer]] = [[] for _ in match.seating.seats]
        self.asked: dict[int, Ask] = {}
        self.starts: dict[int, GameStart] = {}
        self.wires: dict[int, Wire] = {}
        self._faults: dict[int, BotError] = {}  # faults of players while they were told something
        for seat, player in players.items():
            try:
                join(player, match.seating.limits.timeout_ms)
            except BotError as error:
                self._faults[seat] = error
            self._begin_news(seat)
        self._carry_out(match.start())

    def ask(self, seat: int) -> Answer:
        """Ask a player its open question, and return its answer or fault."""
        player, question = self.players[seat], self.asked[seat]
        answer: FromPlayer | BotError
        try:
            if seat in self._faults:
                raise self._faults.pop(seat)
            player.ask(question.message, question.timeout_ms)
            answer = player.answer()
            self.match.check(seat, answer)
        except BotError as error:
            answer = error
        return Answer(seat, answer, player.milliseconds, player.evidence(seat), is_typed=False)

    def feed(self, answer: Answer) -> None:
        self._begin_news(answer.seat)
        self._carry_out(
            self.match.receive(answer.seat, answer.said, answer.ms, lambda: answer.evidence)
        )

    def _begin_news(self, seat: int) -> None:
        """Forget the news of a seat, and copy its wire as it is now."""
        self.news[seat].clear()
        if seat in self.players and (wire := self.players[seat].copied_wire()):
            self.wires[seat] = wire

    def _carry_out(self, todo: Sequence[Action]) -> None:
        """Carry out the actions: tell messages, and keep questions for `ask`."""
        for do in todo:
            match do:
                case Tell(seat, message):
                    self._tell(seat, message)
                case Ask(seat):
                    self.asked[seat] = do

    def _tell(self, seat: int, message: ToPlayer) -> None:
        self.news[seat].append(message)
        if isinstance(message, GameStart):
            self.starts[seat] = message
        if seat in self.players:
            try:
                self.players[seat].tell(message)
            except BotError as error:
                self._faults[seat] = error


def _require_same(before: Answer, now: Answer) -> None:
    """Raise `AnsweredOtherwise` if two answers differ, apart from their times."""
    answer, again = before.said, now.said
    if isinstance(answer, BotError):
        is_same = type(answer) is type(again) and str(answer) == str(again)
    else:
        is_same = answer == again
    if not is_same:
        raise AnsweredOtherwise(before, now)

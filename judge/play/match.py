"""A match as a state machine: it says which seats to tell and to ask, and takes their answers.

A match here is one game or several games of the same players. The match has no input or output, no
clock and no threads: a driver carries out each `Action`, measures the time of answers, and hands
them in. A driver may ask and wait (`judge.play.referee`), or take answers as they come, as a server
does. The same answers give the same records.

The match alone decides what an answer costs: it applies ``Rules.bad_move``, takes seats out by
forfeit, refuses answers, and makes the records.

Several seats answer together by `Turn.BOTH`, when they place fleets ship by ship, and when they
join before the first game. No seat then learns another's answer, and none loses, before all have
answered: see `judge.play.joint_step`.
"""

from __future__ import annotations

import copy
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from random import Random

from msgspec import Struct, structs

from judge.documents.game import GameRecord, IncidentKind, Outcome, Termination, shortened
from judge.documents.rules import BadMove, Fleet, Placing, Ship, Turn
from judge.errors import BadOutput, BotError, IllegalFleet, IllegalMove, TimedOut
from judge.game.events import Back, Event, Gone
from judge.game.fleets import random_fleet
from judge.game.game import Game
from judge.play.actions import (
    Abort,
    Action,
    Ask,
    GameSetup,
    Remove,
    Seating,
    SkipTurn,
    Tell,
    Withdraw,
)
from judge.play.answers import apply, no_answer
from judge.play.joint_step import Failure, JointStep, Prove
from judge.play.notes import Notes
from judge.wire import messages
from judge.wire.messages import (
    Answer,
    AskFleet,
    AskName,
    AskShip,
    AskShots,
    FromPlayer,
    Question,
    Refused,
    ToPlayer,
)

Watch = Callable[[Game, Event], None]


def _none() -> None:
    """Return None, the evidence of a seat without a program."""


# Refusals that a seat may get; an honest player needs no more.
MOST_REFUSALS = 50  # refusals in a turn
MOST_REFUSALS_A_GAME = 500

# Chat lines that a seat may send between two of its answers; more would overflow players who are
# not reading.
MOST_CHAT_LINES = 20

REMOVED = "was removed by the host"


class _Asked(Struct):
    """An open question, with the total time and the number of its refused answers."""

    question: AskName | AskFleet | AskShip | AskShots
    spent_ms: float = 0.0
    refusals: int = 0


class Match:
    """A match with the games of ``setups``, in order. The driver calls `start`, carries out the
    actions that each call returns, and hands the answers in.

    ``watch`` is called with the game and each event, after the game has taken in all events of the
    same answer. Once the match is over, further input is ignored.
    """

    def __init__(
        self, seating: Seating, setups: Iterable[GameSetup], watch: Watch | None = None
    ) -> None:
        self.seating = seating
        self.records: list[GameRecord] = []
        self.is_over = False
        self._setups = iter(setups)
        self._next_setup = next(self._setups, None)  # the setup of the next game
        self._begin_order(self._next_setup.first if self._next_setup else 0)
        self._watch = watch
        self._asked: dict[int, _Asked] = {}
        self._is_joining = False  # whether seats are joining, before the first game
        self._step = JointStep()
        self._broken_off = False
        self._do: list[Action] = []

    # Called by the driver

    def start(self) -> list[Action]:
        names = tuple(seat.name for seat in self.seating.seats)
        for seat in self.in_order:
            self._tell(
                seat, messages.MatchStart(seat, names, self.seating.rules, self.seating.games)
            )
        self._is_joining = bool(self.seating.join_ms)
        for seat in self.in_order:
            if seat in self.seating.join_ms:
                asked = self._asked[seat] = _Asked(AskName())
                self._do.append(Ask(seat, asked.question, self.seating.join_ms[seat]))
        if not self._is_joining:
            self._next_game()
        return self._done()

    def receive(
        self,
        seat: int,
        answer: FromPlayer | BotError,
        ms: float = 0.0,
        evidence: Prove = _none,
    ) -> list[Action]:
        """Take a message of a seat's player, or the player's fault. A message is an answer, which
        came ``ms`` after the question, or a word that nobody asked for: chat, joining, leaving or
        resigning.

        ``evidence`` is called if the seat forfeits by this message, at once or after a joint step.
        """
        if self.is_over or not 0 <= seat < len(self.seating.seats):
            return []
        if self._is_joining:
            self._join(seat, answer, evidence)
            return self._done()
        if seat in self._asked and isinstance(answer, Answer):
            self._answer(seat, answer, ms, evidence)
            return self._done()
        match answer:
            case messages.Said(text, to):
                self._chat(seat, text, to)
            case messages.Joined():
                self._come_back(seat)
            case _ if not self._is_playing(seat):
                if not isinstance(answer, BotError | messages.Left):
                    self._refuse(seat, "you are not in this game")
            case messages.Left(why):
                self._leave(seat, why, ms, evidence)
            case messages.Resigned():
                self._fail(Failure(Gone(seat, Termination.RESIGNED), 0, evidence), ms)
            case BotError():
                self._fault(seat, answer, ms, evidence)
            case _:
                self._answer(seat, answer, ms, evidence)
        return self._done()

    def check(self, seat: int, said: FromPlayer) -> None:
        """Raise the `BotError` of an answer that the seat's open question or the rules do not
        allow. The answer is not taken. Other messages raise nothing."""
        asked = self._asked.get(seat)
        if asked and isinstance(said, Answer):
            ships = list(self._ships[seat])
            apply(copy.deepcopy(self.game), ships, seat, said, asked.question)

    def host(self, order: SkipTurn | Remove | Abort) -> list[Action]:
        """Carry out an order of the host. An order has no effect if the position does not allow
        it."""
        if self.is_over:
            return []
        if self._is_joining:
            self._host_joining(order)
            return self._done()
        match order:
            case SkipTurn(seat, why) if seat in self._asked and self._may_skip:
                del self._asked[seat]
                self._do.append(Withdraw(seat))
                self._happen(self.game.skip(seat, why))
            case Remove(seat) if self._is_playing(seat):
                if seat in self._asked:
                    self._do.append(Withdraw(seat))
                self._notes.kick(seat)
                self._leave(seat, REMOVED)
            case Abort(why):
                self._abort(why)
        return self._done()

    def away(self, seat: int, why: str, *, is_sent_away: bool = False) -> list[Action]:
        """Tell all players, and note for the record, that a player is gone. The player's turn
        waits."""
        if self.is_over:
            return []
        self._notes.waits_for(seat, IncidentKind.BOOT if is_sent_away else IncidentKind.AWAY)
        self._tell_all(Gone(seat, None, why))
        return self._done()

    def back(self, seat: int) -> list[Action]:
        """Tell all players, and note for the record, that a player who was `away` is back. The
        player is sent the present view."""
        if self.is_over:
            return []
        self._notes.waits_for(seat, IncidentKind.BACK)
        self._tell(seat, messages.Rejoined(self.game.view(seat)))
        self._tell_all(Back(seat))
        return self._done()

    @property
    def awaited(self) -> Sequence[int]:
        """The seats whose answer is awaited."""
        return tuple(self._asked)

    @property
    def waiting(self) -> Mapping[int, Question]:
        """The seats whose answer is awaited, each with its question."""
        return {seat: asked.question for seat, asked in self._asked.items()}

    def is_open(self, seat: int, question: Question | None) -> bool:
        """Whether this very object is the open question of a seat."""
        asked = self._asked.get(seat)
        return asked is not None and asked.question is question

    @property
    def won(self) -> tuple[int, ...]:
        """The number of games that each seat has won so far."""
        winners = [record.outcome.winner for record in self.records]
        return tuple(winners.count(seat) for seat in range(len(self.seating.seats)))

    @property
    def winner(self) -> int | None:
        """The seat that has won the most games, or None if several have won as many. If a forfeit,
        a void game or an abort ended the match, this is the winner of its last game."""
        if self._broken_off and self.records:
            return self.records[-1].outcome.winner
        best = max(self.won)
        leaders = [seat for seat, games in enumerate(self.won) if games == best]
        return leaders[0] if len(leaders) == 1 else None

    def _begin_order(self, first: int) -> None:
        seats, absent = len(self.seating.seats), self.seating.absent
        in_order = [(first + turn) % seats for turn in range(seats)]
        self.in_order = [seat for seat in in_order if seat not in absent]
        """The seats that are not absent, in the order in which they are told and asked."""

    # Before the first game

    def _join(self, seat: int, answer: FromPlayer | BotError, evidence: Prove) -> None:
        """Take the answer of a seat that was asked for its name."""
        if seat not in self._asked or isinstance(answer, messages.Said):
            return
        del self._asked[seat]
        match answer:
            case messages.Joined(name, authors):
                self._call(seat, name, authors)
            case messages.Left(why):
                self._step.fail(Failure.left(seat, why, evidence))
            case messages.Resigned():
                self._step.fail(Failure(Gone(seat, Termination.RESIGNED), 0, evidence))
            case BotError():
                self._step.fail(Failure.of(seat, answer, evidence))
            case _:
                error = no_answer(answer, AskName())
                self._step.fail(Failure.of(seat, error, evidence))
        if not self._asked:
            self._end_joining()

    def _call(self, seat: int, name: str, authors: str) -> None:
        """Keep the name and author that a player gives itself, for the records."""
        seats = list(self.seating.seats)
        author = authors or seats[seat].author
        seats[seat] = structs.replace(seats[seat], own_name=name, author=author)
        self.seating = replace(self.seating, seats=tuple(seats))

    def _host_joining(self, order: SkipTurn | Remove | Abort) -> None:
        """Carry out an order of the host while seats are joining. A removed seat loses the first
        game, once the others have joined. An aborted game has no loser."""
        match order:
            case Remove(seat) if seat in range(len(self.seating.seats)):
                if self._step.has_failed(seat):
                    return
                if self._asked.pop(seat, None):
                    self._do.append(Withdraw(seat))
                self._step.fail(Failure.left(seat, REMOVED, _none))
                if not self._asked:
                    self._end_joining()
            case Abort(why):
                self._step = JointStep()
                self._end_joining()
                self._abort(why)

    def _end_joining(self) -> None:
        """Begin the first game. Seats whose failure to join counts (`JointStep.losing`) lose it."""
        for seat in self._asked:
            self._do.append(Withdraw(seat))
        self._asked.clear()
        self._is_joining = False
        self._next_game(self._step.losing(len(self.seating.seats)))

    # Games, one after another

    def _next_game(self, losing: Sequence[Failure] = ()) -> None:
        """Begin the next game, or end the match. The ``losing`` seats lose the game before any
        question."""
        setup, self._next_setup = self._next_setup, None
        if setup is None or self._broken_off:
            self.is_over = True
            for seat in self.in_order:
                self._tell(seat, messages.MatchOver(self.won))
            return
        self._next_setup = next(self._setups, None)
        seats = len(self.seating.seats)
        self._begin_order(setup.first)
        self.game = Game(setup.rules, seats, setup.first)
        self._rules_told = setup.rules_told or setup.rules
        self._notes = Notes(self.seating, setup, self.game)
        self._step = JointStep()
        self._refusals = [0] * seats
        self._words = [0] * seats
        self._ships: list[list[Ship]] = [[] for _ in range(seats)]
        together = setup.rules.placing is Placing.ALL
        self._placings: dict[float, Event] | None = {} if together else None  # not noted yet
        self._given: dict[int, Fleet] = dict(setup.fleets)
        if setup.rules.placing is Placing.JUDGE and len(self._given) < seats:
            rng = Random(setup.seed)
            drawn = {seat: random_fleet(setup.rules, rng) for seat in range(seats)}
            self._given = drawn | self._given
        if losing:
            for failure in losing:
                self._notes.prove(failure.prove())
            self._note(self.game.forfeit_together([failure.gone for failure in losing]))
            if self.game.outcome:
                self._finish_game(self.game.outcome)
                return
        names = tuple(seat.name for seat in self.seating.seats)
        for seat in self.in_order:
            seed, fleet = self.seating.seats[seat].seed, self._given.get(seat)
            start = messages.GameStart(seat, names, self._rules_told, seed, fleet, setup.first)
            self._tell(seat, start)
        self._ask()

    def _finish_game(self, outcome: Outcome) -> None:
        for seat in self._asked:
            self._do.append(Withdraw(seat))
        self._asked.clear()
        # Ships of the step that ended the game do not count.
        whole = min(map(len, self._ships)) if self.game.is_placing else 0
        placed = [tuple(ships[:whole]) for ships in self._ships]
        self.records.append(self._notes.record(outcome, len(self.records) + 1, placed))
        lost = outcome.termination
        if lost.is_forfeit or lost in (Termination.BOTH_FAILED, Termination.VOID):
            ends_match = self.game.rules.bad_move is BadMove.FORFEITS_MATCH
            self._broken_off |= ends_match or self.seating.until_forfeit
        told = structs.replace(outcome, detail="")  # it may quote a player
        for seat in self.in_order:
            self._tell(seat, messages.GameOver(told))
        self._next_game()

    def _abort(self, why: str) -> None:
        """Abort this game and with it the match."""
        self._broken_off = True
        self._happen(self.game.abort(shortened(why)))

    # Questions and answers

    @property
    def _in_steps(self) -> bool:
        """Whether the seats answer together now."""
        if self.game.is_placing:
            return self.game.rules.placing is Placing.SHIP_BY_SHIP
        return self.game.rules.turn is Turn.BOTH

    @property
    def _may_skip(self) -> bool:
        return self.game.rules.may_skip and not self.game.is_placing

    def _is_playing(self, seat: int) -> bool:
        return seat in self._asked or (
            0 <= seat < self.game.players
            and self.game.is_in(seat)
            and not self.game.is_away(seat)
            and not self._step.has_failed(seat)
        )

    def _ask(self) -> None:
        """Place given fleets, and ask the seats that are up and were not asked yet."""
        if self.game.is_placing:
            self._place_given()
            if self.game.outcome:  # one of two seats failed to join, so the other was not asked
                self._finish_game(self.game.outcome)
                return
        in_steps = self._in_steps
        for seat in self.game.to_move:
            is_done = in_steps and seat in self._step
            if is_done or seat in self._asked or seat in self.seating.absent:
                continue
            if in_steps:
                self._step.add(seat)
            self._put(seat, _Asked(self._question(seat)))

    def _place_given(self) -> None:
        """Place the given fleets of seats that are up."""
        while self.game.is_placing:
            seat = next((seat for seat in self.game.to_move if seat in self._given), None)
            if seat is None:
                return
            self._note(self.game.place(seat, self._given.pop(seat)))

    def _question(self, seat: int) -> AskFleet | AskShip | AskShots:
        if not self.game.is_placing:
            return AskShots(self.game.view(seat, self._rules_told))
        if self.game.rules.placing is Placing.SHIP_BY_SHIP:
            return AskShip(self.game.rules.lengths[len(self._ships[seat])])
        return AskFleet()

    def _put(self, seat: int, asked: _Asked, refused: str | None = None) -> None:
        self._asked[seat] = asked
        question: Question = asked.question
        if refused is not None:
            assert not isinstance(question, AskName | Refused), "it is a question of a game"
            question = Refused(refused, question)
        self._do.append(Ask(seat, question, self._left_ms(seat, asked)))

    def _left_ms(self, seat: int, asked: _Asked) -> float | None:
        most = self.seating.answer_ms[seat]
        return None if most is None else most - asked.spent_ms

    def _answer(self, seat: int, said: Answer, ms: float, evidence: Prove) -> None:
        asked = self._asked.get(seat)
        if asked is None:
            self._refuse(seat, "it is not your turn")
            return
        try:
            events = apply(self.game, self._ships[seat], seat, said, asked.question)
        except BotError as error:
            self._fault(seat, error, ms, evidence)
            return
        del self._asked[seat]
        self._words[seat] = 0
        self._notes.time(seat, asked.spent_ms + ms)
        for absent in self.seating.absent:
            if absent in self.game.to_move and not self.game.is_placing:
                events += self.game.skip(absent)
        self._happen(events)

    def _fault(self, seat: int, error: BotError, ms: float, evidence: Prove) -> None:
        """Refuse a wrong answer if the rules ask again. Otherwise, or without refusals or time
        left, let the seat fail."""
        error = error.worded(self.seating.name_of_cell.get(seat, str))
        asked = self._asked.get(seat)
        may_be_refused = isinstance(error, BadOutput | IllegalFleet | IllegalMove)
        if may_be_refused and self.game.rules.bad_move is BadMove.ASK_AGAIN:
            if asked is None:
                self._refuse(seat, str(error))
                return
            asked.spent_ms += ms
            asked.refusals += 1
            self._refusals[seat] += 1
            ms = 0.0
            if asked.refusals <= MOST_REFUSALS and self._refusals[seat] <= MOST_REFUSALS_A_GAME:
                left = self._left_ms(seat, asked)
                if left is None or left > 0:
                    self._put(seat, asked, refused=str(error))
                    return
                times = f"{asked.refusals} time{'s' * (asked.refusals > 1)}"
                error = TimedOut(f"was asked {times} in its turn and gave no legal reply: {error}")
        self._fail(Failure.of(seat, error, evidence), ms)

    def _leave(self, seat: int, why: str, ms: float = 0.0, evidence: Prove = _none) -> None:
        """Let a seat leave the game, if the rules let it come back and the placing is over.
        Otherwise let the seat fail."""
        if self.game.rules.may_return and not self.game.is_placing:
            self._asked.pop(seat, None)
            self._step.discard(seat)
            self._happen(self.game.leave(seat))
        else:
            self._fail(Failure.left(seat, why, evidence), ms)

    def _fail(self, failure: Failure, ms: float) -> None:
        """Let a seat fail. ``ms`` is the time for its answer that is not in ``_Asked.spent_ms``.

        In a joint step the failure is judged once all seats have answered. If the seat has fired
        already in a round, the forfeit replaces these shots.
        """
        gone = failure.gone
        asked = self._asked.pop(gone.seat, None)
        if asked:
            self._notes.time(gone.seat, asked.spent_ms + ms)
        if gone.seat in self._step and (asked or self.game.is_placing):
            self._step.fail(failure)
            self._happen(())
        else:
            assert gone.termination is not None, "a failure is for good"
            self._notes.prove(failure.prove())
            self._happen(self.game.forfeit(gone.seat, gone.termination, gone.detail))

    def _happen(self, events: Sequence[Event]) -> None:
        """Note the events of an answer, and let a joint step take effect once all its seats have
        answered. Then finish the game if it is over, or else ask the seats that are up. Without
        events, nothing is done while a joint step lacks answers."""
        if events:
            self._note(events)
        elif self._step and self._asked:
            return  # others have still to answer
        if self._step and not self._asked and not self.game.outcome:
            self._judge_step()
        if self.game.outcome:
            self._finish_game(self.game.outcome)
        else:
            self._ask()

    def _judge_step(self) -> None:
        """Let a joint step take effect once all its seats have answered."""
        step, self._step = self._step, JointStep()
        if losing := step.losing(self.game.players):
            for failure in losing:
                self._notes.prove(failure.prove())
            self._note(self.game.forfeit_together([failure.gone for failure in losing]))
        if self.game.is_placing:
            for seat in self.game.to_move:
                if len(self._ships[seat]) == len(self.game.rules.lengths):
                    self._note(self.game.place(seat, tuple(self._ships[seat])))

    # Messages

    def _note(self, events: Sequence[Event]) -> None:
        """Note events, and tell all seats what players may know of them.

        If all seats place their fleets at once, their events wait until all have answered, and come
        in the order of seats, since the order of answers is chance. A seat that has placed and is
        gone by then has only the event that it is gone.
        """
        if self._placings is not None:
            self._placings |= {_place(event): event for event in events}
            if self.game.is_placing and self.game.to_move:
                return
            events = [self._placings[place] for place in sorted(self._placings)]
            self._placings = None
        if told := self._notes.add(events):
            up = () if self.game.is_placing else self.game.to_move
            message = messages.Told(told, up)
            self._do += [Tell(seat, message) for seat in self.in_order]
        if self._watch:
            for event in events:
                self._watch(self.game, event)

    def _tell(self, seat: int, message: ToPlayer) -> None:
        self._do.append(Tell(seat, message))

    def _tell_all(self, event: Event) -> None:
        """Tell all seats an event that does not change the game."""
        message = messages.Told((event,), self.game.to_move)
        for seat in self.in_order:
            self._tell(seat, message)
        if self._watch:
            self._watch(self.game, event)

    def _refuse(self, seat: int, why: str) -> None:
        """Refuse a message of a seat that has no open question."""
        self._tell(seat, Refused(why, None))

    def _chat(self, seat: int, text: str, to: int | None) -> None:
        self._words[seat] += 1
        if self._words[seat] > MOST_CHAT_LINES:
            return
        for other in range(len(self.seating.seats)):
            if other != seat and to in (None, other):
                self._tell(other, messages.Chat(seat, text, to is not None))

    def _come_back(self, seat: int) -> None:
        if self.game.is_in(seat) and self.game.is_away(seat):
            events = self.game.come_back(seat)
            self._tell(seat, messages.Rejoined(self.game.view(seat)))
            self._happen(events)

    def _done(self) -> list[Action]:
        do, self._do = self._do, []
        return do


def _place(event: Event) -> float:
    """The sort key of an event of the placing: its seat, or infinity for the outcome."""
    return math.inf if isinstance(event, Outcome) else event.seat

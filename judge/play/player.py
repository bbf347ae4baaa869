"""A player: whoever has a seat, is told what happens, is asked and answers."""

from __future__ import annotations

import contextlib
import copy
import math
import time
from collections.abc import Callable, Mapping
from typing import Protocol

from judge.documents.game import Evidence, RecordedSeat
from judge.errors import BotError, Crashed, TimedOut
from judge.process.bots.data_file import OwnData
from judge.process.run.connection import Connection
from judge.process.run.exchange_files import ExchangeFiles
from judge.process.run.pipes import Listening, Pipes
from judge.wire.interface import Transport, Wire
from judge.wire.messages import AskName, Farewell, FromPlayer, Joined, Left, Question, ToPlayer

# From the start of a program to its first message, where it sends one; in a language that is slow to
# start, on a machine that is busy.
JOIN_MS = 5000


class Player(Protocol):
    """One seat. Every method but ``evidence`` raises `BotError` for the player's own fault and
    `JudgeFault` for the judge's."""

    @property
    def entry(self) -> RecordedSeat:
        """How records name it, without what comes of a game."""

    @property
    def joins(self) -> bool:
        """Whether it says that it is there before the first game, when it is asked."""

    @property
    def milliseconds(self) -> float:
        """How long its last answer took."""

    def tell(self, message: ToPlayer) -> None:
        """Tell it something that is not to be answered."""

    def ask(self, question: Question, timeout_ms: float | None) -> None:
        """Put a question; the time for the answer begins."""

    def answer(self) -> FromPlayer:
        """Wait for the answer to what was asked; `Left` if the player is gone instead."""

    def evidence(self, seat: int) -> Evidence | None:
        """The evidence of its last answer, seen from outside."""

    def part(self, timeout_ms: float | None) -> None:
        """Say farewell, for all games are over; the time for what the player is to answer to that
        begins. Whatever it does now costs nothing."""

    def hear_out(self) -> None:
        """Wait for what the player is to answer to the farewell."""

    def finish(self) -> None:
        """Let the player go, which has a short while for it."""

    def close(self) -> None:
        """End it at once, if it has not gone; nothing follows."""


class ShownPlayer(Player, Protocol):
    """A player that can be shown what it would be sent, before it is."""

    def copied_wire(self) -> Wire | None:
        """A copy of its wire as it is now; None for a player that has none."""


class ProgramPlayer:
    """A player that is a program: a wire that says what the bytes mean, a connection for them."""

    def __init__(
        self,
        entry: RecordedSeat,
        wire: Wire,
        connection: Connection,
        log: ExchangeFiles | None = None,
    ) -> None:
        self.entry = entry
        self._log = log
        self._wire = wire
        self._connection = connection
        self._pipes = connection if isinstance(connection, Pipes) else None
        if self._pipes:
            self._pipes.stderr_log = log
        self._deadline = math.inf
        self._is_there = True  # the stream of this answer has not ended
        self._is_news = True  # whether the wire got something since it was last asked
        self._said: FromPlayer | BotError | None = None
        self._is_late = False  # whether its last answer was late

    @property
    def joins(self) -> bool:
        return self._wire.transport is Transport.SOCKET

    @property
    def milliseconds(self) -> float:
        return self._connection.milliseconds

    @property
    def left(self) -> OwnData | None:
        """The data that it has left, if it keeps data; see `judge.process.run.pipes.Pipes.left`."""
        return self._pipes.left if self._pipes else None

    @property
    def stayed_on(self) -> bool:
        """Whether it lives for a match and did not exit when that was over."""
        return self._pipes is not None and self._pipes.stayed_on

    @property
    def listens(self) -> tuple[Pipes, float] | None:
        """The pipes of its answer and the deadline, if others can be listened to meanwhile."""
        return None if self._pipes is None else (self._pipes, self._deadline)

    def tell(self, message: ToPlayer) -> None:
        """It is sent with the next question: until then the player is not to compute."""
        self._connection.open()
        self._wire.send(message)

    def ask(self, question: Question, timeout_ms: float | None) -> None:
        self._connection.expect()
        self._is_there, self._said, self._is_news, self._is_late = True, None, True, False
        self._wire.send(question)
        self._deadline = math.inf if timeout_ms is None else time.monotonic() + timeout_ms / 1000
        self._pass_on()
        if self._connection.is_deaf:  # whatever it may have written before
            self._said = self._gone()

    def answer(self) -> FromPlayer:
        while (answer := self._said) is None:
            if not self._has_said():
                self._listen()
        self._said, self._is_news = None, True  # there may be more in what has come
        if self._log and not self._pipes and (run := self._connection.evidence(0)):
            self._log.stderr(run.stderr.encode())
        self._connection.rest()
        if isinstance(answer, BotError):
            self._is_late = isinstance(answer, TimedOut)
            raise answer
        return answer

    def has_answered(self) -> bool:
        """Whether ``answer`` need not wait, by what has been fetched from its pipes."""
        pipes = self._pipes
        while not self._has_said() and pipes is not None and pipes.has_fetched:
            self._listen()
        return self._said is not None

    def _has_said(self) -> bool:
        """Whether the answer can be told from what has come."""
        if self._said is None and self._is_news:
            self._is_news = False
            try:
                self._said = self._wire.next_event()
                if self._said is None and not self._is_there:
                    self._said = self._gone()
            except BotError as error:
                self._said = error
        return self._said is not None

    def _gone(self) -> BotError | Left:
        """The answer that stands for a program's end: its fault, or `Left` if it has none."""
        return self._connection.failure() or Left(self._connection.gone)

    def _listen(self) -> None:
        """Take the next bytes, for which it may have to wait."""
        try:
            data = self._connection.receive(self._deadline)
            self._is_there, self._is_news = bool(data), True
            if self._log:
                self._log.received(data)
            self._wire.receive_data(data)
            self._pass_on()  # a wire may have to answer by itself before the player does
        except BotError as error:
            self._said = error

    def evidence(self, seat: int) -> Evidence | None:
        return self._connection.evidence(seat)

    def copied_wire(self) -> Wire:
        return copy.deepcopy(self._wire)

    def part(self, timeout_ms: float | None) -> None:
        timeout_ms = 0 if self._is_late else timeout_ms  # its time is up, without an answer
        self._deadline = math.inf if timeout_ms is None else time.monotonic() + timeout_ms / 1000
        with contextlib.suppress(BotError):
            self.tell(Farewell())
            self._pass_on()

    def hear_out(self) -> None:
        with contextlib.suppress(BotError):
            while self._wire.is_owed and not self._connection.is_deaf:
                data = self._connection.receive(self._deadline)
                self._wire.receive_data(data)
                if not data:
                    break

    def finish(self) -> None:
        with contextlib.suppress(BotError):
            self._connection.finish()

    def close(self) -> None:
        self._connection.close()

    def _pass_on(self) -> None:
        if data := self._wire.data_to_send():
            if self._log:
                self._log.sent(data)
            self._connection.send(data)


def join(player: Player, timeout_ms: float) -> Joined | None:
    """Have a player say that it is there, if it is one that does, where no match asks for that;
    what it said. Raises as the player."""
    if not player.joins:
        return None
    player.ask(AskName(), max(JOIN_MS, timeout_ms))
    said = player.answer()
    if isinstance(said, Left):
        raise Crashed(said.why)
    return said if isinstance(said, Joined) else None


class AnswerWaiter:
    """Picks the first player that has answered, of several that have been asked."""

    def __init__(self) -> None:
        self._listening = Listening()

    def first_to_answer(self, asked: Mapping[int, Player]) -> int:
        """The seat to hear next: of several that live on, the first that has answered.

        Programs with pipes are listened to all at once. The others keep their own time, and come
        after them, one by one.
        """
        piped = []
        listening = []
        for seat, player in asked.items():
            if isinstance(player, ProgramPlayer) and (listens := player.listens):
                piped.append((seat, player))
                listening.append(listens)
        if len(piped) < 2:
            return next(iter(seat for seat, _ in piped or asked.items()))
        while True:
            for seat, player in piped:
                if player.has_answered():
                    return seat
            self._listening.wait_for_any(listening)


class WithoutProgram:
    """The part of a player in this process that is the same for all: no program runs, so nothing has
    to be timed, shown or ended."""

    joins = False
    milliseconds = 0.0

    def evidence(self, seat: int) -> Evidence | None:
        return None

    def part(self, timeout_ms: float | None) -> None:
        """It has nothing to hear."""

    def hear_out(self) -> None:
        """It has nothing to say."""

    def finish(self) -> None:
        """There is nothing to end."""

    def close(self) -> None:
        """There is nothing to end."""


class Human(WithoutProgram):
    """A player who is a person, asked by a function that comes back with nothing but a legal
    answer. There is no deadline."""

    def __init__(self, name: str, ask: Callable[[Question], FromPlayer]) -> None:
        self.entry = RecordedSeat.of(name)
        self._ask = ask
        self._question: Question | None = None

    def tell(self, message: ToPlayer) -> None:
        """A person watches the game on the screen that also asks."""

    def ask(self, question: Question, timeout_ms: float | None) -> None:
        self._question = question

    def answer(self) -> FromPlayer:
        assert self._question is not None, "it has been asked"
        return self._ask(self._question)

    def copied_wire(self) -> None:
        return None

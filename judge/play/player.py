"""The players of a match: programs, people, and the interface that all share."""

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
from judge.process.run.exchange_files import SeatLog
from judge.process.run.pipes import Listening, Pipes
from judge.wire.interface import Transport, Wire
from judge.wire.messages import AskName, Farewell, FromPlayer, Joined, Left, Question, ToPlayer

# The time from the start of a program to its first message, if it sends one: enough for a slow
# language on a busy machine.
JOIN_MS = 5000


class Player(Protocol):
    """The player in one seat. Any method may raise `BotError` for the player's fault, and
    `JudgeFault` for the judge's."""

    @property
    def entry(self) -> RecordedSeat:
        """The player's seat in a record, as it is before a game."""

    @property
    def joins(self) -> bool:
        """Whether the player is asked for its name before the first game."""

    @property
    def milliseconds(self) -> float:
        """The milliseconds that the last answer took."""

    def tell(self, message: ToPlayer) -> None:
        """Send a message that needs no answer."""

    def ask(self, question: Question, timeout_ms: float | None) -> None:
        """Put a question. The time for the answer begins now."""

    def answer(self) -> FromPlayer:
        """Wait for the answer to the question, and return it. `Left` says that the player is
        gone."""

    def evidence(self, seat: int) -> Evidence | None:
        """The evidence of the run behind the last answer, or None if no program ran for it."""

    def part(self, timeout_ms: float | None) -> None:
        """Say farewell after all games. The time for the answer to the farewell begins. The
        player's faults cost nothing from now on."""

    def hear_out(self) -> None:
        """Wait for the answer to the farewell, if the protocol wants one."""

    def finish(self) -> None:
        """Give the player's program a short while to exit by itself."""

    def close(self) -> None:
        """End the player's program at once, if it still runs."""


class ShownPlayer(Player, Protocol):
    """A player whose next message can be shown before it is sent."""

    def copied_wire(self) -> Wire | None:
        """A copy of the player's wire in its present state, or None for a player without a wire."""


class ProgramPlayer:
    """A player that is a program. Its wire turns messages into bytes and back, and its connection
    carries the bytes."""

    def __init__(
        self,
        entry: RecordedSeat,
        wire: Wire,
        connection: Connection,
        log: SeatLog | None = None,
    ) -> None:
        self.entry = entry
        self._log = log
        self._wire = wire
        self._connection = connection
        self._pipes = connection if isinstance(connection, Pipes) else None
        if self._pipes:
            self._pipes.stderr_log = log
        self._deadline = math.inf
        self._is_there = True  # whether the stream of this answer is still open
        self._is_news = True  # whether bytes came since `next_event` was last tried
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
        """The data that the program has left, or None; see `judge.process.run.pipes.Pipes.left`."""
        return self._pipes.left if self._pipes else None

    @property
    def stayed_on(self) -> bool:
        """Whether a program that lives for a match had to be ended after it."""
        return self._pipes is not None and self._pipes.stayed_on

    @property
    def listens(self) -> tuple[Pipes, float] | None:
        """The pipes and the deadline of the answer, or None if the connection has no pipes to
        listen to."""
        return None if self._pipes is None else (self._pipes, self._deadline)

    def tell(self, message: ToPlayer) -> None:
        """Give a message to the wire. The bytes go out with the next question, so that the program
        does not compute before."""
        self._connection.open()
        self._wire.send(message)

    def ask(self, question: Question, timeout_ms: float | None) -> None:
        self._connection.expect()
        self._is_there, self._said, self._is_news, self._is_late = True, None, True, False
        self._wire.send(question)
        self._deadline = math.inf if timeout_ms is None else time.monotonic() + timeout_ms / 1000
        self._pass_on()
        if self._connection.is_deaf:  # even if the program has written something before
            self._said = self._gone()

    def answer(self) -> FromPlayer:
        while (answer := self._said) is None:
            if not self._has_said():
                self._listen()
        self._said, self._is_news = None, True  # the bytes that came may hold more messages
        if self._log and not self._pipes and (run := self._connection.evidence(0)):
            self._log.stderr(run.stderr.encode())
        self._connection.rest()
        if isinstance(answer, BotError):
            self._is_late = isinstance(answer, TimedOut)
            raise answer
        return answer

    def has_answered(self) -> bool:
        """Whether ``answer`` would return or raise at once, from the bytes fetched so far."""
        pipes = self._pipes
        while not self._has_said() and pipes is not None and pipes.has_fetched:
            self._listen()
        return self._said is not None

    def _has_said(self) -> bool:
        """Whether the bytes that came make up the answer, or show a fault."""
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
        """The answer of a program that has ended: its fault, or `Left` without a fault."""
        return self._connection.failure() or Left(self._connection.gone)

    def _listen(self) -> None:
        """Wait for the next bytes, and give them to the wire."""
        try:
            data = self._connection.receive(self._deadline)
            self._is_there, self._is_news = bool(data), True
            if self._log:
                self._log.received(data)
            self._wire.receive_data(data)
            self._pass_on()  # a wire may have to send something before the player answers
        except BotError as error:
            self._said = error

    def evidence(self, seat: int) -> Evidence | None:
        return self._connection.evidence(seat)

    def copied_wire(self) -> Wire:
        return copy.deepcopy(self._wire)

    def part(self, timeout_ms: float | None) -> None:
        timeout_ms = 0 if self._is_late else timeout_ms  # a player that was late gets no more time
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
    """Ask a player that `joins` for its name, outside of a match, and return its answer; None for
    any other player or answer. Raises `Crashed` if the player leaves, another `BotError` for a
    fault of the player, `JudgeFault` if the judge or the machine cannot ask the player, and
    `Interrupted` once the user stops the run."""
    if not player.joins:
        return None
    player.ask(AskName(), max(JOIN_MS, timeout_ms))
    said = player.answer()
    if isinstance(said, Left):
        raise Crashed(said.why)
    return said if isinstance(said, Joined) else None


class AnswerWaiter:
    """Picks the player to hear next among several that were asked."""

    def __init__(self) -> None:
        self._listening = Listening()

    def first_to_answer(self, asked: Mapping[int, Player]) -> int:
        """The seat of the player to hear next. Among several programs with pipes, it is the first
        that has answered.

        The judge listens to all programs with pipes at once. Other players measure their own time,
        and are heard after these programs, one by one.
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
    """The base class of players in this process: no program runs, so there is no time to measure,
    no evidence and nothing to end."""

    joins = False
    milliseconds = 0.0

    def evidence(self, seat: int) -> Evidence | None:
        return None

    def part(self, timeout_ms: float | None) -> None:
        """Nothing is done, since a player in this process hears no farewell."""

    def hear_out(self) -> None:
        """Nothing is done, since a player in this process answers no farewell."""

    def finish(self) -> None:
        """Nothing is done, since there is no program."""

    def close(self) -> None:
        """Nothing is done, since there is no program."""


class Human(WithoutProgram):
    """A player who is a person. The function ``ask`` returns a legal answer, without a deadline."""

    def __init__(self, name: str, ask: Callable[[Question], FromPlayer]) -> None:
        self.entry = RecordedSeat.of(name)
        self._ask = ask
        self._question: Question | None = None

    def tell(self, message: ToPlayer) -> None:
        """Nothing is done: the screen that asks the person also shows the game."""

    def ask(self, question: Question, timeout_ms: float | None) -> None:
        self._question = question

    def answer(self) -> FromPlayer:
        assert self._question is not None, "it has been asked"
        return self._ask(self._question)

    def copied_wire(self) -> None:
        return None

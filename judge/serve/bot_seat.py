"""A program at a table: it is told and asked in a thread of its own, for it may take its time."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, suppress

from judge.documents.game import Evidence, RecordedSeat
from judge.documents.rules import Rules
from judge.errors import BotError, Interrupted, JudgeFault
from judge.play.run import Run
from judge.process.bots.bot import Bot
from judge.wire.messages import Chat, FromPlayer, Question, Said, ToPlayer

MOST_WORDS = 64  # told between two answers: they stay far below what may wait for a program

Heard = Callable[[int, FromPlayer | BotError, float], None]
"""Called in the loop with the seat, what its program said or did wrong, and its milliseconds."""


class BotSeat:
    """One program for one game. ``failed`` is called in the loop with what kept the judge from
    playing it."""

    def __init__(
        self,
        run: Run,
        bot: Bot,
        seat: int,
        *,
        seed: int,
        rules: Rules,
        seats: int,
        heard: Heard,
        failed: Callable[[JudgeFault], None],
    ) -> None:
        self._seat = seat
        self._heard = heard
        self._failed = failed
        self._loop = asyncio.get_running_loop()
        self._stack = ExitStack()
        self._player = self._stack.enter_context(
            run.seat(bot, seat, seed, rules=rules, name=bot.name, seats=seats)
        )
        self._questions = 0  # so that no answer is taken for that to another question
        self._words = 0  # told since its last answer
        self._is_seated = True
        self._thread = ThreadPoolExecutor(1, thread_name_prefix=f"seat {seat}")

    @property
    def entry(self) -> RecordedSeat:
        return self._player.entry

    def tell(self, message: ToPlayer) -> None:
        """Tell the program; what others say is dropped where that is too much for a program which
        thinks, and so does not read."""
        if isinstance(message, Chat):
            self._words += 1
            if self._words > MOST_WORDS:
                return
        self._thread.submit(self._do, self._tell, message)

    def ask(self, question: Question, timeout_ms: float | None) -> None:
        self._questions += 1
        self._thread.submit(self._do, self._ask, question, timeout_ms, self._questions)

    def withdraw(self) -> None:
        """Whatever is answered to what was asked comes to nothing."""
        self._questions += 1

    def evidence(self) -> Evidence | None:
        return self._player.evidence(self._seat)

    def stand_up(self, timeout_ms: float | None, gone: Callable[[], None]) -> None:
        """Take leave of the program, and end it; nothing that it says is heard any more. ``gone``
        is called in the loop after that."""
        self.withdraw()
        self._is_seated = False
        self._thread.submit(self._part, timeout_ms, gone)
        self._thread.shutdown(wait=False)

    # In the thread

    def _do(self, call: Callable[..., None], *arguments: object) -> None:
        try:
            call(*arguments)
        except Interrupted:
            return  # the table is closed
        except JudgeFault as error:
            self._in_loop(self._failed, error)

    def _tell(self, message: ToPlayer) -> None:
        try:
            self._player.tell(message)
        except BotError as error:
            self._in_loop(self._hear, error)

    def _ask(self, question: Question, timeout_ms: float | None, number: int) -> None:
        answer: FromPlayer | BotError
        try:
            self._player.ask(question, timeout_ms)
            while isinstance(answer := self._player.answer(), Said):
                self._in_loop(self._hear, answer)
        except BotError as error:
            answer = error
        self._in_loop(self._answered, number, answer, self._player.milliseconds)

    def _part(self, timeout_ms: float | None, gone: Callable[[], None]) -> None:
        try:
            with suppress(Interrupted, JudgeFault):
                self._player.part(timeout_ms)
                self._player.finish()
        finally:
            try:
                self._stack.close()
            finally:
                self._in_loop(gone)

    def _in_loop(self, call: Callable[..., None], *arguments: object) -> None:
        with suppress(RuntimeError):  # the loop is closed
            self._loop.call_soon_threadsafe(call, *arguments)

    def _hear(self, answer: Said | BotError) -> None:
        if self._is_seated:  # and no other game has begun
            self._heard(self._seat, answer, 0.0)

    def _answered(self, number: int, answer: FromPlayer | BotError, ms: float) -> None:
        if number == self._questions:
            self._words = 0
            self._heard(self._seat, answer, ms)

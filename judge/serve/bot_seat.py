"""A program at a table: it is told and asked in a thread of its own, for it may take its time."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, suppress

from judge.errors import BotError, Interrupted, JudgeFault
from judge.game.evidence import Evidence
from judge.game.record import RecordedSeat
from judge.game.rules import Rules
from judge.play.run import Run
from judge.process.bots.bot import Bot
from judge.wire.messages import FromPlayer, Question, Said, ToPlayer

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
        self._thread = ThreadPoolExecutor(1, thread_name_prefix=f"seat {seat}")

    @property
    def entry(self) -> RecordedSeat:
        return self._player.entry

    def tell(self, message: ToPlayer) -> None:
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
        """Take leave of the program, and end it; ``gone`` is called in the loop after that."""
        self.withdraw()
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
            self._in_loop(self._heard, self._seat, error, 0.0)

    def _ask(self, question: Question, timeout_ms: float | None, number: int) -> None:
        said: FromPlayer | BotError
        try:
            self._player.ask(question, timeout_ms)
            while isinstance(said := self._player.answer(), Said):
                self._in_loop(self._heard, self._seat, said, 0.0)
        except BotError as error:
            said = error
        self._in_loop(self._answered, number, said, self._player.milliseconds)

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

    def _answered(self, number: int, said: FromPlayer | BotError, ms: float) -> None:
        if number == self._questions:
            self._heard(self._seat, said, ms)

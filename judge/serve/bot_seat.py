"""A bot's program in a server's game. A thread of its own waits for the program."""

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

MOST_UNREAD_LINES = 64  # of chat between two answers, few enough to wait until a program reads

Heard = Callable[[int, FromPlayer | BotError, float], None]
"""Called in the event loop with a seat, a message or fault of its program, and the milliseconds of
an answer. Chat, and a fault between answers, have 0 milliseconds."""


class BotSeat:
    """One bot's program for the game with the id ``game``. ``failed`` is called in the loop with a
    fault of the judge."""

    def __init__(
        self,
        run: Run,
        bot: Bot,
        seat: int,
        *,
        seed: int,
        rules: Rules,
        seats: int,
        game: str = "",
        heard: Heard,
        failed: Callable[[JudgeFault], None],
    ) -> None:
        self._seat = seat
        self._heard = heard
        self._failed = failed
        self._loop = asyncio.get_running_loop()
        self._stack = ExitStack()
        self._player = self._stack.enter_context(
            run.seat(bot, seat, seed, rules=rules, name=bot.name, seats=seats, game=game)
        )
        self._questions = 0  # questions asked or withdrawn; only the last one takes an answer
        self._words = 0  # lines of chat since the last answer
        self._is_seated = True
        self._thread = ThreadPoolExecutor(1, thread_name_prefix=f"seat {seat}")

    @property
    def entry(self) -> RecordedSeat:
        return self._player.entry

    def tell(self, message: ToPlayer) -> None:
        """Tell the program a message. Chat beyond `MOST_UNREAD_LINES` lines since the last answer
        is dropped, since a program that thinks does not read."""
        if isinstance(message, Chat):
            self._words += 1
            if self._words > MOST_UNREAD_LINES:
                return
        self._thread.submit(self._do, self._tell, message)

    def ask(self, question: Question, timeout_ms: float | None) -> None:
        self._questions += 1
        self._thread.submit(self._do, self._ask, question, timeout_ms, self._questions)

    def withdraw(self) -> None:
        """Withdraw the question that was asked, so that an answer to it is ignored."""
        self._questions += 1

    def evidence(self) -> Evidence | None:
        return self._player.evidence(self._seat)

    def stand_up(self, timeout_ms: float | None, gone: Callable[[], None]) -> None:
        """Say farewell to the program, and end it. All that the program says from now on is
        ignored. ``gone`` is called in the event loop after the program's end."""
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
        if self._is_seated:  # so the message is for the present game
            self._heard(self._seat, answer, 0.0)

    def _answered(self, number: int, answer: FromPlayer | BotError, ms: float) -> None:
        if number == self._questions:
            self._words = 0
            self._heard(self._seat, answer, ms)

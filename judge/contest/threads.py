"""Games in threads: plays those of a schedule until all are played, or the user stops.

Threads are enough, for a worker does nothing but wait for its bots. They outlive every bot that
they start, which matters to what is bound to a parent's thread.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager
from typing import ParamSpec, TypeVar

from judge.contest.ledger.identity import Seat, key
from judge.contest.schedule import Pairing
from judge.contest.window import Learners, OrderedResults, attempts, no_learners
from judge.documents.game import GameRecord, RecordedSeat
from judge.documents.rules import Fleet
from judge.documents.tasks import Task, TaskGame, TaskSeat
from judge.errors import BotError
from judge.play.conditions import Conditions
from judge.play.match import Watch
from judge.play.player import ProgramPlayer, ShownPlayer
from judge.play.run import Run
from judge.process.bots.bot import Bot
from judge.waiting import awaited

P = ParamSpec("P")
T = TypeVar("T")

WINDOW = 4  # seeds whose games may wait for an earlier one to end, for each job


def unwatched(_: Pairing) -> Watch | None:
    """Nobody sees a game."""
    return None


def playing(
    schedule: Iterable[Pairing],
    bots: Sequence[Bot],
    run: Run,
    *,
    jobs: int,
    watch_of: Callable[[Pairing], Watch | None] = unwatched,
    learners: Learners = no_learners,
    fleet_of: Callable[[Pairing], Fleet] | None = None,
) -> AbstractContextManager[OrderedResults[Sequence[GameRecord]]]:
    """Play a schedule of games between bots, as `in_threads` says. A result is the record of a game,
    or those of a match.

    ``bots`` may grow meanwhile. ``watch_of`` gives who watches a game, or a match, and ``fleet_of``
    the fleet that a bot is to find alone; all are called from the worker's thread. ``learners`` are
    as `OrderedResults` has them.
    """

    def play(pairing: Pairing) -> Sequence[GameRecord]:
        run.bring(bots[number] for number in pairing.seats)
        if fleet_of:
            boards = (pairing, *pairing.rest)
            return run.clear([task(board, bots, fleet_of) for board in boards])
        return played(run, task(pairing, bots), watch_of(pairing))

    return in_threads(schedule, play, run, jobs=jobs, learners=learners)


def played(run: Run, one: Task, watch: Watch | None = None) -> Sequence[GameRecord]:
    """The record of the game that a task is, or the records of its match."""
    if one.board is not None:
        return run.clear([one])
    return run.play_match(one, watch) if one.rest else [run.play(one, watch)]


def task(
    pairing: Pairing, bots: Sequence[Bot], fleet_of: Callable[[Pairing], Fleet] | None = None
) -> Task:
    """The game of a schedule, between those of these bots that its seats name by number; or the
    board that one of them clears alone."""
    seats = tuple(
        TaskSeat(bot.name, bot.digest, seed, bot.wires, bot.dialect)
        for bot, seed in zip(
            (bots[number] for number in pairing.seats), pairing.bot_seeds, strict=True
        )
    )
    rest = tuple(TaskGame(one.id, one.seed, one.first) for one in pairing.rest)
    board = fleet_of(pairing) if fleet_of else None
    return Task(pairing.id, pairing.seed, pairing.first, seats, board, rest)


def keys(
    bots: Sequence[Bot], conditions: Conditions, data: Mapping[str, str | None]
) -> Callable[[Pairing], bytes | None]:
    """The function that gives the key of a game of a schedule before it is played; the bots, which
    the pairings name by number, are told what they speak, and bring along the ``data`` of these
    digests."""
    rules, limits = conditions.rules, conditions.limits

    def key_before(pairing: Pairing) -> bytes | None:
        playing = [bots[number] for number in pairing.seats]
        seats = [
            Seat(bot.name, bot.digest, bot.wires[0], bot.dialect, seed, data.get(bot.name))
            for bot, seed in zip(playing, pairing.bot_seeds, strict=True)
        ]
        return key(rules, limits, pairing.seed, pairing.first, seats)

    return key_before


def placing(
    schedule: Iterable[Pairing], bot: Bot, run: Run, *, jobs: int
) -> AbstractContextManager[OrderedResults[Fleet | BotError]]:
    """Ask a bot for a fleet for each board, as `in_threads` says; or get what it did wrong."""

    def play(pairing: Pairing) -> Fleet | BotError:
        try:
            return run.place(bot, pairing.bot_seeds[0])
        except BotError as error:
            return error

    return in_threads(schedule, play, run, jobs=jobs)


@contextlib.contextmanager
def in_threads(
    schedule: Iterable[Pairing],
    play: Callable[[Pairing], T],
    run: Run,
    *,
    jobs: int,
    learners: Learners = no_learners,
) -> Iterator[OrderedResults[T]]:
    """Play a schedule in threads, ``jobs`` games at once.

    At the end of the ``with`` block, however it is left, the ``run`` is closed, every bot dead and
    every worker gone; games still under way are dropped. After an interrupt, drain
    `OrderedResults.finished` first.
    """
    with (
        run,
        ThreadPoolExecutor(jobs, thread_name_prefix="game") as pool,
        OrderedResults(
            schedule, attempts(play, pool), jobs, WINDOW * jobs, run.interrupt, learners=learners
        ) as results,
    ):
        yield results


@contextlib.contextmanager
def asking(run: Run) -> Iterator[Callable[[Bot, int, int], ShownPlayer]]:
    """Programs for one who asks them move by move: a function from a bot, its seat and its
    BOT_SEED to a player.

    They are started, run and ended in a thread of their own, like those of a schedule, so that the
    caller waits for signals meanwhile. At the end of the ``with`` block, however it is left, every
    bot is dead; a player that is closed before has gone before.
    """
    with run, ThreadPoolExecutor(1, "bot") as pool:
        stack = contextlib.ExitStack()

        def seated(bot: Bot, seat: int, seed: int) -> ShownPlayer:
            own = stack.enter_context(contextlib.ExitStack())
            player = awaited(pool.submit(own.enter_context, run.seat(bot, seat, seed)))
            return _Apart(player, own, pool)

        try:
            yield seated
        finally:
            run.interrupt()
            pool.submit(stack.close).result()


class _Apart:
    """A player that is asked in another thread."""

    def __init__(
        self, player: ProgramPlayer, own: contextlib.ExitStack, pool: ThreadPoolExecutor
    ) -> None:
        """``own`` is all that is to be closed with the player."""

        def there(act: Callable[P, T]) -> Callable[P, T]:
            def done(*args: P.args, **kwargs: P.kwargs) -> T:
                return awaited(pool.submit(act, *args, **kwargs))

            return done

        self._player = player
        self.tell = there(player.tell)
        self.ask = there(player.ask)
        self.answer = there(player.answer)
        self.part = there(player.part)
        self.hear_out = there(player.hear_out)
        self.finish = there(player.finish)
        self.close = there(own.close)
        self.evidence = player.evidence
        self.copied_wire = player.copied_wire

    @property
    def entry(self) -> RecordedSeat:
        return self._player.entry

    @property
    def joins(self) -> bool:
        return self._player.joins

    @property
    def milliseconds(self) -> float:
        return self._player.milliseconds

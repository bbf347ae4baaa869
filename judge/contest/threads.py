"""Plays the games of a schedule in threads, until all are played or the user stops.

Threads are enough, since a thread only waits for its bots. A thread outlives every bot that it
starts, since the end of the thread may kill the bot.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from contextlib import AbstractContextManager
from typing import ParamSpec, TypeVar

from judge.contest.ledger.identity import key
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

Clear = Callable[[Sequence[Task]], Sequence[GameRecord]]
"""A function that lets a bot clear the boards of these tasks, as `Run.clear` does."""

WINDOW = 4  # seeds for each job in the window of games


def unwatched(_: Pairing) -> Watch | None:
    """No watch for any game."""
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
    clear: Clear | None = None,
) -> AbstractContextManager[OrderedResults[Sequence[GameRecord]]]:
    """Play a schedule of games between bots in threads, as `in_threads` does. A result is the
    records of a game or a match.

    ``bots`` are the bots that the pairings name by index, and may grow during play. ``watch_of``
    gives the watch of a game or a match. With ``fleet_of`` each bot clears boards alone, by
    ``clear`` or else by `Run.clear`, and ``fleet_of`` gives the fleet of a board. The game's thread
    calls these functions. ``learners`` is as in `OrderedResults`.
    """

    def play(pairing: Pairing) -> Sequence[GameRecord]:
        run.bring(bots[number] for number in pairing.seats)
        if fleet_of:
            boards = (pairing, *pairing.rest)
            return (clear or run.clear)([task(board, bots, fleet_of) for board in boards])
        return played(run, task(pairing, bots), watch_of(pairing))

    return in_threads(schedule, play, run, jobs=jobs, learners=learners)


def played(run: Run, one: Task, watch: Watch | None = None) -> Sequence[GameRecord]:
    """Play a task, and return the record of its game or board, or the records of its match."""
    if one.board is not None:
        return run.clear([one])
    return run.play_match(one, watch) if one.rest else [run.play(one, watch)]


def task(
    pairing: Pairing, bots: Sequence[Bot], fleet_of: Callable[[Pairing], Fleet] | None = None
) -> Task:
    """The task of a pairing, whose seats are indices of ``bots``. With ``fleet_of`` it is a board
    that a bot clears alone."""
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
    """A function that gives the key of a game before it is played. Pairings name ``bots`` by index.
    The bots have one wire and dialect each, and ``data`` has the digests of the data that they
    bring along."""
    rules, limits = conditions.rules, conditions.limits

    def key_before(pairing: Pairing) -> bytes | None:
        playing = [bots[number] for number in pairing.seats]
        seats = [
            RecordedSeat.of(
                bot.name,
                digest=bot.digest,
                wire=bot.wires[0],
                dialect=bot.dialect,
                seed=seed,
                data_digest=data.get(bot.name),
            )
            for bot, seed in zip(playing, pairing.bot_seeds, strict=True)
        ]
        return key(rules, limits, pairing.seed, pairing.first, seats)

    return key_before


def placing(
    schedule: Iterable[Pairing], bot: Bot, run: Run, *, jobs: int
) -> AbstractContextManager[OrderedResults[Fleet | BotError]]:
    """Ask a bot for a fleet for each board of a schedule, as `in_threads` does. A result is the
    fleet, or the bot's error."""

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
    """Play a schedule in threads, ``jobs`` games at once, by the function ``play``. If the ``run``
    plays here, each game is played in this thread, once its result is asked for.

    At the end of the ``with`` block, also after an error, the ``run`` is closed, and all bots and
    threads have ended. Games still under way are dropped. After an interrupt, drain
    `OrderedResults.finished` before the block ends.
    """
    pool = _Here() if run.plays_here else ThreadPoolExecutor(jobs, thread_name_prefix="game")
    window = 1 if run.plays_here else WINDOW * jobs
    with (
        run,
        pool,
        OrderedResults(
            schedule, attempts(play, pool), jobs, window, run.interrupt, learners=learners
        ) as results,
    ):
        yield results


class _Here(Executor):
    """Does the work at once, in the thread that submits it."""

    def submit(self, work: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        future = Future[T]()
        future.set_result(work(*args, **kwargs))
        return future


@contextlib.contextmanager
def asking(run: Run, game: str = "") -> Iterator[Callable[[Bot, int, int], ShownPlayer]]:
    """A block with a function that makes a player from a bot, a seat and a BOT_SEED. The caller
    asks the player move by move. ``game`` is the id of their game, if it has one.

    The players' programs start, run and end in another thread, so that the caller can react to
    signals. At the end of the ``with`` block, also after an error, all bots have ended.
    """
    with run, ThreadPoolExecutor(1, "bot") as pool:
        stack = contextlib.ExitStack()

        def seated(bot: Bot, seat: int, seed: int) -> ShownPlayer:
            own = stack.enter_context(contextlib.ExitStack())
            player = awaited(pool.submit(own.enter_context, run.seat(bot, seat, seed, game=game)))
            return _Apart(player, own, pool)

        try:
            yield seated
        finally:
            run.interrupt()
            pool.submit(stack.close).result()


class _Apart:
    """A player whose program is asked in another thread; each call waits for the answer."""

    def __init__(
        self, player: ProgramPlayer, own: contextlib.ExitStack, pool: ThreadPoolExecutor
    ) -> None:
        """Closing the player closes ``own``."""

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

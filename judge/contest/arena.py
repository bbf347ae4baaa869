"""Where a schedule of programs is really played: threads, and the user's stop.

Threads are enough, for a worker does nothing but wait for its bots. They outlive every bot that
they start, which matters to what is bound to a parent's thread.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor

from judge.contest.schedule import Pairing
from judge.contest.tournament import Results, run
from judge.game.record import GameRecord
from judge.play.referee import Conditions, Watch
from judge.play.table import play_bots
from judge.process.bot import Bot
from judge.process.launch import Stop

WINDOW = 4  # games that may wait for an earlier one to end, for each job


@contextlib.contextmanager
def playing(
    schedule: Iterable[Pairing],
    bots: Sequence[Bot],
    conditions: Conditions,
    *,
    jobs: int,
    watch: Watch | None = None,
) -> Iterator[Results]:
    """Play a schedule, ``jobs`` games at once, and give the results in its order.

    At the end of the ``with`` block, however it is left, every bot is dead and every worker
    gone; games still under way are dropped. ``watch`` is called from the worker's thread.
    """

    def play(pairing: Pairing) -> GameRecord:
        return play_bots(
            conditions,
            [bots[number] for number in pairing.seats],
            game_id=pairing.id,
            seed=pairing.seed,
            first=pairing.first,
            bot_seeds=pairing.bot_seeds,
            stop=stop,
            watch=watch,
        )

    with (
        contextlib.closing(Stop()) as stop,
        ThreadPoolExecutor(jobs, thread_name_prefix="game") as pool,
    ):
        results = run(schedule, play, pool, window=WINDOW * jobs)
        try:
            yield results
        finally:
            stop.set()
            results.close()

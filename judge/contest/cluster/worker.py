"""A worker plays games where they are sent, and keeps so many bytes of the bots that came.

A task goes in, a result comes out, both as JSON text. The runs of the last tasks are kept too, so
that a bot's launcher serves its next games.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import platform
import sys
import threading
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from msgspec import structs

from judge import __version__, schemas
from judge.contest.arena import played
from judge.contest.cluster.task_result import without_games
from judge.contest.tournament import MatchResults
from judge.documents.codec import DocumentError, builtins, decode, encode
from judge.documents.game import GameRecord
from judge.documents.tasks import Batch, Task, TaskOutcome, TaskResult, UnfitBot
from judge.errors import JudgeFault, MachineBusy, UsageError
from judge.play.conditions import Conditions
from judge.play.run import Connect, Run
from judge.process.bots.bot import Bot
from judge.process.bots.parcel import BotCache, Parcel
from judge.process.sandbox.isolation import choose

CACHE_BYTES = 2**30
MOST_RUNS = 4


def versions() -> dict[str, str]:
    """What has to be the same wherever games of one contest are played, by name."""
    documents = json.dumps([schemas.load(name) for name in schemas.names()], sort_keys=True)
    return {
        "judge": __version__,
        "Python": ".".join(map(str, sys.version_info[:2])),
        "schemas": hashlib.sha256(documents.encode()).hexdigest()[:12],
    }


@dataclass(slots=True)
class _Kept:
    """A run, and how many batches use it now."""

    run: Run
    used: int = 0


class GameWorker:
    """Plays batches in the threads of its process, which outlive the bots. Thread-safe."""

    def __init__(self, folder: Path, most_bytes: int = CACHE_BYTES) -> None:
        """``folder`` is for the bots' files, of which it holds so many bytes at most."""
        self._cache = BotCache(folder, most_bytes)
        self._runs: dict[tuple[Batch, Connect | None], _Kept] = {}  # that used last at the end
        self._lock = threading.Lock()

    def play(
        self,
        text: str,
        parcels: Mapping[str, Parcel],
        *,
        home: str = "",
        connect: Connect | None = None,
    ) -> str:
        """Play the games of a ``task`` document, and give a ``task-result`` document.

        ``parcels`` are files of bots that are not here yet, by digest; ``home`` is the name of the
        machine whose judge asks, and ``connect`` as in `Run`.
        """
        try:
            batch = decode(Batch, text.encode(), "this")
        except DocumentError as error:
            raise JudgeFault(str(error)) from None
        return encode(self._result(batch, parcels, home, connect)).decode()

    def _result(
        self, batch: Batch, parcels: Mapping[str, Parcel], home: str, connect: Connect | None
    ) -> TaskResult:
        with self._cache.using(batch.digests, parcels) as (bots, unfit):
            missing = [one for one in batch.digests if one not in bots and one not in unfit]
            if missing or unfit:
                reasons = tuple(UnfitBot(*one) for one in unfit.items())
                return TaskResult(missing=tuple(missing), unfit=reasons)
            try:
                with self._lent(batch, connect) as run:
                    begun = time.monotonic()
                    games = tuple(self._played(run, task, bots, home) for task in batch.tasks)
                    ms = (time.monotonic() - begun) * 1000
            except UsageError as error:
                return TaskResult(refused=str(error))
        return TaskResult(games=games, ms=round(ms, 3))

    def close(self) -> None:
        """End all bots and remove their files; no game is under way any more."""
        for kept in self._runs.values():
            kept.run.close()
        self._runs.clear()
        self._cache.close()

    def _played(self, run: Run, task: Task, bots: Mapping[str, Bot], home: str) -> TaskOutcome:
        run.bring(replace(bots[seat.digest], name=seat.name) for seat in task.seats)
        try:
            result = played(run, task)
        except (UsageError, JudgeFault) as error:
            is_busy = isinstance(error, MachineBusy)
            return TaskOutcome(fault=f"{error}"[:1000], busy=is_busy)
        except Exception as error:  # noqa: BLE001 - a bug costs one game, and is reported
            return TaskOutcome(fault=f"a bug in the judge: {error!r}"[:1000])
        records = result if isinstance(result, MatchResults) else [result]
        return TaskOutcome(records=tuple(builtins(_at_home(one, home)) for one in records))

    @contextlib.contextmanager
    def _lent(self, batch: Batch, connect: Connect | None) -> Iterator[Run]:
        """A run for these terms. Raises `UsageError` where this machine does not offer the
        isolation."""
        terms = without_games(batch), connect
        with self._lock:
            kept = self._runs.pop(terms, None) or _Kept(_made(batch, connect))
            self._runs[terms] = kept
            kept.used += 1
            self._end_old_ones()
        try:
            yield kept.run
        finally:
            with self._lock:
                kept.used -= 1

    def _end_old_ones(self) -> None:
        for terms in [terms for terms, kept in self._runs.items() if not kept.used]:
            if len(self._runs) <= MOST_RUNS:
                return
            self._runs.pop(terms).run.close()


def _made(batch: Batch, connect: Connect | None) -> Run:
    isolation, _ = choose(batch.isolation, batch.limits)
    conditions = Conditions(
        rules=batch.rules,
        dialect=batch.dialect,
        launch=batch.launch,
        isolation=isolation,
        limits=batch.limits,
    )
    return Run(conditions, (), connect)


def _at_home(record: GameRecord, home: str) -> GameRecord:
    """The record, with the machine's name where that is not the judge's."""
    here = platform.node()
    return record if here == home else structs.replace(record, host=here)

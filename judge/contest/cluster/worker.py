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
from typing import Any

from judge import __version__, schemas
from judge.contest.arena import played
from judge.contest.cluster.task_document import Batch
from judge.contest.cluster.task_result import result_document
from judge.contest.tournament import MatchResults
from judge.errors import JudgeFault, MachineBusy, UsageError
from judge.game.record import GameRecord
from judge.play.conditions import Conditions
from judge.play.run import Connect, Run, Task
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
        batch = Batch.from_json(json.loads(text))
        with self._cache.using(batch.digests, parcels) as (bots, unfit):
            missing = [one for one in batch.digests if one not in bots and one not in unfit]
            if missing or unfit:
                return json.dumps(result_document(missing=missing, unfit=unfit))
            try:
                with self._lent(batch, connect) as run:
                    begun = time.monotonic()
                    games = [self._played(run, task, bots, home) for task in batch.tasks]
                    ms = (time.monotonic() - begun) * 1000
            except UsageError as error:
                return json.dumps(result_document(refused=str(error)))
        return json.dumps(result_document(games=games, ms=round(ms, 3)))

    def close(self) -> None:
        """End all bots and remove their files; no game is under way any more."""
        for kept in self._runs.values():
            kept.run.close()
        self._runs.clear()
        self._cache.close()

    def _played(self, run: Run, task: Task, bots: Mapping[str, Bot], home: str) -> dict[str, Any]:
        run.bring(replace(bots[seat.digest], name=seat.name) for seat in task.seats)
        try:
            result = played(run, task)
        except (UsageError, JudgeFault) as error:
            is_busy = isinstance(error, MachineBusy)
            return {"records": [], "fault": f"{error}"[:1000], "busy": is_busy}
        except Exception as error:  # noqa: BLE001 - a bug costs one game, and is reported
            fault = f"a bug in the judge: {error!r}"[:1000]
            return {"records": [], "fault": fault, "busy": False}
        records = result if isinstance(result, MatchResults) else [result]
        at_home = [_at_home(one, home).to_json() for one in records]
        return {"records": at_home, "fault": None, "busy": False}

    @contextlib.contextmanager
    def _lent(self, batch: Batch, connect: Connect | None) -> Iterator[Run]:
        """A run for these terms. Raises `UsageError` where this machine does not offer the
        isolation."""
        terms = batch.terms, connect
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
    return record if here == home else replace(record, host=here)

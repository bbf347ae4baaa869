"""A worker plays the games that it is sent, and keeps the bots' files for later games, up to a
number of bytes.

Tasks and results are JSON text. A `Run` serves all tasks of the same terms. It is kept, and with it
the fork servers that start the bots, until a task of other terms comes while no game uses it.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import platform
import sys
import threading
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path

from msgspec import structs

from judge import __version__, schemas
from judge.contest.threads import played
from judge.documents.codec import decode, encode
from judge.documents.tasks import SentTask, TaskResult, Terms
from judge.errors import UsageError
from judge.play.conditions import Conditions
from judge.play.run import Connect, Run
from judge.process.bots.parcel import BotCache, Parcel
from judge.process.sandbox.isolation import choose

CACHE_BYTES = 2**30


def versions() -> str:
    """The versions of the judge, Python and the schemas. All machines that play games of one
    contest must have the same versions."""
    documents = json.dumps([schemas.load(name) for name in schemas.names()], sort_keys=True)
    digest = hashlib.sha256(documents.encode()).hexdigest()[:12]
    python = ".".join(map(str, sys.version_info[:2]))
    return f"judge {__version__}, Python {python} and schemas {digest}"


class GameWorker:
    """Plays the tasks that come to this process. Thread-safe; the calling threads must outlive the
    bots."""

    def __init__(self, folder: Path, connect: Connect | None = None) -> None:
        """``folder`` is the folder for the bots' files, at most `CACHE_BYTES` in all. ``connect``
        is as in `Run`."""
        self._cache = BotCache(folder, CACHE_BYTES)
        self._connect = connect
        self._runs: dict[Terms, Run] = {}
        self._used = Counter[Terms]()  # the games that use each run now
        self._lock = threading.Lock()

    def play(self, text: str, parcels: Iterable[Parcel], home: str = "") -> str:
        """Play the game or match of a ``task`` document, and return a ``task-result`` document.
        Raises `JudgeFault` if the text is not a ``task`` document, and errors as
        `judge.contest.threads.played` does.

        ``parcels`` are the files of the task's bots. ``home`` is the name of the machine that sent
        the task; a record gets the worker's host name, unless the worker is on that machine.
        """
        sent = decode(SentTask, text.encode(), "this")
        with self._cache.using(parcels) as (bots, unfit), contextlib.ExitStack() as until:
            try:
                run = until.enter_context(self._lent(sent.terms))
            except UsageError as error:
                unfit[""] = str(error)
            if unfit:
                return encode(TaskResult(unfit=unfit)).decode()
            run.bring(replace(bots[seat.digest], name=seat.name) for seat in sent.game.seats)
            records = played(run, sent.game)
        if (here := platform.node()) != home:
            records = [structs.replace(record, host=here) for record in records]
        return encode(TaskResult(records=tuple(records))).decode()

    def close(self) -> None:
        """End all bots and remove their files. No game may be under way."""
        for run in self._runs.values():
            run.close()
        self._runs.clear()
        self._cache.close()

    @contextlib.contextmanager
    def _lent(self, terms: Terms) -> Iterator[Run]:
        """A run for these terms, until the block ends. Raises `UsageError` if this machine does not
        offer the isolation."""
        with self._lock:
            if terms not in self._runs:
                self._used = +self._used  # without those that no game uses
                for unused in self._runs.keys() - self._used.keys():
                    self._runs.pop(unused).close()
                isolation, _ = choose(terms.isolation, terms.limits)
                conditions = Conditions(**{**structs.asdict(terms), "isolation": isolation})
                self._runs[terms] = Run(conditions, (), self._connect)
            self._used[terms] += 1
        try:
            yield self._runs[terms]
        finally:
            with self._lock:
                self._used[terms] -= 1

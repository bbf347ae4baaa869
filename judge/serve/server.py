"""Runs a game server from start to end. The end takes two seconds at most.

A server opens its stores, which keep games, and listens for the clients of its halls. A hall
decides who plays with whom (`judge.serve.core.Hall`). At the end the server breaks off the games,
stores them if that is done in time, and closes all connections and stores.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from ipaddress import ip_address
from traceback import format_exception_only, print_exception
from typing import Any, Protocol

from judge import signals
from judge.contest.ledger.condition_set import ConditionSet
from judge.contest.outside import whose_bug
from judge.errors import JudgeFault
from judge.serve.core import EXHAUSTED, Core, Hall
from judge.serve.ledger_store import GameStore
from judge.serve.log import Log
from judge.show.text import many

TO_KEEP, TO_CLOSE, TO_SAVE = 0.8, 0.3, 0.3  # seconds, of the two that the end may take


class Served(Hall, Protocol):
    """A `Hall` that a `Server` can run and stop."""

    tasks: set[asyncio.Task[None]]

    @property
    def conditions(self) -> ConditionSet:
        """The rules and limits of the hall's games."""

    def stop(self) -> None:
        """Break off all games and send everyone away."""


@dataclass(frozen=True, slots=True)
class Address:
    host: str
    port: int

    def __str__(self) -> str:
        return f"[{self.host}]:{self.port}" if ":" in self.host else f"{self.host}:{self.port}"


class Server:
    """Runs halls. Each hall has a port of its own, and a store. Halls with the same conditions may
    share a store.

    `run` returns after `stop` is called or a signal comes. It raises the error if the server cannot
    begin, or if a store fails. ``ready`` is called with the addresses once the server listens.
    """

    def __init__(
        self,
        log: Log,
        ready: Callable[[Sequence[tuple[str, int]]], None],
    ) -> None:
        self._halls: list[tuple[Served, Core, Sequence[str], int]] = []
        self._stores: dict[GameStore, ConditionSet] = {}
        self._log = log
        self._ready = ready
        self._stopped = asyncio.Event()
        self._failure: BaseException | None = None

    def add(
        self, hall: Served, core: Core, hosts: Sequence[str], port: int, store: GameStore
    ) -> None:
        """Have `run` serve a hall at a port of these hosts, with a store for the hall's games."""
        self._halls.append((hall, core, hosts, port))
        self._stores[store] = hall.conditions
        store.failed = self._fail

    def stop(self) -> None:
        self._stopped.set()

    async def run(self) -> None:
        heard = hearing(partial(say_bug, self._log), self._refuse)
        asyncio.get_running_loop().set_exception_handler(heard)
        signals.wake_loop(asyncio.get_running_loop(), self.stop)
        await self._serve()
        if self._failure:
            raise self._failure

    async def _serve(self) -> None:
        try:
            for store, conditions in self._stores.items():
                for said in await store.open(conditions):
                    self._log.say("left-over", said)
            for _, core, hosts, port in self._halls:
                await core.listen(hosts, port)
            self._ready([address for _, core, *_ in self._halls for address in core.addresses])
            await self._stopped.wait()
            self._log.say("stopping", "the server stops")
            tasks: list[asyncio.Task[None]] = []
            for hall, core, *_ in self._halls:
                core.stop_listening()
                hall.stop()
                core.flush()
                tasks += hall.tasks
            if tasks:
                _, late = await asyncio.wait(tasks, timeout=TO_KEEP)
                if late:
                    said = f"{many(len(late), 'game')} could not be kept in time"
                    self._log.say("unkept", f"{said}; the next server records what is missing")
            await asyncio.gather(*(core.close(TO_CLOSE) for _, core, *_ in self._halls))
        finally:
            for _, core, *_ in self._halls:
                core.stop_listening()
            await asyncio.gather(*(store.close(TO_SAVE) for store in self._stores))

    def _fail(self, error: BaseException) -> None:
        """End the server after an error of a store, since no games can be kept any more."""
        self._failure = self._failure or error
        self.stop()

    def _refuse(self) -> None:
        for _, core, *_ in self._halls:
            core.refuse()


def hearing(
    bug: Callable[[BaseException], None], full: Callable[[], None] = lambda: None
) -> Callable[[asyncio.AbstractEventLoop, dict[str, Any]], None]:
    """Return an event loop's handler of uncaught errors; the server goes on after each. The handler
    calls ``full`` if descriptors or memory have run out. It ignores any other `ConnectionError`,
    since only a client has gone, and calls ``bug`` with all other errors."""

    def heard(_: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        error = context.get("exception") or JudgeFault(context["message"])
        is_of_clients = isinstance(error, ConnectionError)  # a client has gone
        if isinstance(error, OSError) and error.errno in EXHAUSTED:
            full()
        elif not is_of_clients:
            bug(error)

    return heard


def say_bug(log: Log, error: BaseException) -> None:
    """Log an error as a bug; the server goes on."""
    what, said = bug_in_words(error)
    log.say("bug", said, error=what)


def bug_in_words(error: BaseException) -> tuple[str, str]:
    """The error as text, and a sentence that asks the user to report the error. With
    JUDGE_TRACEBACK=1 the traceback is printed, too."""
    if os.environ.get("JUDGE_TRACEBACK", "0") not in ("", "0"):
        print_exception(error)
    what = "".join(format_exception_only(error)).strip()
    whose = whose_bug(error)
    return what, f"a bug in {whose}: {what}. Please report it with what JUDGE_TRACEBACK=1 shows"


def is_open(host: str) -> bool:
    """Whether other machines may reach a host. True for every host name except localhost."""
    if host == "localhost":
        return False
    try:
        return not ip_address(host.partition("%")[0]).is_loopback
    except ValueError:
        return True

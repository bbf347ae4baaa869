"""The store of a server's games: a ledger, written without making the event loop wait.

A thread of its own writes the entries, in the order of the events. The beginning of a game is an
entry of the ledger, too. So after a server was killed, the next server finds the games that had
begun and not ended. It records them as aborted.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from datetime import UTC, datetime
from pathlib import Path
from typing import Protocol

from msgspec import structs

from judge.contest.ledger.condition_set import ConditionSet
from judge.contest.ledger.files import located, locked
from judge.contest.ledger.ledger import Ledger, Rated, Repeated
from judge.contest.ledger.tally import MOST_BOTS
from judge.contest.ledger_games import games_begun
from judge.documents.game import GameRecord, shortened
from judge.errors import LedgerError, Unrecordable, UsageError
from judge.play.actions import Abort, GameSetup, Seating
from judge.play.match import Match
from judge.play.referee import stamp
from judge.serve.log import Log
from judge.serve.rate_limits import Allowance, network
from judge.serve.worker import Worker
from judge.show.live import GameWatch
from judge.show.one_game import headline

NEW_NAMES = 100  # new names from one network at once
NEW_NAME_SECONDS = 600.0  # seconds until one more may come

STOPPED = "the server was stopped"
KILLED = "the server was killed"


class GameStore(Protocol):
    """The store of a server's games. The server sets ``failed``. The store calls ``failed`` with
    the first error in writing the games."""

    failed: Callable[[BaseException], None]

    async def open(self, conditions: ConditionSet) -> list[str]:
        """Open the store. Returns sentences for the log, such as one on games that an earlier
        server left unfinished."""

    def has_room(self, name: str, others: int, address: str) -> bool:
        """Whether the store can take games of a player with this name, from this address.
        ``others`` is the number of other players' names, which may all be new to the store."""

    def begin(self, record: GameRecord, addresses: Sequence[str | None]) -> None:
        """Write that a game has begun. ``record`` is the record that is kept if the game never
        ends. ``addresses`` has each seat's address, or None for a bot of this machine or a
        guest."""

    async def keep(self, record: GameRecord) -> GameRecord | None:
        """Write a game that is over. Returns the record as written, with its number if the store
        numbers games, or None if nothing could be written."""

    async def close(self, patience: float) -> None:
        """Close the store, after writing for at most ``patience`` seconds."""


class NoStore:
    """A store that keeps no game."""

    failed: Callable[[BaseException], None]

    async def open(self, conditions: ConditionSet) -> list[str]:
        return []

    def has_room(self, name: str, others: int, address: str) -> bool:
        return True

    def begin(self, record: GameRecord, addresses: Sequence[str | None]) -> None:
        pass

    async def keep(self, record: GameRecord) -> GameRecord | None:
        return record

    async def close(self, patience: float) -> None:
        pass


class LedgerStore:
    """A store that keeps games in the ledger at ``path``. No other server may use that ledger at
    the same time."""

    failed: Callable[[BaseException], None]

    def __init__(self, path: Path) -> None:
        self.path = path
        self._thread = Worker("ledger")
        self._ledger: Ledger | None = None
        self._until = ExitStack()  # holds the lock against other servers
        self._names: set[str] = set()  # names of the bots in the ledger
        self._begun: dict[str, GameRecord] = {}  # the beginnings of games under way, by id
        self._new_names = Allowance(NEW_NAMES, NEW_NAME_SECONDS)  # new names of each network
        self._has_failed = False

    async def open(self, conditions: ConditionSet) -> list[str]:
        return await self._thread.do(self._open, conditions)

    def has_room(self, name: str, others: int, address: str) -> bool:
        if name in self._names:
            return True
        return len(self._names) + others < MOST_BOTS and self._new_names.has(network(address))

    def begin(self, record: GameRecord, addresses: Sequence[str | None]) -> None:
        for seat, address in zip(record.seats, addresses, strict=True):
            if seat.name not in self._names and address is not None:
                self._new_names.use(network(address))
            self._names.add(seat.name)
        self._begun[record.id] = record
        self._thread.do(self._begin, record).add_done_callback(self._look_at)

    async def keep(self, record: GameRecord) -> GameRecord | None:
        begun = self._begun.pop(record.id, None)
        try:
            try:
                rated = await self._thread.do(self._add, record)
            except Unrecordable as error:
                if begun is None:
                    raise
                rated = await self._thread.do(self._add, _aborted(begun, str(error)))
        except (LedgerError, UsageError) as error:
            self._fail(error)
            return None
        return rated.record if isinstance(rated, Rated) else record

    async def close(self, patience: float) -> None:
        """Save the standings, within ``patience`` seconds. A game that is not written in time is
        recorded as aborted when the next server starts."""
        try:
            async with asyncio.timeout(patience):
                await self._thread.do(self._close)
        except TimeoutError:
            pass
        except LedgerError as error:
            self._fail(error)
        self._thread.stop()

    def _look_at(self, future: asyncio.Future[None]) -> None:
        if not future.cancelled() and (error := future.exception()):
            self._fail(error)

    def _fail(self, error: BaseException) -> None:
        """Call ``failed`` with the first error in writing the games."""
        if not self._has_failed:
            self._has_failed = True
            self.failed(error)

    # In the thread

    def _open(self, conditions: ConditionSet) -> list[str]:
        path, _ = located(self.path)
        # A second server would take the games of this one for those of a killed server.
        busy = f"{path} is kept by another server; --ledger names another"
        self._until.enter_context(locked(path, ".server", busy))
        self._ledger = ledger = Ledger(self.path)
        ledger.require(conditions)
        left = games_begun(self.path)
        for record in left:
            ledger.add(structs.replace(record, finished=stamp(datetime.now(UTC))))
        ledger.save()
        self._names.update(ledger.tally.versions)
        said = list(ledger.notices)
        ledger.notices.clear()
        if left:
            games = "game was" if len(left) == 1 else "games were"
            said.append(
                f"{len(left)} {games} not over when an earlier server was killed, recorded as aborted"
            )
        return said

    def _begin(self, record: GameRecord) -> None:
        assert self._ledger, "it is open"
        self._ledger.begin(record)

    def _add(self, record: GameRecord) -> Rated | Repeated:
        assert self._ledger, "it is open"
        return self._ledger.add(record)

    def _close(self) -> None:
        if self._ledger:
            self._ledger.save()
        self._until.close()


def _aborted(begun: GameRecord, why: str) -> GameRecord:
    """The record of a game as begun and then aborted; ``why`` is the reason."""
    outcome = structs.replace(begun.outcome, detail=shortened(why))
    return structs.replace(begun, outcome=outcome, finished=stamp(datetime.now(UTC)))


def if_broken_off(seating: Seating, setup: GameSetup, why: str, started: datetime) -> GameRecord:
    """The record of a game that was broken off as soon as it had begun, for the reason ``why``."""
    match = Match(seating, [setup])
    match.start()
    match.host(Abort(why))
    return stamped(match, started, started)


def stamped(match: Match, started: datetime, finished: datetime) -> GameRecord:
    """The record of a match of one game, with the times at which the game started and finished."""
    (record,) = match.records
    return structs.replace(record, started=stamp(started), finished=stamp(finished))


def tell_kept(log: Log, room: int, record: GameRecord | None, watch: GameWatch | None) -> None:
    """Tell the log and the spectators that a game is over and stored. Nothing is told if ``record``
    is None, since the game could not be stored."""
    if record is None:
        return
    if watch:
        watch.keep(record)
    outcome = record.outcome
    number = "" if record.number is None else f", {record.display_name} in the ledger"
    log.say(
        "ended",
        f"game {room} is over{number}: {headline(record)}",
        room=room,
        number=record.number,
        winner=None if outcome.winner is None else record.seats[outcome.winner].name,
        termination=outcome.termination,
    )

"""The readers' view of a ladder's ledger, read from the disk in a thread of its own.

It follows the journal, so that a page shows a game or an order once it is kept, whoever wrote it, and
readers never wait for the games that are played.
"""

from __future__ import annotations

import contextlib
import threading
import time
from collections import Counter, deque
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import count, islice, takewhile
from pathlib import Path
from typing import NamedTuple, Self

import msgspec
from msgspec.structs import replace

from judge import writing
from judge.contest.ledger.entries import game_on, record_on
from judge.contest.ledger.files import located
from judge.contest.ledger.fold import Fold
from judge.contest.ledger.identity import key_of
from judge.contest.ledger.tally_table import VersionTally
from judge.contest.standings.standings import Standings, standings
from judge.contest.standings.time_series import Curve
from judge.documents.game import GameRecord
from judge.documents.ledger import GameResult
from judge.errors import JudgeFault
from judge.serve.host.folder import HostFolder

POLL_SECONDS = 0.3
APART = 10  # times as long as a table takes, so that tables cost a tenth of the time at most
MOST_RECENT = 10_000  # games that are listed
DAY_SECONDS, MOMENT_SECONDS = 24 * 3600, 600
MOST_CURVES = 40  # bots in the chart of the day
_DAY = "day.json"


class SeenGame(NamedTuple):
    """A game of the ledger: its number there, its result, and what the two games of a pair have in
    common."""

    number: int
    result: GameResult
    pair: int

    @classmethod
    def of(cls, number: int, result: GameResult) -> Self:
        pair = result.id.rpartition(".")[0] or result.id
        return cls(number, result, hash((pair, result.digests)))


class Moment(msgspec.Struct, array_like=True, frozen=True):
    """The Elo of the first bots at some time, and how many games were recorded by then."""

    time: float
    games: int
    elo: dict[str, float]


@dataclass(frozen=True, slots=True)
class StandingsSnapshot:
    """The table at some moment; ``edition`` is another for each. ``day`` has the Elo curves of the
    last day, from its first game on."""

    edition: int
    standings: Standings
    recorded: int
    day: tuple[Moment, ...] = ()

    def curves(self, names: Sequence[str]) -> list[tuple[str, Curve]]:
        return [
            (name, [(moment.games, moment.elo[name]) for moment in self.day if name in moment.elo])
            for name in names
        ]


class LedgerView:
    """Follows a ladder's ledger until it is closed. `record` and the attributes are for any thread."""

    def __init__(self, folder: HostFolder, tell: Callable[[str], None]) -> None:
        """Raises `JudgeFault` if the ledger or the list of entrants cannot be read."""
        self._folder = folder
        self._tell = tell
        _, self._journal = located(folder.ledger)
        self._lock, self._looking = threading.Lock(), threading.Lock()
        self._entrants_lock = threading.Lock()
        self._fold = Fold(self._journal)
        self._recent_lock = threading.Lock()
        self._recent: deque[SeenGame] = deque()
        self._pairs: Counter[int] = Counter()  # the number of recent games in each pair
        self.host = folder.read()
        self._stamp = folder.stamp
        self._editions = count(1)
        self._day = _day_in(folder.path)
        self._next_table = 0.0
        self._orders = self._orders_now()
        self._list(max(0, self._fold.tally.recorded - MOST_RECENT))
        self.snapshot = self._made()
        self._closed = threading.Event()
        self._thread: threading.Thread | None = None

    def follow(self, games: Callable[[], None], field_changed: Callable[[], None]) -> None:
        """Follow the ledger from now on. ``games`` is called when there are new games, and ``field_changed`` when
        entrants or orders changed, in the view's thread."""
        self._games, self._field_changed = games, field_changed
        self._thread = threading.Thread(target=self._work, name="view", daemon=True)
        self._thread.start()

    def close(self) -> None:
        self._closed.set()
        if self._thread:
            self._thread.join()

    @property
    def hidden(self) -> frozenset[str]:
        """The bots that no public page shows."""
        return frozenset(entrant.name for entrant in self.host.entrants if entrant.hidden)

    def record(self, number: int) -> GameRecord | None:
        """The game of that number; None if it is missing, or if the other game of its pair, which
        has the same seeds, is not over."""
        with self._lock:
            if not 1 <= number <= self._fold.tally.recorded:
                return None
            record = record_on(self._journal, self._fold.line(number))
            other = key_of(replace(record, first=1 - record.first))
            is_over = other is None or self._fold.has(other)
        return record if is_over else None

    def latest(
        self, most: int, *, after: int = 0, before: int = 10**9, of: Callable[[SeenGame], bool]
    ) -> list[SeenGame]:
        """The latest games ``of`` some kind, the last first, between those of two numbers."""
        with self._recent_lock:
            later = takewhile(lambda game: game.number > after, reversed(self._recent))
            return [*islice((game for game in later if game.number < before and of(game)), most)]

    def has_page(self, game: SeenGame) -> bool:
        """Whether both games of its pair are over, of a game that is listed."""
        return self._pairs[game.pair] > 1

    def names(self) -> list[str]:
        """The names of all bots that have played."""
        with self._lock:
            return [*self._fold.tally.versions]

    def versions(self, name: str) -> list[VersionTally]:
        """The results of each version of a bot, the last first."""
        with self._lock:
            table = self._fold.tally.table
            return [
                table.results_of(name, version)
                for version in sorted(table.versions_of(name), reverse=True)
            ]

    def counts(self, game: SeenGame) -> bool:
        """Whether a game counts: it is not void, and no order takes it out."""
        orders = self._fold.tally.orders
        return game.result.rated and orders.out(game.number, game.result.names) is None

    def _work(self) -> None:
        while not self._closed.wait(POLL_SECONDS):
            try:
                self.look()
            except JudgeFault as error:  # what a writer was just cutting off may look like damage
                self._tell(f"pages may be old: {error}")
                self._closed.wait(1)

    def look_at_entrants(self) -> None:
        """Take in at once who may enter."""
        with self._entrants_lock:
            if (stamp := self._folder.stamp) == self._stamp:
                return
            self._stamp, self.host = stamp, self._folder.read()
            self._next_table = 0.0
        self._field_changed()

    def look(self) -> None:
        """Take in what is new, at once."""
        with self._looking:
            self.look_at_entrants()
            before = self._fold.tally.recorded
            if self._journal.size() > self._fold.position.end:
                with self._lock:
                    self._fold.catch_up()
            if self._list(before):
                self._games()
            if (orders := self._orders_now()) != self._orders:
                self._orders = orders
                self._next_table = 0.0
                self._field_changed()
            is_old = self._fold.tally.recorded != self.snapshot.recorded or not self._next_table
            if is_old and time.monotonic() >= self._next_table:
                begin = time.monotonic()
                self.snapshot = self._made()
                end = time.monotonic()
                self._next_table = end + max(1.0, APART * (end - begin))

    def _orders_now(self) -> tuple[int, int]:
        given = self._fold.tally.orders.given
        return len(given), sum(one.undone for one in given)

    def _list(self, after: int) -> bool:
        """Take in the games after the one of this number; returns whether there are any."""
        new = [
            SeenGame.of(number, game_on(self._journal, self._fold.line(number)).result)
            for number in range(after + 1, self._fold.tally.recorded + 1)
        ]
        with self._recent_lock:
            self._recent.extend(new)
            self._pairs.update(game.pair for game in new)
            while len(self._recent) > MOST_RECENT:
                gone = self._recent.popleft().pair
                self._pairs[gone] -= 1
                if not self._pairs[gone]:
                    del self._pairs[gone]
        return bool(new)

    def _made(self) -> StandingsSnapshot:
        found = standings(self._fold.tally)
        recorded, now = self._fold.tally.recorded, time.time()
        rows = sorted(found.rows, key=lambda row: -row.elo)[:MOST_CURVES]
        moment = Moment(now, recorded, {row.name: row.elo for row in rows})
        if not self._day or now - self._day[-1].time >= MOMENT_SECONDS:
            self._day = [moment for moment in self._day if now - moment.time <= DAY_SECONDS]
            self._day.append(moment)
            with contextlib.suppress(OSError):  # it is made anew, from now on
                writing.replace(self._folder.path, _DAY, msgspec.json.encode(self._day))
        return StandingsSnapshot(next(self._editions), found, recorded, (*self._day, moment))


def _day_in(folder: Path) -> list[Moment]:
    """The moments of the last day that an earlier process kept."""
    try:
        data = writing.read(folder, _DAY, 2**24)
        return msgspec.json.decode(data, type=list[Moment])
    except (OSError, ValueError, RecursionError):
        return []

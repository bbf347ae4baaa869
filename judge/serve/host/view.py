"""The readers' view of a ladder's ledger, read from the disk in a thread of its own.

The view follows the ledger's file, so it shows each game and order soon after any process has added
it. Readers never wait for the thread that plays.
"""

from __future__ import annotations

import contextlib
import threading
import time
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from itertools import islice, starmap, zip_longest
from pathlib import Path

import msgspec
from msgspec.structs import replace

from judge import writing
from judge.contest.deferrals import IN_A_ROW
from judge.contest.ledger.files import located
from judge.contest.ledger.fold import Fold
from judge.contest.ledger.identity import key_of
from judge.contest.standings.standings import Standings, standings
from judge.contest.standings.time_series import Curve
from judge.documents.game import GameRecord
from judge.documents.ledger import GameResult, VersionTally
from judge.serve.host.folder import HostFolder
from judge.show.ledger import effect, taken_back
from judge.show.pages.host import ListedGame

POLL_SECONDS = 0.3
APART = 10  # the wait between two tables, as a multiple of the time that one takes
MOST_READ = 10_000  # games that a call reads at most, and that stay in memory
OF_BOT = 50  # games of a bot that are listed, and as many that it lost
OLDER = 1000  # older games that are read at a time, for the lists of bots
DAY_SECONDS, MOMENT_SECONDS = 24 * 3600, 600
MOST_CURVES = 40  # bots in the chart of the day
_DAY = "day.json"


class Moment(msgspec.Struct, array_like=True, frozen=True):
    """The Elo of the strongest bots at a Unix ``time``, and the number of games recorded by
    then."""

    time: float
    games: int
    elo: dict[str, float]


@dataclass(frozen=True, slots=True)
class StandingsSnapshot:
    """The standings at some moment. ``recorded`` is the number of games by then, and ``first`` that
    at the beginning of the last day. ``curves`` has the Elo of the strongest bots since then."""

    standings: Standings
    recorded: int
    first: int
    curves: Sequence[tuple[str, Curve]]


class LedgerView:
    """Follows a ladder's ledger until `close`. Any thread may read from it."""

    def __init__(
        self,
        folder: HostFolder,
        tell: Callable[[str], None],
        bug: Callable[[BaseException], None],
    ) -> None:
        """``bug`` gets each error in following the ledger; the view goes on. Raises `JudgeFault` if
        the ledger or the list of entrants cannot be read."""
        self._folder = folder
        self._tell, self._bug = tell, bug
        _, self._journal = located(folder.ledger)
        self._lock, self._looking = threading.Lock(), threading.Lock()
        self._entrants_lock = threading.Lock()
        self._fold = Fold(self._journal)
        self._result = lru_cache(MOST_READ)(self._read_result)
        # The numbers and pairs of each bot's last games, and of the last that it lost, if the flag
        # is true: twice as many as are listed, so that they have the other game of a listed game's
        # pair. They are among the games from the number `_first` up to `_last`.
        self._games: dict[tuple[str, bool], deque[tuple[int, int]]] = {}
        self._last = self._fold.tally.recorded
        self._first = self._last + 1
        self._playing: frozenset[tuple[str, str]] | None = None  # names and digests
        self._read_entrants()
        self._day = _day_in(folder.path)
        self._next_table = 0.0
        self._orders = [*self._fold.tally.orders.given]
        self._list(MOST_READ)
        self.snapshot = self._made()
        self._closed = threading.Event()

    def follow(self, field_changed: Callable[[], None]) -> None:
        """Follow the ledger from now on, in a thread. ``field_changed`` is called, in the thread
        that notices it, when entrants, the organiser's bots or orders have changed."""
        self._field_changed = field_changed
        self._thread = threading.Thread(target=self._work, name="view", daemon=True)
        self._thread.start()

    def close(self) -> None:
        """End what `follow` began."""
        self._closed.set()
        self._thread.join()

    def record(self, number: int) -> GameRecord | None:
        """Return the game with a number. None stands for a missing game, and for a game whose pair
        is not over: the other game of the pair has the same seeds. A pair also counts as over if
        one of the two bots cannot play again in the same version."""
        with self._lock:
            if not 1 <= number <= self._fold.tally.recorded:
                return None
            record = self._fold.record(number)
            other = key_of(replace(record, first=1 - record.first))
            is_over = (
                other is None
                or other in self._fold.numbers
                or not all(self._may_play(seat.name, seat.digest) for seat in record.seats)
            )
        return record if is_over else None

    def take_field(self, bots: Iterable[tuple[str, str]]) -> None:
        """Take the bots with these names and digests as the field: only these may play again.
        Before the first call, every bot counts as in the field."""
        self._playing = frozenset(bots)

    def _may_play(self, name: str, digest: str | None) -> bool:
        is_in_field = self._playing is None or (name, digest) in self._playing
        return is_in_field and self._fold.tally.streak(name, digest) < IN_A_ROW

    def latest(self, most: int, *, after: int = 0, before: int = 10**9) -> list[ListedGame]:
        """Return the newest ``most`` games of bots that are not hidden, the newest first. The games
        have numbers above ``after`` and below ``before``. At most `MOST_READ` games are read."""
        newest = min(before - 1, self._last)
        numbers = range(newest, max(after, newest - MOST_READ), -1)
        return [*islice(filter(self.is_shown, map(self._listed, numbers)), most)]

    def latest_of(self, name: str, *, lost: bool = False) -> list[ListedGame]:
        """Return the last `OF_BOT` games of a bot, or with ``lost`` the last that it lost, the
        newest first. After a start, older games join these lists little by little."""
        return [self._listed(number) for number, _ in self._games_of(name, lost=lost)[:OF_BOT]]

    def _games_of(self, name: str, *, lost: bool = False) -> list[tuple[int, int]]:
        with self._lock:
            return [*reversed(self._games.get((name, lost), ()))]

    def is_shown(self, game: ListedGame) -> bool:
        """Whether public pages may list a game: neither bot is hidden."""
        return self.hidden.isdisjoint(game.result.names)

    def _listed(self, number: int) -> ListedGame:
        """Return a game as lists have it. It counts if it is rated and no order takes it out of the
        count."""
        result, orders = self._result(number), self._fold.tally.orders
        counts = result.rated and orders.out(number, result.names) is None
        return ListedGame(number, result, counts, partial(self._has_page, result))

    def _read_result(self, number: int) -> GameResult:
        with self._lock:
            return self._fold.game(number).result

    def _has_page(self, result: GameResult) -> bool:
        """Whether a list links a game's page: the pair of the game is over, as for `record`. The
        pair of a game that is not among the last games of its bots counts as over."""
        pairs = [pair for _, pair in self._games_of(result.names[0])]
        names_and_digests = zip(result.names, result.digests, strict=True)
        return pairs.count(_pair(result)) != 1 or not all(
            starmap(self._may_play, names_and_digests)
        )

    def names(self) -> list[str]:
        """The names of all bots that have played."""
        with self._lock:
            return [*self._fold.tally.versions]

    def versions(self, name: str) -> list[VersionTally]:
        """Return the results of each version of a bot, the newest version first."""
        with self._lock:
            table = self._fold.tally.table
            newest_first = sorted(table.versions_of(name), reverse=True)
            return [table.results_of(name, version) for version in newest_first]

    def why_idle(self, name: str, digest: str) -> str:
        """Return a sentence on why a bot plays no more: it is disqualified or retired, or this
        version of it has forfeited too often in a row. Return an empty text in any other case."""
        tally = self._fold.tally
        row = tally.streak(name, digest)
        if tally.orders.disqualified.get(name):
            return "The organiser has disqualified it."
        if tally.orders.retired.get(name):
            return "The organiser has retired it."
        if row >= IN_A_ROW:
            return f"It plays no more until its next version: {row} forfeits in a row."
        return ""

    def _work(self) -> None:
        while not self._closed.wait(POLL_SECONDS):
            try:
                self.look()
            except Exception as error:  # noqa: BLE001 - a line that is just removed may look damaged
                self._bug(error)
                self._closed.wait(1)

    def _read_entrants(self) -> None:
        self._stamp, self.host = self._folder.stamp, self._folder.read()
        # The names of the bots that no public page shows.
        self.hidden = frozenset(one.name for one in self.host.entrants if one.hidden)

    def look_at_entrants(self) -> None:
        """Read the entrants again if `HostFolder.stamp` has changed."""
        with self._entrants_lock:
            if self._folder.stamp == self._stamp:
                return
            self._read_entrants()
            self._next_table = 0.0
        self._field_changed()

    def look(self) -> None:
        """Read new games, orders and entrants. Compute the standings again if that is due."""
        with self._looking:
            self.look_at_entrants()
            if self._journal.size() > self._fold.position.end:
                with self._lock:
                    self._fold.catch_up()
            self._list()
            if self._tell_orders():
                self._next_table = 0.0
                self._field_changed()
            is_old = self._fold.tally.recorded != self.snapshot.recorded or not self._next_table
            if is_old and time.monotonic() >= self._next_table:
                begin = time.monotonic()
                self.snapshot = self._made()
                end = time.monotonic()
                self._next_table = end + max(1.0, APART * (end - begin))

    def _tell_orders(self) -> bool:
        """Tell the organiser of orders given or taken back since the last call. Returns whether any
        were."""
        before, self._orders = self._orders, [*self._fold.tally.orders.given]
        pairs = zip_longest(self._orders, before)
        new = [(number, now) for number, (now, old) in enumerate(pairs, 1) if now != old]
        for number, now in new:
            given = f"order {number}: {effect(now.order)}"
            self._tell(taken_back(number, now.order) if now.undone else given)
        return bool(new)

    def _list(self, most: int = OLDER) -> None:
        """Add new games to the lists of bots, and the next ``most`` older games to lists that are
        not full."""
        new = range(self._last + 1, self._fold.tally.recorded + 1)
        older = range(self._first - 1, max(0, self._first - 1 - most), -1)
        found = [(number, self._read_result(number)) for number in (*new, *older)]
        with self._lock:
            for number, result in found:
                keys = [(name, False) for name in result.names]
                if result.winner is not None:
                    keys.append((result.names[1 - result.winner], True))
                for key in keys:
                    games = self._games.setdefault(key, deque(maxlen=2 * OF_BOT))
                    if number in new:
                        games.append((number, _pair(result)))
                    elif len(games) < 2 * OF_BOT:
                        games.appendleft((number, _pair(result)))
        self._first -= len(older)
        self._last += len(new)

    def _made(self) -> StandingsSnapshot:
        found = standings(self._fold.tally)
        recorded, now = self._fold.tally.recorded, time.time()
        rows = sorted(found.rows, key=lambda row: -row.elo)[:MOST_CURVES]
        moment = Moment(now, recorded, {row.name: row.elo for row in rows})
        if not self._day or now - self._day[-1].time >= MOMENT_SECONDS:
            self._day = [moment for moment in self._day if now - moment.time <= DAY_SECONDS]
            self._day.append(moment)
            with contextlib.suppress(OSError):  # a later process begins its curves anew
                writing.replace(self._folder.path, _DAY, msgspec.json.encode(self._day))
        first, day = self._day[0].games, [*self._day, moment]
        curves = [
            (name, [(one.games, one.elo[name]) for one in day if name in one.elo])
            for name in (moment.elo if first < recorded else ())
        ]
        return StandingsSnapshot(found, recorded, first, curves)


def _pair(result: GameResult) -> int:
    """Return a hash that both games of a pair share: their ids differ only in their ends."""
    return hash((result.id.rpartition(".")[0] or result.id, result.digests))


def _day_in(folder: Path) -> list[Moment]:
    """Read the moments that an earlier process wrote; an empty list if they cannot be read."""
    try:
        data = writing.read(folder, _DAY, 2**24)
        return msgspec.json.decode(data, type=list[Moment])
    except (OSError, ValueError, RecursionError):
        return []

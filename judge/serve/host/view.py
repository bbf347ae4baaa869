"""The readers' view of a ladder's ledger, read from the disk in a thread of its own.

The view follows the ledger's file, so it shows each game and order soon after any process has added
it. Readers never wait for the thread that plays.
"""

from __future__ import annotations

import contextlib
import threading
import time
from collections import Counter, deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import count, islice, starmap, takewhile, zip_longest
from pathlib import Path
from typing import NamedTuple, Self

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
from judge.errors import JudgeFault
from judge.serve.host.folder import HostFolder
from judge.show.ledger import effect, taken_back

POLL_SECONDS = 0.3
APART = 10  # the wait between two tables, as a multiple of the time that one takes
MOST_RECENT = 10_000  # games that stay in memory
OF_BOT = 50  # games of a bot that are listed, and as many that it lost
OLDER = 1000  # older games that are read at a time, for the lists of bots
DAY_SECONDS, MOMENT_SECONDS = 24 * 3600, 600
MOST_CURVES = 40  # bots in the chart of the day
_DAY = "day.json"


class SeenGame(NamedTuple):
    """A game of the ledger: its number, its result, and in ``pair`` a hash that both games of a
    pair share."""

    number: int
    result: GameResult
    pair: int

    @classmethod
    def of(cls, number: int, result: GameResult) -> Self:
        pair = result.id.rpartition(".")[0] or result.id
        return cls(number, result, hash((pair, result.digests)))


class Moment(msgspec.Struct, array_like=True, frozen=True):
    """The Elo of the strongest bots at a Unix ``time``, and the number of games recorded by
    then."""

    time: float
    games: int
    elo: dict[str, float]


@dataclass(frozen=True, slots=True)
class StandingsSnapshot:
    """The standings at some moment. Each snapshot has its own ``edition``. ``recorded`` is the
    number of games by then, and ``day`` has the moments of the last day, the oldest first."""

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
    """Follows a ladder's ledger until `close`. Any thread may read from it."""

    def __init__(
        self,
        folder: HostFolder,
        tell: Callable[[str], None],
        bug: Callable[[BaseException], None],
    ) -> None:
        """``bug`` gets each unexpected error; the view goes on. Raises `JudgeFault` if the ledger
        or the list of entrants cannot be read."""
        self._folder = folder
        self._tell, self._bug = tell, bug
        _, self._journal = located(folder.ledger)
        self._lock, self._looking = threading.Lock(), threading.Lock()
        self._entrants_lock = threading.Lock()
        self._fold = Fold(self._journal)
        self._recent_lock = threading.Lock()
        self._recent: deque[SeenGame] = deque()
        self._pairs: Counter[int] = Counter()  # the numbers of games in recent pairs
        # The numbers of each bot's last games, and of the last that it lost, if the flag is true.
        self._numbers: dict[tuple[str, bool], deque[int]] = {}
        self._playing: frozenset[tuple[str, str]] | None = None  # names and digests
        self.host = folder.read()
        self._stamp = folder.stamp
        self._editions = count(1)
        self._day = _day_in(folder.path)
        self._next_table = 0.0
        self._orders = [*self._fold.tally.orders.given]
        self._unread = max(0, self._fold.tally.recorded - MOST_RECENT)  # older games
        self._list(self._unread)
        self.snapshot = self._made()
        self._closed = threading.Event()
        self._thread: threading.Thread | None = None

    def follow(self, games: Callable[[], None], field_changed: Callable[[], None]) -> None:
        """Follow the ledger from now on, in a thread. ``games`` is called when there are new games.
        ``field_changed`` is called when entrants, the organiser's bots or orders have changed.
        Either call comes from the thread that notices the change."""
        self._games, self._field_changed = games, field_changed
        self._thread = threading.Thread(target=self._work, name="view", daemon=True)
        self._thread.start()

    def close(self) -> None:
        self._closed.set()
        if self._thread:
            self._thread.join()

    @property
    def hidden(self) -> frozenset[str]:
        """The names of the bots that no public page shows."""
        return frozenset(entrant.name for entrant in self.host.entrants if entrant.hidden)

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
                or any(self._fold.numbers(other))
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

    def latest(
        self, most: int, *, after: int = 0, before: int = 10**9, of: Callable[[SeenGame], bool]
    ) -> list[SeenGame]:
        """Return the newest ``most`` games for which ``of`` is true, the newest first. The games
        have numbers above ``after`` and below ``before``. A call reads at most `MOST_RECENT` games
        that are not in memory."""
        with self._recent_lock:
            later = takewhile(lambda game: game.number > after, reversed(self._recent))
            found = [*islice((game for game in later if game.number < before and of(game)), most)]
            end = min(before, self._recent[0].number if self._recent else 1)
        numbers = range(end - 1, max(after, end - 1 - MOST_RECENT), -1)
        return [*found, *islice(filter(of, map(self._game, numbers)), most - len(found))]

    def latest_of(self, name: str, *, lost: bool = False) -> list[SeenGame]:
        """Return the last `OF_BOT` games of a bot, or with ``lost`` the last that it lost, the
        newest first. After a start, older games join these lists little by little."""
        with self._recent_lock:
            numbers = [*reversed(self._numbers.get((name, lost), ()))]
        return [*map(self._game, numbers)]

    def _game(self, number: int) -> SeenGame:
        with self._lock:
            return SeenGame.of(number, self._fold.game(number).result)

    def has_page(self, game: SeenGame) -> bool:
        """Whether a list links a game's page: the pair of the game is over, as for `record`. The
        pair of a game that is not in memory counts as over."""
        names_and_digests = zip(game.result.names, game.result.digests, strict=True)
        return self._pairs[game.pair] != 1 or not all(starmap(self._may_play, names_and_digests))

    def names(self) -> list[str]:
        """The names of all bots that have played."""
        with self._lock:
            return [*self._fold.tally.versions]

    def versions(self, name: str) -> list[VersionTally]:
        """Return the results of each version of a bot, the newest version first."""
        with self._lock:
            table = self._fold.tally.table
            return [
                table.results_of(name, version)
                for version in sorted(table.versions_of(name), reverse=True)
            ]

    def why_idle(self, name: str, digest: str) -> str:
        """Return a sentence on why a bot plays no more: it is disqualified or retired, or this
        version of it has forfeited too often in a row. Return an empty text in any other case."""
        with self._lock:
            tally = self._fold.tally
            if tally.orders.disqualified.get(name):
                return "The organiser has disqualified it."
            if tally.orders.retired.get(name):
                return "The organiser has retired it."
            row = tally.streak(name, digest)
        is_off = row >= IN_A_ROW
        return (
            f"It plays no more until its next version: {row} forfeits in a row." if is_off else ""
        )

    def counts(self, game: SeenGame) -> bool:
        """Whether a game counts: it is rated, and no order takes it out of the count."""
        orders = self._fold.tally.orders
        return game.result.rated and orders.out(game.number, game.result.names) is None

    def _work(self) -> None:
        while not self._closed.wait(POLL_SECONDS):
            try:
                self.look()
            except JudgeFault as error:  # a line that a writer is just removing may look damaged
                self._tell(f"pages may be old: {error}")
                self._closed.wait(1)
            except Exception as error:  # noqa: BLE001 - the ladder plays on, and the view goes on
                self._bug(error)
                self._closed.wait(1)

    def look_at_entrants(self) -> None:
        """Read the entrants again if `HostFolder.stamp` has changed."""
        with self._entrants_lock:
            if (stamp := self._folder.stamp) == self._stamp:
                return
            self._stamp, self.host = stamp, self._folder.read()
            self._next_table = 0.0
        self._field_changed()

    def look(self) -> None:
        """Read new games, orders and entrants. Compute the standings again if that is due."""
        with self._looking:
            self.look_at_entrants()
            before = self._fold.tally.recorded
            if self._journal.size() > self._fold.position.end:
                with self._lock:
                    self._fold.catch_up()
            if self._list(before):
                self._games()
            if self._tell_orders():
                self._next_table = 0.0
                self._field_changed()
            is_old = self._fold.tally.recorded != self.snapshot.recorded or not self._next_table
            if is_old and time.monotonic() >= self._next_table:
                begin = time.monotonic()
                self.snapshot = self._made()
                end = time.monotonic()
                self._next_table = end + max(1.0, APART * (end - begin))
            self._list_older()

    def _tell_orders(self) -> bool:
        """Tell the organiser of orders given or taken back since the last call. Returns whether any
        were."""
        before, self._orders = self._orders, [*self._fold.tally.orders.given]
        pairs = zip_longest(self._orders, before)
        new = [(number, now) for number, (now, old) in enumerate(pairs, 1) if now != old]
        for number, now in new:
            order = now.order
            self._tell(
                taken_back(number, order) if now.undone else f"order {number}: {effect(order)}"
            )
        return bool(new)

    def _list(self, after: int) -> bool:
        """Add the games with numbers above ``after`` to the lists in memory. Returns whether there
        are any."""
        new = [*map(self._game, range(after + 1, self._fold.tally.recorded + 1))]
        with self._recent_lock:
            self._recent.extend(new)
            self._pairs.update(game.pair for game in new)
            for game in new:
                for numbers in self._lists_of(game.result):
                    numbers.append(game.number)
            while len(self._recent) > MOST_RECENT:
                self._pairs.pop(self._recent.popleft().pair, None)
        return bool(new)

    def _list_older(self) -> None:
        """Read the next `OLDER` older games, and add them to the lists of bots that are not
        full."""
        for _ in range(min(OLDER, self._unread)):
            number, self._unread = self._unread, self._unread - 1
            game = self._game(number)
            with self._recent_lock:
                self._pairs.pop(game.pair, None)
                for numbers in self._lists_of(game.result):
                    if len(numbers) < OF_BOT:
                        numbers.appendleft(number)

    def _lists_of(self, result: GameResult) -> list[deque[int]]:
        """The lists of bots' games that a game belongs to."""
        keys = [(name, False) for name in result.names]
        if result.winner is not None:
            keys.append((result.names[1 - result.winner], True))
        return [self._numbers.setdefault(key, deque(maxlen=OF_BOT)) for key in keys]

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
        return StandingsSnapshot(next(self._editions), found, recorded, (*self._day, moment))


def _day_in(folder: Path) -> list[Moment]:
    """Read the moments that an earlier process wrote; an empty list if they cannot be read."""
    try:
        data = writing.read(folder, _DAY, 2**24)
        return msgspec.json.decode(data, type=list[Moment])
    except (OSError, ValueError, RecursionError):
        return []

"""The fold of a journal, computed from its lines: the tally, and the keys and offsets of the games.

``X.games.cache`` holds a fold, so the next opening of the ledger reads only the lines added since.
If the cache is missing or invalid, the whole journal is read. A fold takes no lock.
"""

from __future__ import annotations

import contextlib
import struct
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from pathlib import Path

import msgspec

from judge import writing
from judge.contest.ledger.condition_set import ConditionSet
from judge.contest.ledger.entries import GAME, entry_on, record_in
from judge.contest.ledger.identity import KEY_BYTES
from judge.contest.ledger.journal import BEGIN, Journal, JournalPosition, Line, failing
from judge.contest.ledger.orders import Orders
from judge.contest.ledger.tally import Tally, written
from judge.contest.ledger.tally_table import each_pair
from judge.documents.game import GameRecord
from judge.documents.ledger import AnyEntry, BotTally, Game, Header, VersionTally
from judge.errors import LedgerError
from judge.signals import looking

FORM = 3  # the version of the cache; a cache of another version is not used
LONGEST_CACHE = 2**28  # bytes
NO_KEY = bytes(KEY_BYTES)
_GAME = struct.Struct(f">{KEY_BYTES}sQ")  # a game's key, and the offset of its line


class _Cache(msgspec.Struct, frozen=True, array_like=True, tag=FORM):
    """A fold on the disk. ``position`` is the end of the last line that is counted. ``games`` has
    the key of each game and the offset of its line, one game after the other."""

    position: JournalPosition
    games: bytes
    tally: Tally


class Fold:
    """The fold of a journal's lines up to ``position``, with their ``tally``. ``unsaved`` is true
    if lines were counted since the cache was read or written."""

    def __init__(self, journal: Journal, *, anew: bool = False) -> None:
        """Fold the journal. With ``anew`` all lines are read, otherwise only those after the cache.
        Raises `LedgerError` if a line that is read was edited or cannot be counted, or if lines that
        the cache counts are missing."""
        self.journal = journal
        self.path = journal.path.with_suffix(".cache")
        self.unsaved = False
        self._begin()
        cache = self._load()
        if cache is not None and not anew:
            self.tally, self.position = cache.tally, cache.position
            self._games = bytearray(cache.games)
        self.catch_up()

    def _begin(self) -> None:
        """Count nothing."""
        self.tally, self.position = Tally(), BEGIN
        self._games = bytearray()
        self._numbers: dict[bytes | None, list[int]] | None = None  # None until asked for
        self._is_whole = True  # false while an entry is counted, since an error may interrupt that

    def catch_up(self, most: int | None = None) -> None:
        """Count every whole line that is not yet counted, or at most ``most`` lines. Raises
        `LedgerError` if a line was edited or cannot be counted, or the journal has shrunk."""
        if self.journal.size() < self.position.end:
            raise LedgerError(f"{self.journal.path} has become shorter since it was read")
        if not self._is_whole:
            self._begin()
        # A game that was just added is counted even if a signal has come.
        each = looking if most is None else iter
        if self.position == BEGIN:
            lines = each(self.journal.lines())
            others = (line for line in lines if not line.data.startswith(GAME))
            self.tally.orders = Orders.of(entry_on(self.journal, line) for line in others)
        for line in each(islice(self.journal.lines(self.position), most)):
            entry = entry_on(self.journal, line)
            self._is_whole, self.unsaved = False, True
            if not enter(self.tally, self.journal, line, entry):
                self.catch_up()  # anew, since the order may change the count of earlier games
                return
            if isinstance(entry, Game):
                key = bytes.fromhex(entry.key) if entry.key else NO_KEY
                self._games += _GAME.pack(key, self.position.end)
                if self._numbers is not None and entry.key:
                    self._numbers.setdefault(key, []).append(self.tally.recorded)
            self.position = line.position
            self._is_whole = True

    def require_unedited(self) -> None:
        """Read all counted lines again. Raises `LedgerError` if one of them was edited."""
        for _ in looking(self.journal.lines(end=self.position.end)):
            pass

    def game(self, number: int) -> Game:
        """The entry of the game of this number, which must exist. Raises `LedgerError` if the
        game's offset does not lead to a game, since the cache is wrong or a line was edited."""
        _, offset = _GAME.unpack_from(self._games, (number - 1) * _GAME.size)
        before = self.journal.line_end(min(offset, self.position.end))
        with contextlib.suppress(LedgerError):  # its sentence would not name the right line
            line = next(self.journal.lines(before, self.position.end), None)
            if line and isinstance(entry := entry_on(self.journal, line), Game):
                return entry
        self.require_unedited()
        raise LedgerError(
            f"{self.path} does not fit {self.journal.path.name}: remove {self.path.name}, which is "
            "then made anew"
        )

    def record(self, number: int) -> GameRecord:
        """The record of the game of this number. Raises as `game`, and a `LedgerError` that names
        the game if its record is not valid."""
        return record_in(self.journal, self.game(number))

    def games_from_the_end(self) -> Iterator[Game]:
        """The games from the last to the first. Each game is read when the caller takes it."""
        for number in looking(range(self.tally.recorded, 0, -1)):
            yield self.game(number)

    def counted(self, key: bytes | None) -> int | None:
        """The number of the first game with this key that no order takes out of the count, or
        None."""
        return next(self.counting(self.numbers.get(key, ()), self.tally.orders), None)

    def counted_again(self, orders: Orders) -> Iterator[tuple[int, int]]:
        """The numbers of every two games with the same key that both count under these ``orders``:
        the first game with that key that counts, and a later one."""
        for numbers in self.numbers.values():
            if len(numbers) > 1:
                counting = [*self.counting(numbers, orders)]
                yield from ((counting[0], later) for later in counting[1:])

    def counting(self, numbers: Iterable[int], orders: Orders) -> Iterator[int]:
        """Those of the games of these numbers that no order takes out of the count."""
        for number in numbers:
            # If no bot is disqualified, the names do not matter, so the line is not read.
            names = self.game(number).result.names if orders.disqualified else ()
            if orders.out(number, names) is None:
                yield number

    @property
    def numbers(self) -> Mapping[bytes | None, Sequence[int]]:
        """The numbers of the games with each key, in order. Games without a key are left out."""
        if self._numbers is None:
            self._numbers = {}
            for number, (key, _) in enumerate(_GAME.iter_unpack(self._games), 1):
                if key != NO_KEY:
                    self._numbers.setdefault(key, []).append(number)
        return self._numbers

    def save(self, path: Path) -> None:
        """Write ``X.json``, whose path is given, and the cache. If the cache cannot be written, the
        next opening reads more of the journal. Raises `LedgerError` if ``X.json`` cannot be
        written."""
        # A whole line of another process that was killed is perhaps not on the disk yet.
        self.journal.sync()
        safe = "; every game is safe in its journal, from which it is written once it can be"
        with failing(path, "written", safe):
            writing.replace(path.parent, path.name, written(self.tally), durable=True)
        cache = _Cache(self.position, bytes(self._games), self.tally)
        with contextlib.suppress(OSError):
            writing.replace(self.path.parent, self.path.name, msgspec.msgpack.encode(cache))
        self.unsaved = False

    def _load(self) -> _Cache | None:
        """The cache; None if it is missing, invalid or does not fit the journal. Raises
        `LedgerError` if the journal is shorter than the cache says."""
        try:
            data = writing.read(self.path.parent, self.path.name, LONGEST_CACHE + 1)
            cache = msgspec.msgpack.decode(data, type=_Cache)
        except (OSError, ValueError, TypeError, RecursionError):
            return None
        if len(cache.games) != _GAME.size * cache.tally.recorded:
            return None
        if self.journal.size() < cache.position.end:
            held, counted = sum(1 for _ in self.journal.lines()), cache.position.number
            raise LedgerError(
                f"{self.journal.path}: {counted - held:,} of {counted:,} lines are missing at the "
                f"end, as {self.path.name} shows: restore a copy of it, or remove {self.path.name} to "
                "go on without them"
            )
        position = cache.position
        is_there = self.journal.line_end(position.end, position.number) == position
        return cache if is_there and is_sound(cache.tally) else None


def is_sound(tally: Tally) -> bool:
    """Whether the parts of a tally fit each other. A stranger may have written its cache."""
    table, versions = tally.table, tally.versions
    met = (max(one, other) for one, other, _ in each_pair(*table.all_pairs))
    of_bots: list[VersionTally | BotTally] = [*table.version_tallies, *table.bots.values()]
    return (
        (table.conditions is None) == (tally.recorded == 0)
        and max(met, default=-1) < len(table.version_tallies)
        and all(1 <= one.version <= len(versions.get(one.name, ())) for one in of_bots)
        and table.bots.keys() >= {one.name for one in table.version_tallies}
        and tally.passed == len(tally.orders.given)
    )


def enter(tally: Tally, journal: Journal, line: Line, entry: AnyEntry) -> bool:
    """Count the entry on a line, and return what `Tally.enter` returns. Raises a `LedgerError` that
    names the line if the entry cannot be counted."""
    if line.position.number == 1 and not isinstance(entry, Header):
        raise journal.edited(1, ", which is not a header")
    conditions = None
    if isinstance(entry, Game) and tally.table.conditions is None:
        conditions = ConditionSet.of(record_in(journal, entry))
    try:
        return tally.enter(entry, conditions)
    except ValueError as error:
        raise journal.edited(line.position.number, f", which cannot be counted: {error}") from None

"""The fold of a journal, computed from its lines: the tally, and the keys and offsets of the games.

``X.games.cache`` holds a fold, so the next opening of the ledger reads only the lines added since.
If the cache is missing or invalid, the whole journal is read. A fold takes no lock.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator
from itertools import chain, islice

import msgspec

from judge import writing
from judge.contest.ledger.condition_set import ConditionSet
from judge.contest.ledger.entries import GAME, entry_on, game_on, record_on
from judge.contest.ledger.identity import KEY_BYTES
from judge.contest.ledger.journal import BEGIN, Journal, JournalPosition, Line
from judge.contest.ledger.orders import Orders
from judge.contest.ledger.tally import Tally
from judge.contest.ledger.tally_table import BotTally, VersionTally
from judge.documents.ledger import AnyEntry, Game, Header
from judge.errors import LedgerError
from judge.signals import looking

FORM = 2  # the version of the cache; a cache of another version is not used
LONGEST_CACHE = 2**28  # bytes
NO_KEY = bytes(KEY_BYTES)
_OFFSET = 8  # bytes


class _Cache(msgspec.Struct, frozen=True, array_like=True):
    """A fold on the disk. ``position`` is the end of the last line that is counted. ``keys`` has
    the keys of all games one after the other, and ``offsets`` the offsets of their lines; all have
    a fixed length."""

    form: int
    position: JournalPosition
    keys: bytes
    offsets: bytes
    tally: Tally


class Fold:
    """The fold of a journal's lines up to ``position``, with their ``tally``. ``unsaved`` is true
    if lines were counted since the cache was read or written."""

    def __init__(self, journal: Journal, *, anew: bool = False, end: int | None = None) -> None:
        """Fold the journal, or its lines up to the offset ``end``. With ``anew`` or ``end`` all
        these lines are read, otherwise only those after the cache. Raises `LedgerError` if a line
        that is read was edited or cannot be counted, or if lines that the cache counts are
        missing."""
        self.journal = journal
        self._end = end
        self.path = journal.path.with_suffix(".cache")
        self.tally, self.position = Tally(), BEGIN
        self.unsaved = False
        self._keys, self._offsets = bytearray(), bytearray()
        self._numbers: dict[bytes, list[int]] | None = None  # numbers by key; None until asked for
        self._is_whole = True  # false while an entry is counted, since an error may interrupt that
        cache = self._load() if end is None else None
        if cache is not None and not anew:
            self.tally, self.position = cache.tally, cache.position
            self._keys, self._offsets = bytearray(cache.keys), bytearray(cache.offsets)
        self.catch_up()

    def catch_up(self, most: int | None = None) -> None:
        """Count every whole line that is not yet counted, or at most ``most`` lines. Raises
        `LedgerError` if a line was edited or cannot be counted, or the journal has shrunk."""
        if self.journal.size() < self.position.end:
            raise LedgerError(f"{self.journal.path} has become shorter since it was read")
        if not self._is_whole:
            self._tally_anew()
        # A game that was just added is counted even if a signal has come.
        each = looking if most is None else iter
        if self.position == BEGIN:
            self.tally.orders = self._orders(each(self.journal.lines(end=self._end)))
        for line in each(islice(self.journal.lines(self.position, self._end), most)):
            self.unsaved = True
            self._is_whole = False
            entry = entry_on(self.journal, line)
            if isinstance(entry, Game):
                self._offsets += line.start.to_bytes(_OFFSET)
                self._keys += bytes.fromhex(entry.key) if entry.key else NO_KEY
            is_counted = enter(self.tally, self.journal, line, entry)
            self.position = JournalPosition(line.number, line.end, line.hash)
            if not is_counted:
                self._tally_anew()
            elif isinstance(entry, Game) and self._numbers is not None:
                self._know(self.tally.recorded)
            self._is_whole = True

    def require_unedited(self) -> None:
        """Read all counted lines again. Raises `LedgerError` if one of them was edited."""
        for _ in looking(self.journal.lines(end=self.position.end)):
            pass

    def line(self, number: int) -> Line:
        """The line of the game of this number, which must exist. Raises `LedgerError` if the game's
        offset does not lead to a game, since the cache is wrong or a line was edited."""
        offset = int.from_bytes(self._offsets[(number - 1) * _OFFSET : number * _OFFSET])
        line = self.journal.line(min(offset, self.position.end))
        if not line.data.startswith(GAME):
            raise LedgerError(
                f"{self.path} does not fit {self.journal.path.name}: remove {self.path.name}, which "
                "is then made anew"
            )
        return line

    def games_from_the_end(self) -> Iterator[Game]:
        """The games from the last to the first. Each game is read when the caller takes it."""
        for number in looking(range(self.tally.recorded, 0, -1)):
            yield game_on(self.journal, self.line(number))

    def names(self, number: int) -> tuple[str, ...]:
        """The names of the players of the game of this number, which must exist."""
        return game_on(self.journal, self.line(number)).result.names

    def counted(self, key: bytes | None) -> int | None:
        """The number of the first game with this key that no order takes out of the count, or
        None."""
        orders = self.tally.orders
        for number in self.numbers(key):
            # If no bot is disqualified, the names do not matter, so the line is not read.
            names = self.names(number) if orders.disqualified else ()
            if orders.out(number, names) is None:
                return number
        return None

    def numbers(self, key: bytes | None) -> Iterable[int]:
        """The numbers of the games with this key, in order. No game has the key None."""
        if key is None:
            return ()
        if self._numbers is None:
            self._numbers = {}
            for number in range(1, self.tally.recorded + 1):
                self._know(number)
        return self._numbers.get(key, ())

    def has(self, key: bytes) -> bool:
        """Whether a game has this key. Unlike `numbers`, this makes no table of all keys."""
        at = self._keys.find(key)
        while at > 0 and at % KEY_BYTES:
            at = self._keys.find(key, at + 1)
        return at >= 0

    def key(self, number: int) -> bytes | None:
        """The key of the game of a number, which must exist; None if the game has no key."""
        key = bytes(self._keys[(number - 1) * KEY_BYTES : number * KEY_BYTES])
        return None if key == NO_KEY else key

    def save(self) -> None:
        """Write the cache. If it cannot be written, the next opening reads more of the journal."""
        cache = _Cache(
            FORM,
            self.position,
            bytes(self._keys),
            bytes(self._offsets),
            self.tally,
        )
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
        games = cache.tally.recorded
        if cache.form != FORM or len(cache.keys) != KEY_BYTES * games:
            return None
        if len(cache.offsets) != _OFFSET * games:
            return None
        if self.journal.size() < cache.position.end:
            lines = [line.data.startswith(GAME) for line in self.journal.lines()]
            all_, held, what = cache.tally.recorded, sum(lines), "games"
            if held == all_:  # only orders or other notes are missing
                all_, held, what = cache.position.number, len(lines), "lines"
            raise LedgerError(
                f"{self.journal.path}: {all_ - held:,} of {all_:,} {what} are missing at the end, as "
                f"{self.path.name} shows: restore a copy of it, or remove {self.path.name} to go on "
                "without them"
            )
        return cache if self.journal.has(cache.position) and is_sound(cache.tally) else None

    def _know(self, number: int) -> None:
        assert self._numbers is not None, "somebody has asked"
        if (key := self.key(number)) is not None:
            self._numbers.setdefault(key, []).append(number)

    def _tally_anew(self) -> None:
        end = self.position.end
        self.tally = Tally(orders=self._orders(self.journal.lines(end=end)))
        for line in self.journal.lines(end=end) if end else ():
            enter(self.tally, self.journal, line, entry_on(self.journal, line))
        del self._keys[self.tally.recorded * KEY_BYTES :]
        del self._offsets[self.tally.recorded * _OFFSET :]
        self._is_whole = True

    def _orders(self, lines: Iterable[Line]) -> Orders:
        """All orders on these lines. An order that a later line takes back is marked as undone."""
        orders = Orders()
        for line in lines:
            if not line.data.startswith(GAME):
                try:
                    orders.look_ahead(entry_on(self.journal, line))
                except ValueError as error:
                    raise self.journal.edited(line.number, f", where {error}") from None
        return orders


def is_sound(tally: Tally) -> bool:
    """Whether the parts of a tally fit each other. A stranger may have written its cache."""
    table, versions = tally.table, tally.versions
    stints = range(len(table.version_tallies))
    pairs = chain(table.pairs, *(group.pairs for group in table.groups.values()))
    of_bots: list[VersionTally | BotTally] = [*table.version_tallies, *table.bots.values()]
    return (
        (table.conditions is None) == (tally.recorded == 0)
        and all(one in stints and other in stints for one, other in pairs)
        and all(1 <= one.version <= len(versions.get(one.name, ())) for one in of_bots)
        and all(version_tally.name in table.bots for version_tally in table.version_tallies)
        and all(
            table.number_of(version_tally.name, version_tally.version) == at
            for at, version_tally in enumerate(table.version_tallies)
        )
        and tally.orders.passed == len(tally.orders.given)
    )


def enter(tally: Tally, journal: Journal, line: Line, entry: AnyEntry) -> bool:
    """Count the entry on a line, and return what `Tally.enter` returns. Raises a `LedgerError` that
    names the line if the entry cannot be counted."""
    if line.number == 1 and not isinstance(entry, Header):
        raise journal.edited(1, ", which is not a header")
    conditions = None
    if isinstance(entry, Game) and tally.conditions is None:
        conditions = ConditionSet.of(record_on(journal, line))
    try:
        return tally.enter(entry, conditions)
    except ValueError as error:
        raise journal.edited(line.number, f", which cannot be counted: {error}") from None

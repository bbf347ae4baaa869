"""The ledger of games: a journal, to which games and orders are added, and the standings that
follow from it.

The journal ``X.games.jsonl`` is the truth. ``X.json`` has the standings; it may lag behind the
journal, and is brought up to date at the next opening. A game counts, and may be reported, once its
line is on the disk. A writer holds the lock while it opens the ledger, adds an entry or saves. A
reader takes no lock: ``X.json`` is replaced atomically, and an unfinished line of the journal is
not read.
"""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Self

from msgspec.structs import replace

from judge.contest.ledger import order_entries
from judge.contest.ledger.condition_set import ConditionSet, refusal
from judge.contest.ledger.entries import encoded, entry_of, games_in, record_in, record_text
from judge.contest.ledger.files import located, locked, require_ledger
from judge.contest.ledger.fold import Fold
from judge.contest.ledger.identity import key_of
from judge.contest.ledger.tally import Tally
from judge.contest.seeds import parsed, spelled
from judge.documents.game import GameRecord
from judge.documents.ledger import AnyEntry, Begun, Contest, Header, Order, Undo
from judge.errors import LedgerError, UsageError
from judge.game.difference import difference

LAG_SECONDS = 1.0
SAVES_APART = 20  # the time between saves, in durations of the last save: saving costs 5% at most


@dataclass(frozen=True, slots=True)
class Rated:
    """A game that was added to the ledger. ``before`` and ``after`` are its players' points before
    and after the game, seat by seat."""

    record: GameRecord
    before: tuple[float, ...]
    after: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Repeated:
    """A game that was not added, since the same game counts in the ledger already. ``id`` is the id
    of the game played now, and ``number`` the number of the game in the ledger. ``difference`` is a
    clause on how the two games differ, or None. ``points`` are the players' points now, seat by
    seat."""

    id: str
    number: int
    difference: str | None
    points: tuple[float, ...]


def read(path: Path) -> Tally:
    """The tally of a ledger as it is now. Does not wait for a writer, and writes nothing.

    Raises `UsageError` if there is no such ledger. Raises `LedgerError` if the journal is missing,
    a line was edited, or games are missing at its end.
    """
    _, journal = require_ledger(path)
    try:
        return Fold(journal).tally
    except LedgerError:
        # A line that another judge is just removing looks like damage, but only once.
        return Fold(journal).tally


class Ledger:
    """A ledger that is open for adding games. A `Ledger` is a context manager that saves the
    standings at the end of its block, unless a `LedgerError` ends the block.

    Opening repairs the traces of a crash: an unfinished last line is moved into another file, and
    standings that lack games are written anew. ``notices`` has a sentence on each unfinished line.
    Raises `UsageError` if ``path`` cannot be a ledger's path. Raises `LedgerError` if only the
    journal is missing, if it is read-only, if a line of it was edited, if games are missing, or if
    a file cannot be read or written. Only one thread may use a `Ledger`, but other processes may
    have the same ledger open. ``clock`` gives seconds.
    """

    def __init__(self, path: Path, *, clock: Callable[[], float] = time.monotonic) -> None:
        self.path, self._journal = located(path)
        self.notices: list[str] = []
        self._clock = clock
        self._required: ConditionSet | None = None
        with locked(self.path):
            if self.path.exists():
                require_ledger(self.path)
            if self._journal.path.exists() and not os.access(self._journal.path, os.W_OK):
                raise LedgerError(f"{self._journal.path} cannot be written: it is read-only")
            self._fold = Fold(self._journal)
            self._set_torn_aside()
            self._next_save = clock() + LAG_SECONDS
            if self._fold.unsaved or (self.tally.entries and not self.path.exists()):
                self._save()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: object, error: BaseException | None, at: object) -> None:
        if error is None:
            self.save()
        elif not isinstance(error, LedgerError):
            with contextlib.suppress(LedgerError):  # the first error says more
                self.save()

    @property
    def tally(self) -> Tally:
        return self._fold.tally

    def require(self, conditions: ConditionSet) -> None:
        """Require these conditions of every game that is added. Raises `UsageError` if the games in
        the ledger have other conditions."""
        self._required = conditions
        held = self.tally.table.conditions
        if held is not None and conditions != held:
            raise UsageError(f"{self.path} {refusal(held, conditions)}")

    def add(self, record: GameRecord, *, numbered: bool = False) -> Rated | Repeated:
        """Add a game and return it `Rated`, once it is on the disk. Return it `Repeated` if the
        same game counts here already.

        The record gets its number in this ledger, and with ``numbered`` the same number as its id.
        Raises `UsageError`, with nothing written, for a game of a bot against itself, for a game
        that brings too many bots or versions, and for other conditions than required or than the
        ledger has. Raises `LedgerError` if a line was edited or the game cannot be written.
        """
        return self.add_all([record], numbered=numbered)[0]

    def add_all(
        self, records: Sequence[GameRecord], *, numbered: bool = False
    ) -> list[Rated | Repeated]:
        """Add the games of a match as `add` does, all in one write."""
        keys = [key_of(record) for record in records]
        with self._adding():
            number = self.tally.recorded
            earlier = [self._fold.counted(key) for key in keys]
            new: list[GameRecord] = []
            for record, known in zip(records, earlier, strict=True):
                if known is None:
                    number += 1
                    id_ = str(number) if numbered else record.id
                    new.append(replace(record, number=number, id=id_))
                    self._require_room(new[-1])
            if new:
                said = order_entries.games_of([record.number or 0 for record in new])
                not_kept = f"{said} {'is' if len(new) == 1 else 'are'} not kept"
                self._write([*map(entry_of, new)], not_kept)
            added: list[Rated | Repeated] = []
            entered = iter(new)
            for record, known in zip(records, earlier, strict=True):
                before = self._points(record)
                if known is None:
                    self._fold.catch_up(most=1)  # the line is read back from the file
                    added.append(Rated(next(entered), before, self._points(record)))
                else:
                    how = difference(self._fold.record(known), record)
                    added.append(Repeated(record.id, known, how, before))
            return added

    def _require_room(self, record: GameRecord) -> None:
        """Raise `UsageError` if a game has other conditions or cannot be counted."""
        if why := self.tally.problem_with([(seat.name, seat.digest) for seat in record.seats]):
            raise UsageError(
                f"game {record.id} cannot be added to {self.path}: {why}; --ledger names another, "
                "--no-ledger plays it unrated"
            )
        self.require(self._required or ConditionSet.of(record))

    def begin(self, record: GameRecord) -> None:
        """Write an entry that a game has begun, and return once it is on the disk. When the game is
        over, `add` adds it with the same id."""
        entry = Begun(id=record.id, record=record_text(record))
        with self._adding():
            self._write([entry], f"the beginning of game {record.id} is not kept")
            self._fold.catch_up()

    def is_played(self, key: bytes | None, *, final: bool = False) -> bool:
        """Whether a game with this key counts here; with ``final`` a game that does not count is
        enough. False for the key None. Games of other judges are seen once this ledger adds an
        entry."""
        return self._fold.counted(key) is not None or (final and key in self._fold.numbers)

    def ids(self) -> Iterator[str]:
        """The ids of all games, void ones too, in the order of the journal."""
        games = games_in(self._journal, self._fold.position.end)
        return (game.result.id for game in games)

    def contest_seed(self, seed: int) -> int:
        """The seed of this ledger's contest. If it has no seed, ``seed`` is written as its seed."""
        if self.tally.seed is None:
            self.order(lambda tally: Contest(seed=spelled(seed)) if tally.seed is None else None)
        assert self.tally.seed is not None, "it has just been written"
        return parsed(self.tally.seed)

    def order(self, give: Callable[[Tally], AnyEntry | None]) -> None:
        """Add an entry that is not a game, such as an order, a plan or a description.

        ``give`` makes the entry from the tally while the lock is held. Nothing is written if
        ``give`` returns None or raises `UsageError`. Raises `UsageError` if ``give`` does, or if an
        undo would make a game count twice. Raises `LedgerError` if a line was edited, or if the
        entry or the standings cannot be written; the error says if the entry is in the journal.
        """
        with self._adding():
            try:
                entry = give(self.tally)
            except UsageError as error:
                raise UsageError(f"{self.path}: {error}") from None
            if entry is None:
                return
            if isinstance(entry, Undo):
                self._require_single(entry.order)
            kind = type(entry).__name__.lower()
            what = f"the order to {kind}" if isinstance(entry, Order | Undo) else f"the {kind}"
            if not isinstance(entry, Contest):  # an order may have the whole journal counted anew
                self._fold.require_unedited()
            self._write([entry], f"{what} is not kept")
            self._fold.catch_up()
            try:
                self._save()
            except LedgerError as error:
                raise LedgerError(f"{what} is kept in {self._journal.path}, but {error}") from None

    def _require_single(self, number: int) -> None:
        """Raise `UsageError` if a game would count twice without the order of this number."""
        orders = self.tally.orders.without(number)
        if pairs := [f"#{one} as #{again}" for one, again in self._fold.counted_again(orders)]:
            raise UsageError(
                f"{self.path}: order {number} cannot be taken back, for games that were played "
                f"again would count twice: {order_entries.listed(pairs)}; first take one of each two "
                "out of the count with `judge ledger void`"
            )

    def last_data(self) -> dict[tuple[str, str | None], str | None]:
        """The digest of the data that each version of each bot left in its last game here, or None.
        A version is the bot's name and the digest of its files.

        Reads the journal from its end until every version is found.
        """
        wanted = {(name, digest) for name, all_ in self.tally.versions.items() for digest in all_}
        found: dict[tuple[str, str | None], str | None] = {}
        for game in self._fold.games_from_the_end():
            bots = [*zip(game.result.names, game.result.digests, strict=True)]
            if not found.keys() >= {*bots}:
                for bot, seat in zip(bots, record_in(self._journal, game).seats, strict=True):
                    found.setdefault(bot, seat.data_digest)
            if wanted <= found.keys():
                break
        return found

    def save(self) -> None:
        """Write ``X.json``, unless it is up to date."""
        if self._fold.unsaved:
            with locked(self.path):
                self._fold.catch_up()
                self._save()

    @contextlib.contextmanager
    def _adding(self) -> Iterator[None]:
        """Hold the lock for adding entries. Entries that other judges have added are counted first.
        The standings are saved at the end if the last save is long enough ago."""
        with locked(self.path):
            self._fold.catch_up()
            self._set_torn_aside()
            yield
            if self._fold.unsaved and self._clock() >= self._next_save:
                self._save()

    def _write(self, entries: Sequence[AnyEntry], not_kept: str) -> None:
        """Write entries at the end of the journal. If the journal is empty, write a header first
        and count the header. A `LedgerError` begins with the clause ``not_kept``."""
        position, new = self._fold.position, [encoded(entry) for entry in entries]
        if is_first := not position.number:
            new.insert(0, encoded(Header(version=1, id=os.urandom(16).hex())))
        try:
            self._journal.append(position.hash, new)
        except LedgerError as error:
            way_on = "Give the same command again once it can be written"
            raise LedgerError(f"{not_kept}: {error}. {way_on}") from None
        if is_first:
            self._fold.catch_up(most=1)

    def _save(self) -> None:
        began = self._clock()
        self._fold.save(self.path)
        now = self._clock()
        self._next_save = now + max(LAG_SECONDS, SAVES_APART * (now - began))

    def _points(self, record: GameRecord) -> tuple[float, ...]:
        return tuple(self.tally.table.points_of(seat.name) for seat in record.seats)

    def _set_torn_aside(self) -> None:
        if self._journal.size() > self._fold.position.end:
            aside = self._journal.cut(self._fold.position.end, ".torn")
            self.notices.append(
                f"{self._journal.path} ended in the middle of a line, left by a crash before that "
                f"game counted; the piece is set aside in {aside}"
            )

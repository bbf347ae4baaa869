"""The ledger: games are added to its journal, which loses nothing, and standings follow from it.

``X.games.jsonl`` is the truth and only grows; ``X.json`` is its fold, may lag behind it, and is
made good at the next opening. A game counts, and may be told to anyone, once its line is on the
disk. The lock is held while an entry is added and at no other time; readers never take it, for
``X.json`` is replaced whole and a line is whole or not there.

Two things must never be on the disk in the wrong order: an entry that ``X.json`` knows is in the
journal first, and a torn line is set aside before the next entry is written.
"""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from judge.contest.journal import order_entries
from judge.contest.journal.double_counts import played_again
from judge.contest.journal.index import Index, is_game
from judge.contest.journal.journal import Journal
from judge.contest.journal.lost_lines import require_all
from judge.contest.journal.lost_seed import require_seed, seed_entry
from judge.contest.journal.new_game import NewGame, require_sound, require_valid
from judge.contest.journal.orders import UNDO, is_order
from judge.contest.ledger.condition_set import ConditionSet, refusal
from judge.contest.ledger.files import (
    located,
    replace_standings,
    saved,
)
from judge.contest.ledger.fold import Fold, game_in, identified, mend, orders_in
from judge.contest.ledger.identity import difference
from judge.contest.ledger.lock import lock_of, locked
from judge.contest.ledger.played import Played
from judge.contest.ledger.tally import BEGUN, Tally
from judge.errors import LedgerError, RecordError, UsageError
from judge.game.record import GameRecord

LAG_SECONDS = 1.0
SAVES_APART = (
    20  # times as long as the last save took, so that saving a large table costs 5% at most
)


@dataclass(frozen=True, slots=True)
class Rated:
    """A game in the ledger, and the points of its players, seat by seat, before and after."""

    record: GameRecord
    before: tuple[float, ...]
    after: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Repeated:
    """A game that counts in the ledger already, so that it is not added again: its id in what was
    played now, and its number there. ``difference`` says in a clause how it went otherwise this
    time, None if it did not; ``points`` are those of its players."""

    id: str
    number: int
    difference: str | None
    points: tuple[float, ...]


def read(path: Path) -> Tally:
    """The standings as they are now, without waiting for a writer and without writing.

    Raises `UsageError` if there is no ledger, and `LedgerError` if it cannot be trusted.
    """
    path, journal = located(path)
    if not path.exists() and not journal.path.exists():
        raise UsageError(f"{path}: there is no such ledger; a fight or a contest makes one")
    try:
        return _read(path, journal)
    except LedgerError:
        # What a writer was cutting off at that instant looks like damage. It does so only once.
        return _read(path, journal)


def _read(path: Path, journal: Journal) -> Tally:
    fold = Fold(path, journal, saved(path))
    require_all(path, journal, fold.tally, fold.end)
    return fold.tally


class Ledger:
    """A ledger open for adding games; a context manager, which saves the standings at its end.

    Opening makes good what a crash left: a torn last line is set aside, and games that the
    standings lack are counted. ``notices`` says what was set aside, a sentence each, now and
    later. Raises `UsageError` or `LedgerError`, with every file as it was, if the ledger cannot
    be used. For one thread; other processes may have the same ledger open. ``clock`` counts
    seconds.
    """

    def __init__(self, path: Path, *, clock: Callable[[], float] = time.monotonic) -> None:
        self.path, self._journal = located(path)
        self.notices: list[str] = []
        self._clock = clock
        self._index = Index(self._journal, self.notices)
        self._is_indexed = False
        self._is_looked_over = False
        self._checked: set[int] = set()  # games of which the index has been found to be right
        self._required: ConditionSet | None = None
        self._lock = lock_of(self.path)
        with locked(self._lock, self.path):
            if self._journal.path.exists() and not os.access(self._journal.path, os.W_OK):
                raise LedgerError(f"{self._journal.path} cannot be written: it is read-only")
            self._fold = Fold(self.path, self._journal, saved(self.path))
            self._set_torn_aside()
            self._next_save = clock() + LAG_SECONDS
            if self._fold.unsaved:
                self._save()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        if error is None:
            self.save()
        elif not isinstance(error, LedgerError):
            with contextlib.suppress(LedgerError):  # the error on its way out says more
                self.save()

    @property
    def tally(self) -> Tally:
        return self._fold.tally

    def require(self, conditions: ConditionSet) -> None:
        """Have all games that are added be under these conditions. Raises `UsageError` if they are
        not those of the ledger, of its first game."""
        self._required = conditions
        held = self.tally.tables
        if held and conditions not in held:
            raise UsageError(f"{self.path} {refusal(next(iter(held)), conditions)}")

    def add(self, record: GameRecord, *, numbered: bool = False) -> Rated | Repeated:
        """Add a game and return once it is durable, unless it is one that counts here already.

        It gets its number in this ledger, and if it is ``numbered`` that for its id as well.
        Raises `UsageError`, with nothing written, for a game of a bot against itself, or
        under other conditions than are required, or else than the ledger has; and `LedgerError`
        that says so where the game cannot be kept.
        """
        (added,) = self.add_all([record], numbered=numbered)
        return added

    def add_all(
        self, records: Sequence[GameRecord], *, numbered: bool = False
    ) -> list[Rated | Repeated]:
        """The same for the games of a match, which become durable together."""
        games = [NewGame.of(record) for record in records]
        with self._indexed():
            earlier = [self._counted(one.key) for one in games]
            new = [one for one, known in zip(games, earlier, strict=True) if known is None]
            for one in new:
                self._require_room(one)
            entries = []
            for number, one in enumerate(new, self.tally.recorded + 1):
                one.number = number
                id_ = str(number) if numbered else one.record.id
                entries.append({**one.document, "id": id_, "number": number})
            if entries:
                games_of = order_entries.games_of([one.number for one in new])
                with _not_kept(f"{games_of} {'is' if len(new) == 1 else 'are'} not kept"):
                    self._journal.append(*entries)
            return [
                self._entered(one, record, numbered=numbered)
                if known is None
                else self._repeated(known, one, record)
                for one, record, known in zip(games, records, earlier, strict=True)
            ]

    def _require_room(self, new: NewGame) -> None:
        """Raise `UsageError` if a game cannot be added."""
        bots = dict(zip(new.game.names, new.game.digests, strict=True))
        if why := self.tally.problem_with(bots):
            raise UsageError(
                f"game {new.game.id} cannot be added to {self.path}: {why}; --ledger names another"
            )
        self.require(self._required or ConditionSet.of(new.record))

    def _entered(self, new: NewGame, record: GameRecord, *, numbered: bool) -> Rated:
        """Count a game that has just been written, the first that is not counted."""
        before = self._points(new.game)
        self._fold.catch_up(most=1)  # by way of the file: what counts is what can be read there
        self._index.enter(new.key, self._fold.end)
        id_ = str(new.number) if numbered else record.id
        return Rated(replace(record, number=new.number, id=id_), before, self._points(new.game))

    def _repeated(self, known: int, new: NewGame, record: GameRecord) -> Repeated:
        how = difference(self._record(known), record)
        return Repeated(record.id, known, how, self._points(new.game))

    def begin(self, record: GameRecord) -> None:
        """Keep that a game has begun, of which nothing is known yet, and return once that is
        durable; `add` keeps the game of the same id once it is over."""
        document = record.to_json()
        require_sound(document)
        with self._adding():
            self._append({"version": 1, "kind": BEGUN, "game": document})

    def begun(self) -> list[GameRecord]:
        """The games that have begun and are not in the ledger, in that order."""
        found: dict[str, GameRecord] = {}
        for line in self._journal.lines(end=self._fold.end):
            if (game := game_in(self._journal, line)) is not None:
                found.pop(game[0], None)
            elif (entry := self._journal.parse(line))["kind"] == BEGUN:
                try:
                    record = GameRecord.from_json(entry["game"])
                except RecordError as error:
                    raise self._journal.damaged(line, str(error)) from None
                found[record.id] = record
        return list(found.values())

    def is_played(self, key: bytes | None, *, final: bool = False) -> bool:
        """Whether a game with this key counts here; if it is ``final``, whether there is one, even
        if it does not count. Others' games are known from when the first game was asked for, and
        from when one was added."""
        if not self._is_indexed:
            with self._indexed():
                self._is_indexed = True
        if key is None:
            return False
        return self._counted(key) is not None or (final and self._is_there(key))

    def ids(self) -> Iterator[str]:
        """The ids of all games here, in order, also of those that do not count."""
        for line in self._journal.lines(end=self._fold.end):
            id_, _ = identified(self._journal, line)
            if id_ is not None:
                yield id_

    def require_seed(self, seed: int | None) -> None:
        """Raise `UsageError` if this ledger holds a contest whose seed is lost, unless it is
        ``seed``, which somebody typed."""
        require_seed(self.tally, self._journal, seed)

    def contest_seed(self, seed: int) -> int:
        """The seed of this ledger's contest: ``seed``, unless it has one."""
        if self.tally.seed is None:
            entry = seed_entry(seed)
            require_valid("journal-entry", entry, "the seed of a contest")
            with self._adding():
                if self.tally.seed is None:
                    self._append(entry)
        assert self.tally.seed is not None, "it has just been written"
        return self.tally.seed

    def order(self, give: Callable[[Tally], Mapping[str, Any] | None]) -> None:
        """Add an entry that says how games are to be counted, how the contest is held, or what the
        organiser says of it.

        ``give`` makes it of how the ledger stands once nobody else can add to it, or raises
        `UsageError`; then nothing is written, as where it gives None. Nothing is ever removed from
        the journal. A `LedgerError` says of an order whether it is kept.
        """
        with self._indexed():  # an order is not given on a journal of which X.json has less
            try:
                entry = give(self.tally)
            except UsageError as error:
                raise UsageError(f"{self.path}: {error}") from None
            if entry is not None:
                require_valid("journal-entry", entry, f"the entry {entry['kind']}")
                if entry["kind"] == UNDO:
                    self._require_single(entry["order"])
                if is_order(entry):
                    self._give(entry)
                else:
                    self._append(entry)
                    self._save()

    def _give(self, entry: Mapping[str, Any]) -> None:
        """Add an order, and say what became of it where not all can be written."""
        what = f"the order to {entry['kind']}"
        with _not_kept(f"{what} is not kept"):
            self._journal.append(entry)
        self._fold.catch_up()
        try:
            self._save()
        except LedgerError as error:
            raise LedgerError(f"{what} is kept in {self._journal.path}, but {error}") from None

    def _require_single(self, order: int) -> None:
        """Raise `UsageError` if a game would count twice with this order taken back."""
        if again := played_again(self._journal, self._index, self.tally, order):
            raise UsageError(
                f"{self.path}: order {order} cannot be taken back, for what it took out of the "
                f"count was played again and would count twice: {order_entries.played_as(again)}; "
                f"{order_entries.way_to_undo(order, again)}"
            )

    def last_digests(self, names: Iterable[str]) -> dict[str, str | None]:
        """The digest of each of these bots in its last game here, if it has played one.

        Reads the journal from its end, and no further than it has to.
        """
        wanted = {name for name in names if name in self.tally.versions}
        found: dict[str, str | None] = {}
        for line in self._journal.backwards() if wanted else ():
            _, digests = identified(self._journal, line)
            found = {name: digests[name] for name in wanted & digests.keys()} | found
            if found.keys() == wanted:
                break
        return found

    def last_data(self) -> dict[tuple[str, str | None], str | None]:
        """The digest of the data that each version of each bot, by its name and the digest of its
        files, has left in its last game here.

        Reads the journal from its end, and no further than it has to.
        """
        wanted = {(name, digest) for name, all_ in self.tally.versions.items() for digest in all_}
        found: dict[tuple[str, str | None], str | None] = {}
        for line in self._journal.backwards() if wanted else ():
            _, bots = identified(self._journal, line)
            if bots.items() - found.keys():
                left = {
                    one["name"]: one.get("data_digest")
                    for one in self._journal.parse(line)["seats"]
                }
                found = {bot: left[bot[0]] for bot in bots.items()} | found
            if wanted <= found.keys():
                break
        return found

    def save(self) -> None:
        """Write ``X.json``, unless it is up to date."""
        if self._fold.unsaved:
            with locked(self._lock, self.path):
                self._fold.catch_up()
                self._save()

    @contextlib.contextmanager
    def _adding(self) -> Iterator[None]:
        """Hold the lock, with all that others have added meanwhile taken in."""
        with locked(self._lock, self.path):
            self._fold.catch_up()
            self._set_torn_aside()
            yield
            if self._fold.unsaved and self._clock() >= self._next_save:
                self._save()

    @contextlib.contextmanager
    def _indexed(self) -> Iterator[None]:
        """The same, with the index as far as the journal."""
        with self._adding():
            if not self._is_looked_over:
                require_all(self.path, self._journal, self.tally, self._fold.end)
                self._is_looked_over = True
            self._index.catch_up(self._fold.end, self.tally.recorded)
            if len(self._index) != self.tally.recorded:
                orders_in(self._journal)  # which names the first line that is not in its place
                raise LedgerError(
                    f"{self.path} counts {self.tally.recorded:,} games, and {self._journal.path} "
                    f"holds {len(self._index):,}; {mend(self.path)}"
                )
            yield

    def _counted(self, key: bytes | None) -> int | None:
        """The number of the game with this key that counts, if there is one."""
        if key is None:
            return None
        for number in self._index.numbers(key):
            if number not in self._checked:
                if not is_game(self._index.line(number), key):
                    self._index.make_anew(self._fold.end)
                    return self._counted(key)
                self._checked.add(number)
            _, bots = identified(self._journal, self._index.line(number))
            if self.tally.counts(number, bots):
                return number
        return None

    def _is_there(self, key: bytes) -> bool:
        return any(is_game(self._index.line(number), key) for number in self._index.numbers(key))

    def _record(self, number: int) -> GameRecord:
        line = self._index.line(number)
        try:
            return GameRecord.from_json(self._journal.parse(line))
        except RecordError as error:
            raise self._journal.damaged(line, str(error)) from None

    def _append(self, entry: Mapping[str, Any]) -> None:
        self._journal.append(entry)
        self._fold.catch_up()  # by way of the file: what counts is what can be read there

    def _save(self) -> None:
        began = self._clock()
        # A line of another process that was killed is whole, but perhaps not on the disk yet.
        self._journal.sync()
        replace_standings(self.path, self.tally)
        now = self._clock()
        self._next_save = now + max(LAG_SECONDS, SAVES_APART * (now - began))
        self._fold.unsaved = False

    def _points(self, game: Played) -> tuple[float, ...]:
        return tuple(self.tally.points_of(name, game.conditions) for name in game.names)

    def _set_torn_aside(self) -> None:
        if self._journal.size() > self._fold.end:
            aside = self._journal.set_torn_aside(self._fold.end)
            self.notices.append(
                f"{self._journal.path} ended in the middle of a line, left by a crash before that "
                f"game counted; the piece is set aside in {aside}"
            )


@contextlib.contextmanager
def _not_kept(said: str) -> Iterator[None]:
    """Say first what is not kept where an entry cannot be written, and then the way out."""
    try:
        yield
    except LedgerError as error:
        raise LedgerError(
            f"{said}: {error}. Give the same command again once it can be written"
        ) from None

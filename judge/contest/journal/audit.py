"""The audit of a ledger (verify): every game judged again, and X.json compared; or one game read.

It reads and never writes, takes no lock, and keeps no more of a game than its id.
"""

from __future__ import annotations

import contextlib
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING, Any

from judge import schemas
from judge.contest.futures import awaited
from judge.contest.games import GameId
from judge.contest.journal.double_counts import both_count, mend_both
from judge.contest.journal.game_lines import (
    GAME,
    NOT_LISTED,
    ORDER,
    REMOVE,
    GameLines,
    Numbered,
    numbered,
    twice,
)
from judge.contest.journal.index import line_of
from judge.contest.journal.journal import Journal, Line, parse
from judge.contest.journal.lost_lines import lost
from judge.contest.journal.orders import Collector, Order, Orders
from judge.contest.ledger.files import located, saved
from judge.contest.ledger.fold import (
    collect,
    end_of,
    identified,
    line_with,
    mend,
    mend_lost,
    renumbering,
)
from judge.contest.ledger.identity import key_of
from judge.contest.ledger.played import played
from judge.contest.ledger.tally import Tally
from judge.contest.ledger.tally_document import to_json
from judge.contest.schedule import is_its_own
from judge.contest.seeds import parsed
from judge.contest.standings.comparison import compared
from judge.documents.reports import Verification
from judge.errors import LedgerError, RecordError, UsageError
from judge.game.record import GameRecord
from judge.game.replay import replay

if TYPE_CHECKING:
    from concurrent.futures import Executor, Future
    from pathlib import Path

BATCH = 50  # games that are judged by one task of a pool

Progress = Callable[[int, int], None]
"""Told the bytes of the journal that are done, and how many there are in all."""


def verify(
    path: Path, progress: Progress | None = None, *, pool: Executor | None = None, window: int = 4
) -> Verification:
    """Judge every game in the journal again, and compare ``X.json`` with its fold.

    A ``pool`` of processes judges, with ``window`` batches of games handed out at once: a game
    takes some seven milliseconds. Raises `UsageError` if there is no ledger, and `LedgerError` if
    its journal cannot be read; whatever else is wrong is a problem.
    """
    path, journal = there(path)
    check = _Pass(path, journal)
    size, end = journal.size(), 0
    for number, (line, fault) in enumerate(_judged(journal.lines(), pool, window), 1):
        check.look_at(number, line, fault)
        end = line.end
        if progress:
            progress(end, max(end, size))
    check.compare()
    tables = check.tally.tables.values()
    return Verification(
        intact=not check.problems,
        games=check.games,
        void=sum(table.void for table in tables),
        voided=sum(table.voided for table in tables),
        disqualified_games=sum(table.disqualified for table in tables),
        unfinished=sum(table.unfinished for table in tables),
        behind=0 if check.problems else check.behind,
        torn=max(0, journal.size() - end),
        problems=tuple(check.problems),
    )


def last_game(path: Path) -> GameRecord:
    """The last game of a ledger. Raises `UsageError` if it has none, `RecordError` if damaged."""
    path, journal = there(path)
    for line in journal.backwards():
        if identified(journal, line)[0] is not None:
            return _record(journal, line)
    raise UsageError(f"{path}: there is no game in it yet")


def game(path: Path, which: str) -> GameRecord:
    """The game of that number or, if it is none, of that id: the last one that has it. Raises
    `UsageError` if there is no such game, `RecordError` if it is damaged."""
    path, journal = there(path)
    if which.isdecimal():
        if len(which) < 12 and (line := line_of(journal, int(which))):
            return _record(journal, line)
        raise UsageError(f"{path}: there is no game #{which}")
    for line in journal.backwards():
        if identified(journal, line)[0] == which:
            return _record(journal, line)
    raise UsageError(f"{path}: there is no game {which}")


def _record(journal: Journal, line: Line) -> GameRecord:
    return GameRecord.from_json(journal.parse(line))


def _where(line: int, entry: Mapping[str, Any]) -> str:
    """A line, and the game on it."""
    return f"line {line}" if "kind" in entry else f"line {line}, game {entry.get('id')}"


class _Pass:
    """A pass over a journal: what is wrong so far, its ``tally``, and the fold that ``X.json`` should
    be."""

    def __init__(self, path: Path, journal: Journal) -> None:
        self.problems: list[str] = []
        self.games = self.behind = 0
        self._path = path
        self._journal = journal
        self._contest: int | None = None
        self._ids: dict[str, int] = {}  # of games without numbers: the line of each
        self._lines = GameLines()
        self._number = 0  # of the last game
        self._is_sure = True  # that no damaged line before was a game
        self._is_order_sure = True  # the same of orders
        self._keys: dict[tuple[str, bytes], int] = {}  # the game that counts, of a contest
        self._both: tuple[str, str] | None = None  # where two are the same, and the complaint
        self._cause: int | None = None  # the last problem from which others follow
        self._is_shifted = False  # for a line is not in its place
        self._saved: Tally | None = None  # None, too, if it cannot be compared
        self._saved_end = 0
        try:
            self._saved = saved(path)
            if self._saved is not None:
                self._saved_end = end_of(self._saved, path, journal, damaged=True)
        except LedgerError as error:
            self.problems.append(str(error))
            self._saved = None
        every, known = _collected(journal, self._saved_end)
        self.tally = Tally(orders=Orders(every.orders))
        self._tally = Tally(orders=known)
        self._collector = Collector()

    def look_at(self, number: int, line: Line, fault: str | None) -> None:
        """Take in a line, with what was found wrong with the game on it."""
        problems, found = len(self.problems), None
        try:
            entry = parse(line.data)
            orders = self._collector
            found = numbered(entry, self._number, len(orders.orders), orders.taken_back)
            if found and (first := self._lines.earlier(line.data, number)):
                self.games += found.what == GAME
                where = _where(number, entry)
                self._follows(f"{where}: {twice(first, found.what)}; {REMOVE}")
                return
            if "kind" in entry:
                self._note(number, entry)
                if found and self._is_order_sure:
                    self._require_place(number, line, found, entry)
            else:
                assert found is not None, "a game has a number, or could have"
                self._game(number, line, found, entry, fault)
            self._fold(line, entry)
        except ValueError as error:
            # An order that names a game or an order of another place follows from that.
            is_consequence = self._is_shifted and found is not None and found.what != GAME
            if len(self.problems) == problems and not is_consequence:
                self.problems.append(f"line {number} is damaged: {error}")
            self._is_sure = self._is_order_sure = False
            if line.end <= self._saved_end:
                self._saved = None  # what it held is not known, so neither is what it came to

    def compare(self) -> None:
        """Say, once all lines are seen, what does not go together. Of what follows from a line that
        is not in its place, or is gone, only that is said."""
        said, found = self._saved, self._tally
        if self._cause is None:
            if said is not None and (why := self._gone(said, found)):
                self._follows(why)
            elif self._both is not None:
                self._follows("{}: {}".format(*self._both))
        if self._cause is not None:
            self.problems[self._cause] += f"; {NOT_LISTED}"
            return
        if said is None:
            return
        differences = compared(to_json(said), to_json(found))
        self.problems += [
            f"{self._path}: {what} is {one}, but by the journal it is {other}"
            for what, one, other in differences
        ]

    def _gone(self, said: Tally, found: Tally) -> str | None:
        """What ``X.json`` has that is gone from the journal, and what mends it; None if nothing."""
        if why := lost(self._path, self._journal, said, found):
            return f"{why}; {mend_lost(self._path)}"
        if said.seed is not None and found.seed is None:
            return (
                f"{self._path} has the seed of a contest, and {self._journal.path} has no line with "
                f"it; {mend(self._path)}, with that line at its end"
            )
        return None

    def _follows(self, problem: str) -> None:
        """Say what is wrong, from which more follows."""
        self._cause = len(self.problems)
        self.problems.append(problem)

    def _require_place(
        self, number: int, line: Line, found: Numbered, entry: Mapping[str, Any]
    ) -> None:
        """Say that a line is not in its place, unless that of one before it was not either."""
        if not found.is_in_place and not self._is_shifted:
            self._is_shifted = True
            later = line_with(self._journal, found, line, number)
            why, mend = found.complaint(later), renumbering(self._journal)
            self._follows(f"{_where(number, entry)}: {why}; {mend}")

    def _game(
        self,
        line_number: int,
        line: Line,
        found: Numbered,
        entry: Mapping[str, Any],
        fault: str | None,
    ) -> None:
        self.games += 1
        self._number += 1
        game, number = entry.get("id"), entry.get("number")
        if not fault and not self._is_its_own(entry):
            fault = "the id is not that of a game of these bots with this seed"
        if fault:
            self.problems.append(f"{_where(line_number, entry)}: {fault}")
        if isinstance(number, int):
            if self._is_sure:
                self._require_place(line_number, line, found, entry)
            self._number, self._is_sure = number, True
        elif isinstance(game, str):
            first = self._ids.setdefault(game, line_number)
            if first != line_number:
                self.problems.append(
                    f"line {line_number}: game {game} is there already, in line {first}"
                )
        if not fault:
            self._count_once(line_number, entry)

    def _count_once(self, line: int, entry: Mapping[str, Any]) -> None:
        """Note a game of a contest that counts, and if it is one that counts already."""
        names = [seat["name"] for seat in entry["seats"]]
        if GameId.read(entry["id"]) is None or not self.tally.counts(self._number, names):
            return
        if (key := key_of(entry)) is not None:
            earlier = self._keys.setdefault((entry["id"], key), self._number)
            if earlier != self._number and self._both is None:
                mend = mend_both(self._path, self._number)
                self._both = _where(line, entry), f"{both_count(earlier, self._number)}; {mend}"

    def _is_its_own(self, record: Mapping[str, Any]) -> bool:
        names = [seat["name"] for seat in record["seats"]]
        return is_its_own(record["id"], names, record["seed"], record["first"], self._contest)

    def _note(self, line: int, entry: Mapping[str, Any]) -> None:
        if why := schemas.problem("journal-entry", entry):
            self.problems.append(f"line {line} is damaged: {why}")
        elif entry["kind"] == "contest" and self._contest is None:
            self._contest = parsed(entry["seed"])

    def _fold(self, line: Line, entry: Mapping[str, Any]) -> None:
        """Count what ``X.json`` has counted, with the orders that it knows."""
        if "kind" in entry:
            self._collector.entry(entry)
        else:
            self._collector.game()
            played(entry)
        self.tally.enter(entry)
        if line.end <= self._saved_end:
            self._tally.enter(entry)
        elif "kind" not in entry:
            self.behind += 1


def _collected(journal: Journal, end: int) -> tuple[Collector, Orders]:
    """What a collector finds in a journal, and what it had found by an offset at which a line ends.
    Damaged lines are told of one by one as they come up, and passed over here."""
    collector, known, lines = Collector(), list[Order](), GameLines()
    for number, line in enumerate(journal.lines(), 1):
        with contextlib.suppress(ValueError):
            found = collect(collector, line)
            if found and found.what == ORDER and lines.earlier(line.data, number):
                collector.orders.pop()
        if line.end == end:
            known = [replace(order) for order in collector.orders]
    return collector, Orders(known)


def _judged(
    lines: Iterator[Line], pool: Executor | None, window: int
) -> Iterator[tuple[Line, str | None]]:
    """Every line with the fault of the game on it, in order."""
    waiting: deque[tuple[list[Line], Future[list[str | None]]]] = deque()
    while True:
        while pool and len(waiting) < window and (batch := list(islice(lines, BATCH))):
            waiting.append((batch, pool.submit(faults, [line.data for line in batch])))
        if waiting:
            batch, future = waiting.popleft()
            found = awaited(future)
        elif batch := list(islice(lines, 1)):
            found = faults([batch[0].data])
        else:
            return
        yield from zip(batch, found, strict=True)


def faults(lines: Iterable[bytes]) -> list[str | None]:
    """What is wrong with the games on these lines, judged by the schema and by their rules.

    None for one that is sound, and for what is no game: that is looked at elsewhere.
    """
    return [_fault(line) for line in lines]


def _fault(line: bytes) -> str | None:
    try:
        entry = parse(line)
    except ValueError:
        return None
    if "kind" in entry:
        return None
    try:
        for _ in replay(GameRecord.from_json(entry)):
            pass
    except RecordError as error:
        return str(error).removeprefix(f"game {entry.get('id')}").removeprefix(":").strip()
    return None


def there(path: Path) -> tuple[Path, Journal]:
    """The ledger, which must be there already, and its journal."""
    path, journal = located(path)
    if not journal.path.exists():
        if path.exists():
            raise LedgerError(f"{path} is there, but its journal {journal.path} is not")
        raise UsageError(f"{path}: there is no such ledger; a fight or a contest makes one")
    return path, journal

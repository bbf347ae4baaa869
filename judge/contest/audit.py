"""The audit of a ledger (verify): every game judged again, and X.json compared; or one game read.

It reads and never writes, takes no lock, and keeps no more of a game than its id.
"""

from __future__ import annotations

import contextlib
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from itertools import islice, zip_longest
from typing import TYPE_CHECKING, Any

from judge import schemas
from judge.contest.fold import collect, end_of, identified, misnumbered
from judge.contest.futures import awaited
from judge.contest.game_lines import GameLines, twice
from judge.contest.index import line_of
from judge.contest.journal import Journal, Line, parse
from judge.contest.ledger_files import located, saved
from judge.contest.orders import Collector, Order, Orders
from judge.contest.played import played
from judge.contest.schedule import is_its_own
from judge.contest.seeds import ContestSeed
from judge.contest.tally import Tally
from judge.contest.tally_document import Older, to_json
from judge.errors import LedgerError, RecordError, UsageError
from judge.game.record import GameRecord
from judge.game.replay import replay
from judge.game.unkept import check

if TYPE_CHECKING:
    from concurrent.futures import Executor, Future
    from pathlib import Path

BATCH = 50  # games that are judged by one task of a pool

Progress = Callable[[int, int], None]
"""Told the bytes of the journal that are done, and how many there are in all."""


@dataclass(frozen=True, slots=True)
class Verified:
    """What `verify` found, and how many ``games`` it judged, as a table counts them: those that are
    ``void`` by how they ended, ``voided`` by their numbers, with a bot that is disqualified, and
    ``unfinished`` ones of matches that are not over.

    ``behind`` games are in the journal and not yet in ``X.json``, and ``torn`` bytes follow the
    last line: both are made good when the ledger is next opened for adding. ``problems`` are not,
    and with any of them nothing counts as ``behind``. Of the games of a log ``broken_off`` are not
    told to their end."""

    games: int
    void: int = 0
    voided: int = 0
    disqualified_games: int = 0
    unfinished: int = 0
    behind: int = 0
    torn: int = 0
    problems: tuple[str, ...] = ()
    broken_off: int = 0


def verify(
    path: Path, progress: Progress | None = None, *, pool: Executor | None = None, window: int = 4
) -> Verified:
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
    return Verified(
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
            return replace(_record(journal, line), number=int(which))
        raise UsageError(f"{path}: there is no game #{which}")
    for line in journal.backwards():
        if identified(journal, line)[0] == which:
            return _record(journal, line)
    raise UsageError(f"{path}: there is no game {which}")


def _record(journal: Journal, line: Line) -> GameRecord:
    """The game on a line, with its number, which older judges did not write."""
    record = GameRecord.from_json(journal.parse(line))
    if record.number is not None:
        return record
    games = (identified(journal, one)[0] is not None for one in journal.lines(0, line.end))
    return replace(record, number=sum(games))


class _Pass:
    """A pass over a journal: what is wrong so far, its ``tally``, and the fold that ``X.json`` should
    be."""

    def __init__(self, path: Path, journal: Journal) -> None:
        self.problems: list[str] = []
        self.games = self.behind = 0
        self._path = path
        self._journal = journal
        self._contest: ContestSeed | None = None
        self._ids: dict[str, int] = {}  # of games without numbers: the line of each
        self._lines = GameLines()
        self._number = 0  # of the last game
        self._is_sure = True  # that no damaged line before was a game
        self._saved: Tally | Older | None = None  # None, too, if it cannot be compared
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
        self._collector = Collector(every.ids)

    def look_at(self, number: int, line: Line, fault: str | None) -> None:
        """Take in a line, with what was found wrong with the game on it."""
        problems = len(self.problems)
        try:
            entry = parse(line.data)
            if "kind" in entry:
                self._note(number, entry)
            elif first := self._lines.earlier(line.data, number):
                self.games += 1
                self.problems.append(f"line {number}, game {entry.get('id')}: {twice(first)}")
            else:
                self._game(number, entry, fault)
            self._fold(line, entry)
        except ValueError as error:
            if len(self.problems) == problems:
                self.problems.append(f"line {number} is damaged: {error}")
            self._is_sure = False
            if line.end <= self._saved_end:
                self._saved = None  # what it held is not known, so neither is what it came to

    def compare(self) -> None:
        """Say, once all lines are seen, what does not go together."""
        said, found = self._saved, self._tally
        if isinstance(said, Older):
            differing = _differing({"recorded": said.recorded}, {"recorded": found.recorded})
        elif said is not None:
            differing = _compared(to_json(said), to_json(found))
        else:
            return
        self.problems += [
            f"{self._path}: {what} is {one}, but by the journal it is {other}"
            for what, one, other in differing
        ]

    def _game(self, line: int, entry: Mapping[str, Any], fault: str | None) -> None:
        self.games += 1
        self._number += 1
        game, number = entry.get("id"), entry.get("number")
        if not fault and not self._is_its_own(entry):
            fault = "the id is not that of a game of these bots with this seed"
        if fault:
            self.problems.append(f"line {line}, game {game}: {fault}")
        if isinstance(number, int):
            if self._is_sure and (why := misnumbered(entry, self._number)):
                self.problems.append(f"line {line}, game {game}: {why}")
            self._number, self._is_sure = number, True
        elif isinstance(game, str) and (first := self._ids.setdefault(game, line)) != line:
            self.problems.append(f"line {line}: game {game} is there already, in line {first}")

    def _is_its_own(self, record: Mapping[str, Any]) -> bool:
        names = [seat["name"] for seat in record["seats"]]
        return is_its_own(record["id"], names, record["seed"], record["first"], self._contest)

    def _note(self, line: int, entry: Mapping[str, Any]) -> None:
        if why := schemas.problem("journal-entry", entry):
            self.problems.append(f"line {line} is damaged: {why}")
        elif entry["kind"] == "contest" and self._contest is None:
            self._contest = ContestSeed.from_json(entry["seed"])

    def _fold(self, line: Line, entry: Mapping[str, Any]) -> None:
        """Count what ``X.json`` has counted, with the orders that it knows."""
        if "kind" in entry:
            self._collector.entry(entry)
            if entry["kind"] == "void" and "game" in entry and not self._collector.orders[-1].games:
                raise ValueError(
                    f"it voids game {entry['game']}, and no such game stands before it"
                )
        else:
            self._collector.game(entry["id"] if isinstance(entry.get("id"), str) else "")
            played(entry)
        self.tally.enter(entry)
        if line.end <= self._saved_end:
            self._tally.enter(entry)
        elif "kind" not in entry:
            self.behind += 1


def _collected(
    journal: Journal, end: int, ids: AbstractSet[str] = frozenset()
) -> tuple[Collector, Orders]:
    """What a collector finds in a journal, and what it had found by an offset at which a line ends.
    Damaged lines are told of one by one as they come up, and passed over here."""
    collector, known = Collector(ids), list[Order]()
    for line in journal.lines():
        with contextlib.suppress(ValueError):
            collect(collector, line)
        if line.end == end:
            known = [replace(order) for order in collector.orders]
    if collector.unknown - ids:
        return _collected(journal, end, collector.unknown)
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
        record = GameRecord.from_json(entry)
        if record.figures is not None:
            check(record)
            return None
        for _ in replay(record):
            pass
    except RecordError as error:
        return str(error).removeprefix(f"game {entry.get('id')}").removeprefix(":").strip()
    return None


def _compared(said: Mapping[str, Any], found: Mapping[str, Any]) -> Iterator[tuple[str, Any, Any]]:
    """Where two ``ledger`` documents differ: what it is, and both values."""
    yield from _differing(said, found, ("seed", "recorded", "last", "notes"))
    for number, (one, other) in enumerate(zip_longest(said["orders"], found["orders"]), 1):
        if one != other:
            yield f"order {number}", one or "none", other or "none"
    for name, *both in _differing(said["versions"], found["versions"]):
        yield f"the versions of {name}", *both
    for number, (one, other) in enumerate(zip_longest(said["tables"], found["tables"]), 1):
        of_it = f" of table {number}" if len(found["tables"]) > 1 else ""
        if one is None or other is None or one["rules"] != other["rules"]:
            yield f"the rules{of_it}", one and one["rules"], other and other["rules"]
            return
        for what, *both in _compared_tables(one, other):
            yield f"{what}{of_it}", *both


def _compared_tables(
    said: Mapping[str, Any], found: Mapping[str, Any]
) -> Iterator[tuple[str, Any, Any]]:
    yield from _differing(said, found, ("limits", "games", "void", "voided", "disqualified"))
    for number, (one, other) in enumerate(zip_longest(said["bots"], found["bots"])):
        if one is None or other is None or one["name"] != other["name"]:
            yield f"bot {number}", one and one["name"], other and other["name"]
            return  # the stints speak of bots by their numbers
        for what, *both in _differing(one, other):
            yield f"{what} of {one['name']}", *both
    names = []
    for number, (one, other) in enumerate(zip_longest(said["stints"], found["stints"])):
        if one is None or other is None or one[:3] != other[:3]:
            yield f"stint {number}", one and one[:3], other and other[:3]
            return  # and the pairs of stints
        name, version, life = one[:3]
        names.append(f"{found['bots'][name]['name']} v{version}" + (f" ({life})" if life else ""))
        if one != other:
            yield f"the results of {names[-1]}", one[3:], other[3:]
    for one, other in zip_longest(said["pairs"], found["pairs"]):
        if one != other:
            first, second, *_ = one or other
            yield f"{names[first]} against {names[second]}", one and one[2:], other and other[2:]
    yield from _compared_groups(said.get("groups", ()), found.get("groups", ()), names)


def _compared_groups(
    said: Sequence[Mapping[str, Any]], found: Sequence[Mapping[str, Any]], names: Sequence[str]
) -> Iterator[tuple[str, Any, Any]]:
    """Where the games of more than two players differ."""
    nothing: Mapping[str, Any] = {}
    for one, other in zip_longest(said, found, fillvalue=nothing):
        of_it = f" of games of {other.get('seats') or one.get('seats')}"
        for what, *both in _differing(one, other, ("seats", "ranked", "games")):
            yield f"{what}{of_it}", *both
        for first, second in zip_longest(one.get("pairs", ()), other.get("pairs", ())):
            if first != second:
                bots = " and ".join(names[stint] for stint in (first or second)[:2])
                yield f"{bots}{of_it}", first and first[2:], second and second[2:]


def _differing(
    said: Mapping[str, Any], found: Mapping[str, Any], fields: Iterable[str] | None = None
) -> Iterator[tuple[str, Any, Any]]:
    for what in {**said, **found} if fields is None else fields:
        if said.get(what) != found.get(what):
            yield what, said.get(what), found.get(what)


def there(path: Path) -> tuple[Path, Journal]:
    """The ledger, which must be there already, and its journal."""
    path, journal = located(path)
    if not journal.path.exists():
        if path.exists():
            raise LedgerError(f"{path} is there, but its journal {journal.path} is not")
        raise UsageError(f"{path}: there is no such ledger; a fight or a contest makes one")
    return path, journal

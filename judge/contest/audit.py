"""Looking a ledger over: every game judged again, one bot's history, a single game.

It reads and never writes, takes no lock, and keeps no more of a game than its id.
"""

from __future__ import annotations

import contextlib
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import islice, zip_longest
from typing import TYPE_CHECKING, Any

from judge import schemas
from judge.contest.fold import end_of, enter, identified, identify
from judge.contest.futures import awaited
from judge.contest.index import line_of
from judge.contest.journal import Journal, Line, parse
from judge.contest.ledger import located, saved
from judge.contest.schedule import is_its_own
from judge.contest.seeds import ContestSeed
from judge.contest.tally import Tally, played
from judge.errors import LedgerError, RecordError, UsageError
from judge.game.record import SCHEMAS, GameRecord
from judge.game.replay import replay

if TYPE_CHECKING:
    from concurrent.futures import Executor, Future
    from pathlib import Path

BATCH = 50  # games that are judged by one task of a pool

Progress = Callable[[int, int], None]
"""Told the bytes of the journal that are done, and how many there are in all."""


@dataclass(frozen=True, slots=True)
class Verified:
    """What `verify` found. ``behind`` games are in the journal and not yet in ``X.json``, and
    ``torn`` bytes follow the last line: both are made good when the ledger is next opened for
    adding. ``problems`` are not, and with any of them nothing counts as ``behind``."""

    games: int
    voided: int
    behind: int
    torn: int
    problems: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class BotGame:
    """One game as one of its bots sees it. ``result`` is won, lost, tied or void; ``voided`` why
    it was taken out of the count, if it was. ``forfeit`` and ``evidence`` (as in the game record)
    are the bot's own. ``changed`` if its files were others in its game before this."""

    id: str
    opponent: str
    result: str
    termination: str
    detail: str
    forfeit: str | None
    evidence: Mapping[str, Any] | None
    voided: str | None
    before: float
    after: float
    digest: str | None
    changed: bool


def verify(
    path: Path, progress: Progress | None = None, *, pool: Executor | None = None, window: int = 4
) -> Verified:
    """Judge every game in the journal again, and compare ``X.json`` with its fold.

    A ``pool`` of processes judges, with ``window`` batches of games handed out at once: a game
    takes some seven milliseconds. Raises `UsageError` if there is no ledger, and `LedgerError` if
    its journal cannot be read; whatever else is wrong is a problem.
    """
    path, journal = there(path)
    check = _Check(path, journal)
    size, end = journal.size(), 0
    for number, (line, fault) in enumerate(_judged(journal.lines(), pool, window), 1):
        check.look_at(number, line, fault)
        end = line.end
        if progress:
            progress(end, max(end, size))
    check.compare()
    return Verified(
        games=check.games,
        voided=len(check.voids),
        behind=0 if check.problems else check.behind,
        torn=max(0, journal.size() - end),
        problems=tuple(check.problems),
    )


def history(path: Path, bot: str) -> Iterator[BotGame]:
    """Every game of a bot, in order. Raises `UsageError` if it has played none."""
    path, journal = there(path)
    voided = _voids(journal)
    tally = Tally(voided=dict.fromkeys(voided))
    digest: tuple[str | None] | None = None  # of its last game; None before its first
    for line in journal.lines():
        before = tally.points_of(bot)
        enter(tally, journal, line)
        game, digests = identified(journal, line)
        if game is None or bot not in digests:
            continue
        changed = digest is not None and digest != (digests[bot],)
        digest = (digests[bot],)
        record = journal.parse(line)
        if problem := schemas.problem(SCHEMAS[record["version"]], record["outcome"], "outcome"):
            raise journal.damaged(line, f"outcome: {problem}")
        yield _seen_by(bot, record, voided.get(game), before, tally.points_of(bot), changed=changed)
    if digest is None:
        raise UsageError(f"{path}: {bot} has played no game there")


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


@dataclass(slots=True)
class _Check:
    """A pass over a journal: what is wrong so far, and the fold that ``X.json`` should be."""

    path: Path
    journal: Journal
    problems: list[str] = field(default_factory=list)
    games: int = 0
    behind: int = 0
    voids: dict[str, int] = field(default_factory=dict)  # the game, and the line that voids it
    _contest: ContestSeed | None = None
    _ids: dict[str, int] = field(default_factory=dict)
    _saved: Tally | None = None  # None, too, if it cannot be compared
    _saved_end: int = 0
    _tally: Tally = field(default_factory=Tally)

    def __post_init__(self) -> None:
        try:
            self._saved = saved(self.path)
            if self._saved is not None and self._saved.last is not None:
                self._saved_end = self._end_of(self._saved.last)
        except LedgerError as error:
            self.problems.append(str(error))
            self._saved = None
        if self._saved is not None:
            self._tally.voided = dict(self._saved.voided)

    def _end_of(self, game: str) -> int:
        """`end_of`, past damaged lines, which are told of one by one as they come up."""
        for line in self.journal.backwards():
            with contextlib.suppress(ValueError):
                if identify(line.data)[0] == game:
                    return line.end
        return end_of(game, self.path, self.journal)

    def look_at(self, number: int, line: Line, fault: str | None) -> None:
        """Take in a line, with what was found wrong with the game on it."""
        problems = len(self.problems)
        try:
            entry = parse(line.data)
            if "kind" in entry:
                self._note(number, entry)
            else:
                self._game(number, entry, fault)
            self._fold(number, line, entry)
        except ValueError as error:
            if len(self.problems) == problems:
                self.problems.append(f"line {number} is damaged: {error}")
            if line.end <= self._saved_end:
                self._saved = None  # what it held is not known, so neither is what it came to

    def compare(self) -> None:
        """Say, once all lines are seen, what does not go together."""
        self.problems += [
            f"line {number} voids game {game}, and there is no such game"
            for game, number in self.voids.items()
            if game not in self._ids
        ]
        if self._saved is None:
            return
        self.problems += [
            f"{self.path} does not count game {game}, and no entry of the journal voids it"
            for game in self._saved.voided
            if game not in self.voids
        ]
        said, found = self._saved.to_json(), self._tally.to_json()
        self.problems += [
            f"{self.path}: {what} is {one}, but by the journal it is {other}"
            for what, one, other in _compared(said, found)
            if one != other
        ]

    def _game(self, number: int, entry: Mapping[str, Any], fault: str | None) -> None:
        self.games += 1
        game = entry.get("id")
        if not fault and not self._is_its_own(entry):
            fault = "the id is not that of a game of these bots with this seed"
        if fault:
            self.problems.append(f"line {number}, game {game}: {fault}")
        if isinstance(game, str) and (first := self._ids.setdefault(game, number)) != number:
            self.problems.append(f"line {number}: game {game} is there already, in line {first}")

    def _is_its_own(self, record: Mapping[str, Any]) -> bool:
        names = [seat["name"] for seat in record["seats"]]
        return is_its_own(record["id"], names, record["seed"], record["first"], self._contest)

    def _note(self, number: int, entry: Mapping[str, Any]) -> None:
        if why := schemas.problem("journal-entry", entry):
            self.problems.append(f"line {number} is damaged: {why}")
        elif entry["kind"] == "void":
            self.voids.setdefault(entry["game"], number)
        elif self._contest is None:
            self._contest = ContestSeed.from_json(entry["seed"])

    def _fold(self, number: int, line: Line, entry: Mapping[str, Any]) -> None:
        """Count what ``X.json`` has counted, the way it did: with the games void that it has."""
        if line.end <= self._saved_end:
            if (game := self._tally.enter(entry)) is not None and self._saved is not None:
                self.problems.append(f"{self.path} counts game {game}, which line {number} voids")
            return
        Tally().enter(entry)  # whether it can be counted at all
        if "kind" not in entry:
            self.behind += 1
        elif self._saved is not None and self._saved.seed is not None:
            self._tally.enter(entry)  # a contest's seed: the last game does not tell if it was in


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
        for _ in replay(record):
            pass
    except RecordError as error:
        return str(error).removeprefix(f"game {entry.get('id')}").removeprefix(":").strip()
    return None


def _compared(said: Mapping[str, Any], found: Mapping[str, Any]) -> Iterator[tuple[str, Any, Any]]:
    """The fields of two ``ledger`` documents: what it is, and both values."""
    for what in ("seed", "recorded", "games", "void", "last"):
        yield what, said[what], found[what]
    for number, (one, other) in enumerate(zip_longest(said["bots"], found["bots"])):
        if one is None or other is None or one["name"] != other["name"]:
            yield f"bot {number}", one and one["name"], other and other["name"]
            return  # the pairs speak of bots by their numbers
        for what in one:
            yield f"{what} of {one['name']}", one[what], other[what]
    names = [bot["name"] for bot in found["bots"]]
    for one, other in zip_longest(said["pairs"], found["pairs"]):
        a, b, *_ = one or other
        yield f"{names[a]} against {names[b]}", one and one[2:], other and other[2:]


def _voids(journal: Journal) -> dict[str, str]:
    """The games taken out of the count, and why."""
    found: dict[str, str] = {}
    for line in journal.lines():
        if identified(journal, line)[0] is not None:
            continue
        entry = journal.parse(line)
        if problem := schemas.problem("journal-entry", entry):
            raise journal.damaged(line, problem)
        if entry["kind"] == "void":
            found.setdefault(entry["game"], entry["reason"])
    return found


def _seen_by(
    bot: str,
    record: Mapping[str, Any],
    voided: str | None,
    before: float,
    after: float,
    *,
    changed: bool,
) -> BotGame:
    game, outcome = played(record), record["outcome"]
    seat = game.names.index(bot)
    if not game.rated:
        result = "void"
    elif game.winner is None:
        result = "tied"
    else:
        result = "won" if game.winner == seat else "lost"
    # In version 1 there were no exchanges.
    evidence = (
        {"exchanges": [], **one} for one in outcome["evidence"] or () if one["seat"] == seat
    )
    return BotGame(
        id=game.id,
        opponent=game.names[1 - seat],
        result=result,
        termination=game.termination,
        detail=outcome["detail"],
        forfeit=game.forfeits.get(seat),
        evidence=next(evidence, None),
        voided=voided,
        before=before,
        after=after,
        digest=record["seats"][seat]["digest"],
        changed=changed,
    )


def there(path: Path) -> tuple[Path, Journal]:
    """The ledger, which must be there already, and its journal."""
    path, journal = located(path)
    if not journal.path.exists():
        if path.exists():
            raise LedgerError(f"{path} is there, but its journal {journal.path} is not")
        raise UsageError(f"{path}: there is no such ledger; a fight or a contest makes one")
    return path, journal

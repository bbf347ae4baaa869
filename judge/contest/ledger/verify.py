"""The audit of a ledger, `verify`, and its repairs, `rebuild` and `restart`.

`verify` writes nothing and takes no lock.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from judge import writing
from judge.contest.ledger.condition_set import ConditionSet
from judge.contest.ledger.entries import GAME, decoded, entry_on, record_of
from judge.contest.ledger.files import locked, replace_standings, require_ledger, written
from judge.contest.ledger.fold import Fold
from judge.contest.ledger.identity import key_of
from judge.contest.ledger.journal import BEGIN, Journal, JournalPosition, Line
from judge.contest.ledger.tally import Tally
from judge.contest.results import result_of
from judge.contest.schedule import is_its_own
from judge.contest.seeds import parsed
from judge.documents import json_files
from judge.documents.ledger import Game
from judge.documents.reports import Verification
from judge.errors import LedgerError, RecordError, UsageError
from judge.game.replay import replay
from judge.quoting import word
from judge.signals import looking
from judge.waiting import awaited

if TYPE_CHECKING:
    from concurrent.futures import Executor, Future

BATCH = 50  # games that one task of a pool judges
LONGEST = 2**26  # bytes of X.json, enough for the most bots and pairs

Progress = Callable[[int, int], None]
"""A function that is called with the bytes of the journal done so far, and the bytes in all."""


def verify(
    path: Path, progress: Progress | None = None, *, pool: Executor | None = None, window: int = 4
) -> Verification:
    """Check the hashes of the whole journal, judge every game again, compare each result with its
    record, and compare ``X.json`` with the journal's tally.

    With a ``pool`` of processes up to ``window`` batches of games are judged at once. Raises
    `UsageError` if there is no such ledger, and `LedgerError` if only its journal is missing. Other
    faults are reported as problems.
    """
    path, journal = require_ledger(path)
    problems = list[str]()
    kept = _kept(path)  # read first, since a judge that plays writes the journal before X.json
    tally, size, end = Tally(), journal.size(), 0
    try:
        fold = Fold(journal, anew=True)
        tally = fold.tally
        held = _Held(tally.conditions, None if tally.seed is None else parsed(tally.seed))
        for line, game, fault in _judged(_numbered(journal), held, pool, window):
            end = line.end
            again = _counted_before(fold, game) if game else None
            problems += [
                f"line {line.number}, game #{game}: {why}" for why in (fault, again) if why
            ]
            if progress:
                progress(line.end, max(line.end, size))
    except LedgerError as error:
        problems.append(str(error))
    behind = 0
    if not problems:
        behind, why = _compared(path, kept, tally)
        problems += [why] if why else []
    table = tally.table
    return Verification(
        intact=not problems,
        games=tally.recorded,
        void=table.void,
        voided=table.voided,
        disqualified_games=table.disqualified,
        unfinished=table.unfinished,
        behind=behind,
        torn=0 if problems else max(0, journal.size() - end),
        problems=tuple(problems),
    )


def _counted_before(fold: Fold, number: int) -> str | None:
    """The complaint if a game and an earlier game with the same key both count, or None."""
    earlier = fold.counted(fold.key(number))
    if earlier in (None, number) or not fold.tally.counts(number, fold.names(number)):
        return None
    return f"it is game #{earlier} played again, and both count"


def _kept(path: Path) -> bytes | OSError:
    """The bytes of ``X.json``, or the error if it cannot be read."""
    try:
        return writing.read(path.parent, path.name, LONGEST)
    except OSError as error:
        return error


def _compared(path: Path, data: bytes | OSError, tally: Tally) -> tuple[int, str | None]:
    """The number of games that ``X.json`` lacks, and the complaint about the file, or None."""
    mend = f"`judge ledger rebuild {word(str(path))}` computes it anew from its journal"
    if isinstance(data, FileNotFoundError):
        return tally.recorded, None
    if isinstance(data, OSError):
        return 0, f"{path} cannot be read: {data.strerror}; {mend}"
    try:
        found = json_files.parse(data, json_files.MOST_OF_GAMES)
        entries, recorded = found["entries"], found["recorded"]
        if 0 <= entries < tally.entries and 0 <= recorded <= tally.recorded:
            return tally.recorded - recorded, None
        for counted, held, what in (
            (recorded, tally.recorded, "games"),
            (entries, tally.entries, "lines"),
        ):
            if counted > held:
                return 0, (
                    f"{path} counts {counted:,} {what}, and its journal holds {held:,}: restore a copy "
                    f"of the journal, or `judge ledger rebuild {word(str(path))}` goes on without them"
                )
    except (ValueError, LookupError, TypeError):
        return 0, f"{path} is no ledger; {mend}"
    return 0, None if data == written(tally) else f"{path} is not what its journal gives; {mend}"


def rebuild(path: Path) -> Tally:
    """Write ``X.json`` and the cache anew from the whole journal, and return the tally. Raises
    `UsageError` if there is no such ledger. Raises `LedgerError`, with nothing changed, if the
    journal is missing or cannot be counted, or ``X.json`` cannot be written."""
    path, journal = require_ledger(path)
    with locked(path):
        fold = Fold(journal, anew=True)
        journal.sync()
        replace_standings(path, fold.tally)
        fold.save()
    return fold.tally


def restart(path: Path, number: int) -> tuple[Path, int, Tally]:
    """Move line ``number`` of the journal and all lines after it into a file beside it, and write
    the standings anew. Return that file, the number of the first line that was moved, and the
    tally.

    A match is not split: its games before that line are moved too. Raises `UsageError` if there is
    no such ledger or line. Raises `LedgerError`, with nothing changed, if the journal is missing or
    an earlier line was edited, and also if a file cannot be written.
    """
    path, journal = require_ledger(path)
    with locked(path):
        before = list(islice(_places(journal), number))
        if len(before) < number or before[-1].end >= journal.size():
            has = f"its last is line {before[-1].number}"
            raise UsageError(f"{journal.path} has no line {number}: {has}")
        position = _before_match(journal, before)
        kept = Fold(journal, anew=True, end=position.end)
        aside = _unused(journal.path.with_name(f"{journal.path.name}.from{position.number + 1}"))
        if kept.path.exists():
            writing.remove(kept.path.parent, kept.path.name)
        journal.cut(position.end, aside)
        replace_standings(path, kept.tally)
    return aside, position.number + 1, kept.tally


def _places(journal: Journal) -> Iterator[JournalPosition]:
    """The beginning of the journal, then the end of each line."""
    yield BEGIN
    for line in looking(journal.lines()):
        yield JournalPosition(line.number, line.end, line.hash)


def _before_match(journal: Journal, places: list[JournalPosition]) -> JournalPosition:
    """The last of these positions at which no match is under way."""
    *earlier, last = places
    tally = Fold(journal, anew=True, end=last.end).tally
    open_ids = {key.id for key in tally.table.open}
    while earlier:
        line = next(journal.lines(earlier[-1]))
        entry = entry_on(journal, line)
        if not isinstance(entry, Game) or entry.result.match is None:
            break
        if entry.result.match.id not in open_ids:
            break
        last = earlier.pop()
        if entry.result.match.game == 1:
            break
    return last


def _unused(path: Path) -> Path:
    """The path if no file has it, else the path with the first number from 2 that no file has."""
    found, number = path, 1
    while found.exists():
        number += 1
        found = path.with_name(f"{path.name}.{number}")
    return found


class _Held(NamedTuple):
    """The facts that all games of a ledger share: their conditions, and the seed of the contest."""

    conditions: ConditionSet | None
    seed: int | None


def _numbered(journal: Journal) -> Iterator[tuple[Line, int]]:
    """Every line of a journal, with the number of the game on it, or 0 if it is another entry."""
    games = 0
    for line in looking(journal.lines()):
        is_game = line.data.startswith(GAME)
        games += is_game
        yield line, games * is_game


def _judged(
    lines: Iterator[tuple[Line, int]], held: _Held, pool: Executor | None, window: int
) -> Iterator[tuple[Line, int, str | None]]:
    """Every line in order, with the number of the game on it and the game's fault, or None."""
    waiting: deque[tuple[list[tuple[Line, int]], Future[list[str | None]]]] = deque()
    while True:
        while pool and len(waiting) < window and (batch := list(islice(lines, BATCH))):
            games = [(number, line.data) for line, number in batch]
            waiting.append((batch, pool.submit(faults, games, held)))
        if waiting:
            batch, future = waiting.popleft()
            found = awaited(future)
        elif batch := list(islice(lines, 1)):
            found = faults([(number, line.data) for line, number in batch], held)
        else:
            return
        for (line, number), fault in zip(batch, found, strict=True):
            yield line, number, fault


def faults(games: Iterable[tuple[int, bytes]], held: _Held) -> list[str | None]:
    """The fault of each game, given by its number and its line, after the game was judged again.
    None for a game without a fault, and for the number 0, whose line is not a game."""
    return [_fault(number, line, held) if number else None for number, line in games]


def _fault(number: int, line: bytes, held: _Held) -> str | None:
    entry = decoded(line)
    assert isinstance(entry, Game), "it begins as one"
    try:
        record = record_of(entry)
        for _ in replay(record):
            pass
        key = key_of(record)
        if result_of(record) != entry.result or (key and key.hex()) != entry.key:
            return "its result is not what its record gives"
    except (RecordError, UsageError) as error:
        return str(error).removeprefix(f"game {entry.result.id}").removeprefix(":").strip()
    if record.number != number:
        return f"its record has the number {record.number}"
    if ConditionSet.of(record) != held.conditions:
        return "it was played under other conditions than the first"
    names = entry.result.names
    if record.seed is not None and not is_its_own(
        record.id,
        names,
        record.seed,
        record.first,
        held.seed,
        digests=tuple(filter(None, entry.result.digests)),
    ):
        return "the id is not that of a game of these bots with this seed"
    return None

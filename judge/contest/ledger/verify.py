"""The audit of a ledger, `verify`, and its repairs, `rebuild` and `restart`.

`verify` writes nothing and takes no lock.
"""

from __future__ import annotations

import contextlib
from collections.abc import Callable
from functools import partial
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

from judge import writing
from judge.contest.futures import in_order
from judge.contest.ledger.condition_set import ConditionSet
from judge.contest.ledger.entries import GAME, decoded, entry_on, record_of
from judge.contest.ledger.files import locked, require_ledger
from judge.contest.ledger.fold import Fold
from judge.contest.ledger.identity import key_of
from judge.contest.ledger.journal import BEGIN, Line, failing
from judge.contest.ledger.tally import Tally, written
from judge.contest.results import result_of
from judge.contest.schedule import is_its_own
from judge.contest.seeds import parsed
from judge.documents.ledger import Count, Game
from judge.documents.reports import Verification
from judge.errors import LedgerError, RecordError, UsageError
from judge.game.replay import replay
from judge.quoting import word
from judge.signals import looking

if TYPE_CHECKING:
    from concurrent.futures import Executor

BATCH = 50  # games that one task of a pool judges
LONGEST = 2**26  # bytes of X.json, enough for the most bots and pairs


def verify(
    path: Path,
    progress: Callable[[int], None] | None = None,
    *,
    pool: Executor | None = None,
    window: int = 4,
) -> Verification:
    """Check the hashes of the whole journal, judge every game again, compare each result with its
    record, and compare ``X.json`` with the journal's tally.

    ``progress`` is called with the bytes of the journal done since its last call. With a ``pool``
    of processes up to ``window`` batches of games are judged at once. Raises `UsageError` if there
    is no such ledger, and `LedgerError` if only its journal is missing. Other faults are reported
    as problems.
    """
    path, journal = require_ledger(path)
    problems = list[str]()
    kept = None
    # Read first, since a judge that plays writes the journal before X.json.
    computed = f"; {_rebuild(path)} computes it anew from its journal"
    with failing(path, "read", computed), contextlib.suppress(FileNotFoundError):
        kept = writing.read(path.parent, path.name, LONGEST)
    tally, size, done = Tally(), journal.size(), 0
    try:
        fold = Fold(journal, anew=True)
        tally = fold.tally
        seed = None if tally.seed is None else parsed(tally.seed)
        judge = partial(fault_of, conditions=tally.table.conditions, seed=seed)
        lines = looking(journal.lines(end=fold.position.end))
        games = enumerate((line for line in lines if line.data.startswith(GAME)), 1)
        again = {
            later: f"it is game #{first} played again, and both count"
            for first, later in fold.counted_again(tally.orders)
        }
        for (game, line), fault in in_order(judge, games, pool, size=BATCH, window=window):
            faults = filter(None, (fault, again.get(game)))
            problems += [f"line {line.position.number}, game #{game}: {why}" for why in faults]
            if progress:
                progress(line.position.end - done)
            done = line.position.end
        behind = 0 if problems else _behind(path, kept, tally)
    except LedgerError as error:
        problems.append(str(error))
    table = tally.table
    return Verification(
        intact=not problems,
        games=tally.recorded,
        void=table.void,
        voided=table.voided,
        disqualified_games=table.disqualified,
        unfinished=table.unfinished,
        behind=0 if problems else behind,
        torn=0 if problems else max(0, size - fold.position.end),
        problems=tuple(problems),
    )


class _Counted(msgspec.Struct):
    """The numbers of lines and games that ``X.json`` counts."""

    entries: Count
    recorded: Count


def _behind(path: Path, data: bytes | None, tally: Tally) -> int:
    """The number of games that ``X.json`` lacks; ``data`` are its bytes, or None if it is missing.
    Raises `LedgerError` if the journal never gave such a file."""
    if data is None:
        return tally.recorded
    with contextlib.suppress(msgspec.DecodeError, RecursionError, UnicodeDecodeError):
        found = msgspec.json.decode(data, type=_Counted)
        if found.entries > tally.entries:
            raise LedgerError(
                f"{path} counts {found.entries:,} lines, and its journal holds {tally.entries:,}: "
                f"restore a copy of the journal, or {_rebuild(path)} goes on without them"
            )
        if found.entries < tally.entries and found.recorded <= tally.recorded:
            return tally.recorded - found.recorded
    if data != written(tally):
        raise LedgerError(
            f"{path} is not what its journal gives; {_rebuild(path)} computes it anew from its journal"
        )
    return 0


def _rebuild(path: Path) -> str:
    return f"`judge ledger rebuild {word(str(path))}`"


def rebuild(path: Path) -> Tally:
    """Write ``X.json`` and the cache anew from the whole journal, and return the tally. Raises
    `UsageError` if there is no such ledger. Raises `LedgerError`, with nothing changed, if the
    journal is missing or cannot be counted, or ``X.json`` cannot be written."""
    path, journal = require_ledger(path)
    with locked(path):
        fold = Fold(journal, anew=True)
        fold.save(path)
    return fold.tally


def restart(path: Path, number: int) -> tuple[Path, int, Tally]:
    """Move line ``number`` of the journal and all lines after it to the end of a file beside it, and
    write the standings anew. Return that file, the number of the first line that was moved, and the
    tally.

    A match is not split: if the game before that line did not end its match, the games of the match
    are moved too. Raises `UsageError` if there is no such ledger or line. Raises `LedgerError`, with
    nothing changed, if the journal is missing or an earlier line was edited. Raises it also if a
    file cannot be written, or an earlier line cannot be counted, which is seen last.
    """
    path, journal = require_ledger(path)
    with locked(path):
        end = cut = BEGIN  # where the lines before end, and where the journal is cut
        for line in islice(looking(journal.lines()), number - 1):
            entry, is_over = entry_on(journal, line), True
            if isinstance(entry, Game) and (match := entry.result.match):
                is_over = match.game == match.games or bool(entry.result.forfeits)
                cut = end if match.game == 1 else cut
            end = line.position
            cut = end if is_over else cut
        if end.number < number - 1 or end.end >= journal.size():
            raise UsageError(f"{journal.path} has no line {number}: its last is line {end.number}")
        journal.path.with_suffix(".cache").unlink(missing_ok=True)
        aside = journal.cut(cut.end, f".from{cut.number + 1}")
        fold = Fold(journal)
        fold.save(path)
    return aside, cut.number + 1, fold.tally


def fault_of(
    numbered: tuple[int, Line], conditions: ConditionSet | None, seed: int | None
) -> str | None:
    """The fault of a game, given by its number and its line, after the game was judged again, or
    None. All games of a ledger share its ``conditions``, and its contest the ``seed``."""
    number, line = numbered
    entry = decoded(line.data)
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
    if ConditionSet.of(record) != conditions:
        return "it was played under other conditions than the first"
    names, digests = entry.result.names, tuple(filter(None, entry.result.digests))
    if record.seed is not None and not is_its_own(
        record.id, names, record.seed, record.first, seed, digests=digests
    ):
        return "the id is not that of a game of these bots with this seed"
    return None

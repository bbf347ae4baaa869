"""Making ``X.json`` anew from its journal, and numbering that anew where lines are gone from it."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

from judge.contest.journal.double_counts import require_counted_once
from judge.contest.journal.lost_lines import lost
from judge.contest.journal.lost_seed import lost_entry
from judge.contest.journal.renumber import Renumbered, renumber
from judge.contest.ledger.files import (
    is_newer,
    kept_beside,
    located,
    read_document,
    replace_standings,
    saved,
)
from judge.contest.ledger.fold import folded
from judge.contest.ledger.lock import lock_of, locked
from judge.contest.ledger.tally import Tally
from judge.errors import LedgerError, UsageError

if TYPE_CHECKING:
    from pathlib import Path


def rebuild(path: Path, notices: list[str] | None = None) -> Tally:
    """Compute ``X.json`` from the whole journal, whatever it held. If it held the seed of a contest
    whose line is gone from the journal, that is written there again first.

    ``notices`` gets a sentence of what ``X.json`` held and the journal does not; then ``X.json`` is
    kept in a file beside it. Raises `LedgerError`, with nothing changed, for a journal that cannot
    be counted.
    """
    notices = [] if notices is None else notices
    path, journal = located(path)
    if not journal.path.exists():
        raise UsageError(f"{journal.path}: there is no such journal to rebuild {path} from")
    with contextlib.suppress(OSError, ValueError):
        if is_newer(read_document(path)):
            raise LedgerError(
                f"{path} was written by a newer judge than this, which can rebuild it"
            )
    with locked(lock_of(path), path):
        tally, end = folded(journal)
        require_counted_once(path, journal, tally)
        held = None
        with contextlib.suppress(LedgerError):  # damage is what it is rebuilt for
            held = saved(path)
        missing = held and lost(path, journal, held, tally)
        if missing:
            notices.append(f"{missing}; {path} as it was is kept in {kept_beside(path)}")
            if journal.size() > end:
                notices.append(
                    f"{journal.path} ended in the middle of a line, and {path} knew what was there "
                    f"before; the piece is set aside in {journal.set_torn_aside(end)}"
                )
        if held is not None and (entry := lost_entry(held, tally, path, journal.path)):
            journal.append(entry)
            tally, _ = folded(journal)
            notices.append(
                f"{journal.path} no longer had the line with the seed of its contest; it is "
                "written there again, at the end"
            )
        journal.sync()
        replace_standings(path, tally)
    return tally


def renumbered(path: Path) -> Renumbered | None:
    """Number the games of a journal anew where lines are gone from it: see
    `judge.contest.journal.renumber`. It is to be rebuilt then."""
    path, journal = located(path)
    with locked(lock_of(path), path):
        return renumber(journal)

"""The games of a contest, or of a match, that a ledger holds already.

It reads and never writes, and keeps no game.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING

from judge.contest.journal.audit import there
from judge.contest.journal.journal import Journal, Line
from judge.contest.ledger.fold import counting_games, identified
from judge.contest.ledger.tally import Tally
from judge.errors import RecordError
from judge.game.record import GameRecord

if TYPE_CHECKING:
    from pathlib import Path


def past_games(path: Path, tally: Tally, called: str) -> Iterator[GameRecord]:
    """The games that no order takes out of the count, of the contest whose games are ``called``
    so; ``tally`` is that of the ledger. Raises `LedgerError` for a line that is no game."""
    path, journal = there(path)
    for one in counting_games(journal, tally):
        if (game := one.of_contest) is not None and game.called == called:
            yield _record(journal, one.line)


def games_of_match(path: Path, record: GameRecord) -> list[GameRecord]:
    """All games that the ledger holds of the match that a game is of, in their order; of one that
    was played again the later one. Raises `LedgerError` for a line that is no game."""
    assert record.match is not None, "it is of a match"
    _, journal = there(path)
    named = json.dumps(record.match.id).encode()
    players = [(seat.name, seat.digest) for seat in record.seats]
    found: dict[int, GameRecord] = {}
    for line in journal.lines():
        if named not in line.data or identified(journal, line)[0] is None:
            continue
        one = _record(journal, line)
        if one.match is None or (one.match.id, one.match.games) != (
            record.match.id,
            record.match.games,
        ):
            continue
        if players == [(seat.name, seat.digest) for seat in one.seats]:
            found[one.match.game] = one
    return [found[number] for number in sorted(found)]


def _record(journal: Journal, line: Line) -> GameRecord:
    try:
        return GameRecord.from_json(journal.parse(line))
    except RecordError as error:
        raise journal.damaged(line, str(error)) from None

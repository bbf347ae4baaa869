"""Chooses games of a ledger by bot, cause, number or time, for `judge ledger void`."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from judge.contest.ledger.entries import games_in, record_of
from judge.contest.ledger.files import require_ledger
from judge.contest.ledger.games import counting_games
from judge.documents.game import moment
from judge.errors import UsageError

if TYPE_CHECKING:
    from pathlib import Path


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """Conditions on a game; a field that is None asks nothing. ``bot`` plays in the game. ``bot``,
    or any bot if ``bot`` is None, forfeited it by ``cause``. The game's number is ``number`` or
    higher. It began at ``since`` or later."""

    bot: str | None = None
    cause: str | None = None
    number: int | None = None
    since: datetime | None = None


def games_that_count(path: Path, wanted: Wanted) -> Iterator[int]:
    """The numbers of the games of a ledger that fit these conditions and that no order takes out of
    the count. Raises errors as `counting_games` and `record_of` do."""
    for number, entry in counting_games(path):
        game = entry.result
        started = moment(record_of(entry).started) if wanted.since else None
        causes = [
            termination
            for seat, termination in game.forfeits.items()
            if wanted.bot in (None, game.names[seat])
        ]
        if (
            (wanted.bot is None or wanted.bot in game.names)
            and (wanted.cause is None or wanted.cause in causes)
            and (wanted.number is None or number >= wanted.number)
            and (wanted.since is None or (started and started >= wanted.since))
        ):
            yield number


def ids_of(path: Path, games: Collection[int]) -> list[str]:
    """The ids of the games of these numbers. Raises errors as `counting_games` does."""
    _, journal = require_ledger(path)
    return [entry.result.id for number, entry in enumerate(games_in(journal), 1) if number in games]


def since(text: str) -> Wanted:
    """The condition of a typed ``--since``: a game's number, as ``#210`` or ``210``, or a time.
    Raises `UsageError` for other texts."""
    digits = text.removeprefix("#")
    if digits.isdecimal() and len(digits) < 10:
        return Wanted(number=int(digits))
    try:
        return Wanted(
            since=datetime.fromisoformat(text).astimezone(UTC)
        )  # local time, unless the text names a zone
    except (ValueError, OverflowError):
        raise UsageError(
            f"--since {text}: say a game's number, as in '#210', or a time, as in 2026-01-31T18:00"
        ) from None

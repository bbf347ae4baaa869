"""The games of one bot in a ledger, as `judge ledger show BOT` lists them.

It reads and never writes, takes no lock, and keeps no game.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from judge.contest.ledger.entries import record_of
from judge.contest.standings.history import History
from judge.contest.standings.summary import Forfeit, forfeits
from judge.documents.game import Termination
from judge.documents.history import GameEnd
from judge.documents.ledger import GameResult
from judge.errors import UsageError

if TYPE_CHECKING:
    from pathlib import Path


@dataclass(frozen=True, slots=True)
class BotGame:
    """One game as one of its bots sees it. ``number`` is its place among the games of the journal,
    and ``opponents`` are the other bots by name.
    ``result`` is won, lost, tied or void; ``voided`` why an order takes it out of the count, if one
    does. ``forfeit`` is the bot's own. ``changed`` if its files were others in its game before this,
    and ``reset`` if its points were since then."""

    number: int
    id: str
    opponents: tuple[str, ...]
    version: int
    result: GameEnd
    termination: Termination
    detail: str
    forfeit: Forfeit | None
    voided: str | None
    before: float
    after: float
    digest: str | None
    changed: bool
    reset: bool


def history(path: Path, bot: str) -> Iterator[BotGame]:
    """Every game of a bot, in order. Raises `UsageError` if it has played none."""
    past = History(path)
    last: int | None = None  # the version in its last game
    for entry, before in past.games():
        game, tally = entry.result, past.tally
        if bot not in game.names:
            continue
        record, seat = record_of(entry), game.names.index(bot)
        version = tally.version_of(bot, game.digests[seat])
        assert version is not None, "its game has just been counted"
        is_reset = last is not None and last <= tally.resets.get(bot, 0)
        yield BotGame(
            number=tally.recorded,
            id=game.id,
            opponents=tuple(sorted(name for name in game.names if name != bot)),
            version=version,
            result=_result(game, seat),
            termination=game.termination,
            detail=record.outcome.detail,
            forfeit=forfeits(record).get(seat),
            voided=tally.orders.why_out(tally.recorded, game.names),
            before=before[seat],
            after=tally.points_of(bot),
            digest=game.digests[seat],
            changed=last is not None and last != version and not is_reset,
            reset=is_reset,
        )
        last = version
    if last is None:
        raise UsageError(f"{path}: {bot} has played no game there")


def _result(game: GameResult, seat: int) -> GameEnd:
    if not game.rated:
        return "void"
    if game.winner is None:
        return "tied"
    return "won" if game.winner == seat else "lost"

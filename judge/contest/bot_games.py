"""The history of one bot's games in a ledger, as `judge ledger show BOT` lists it.

Reading the history writes nothing and takes no lock. Only one game is in memory at a time.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from judge.contest.ledger.entries import record_of
from judge.contest.standings.history import History
from judge.contest.standings.summary import Forfeit, forfeits
from judge.documents.history import HistoryGame
from judge.documents.ledger import end_of
from judge.errors import UsageError

if TYPE_CHECKING:
    from pathlib import Path


class BotGame(NamedTuple):
    """A game as one of its bots sees it. ``forfeit`` is that bot's own forfeit, or None."""

    game: HistoryGame
    forfeit: Forfeit | None

    @property
    def opponents(self) -> tuple[str, ...]:
        """The names of the other bots."""
        others = self.game.opponent
        return (others,) if isinstance(others, str) else others


def history(path: Path, bot: str) -> Iterator[BotGame]:
    """Yield every game of a bot in a ledger, in order. Raises `UsageError` if there is no such
    ledger or the bot has not played there. Raises errors as `History` and `record_of` do."""
    past = History(path)
    last: int | None = None  # the bot's version in its game before
    for entry, before in past.games():
        game, tally = entry.result, past.tally
        if bot not in game.names:
            continue
        record, seat = record_of(entry), game.names.index(bot)
        version = tally.version_of(bot, game.digests[seat])
        assert version is not None, "its game has just been counted"
        is_reset = last is not None and last <= tally.resets.get(bot, 0)
        others = tuple(sorted(name for name in game.names if name != bot))
        forfeit = forfeits(record).get(seat)
        seen = HistoryGame(
            number=tally.recorded,
            id=game.id,
            opponent=others[0] if len(others) == 1 else others,
            result=end_of(game.winner, seat, game.marks) if game.rated else "void",
            termination=game.termination,
            detail=record.outcome.detail,
            forfeit=forfeit and forfeit.termination,
            evidence=forfeit and forfeit.evidence,
            voided=tally.orders.why_out(tally.recorded, game.names),
            digest=game.digests[seat],
            bot_version=version,
            changed=last is not None and last != version and not is_reset,
            reset=is_reset,
            points_before=before[seat],
            points_after=tally.table.points_of(bot),
        )
        yield BotGame(seen, forfeit)
        last = version
    if last is None:
        raise UsageError(f"{path}: {bot} has played no game there")

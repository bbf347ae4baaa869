"""The games of one bot in a ledger, as `judge ledger show BOT` lists them.

It reads and never writes, takes no lock, and keeps no game.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from judge import schemas
from judge.contest.journal.audit import there
from judge.contest.journal.orders import Orders
from judge.contest.ledger.fold import enter, identified, orders_in
from judge.contest.ledger.played import Played, played
from judge.contest.ledger.tally import Tally
from judge.errors import UsageError
from judge.wire import variables_of

if TYPE_CHECKING:
    from pathlib import Path

    from judge.documents.rules import Rules


@dataclass(frozen=True, slots=True)
class BotGame:
    """One game as one of its bots sees it. ``number`` is its place among the games of the journal,
    and ``opponents`` are the other bots by name.
    ``result`` is won, lost, tied or void; ``voided`` why an order takes it out of the count, if one
    does. ``forfeit`` and ``evidence`` (as in the game record) are the bot's own, and ``variables``
    those of its protocol. ``changed`` if its
    files were others in its game before this, and ``reset`` if its points were since then."""

    number: int
    id: str
    opponents: tuple[str, ...]
    version: int
    result: str
    termination: str
    detail: str
    forfeit: str | None
    evidence: Mapping[str, Any] | None
    variables: Mapping[str, str]
    voided: str | None
    before: float
    after: float
    digest: str | None
    changed: bool
    reset: bool


def history(path: Path, bot: str) -> Iterator[BotGame]:
    """Every game of a bot, in order. Raises `UsageError` if it has played none."""
    path, journal = there(path)
    tally = Tally(orders=Orders(orders_in(journal)))
    last: tuple[int, int] | None = None  # version and life in its last game
    for line in journal.lines():
        game, digests = identified(journal, line)
        if game is None or bot not in digests:
            enter(tally, journal, line)
            continue
        record = journal.parse(line)
        try:
            seen = played(record)
        except ValueError as error:
            raise journal.damaged(line, str(error)) from None
        before = tally.points_of(bot, seen.conditions)
        enter(tally, journal, line)
        if problem := schemas.problem("game-record", record["outcome"], "outcome"):
            raise journal.damaged(line, f"outcome: {problem}")
        now = tally.versions[bot][digests[bot]], tally.orders.lives[bot]
        yield _seen_by(
            bot,
            record,
            seen,
            number=tally.recorded,
            version=now[0],
            voided=tally.orders.why_out(tally.recorded, seen.names),
            before=before,
            after=tally.points_of(bot, seen.conditions),
            changed=last is not None and last[0] != now[0],
            reset=last is not None and last[1] != now[1],
        )
        last = now
    if last is None:
        raise UsageError(f"{path}: {bot} has played no game there")


def _seen_by(
    bot: str,
    record: Mapping[str, Any],
    game: Played,
    *,
    number: int,
    version: int,
    voided: str | None,
    before: float,
    after: float,
    changed: bool,
    reset: bool,
) -> BotGame:
    outcome, seat = record["outcome"], game.names.index(bot)
    if not game.rated:
        result = "void"
    elif game.winner is None:
        result = "tied"
    else:
        result = "won" if game.winner == seat else "lost"
    evidence = (one for one in outcome["evidence"] or () if one["seat"] == seat)
    return BotGame(
        number=number,
        id=game.id,
        opponents=tuple(sorted(name for name in game.names if name != bot)),
        version=version,
        result=result,
        termination=game.termination,
        detail=outcome["detail"],
        forfeit=game.forfeits.get(seat),
        evidence=next(evidence, None),
        variables=_variables(record["seats"][seat], game.conditions.rules),
        voided=voided,
        before=before,
        after=after,
        digest=game.digests[seat],
        changed=changed,
        reset=reset,
    )


def _variables(seat: Mapping[str, Any], rules: Rules) -> Mapping[str, str]:
    """The variables of the protocol of a seat."""
    wire = seat["wire"]
    return variables_of(wire if isinstance(wire, str) else None, rules, seat["seed"])

"""The journal entries void, reset, retire, disqualify and undo, as an organiser adds them.

Each function makes one entry for a ledger as it stands. It raises `UsageError`, with the reason,
where the entry would change nothing. What entries do to the count: `judge.contest.journal.orders`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from judge.contest.journal.orders import UNDO, VERSION, OrderKind
from judge.contest.ledger.tally import Tally
from judge.errors import UsageError

Entry = dict[str, Any]
TOLD = 5  # numbers that a sentence names one by one


def void(tally: Tally, games: Iterable[int], reason: str) -> Entry:
    """Take these games out of the count."""
    wanted = sorted(set(games))
    if not wanted:
        raise UsageError("there is no such game that counts")
    require_games(tally, wanted)
    if again := [number for number in wanted if number in tally.orders.voided]:
        is_void = "game {} is void" if len(again) == 1 else "games {} are void"
        raise UsageError(f"{is_void.format(numbers(again))} already")
    said = _said(reason, f"{games_of(wanted)} should be void")
    return _order(tally, OrderKind.VOID, games=wanted, reason=said)


def require_games(tally: Tally, wanted: Sequence[int]) -> None:
    """Raise `UsageError` unless there are games of all these numbers."""
    if missing := [number for number in wanted if not 1 <= number <= tally.recorded]:
        has = f"its last game is #{tally.recorded}" if tally.recorded else "it holds no game"
        raise UsageError(f"there is no game {numbers(missing)}: {has}")


def reset(tally: Tally, bot: str) -> Entry:
    """Start a bot's points anew."""
    life = tally.orders.lives[bot]
    if not any(
        (stint.name, stint.life) == (bot, life)
        for table in tally.tables.values()
        for stint in table.stints
    ):
        since = "since it was reset" if life else "yet"
        raise UsageError(f"{bot} has played no game that counts {since}")
    return _order(tally, OrderKind.RESET, bot=bot)


def retire(tally: Tally, bot: str) -> Entry:
    """Take a bot from the table."""
    if (order := tally.orders.retired.get(bot)) is not None:
        raise UsageError(f"{bot} is retired already, by order {order}")
    return _order(tally, OrderKind.RETIRE, bot=bot)


def disqualify(tally: Tally, bot: str, reason: str) -> Entry:
    """Take all games of a bot out of the count."""
    if (order := tally.orders.disqualified.get(bot)) is not None:
        raise UsageError(f"{bot} is disqualified already, by order {order}")
    said = _said(reason, f"{bot} should be disqualified")
    return _order(tally, OrderKind.DISQUALIFY, bot=bot, reason=said)


def undo(tally: Tally, number: int | None) -> Entry:
    """Take an order back, or the last one that is not taken back yet."""
    given = tally.orders.given
    if number is None:
        in_force = [at for at, order in enumerate(given, 1) if not order.undone]
        if not in_force:
            raise UsageError("there is no order to take back")
        number = in_force[-1]
    elif not 1 <= number <= len(given):
        has = f"its last order is {len(given)}" if given else "it holds no order"
        raise UsageError(f"there is no order {number}: {has}")
    elif given[number - 1].undone:
        raise UsageError(f"order {number} is taken back already")
    return _entry(UNDO, tally.orders.taken_back + 1, order=number)


def numbers(games: Sequence[int]) -> str:
    """The numbers of games as people say them."""
    named = ", ".join(f"#{number}" for number in games[:TOLD])
    return named if len(games) <= TOLD else f"{named} and {len(games) - TOLD:,} more"


def games_of(games: Sequence[int]) -> str:
    """Some games, by their numbers."""
    return f"game{'s' if len(games) > 1 else ''} {numbers(games)}"


def played_as(again: Mapping[int, int]) -> str:
    """Which games were played again, and as which."""
    pairs = [f"#{game} as #{other}" for game, other in again.items()]
    more = f" and {len(pairs) - TOLD:,} more" if len(pairs) > TOLD else ""
    return f"{', '.join(pairs[:TOLD])}{more}"


def way_to_undo(number: int, again: Mapping[int, int]) -> str:
    """What has to be done before that order can be taken back."""
    others = sorted(set(again.values()))
    if len(others) > TOLD:
        return f"take these out of the count first, and then undo order {number}"
    listed = " ".join(map(str, others))
    return f"first `judge ledger void {listed} --reason …`, then `judge ledger undo {number}`"


def _order(tally: Tally, kind: OrderKind, **fields: Any) -> Entry:
    return _entry(kind, len(tally.orders.given) + 1, **fields)


def _entry(kind: str, number: int, **fields: Any) -> Entry:
    return {"version": VERSION, "kind": str(kind), "number": number, **fields}


def _said(reason: str, what: str) -> str:
    if not reason.strip():
        raise UsageError(f"say why {what}")
    return reason

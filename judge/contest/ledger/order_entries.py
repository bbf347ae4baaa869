"""Makes the journal entries that an organiser adds: void, reset, retire, disqualify and undo.

Each of these five functions takes the tally of the ledger. It raises `UsageError` with the reason
if its entry would change nothing, names an unknown game or order, or lacks its reason.
`judge.contest.ledger.orders` has the orders' effect on the count.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from judge.contest.ledger.tally import Tally
from judge.documents.ledger import Disqualify, Reset, Retire, Undo, Void
from judge.errors import UsageError
from judge.likeness import did_you_mean

TOLD = 5  # the most numbers that a sentence names one by one


def void(tally: Tally, games: Iterable[int], reason: str) -> Void:
    """An order that takes these games out of the count."""
    wanted = sorted(set(games))
    if not wanted:
        raise UsageError("there is no such game that counts")
    if missing := [number for number in wanted if not 1 <= number <= tally.recorded]:
        has = f"its last game is #{tally.recorded}" if tally.recorded else "it holds no game"
        raise UsageError(f"there is no game {numbers(missing)}: {has}")
    if again := [number for number in wanted if number in tally.orders.voided]:
        raise UsageError(f"{games_of(again)} {'is' if len(again) == 1 else 'are'} void already")
    return Void(games=tuple(wanted), reason=_said(reason, f"{games_of(wanted)} should be void"))


def bot_of(tally: Tally, bot: str, ledger: object) -> str:
    """The name ``bot``, if such a bot has played in the ledger or takes part in its contest. Raises
    `UsageError` otherwise."""
    names = {*tally.versions, *(tally.contest.plan.bots if tally.contest else ())}
    if bot not in names:
        near = did_you_mean(bot, names)
        raise UsageError(f"{ledger}: no bot of the name {bot} has played there.{near}")
    return bot


def reset(tally: Tally, bot: str) -> Reset:
    """An order that starts a bot's points anew."""
    before = tally.resets.get(bot, 0)
    if max(tally.table.versions_of(bot), default=0) <= before:
        raise UsageError(f"{bot} has played no game that counts, or none since it was reset")
    return Reset(bot=bot)


def retire(tally: Tally, bot: str) -> Retire:
    """An order that removes a bot from the table."""
    if order := tally.orders.retired.get(bot):
        raise UsageError(f"{bot} is retired already, by order {order}")
    return Retire(bot=bot)


def disqualify(tally: Tally, bot: str, reason: str) -> Disqualify:
    """An order that takes all games of a bot out of the count, later games too."""
    if order := tally.orders.disqualified.get(bot):
        raise UsageError(f"{bot} is disqualified already, by order {order}")
    return Disqualify(bot=bot, reason=_said(reason, f"{bot} should be disqualified"))


def undo(tally: Tally, number: int | None) -> Undo:
    """An entry that takes an order back: the order of this number, or for None the last order in
    force."""
    in_force = [at for at, order in enumerate(tally.orders.given, 1) if not order.undone]
    if not in_force:
        raise UsageError("there is no order to take back")
    if number not in (None, *in_force):
        raise UsageError(f"order {number} is not in force; the last in force is {in_force[-1]}")
    return Undo(order=number or in_force[-1])


def numbers(games: Sequence[int]) -> str:
    """The first `TOLD` numbers of games as text, and how many more there are."""
    return listed([f"#{number}" for number in games])


def games_of(games: Sequence[int]) -> str:
    """The word "game" or "games" with the numbers."""
    return f"game{'s' if len(games) > 1 else ''} {numbers(games)}"


def listed(names: Sequence[str]) -> str:
    """The first `TOLD` of these names, and how many more there are."""
    more = f" and {len(names) - TOLD:,} more" if len(names) > TOLD else ""
    return f"{', '.join(names[:TOLD])}{more}"


def _said(reason: str, what: str) -> str:
    if not reason.strip():
        raise UsageError(f"say why {what}: --reason TEXT")
    return reason

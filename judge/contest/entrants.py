"""The bots that can take part in a contest, and the reasons why others cannot."""

from __future__ import annotations

from collections.abc import Sequence

from judge.contest.ledger.tally import Tally
from judge.documents.rules import Rules
from judge.errors import UsageError
from judge.game.variants import name_of
from judge.play.spoken import chosen, unsayable
from judge.process.bots.bot import Bot, LeftOut
from judge.wire import WIRES
from judge.wire.interface import Wire


def able(
    bots: Sequence[Bot], rules: Rules, seats: int | None
) -> tuple[tuple[Bot, ...], tuple[LeftOut, ...]]:
    """The bots that can play the rules in one of their protocols, and whose names can be told in
    the protocols of all the bots. The others come second, each with the reason."""
    wires: dict[str, type[Wire]] = {}
    unable: dict[str, str] = {}
    for bot in bots:
        try:
            wires[bot.name] = WIRES[chosen(bot.wires, rules, seats)]
        except UsageError as error:
            unable[bot.name] = f"it cannot play the rules {name_of(rules)!r}: {error}"
    for name, reason in unsayable(wires, wires).items():
        unable[name] = (
            f"it cannot be called that: {reason}; rename its file or folder, or give it another name "
            "in its bot.json"
        )
    able = tuple(bot for bot in bots if bot.name not in unable)
    return able, tuple(LeftOut(bot.name, unable[bot.name]) for bot in bots if bot.name in unable)


def taking_part_by(
    tally: Tally, bots: Sequence[Bot], ledger: object
) -> tuple[tuple[Bot, ...], tuple[LeftOut, ...]]:
    """The bots that may play in the contest of a ledger. The others come second, each with the
    reason: an order, or a contest that began without the bot."""
    orders, contest = tally.orders, tally.contest
    left_out = []
    for bot in bots:
        if order := orders.disqualified.get(bot.name):
            why = f": {orders.reason(order)}"
            left_out.append(LeftOut(bot.name, f"order {order} in {ledger} disqualifies it{why}"))
        elif order := orders.retired.get(bot.name):
            left_out.append(LeftOut(bot.name, f"order {order} in {ledger} retires it"))
        elif contest is not None and not contest.admits(bot.name):
            left_out.append(LeftOut(bot.name, f"the contest in {ledger} began without it"))
    out = {one.name for one in left_out}
    return tuple(bot for bot in bots if bot.name not in out), tuple(left_out)

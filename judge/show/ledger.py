"""A ledger in brief, as text: its conditions, the versions of its bots, and what was ordered.

Pure.
"""

from __future__ import annotations

from collections.abc import Iterator

from judge.contest.formats.plan import Plan
from judge.contest.journal.order_entries import numbers
from judge.contest.journal.orders import Order, OrderKind
from judge.contest.ledger.condition_set import in_words
from judge.contest.ledger.tally import Tally
from judge.contest.ledger.tally_table import Table
from judge.show.text import WIDTH, clean, many, wrap

_DIGITS = 12  # of a digest, enough to tell a bot's versions apart


def overview(name: str, tally: Tally, *, width: int = WIDTH) -> str:
    """All of it; an order is told with the number by which it is taken back."""
    games, bots = many(tally.recorded, "game"), many(len(tally.versions), "bot")
    lines = [f"{clean(name)}: {games} of {bots}."]
    for number, table in enumerate(tally.tables.values(), 1):
        said = f"{clean(in_words(table.conditions))}: {_counts(table)}."
        several = f"{number}: " if len(tally.tables) > 1 else ""
        lines += ["", *wrap(f"{several}Under {said}", "  ", width)]
    if tally.contest is not None:
        lines += ["", *wrap(f"The contest: {_held(tally.contest.plan)}.", "  ", width)]
    if tally.versions:
        lines += ["", "Versions, by the files of a bot:"]
        lines += [line for bot in tally.versions for line in _versions(tally, bot, width)]
    if tally.orders.given:
        lines += ["", "Orders:"]
        for number, order in enumerate(tally.orders.given, 1):
            lines += _first_indented(f"{number}. {_told(order)}", width)
    return "\n".join(line.rstrip() for line in lines)


def _held(plan: Plan) -> str:
    """How a contest is held, in words."""
    unit = "game" if plan.match == 1 else "match"
    told = [plan.format, f"{many(plan.units, unit)} when two bots meet"]
    if plan.match > 1:
        told.append(f"{many(plan.match, 'game')} a match")
    if plan.format == "swiss":
        told.append(many(plan.rounds, "round"))
    if plan.lives:
        told.append(f"{plan.lives} {'life' if plan.lives == 1 else 'lives'} each")
    if plan.bot is not None:
        told.append(f"of {clean(plan.bot)}")
    if plan.bots:
        told.append(many(len(plan.bots), "bot"))
    return ", ".join(told)


def _counts(table: Table) -> str:
    return in_parts(table.games, table.unfinished, table.void, table.voided, table.disqualified)


def in_parts(games: int, unfinished: int, void: int, voided: int, disqualified: int) -> str:
    """How many games count, and why others do not."""
    found = {
        "that count": games,
        "of matches that are not over": unfinished,
        "void": void,
        "taken out of the count": voided,
        "with a disqualified bot": disqualified,
    }
    return ", ".join(f"{many(count, 'game')} {what}" for what, count in found.items() if count)


def parts_of(tally: Tally) -> str:
    """What the games of a ledger are, after their number; nothing where all of them count."""
    if tally.games == tally.recorded:
        return ""
    tables = tally.tables.values()
    told = in_parts(
        tally.games,
        sum(table.unfinished for table in tables),
        sum(table.void for table in tables),
        sum(table.voided for table in tables),
        sum(table.disqualified for table in tables),
    )
    return f": {told}"


def _versions(tally: Tally, bot: str, width: int) -> Iterator[str]:
    notes = [
        what
        for what, named in (
            ("retired", tally.orders.retired),
            ("disqualified", tally.orders.disqualified),
        )
        if bot in named
    ]
    note = f" ({', '.join(notes)})" if notes else ""
    told = ", ".join(
        f"v{number} {_files(digest)}" for digest, number in tally.versions[bot].items()
    )
    yield from _first_indented(f"{clean(bot)}{note}: {told}", width)


def _files(digest: str | None) -> str:
    return "without files" if digest is None else clean(digest.removeprefix("sha256:"))[:_DIGITS]


def _told(order: Order) -> str:
    bot = clean(order.bot or "")
    match order.kind:
        case OrderKind.VOID:
            what = f"{numbers(order.games) or 'no game'} void"
        case OrderKind.RESET:
            what = f"{bot} reset to 10 points"
        case OrderKind.RETIRE:
            what = f"{bot} retired"
        case OrderKind.DISQUALIFY:
            what = f"{bot} disqualified"
    reason = f": {clean(order.reason)}" if order.reason else ""
    return f"{what}{reason}{' (taken back)' if order.undone else ''}"


def _first_indented(text: str, width: int) -> list[str]:
    first, *more = wrap(text, "    ", width)
    return [first[2:], *more]

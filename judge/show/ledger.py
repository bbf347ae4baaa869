"""A ledger in brief, as text: its conditions, its contest, the versions of its bots, and its orders.
Clauses on an organiser's orders. Pure."""

from __future__ import annotations

from collections.abc import Iterator

from judge.contest.formats.registry import format_of
from judge.contest.ledger.condition_set import limits_in_words
from judge.contest.ledger.order_entries import games_of, numbers
from judge.contest.ledger.tally import Tally
from judge.contest.ledger.tally_table import TallyTable
from judge.documents.ledger import Disqualify, GivenOrder, Order, Plan, Reset, Retire, Void
from judge.documents.rules import Turn
from judge.documents.standings import Conditions
from judge.game.variants import name_of
from judge.show.text import WIDTH, clean, many, wrap

_DIGITS = 12  # digits of a digest, enough to tell a bot's versions apart


def overview(name: str, tally: Tally, *, width: int = WIDTH) -> str:
    """The text of the overview. Each order has the number by which it can be undone."""
    games, bots = many(tally.recorded, "game"), many(len(tally.versions), "bot")
    lines = [f"{clean(name)}: {games} of {bots}."]
    if tally.table.conditions is not None:
        said = f"Under {clean(conditions(tally.table.conditions))}: {_counts(tally.table)}."
        lines += ["", *wrap(said, "  ", width)]
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


def conditions(shared: Conditions) -> str:
    """The conditions that all games of a ledger share, in words. Learning is left out if it is off;
    a single core is left out, unless both seats compute at once."""
    rules, limits = shared.rules, shared.limits
    unit = "" if rules.match == 1 else ", which count matches"
    told = limits_in_words(limits)
    if not limits.data_bytes:
        del told["data_bytes"]
    if limits.cores == 1 and rules.turn is not Turn.BOTH:
        del told["cores"]
    return f"the rules {name_of(rules)}{unit}; {', '.join(words for words, _ in told.values())}"


def _held(plan: Plan) -> str:
    """The plan of a contest, in words."""
    unit = "game" if plan.match == 1 else "match"
    told = [plan.format, f"{many(plan.units, unit)} when two bots meet"]
    if plan.match > 1:
        told.append(f"{many(plan.match, 'game')} a match")
    if format_of(plan).grows == "rounds":
        told.append(many(plan.rounds, "round"))
    if plan.lives:
        told.append(f"{plan.lives} {'life' if plan.lives == 1 else 'lives'} each")
    if plan.bot is not None:
        told.append(f"of {clean(plan.bot)}")
    if plan.bots:
        told.append(many(len(plan.bots), "bot"))
    return ", ".join(told)


def _counts(table: TallyTable) -> str:
    return in_parts(table.games, table.unfinished, table.void, table.voided, table.disqualified)


def in_parts(games: int, unfinished: int, void: int, voided: int, disqualified: int) -> str:
    """The number of games that count, and the numbers of games that do not, by reason."""
    found = {
        f"that count{'s' if games == 1 else ''}": games,
        "of matches that are not over": unfinished,
        "void": void,
        "taken out of the count": voided,
        "with a disqualified bot": disqualified,
    }
    return ", ".join(f"{many(count, 'game')} {what}" for what, count in found.items() if count)


def parts_of(tally: Tally) -> str:
    """A clause to put behind the number of a ledger's games: how many count and how many do not.
    Empty if all count."""
    if tally.table.games == tally.recorded:
        return ""
    return f": {_counts(tally.table)}"


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
        f"v{number} {_files(digest)}" for number, digest in enumerate(tally.versions[bot], 1)
    )
    yield from _first_indented(f"{clean(bot)}{note}: {told}", width)


def _files(digest: str | None) -> str:
    return "without files" if digest is None else clean(digest.removeprefix("sha256:"))[:_DIGITS]


def _told(given: GivenOrder) -> str:
    reason = ""
    match given.order:
        case Void(games=games, reason=reason):
            what = f"{numbers(games)} void"
        case Reset(bot=bot):
            what = f"{clean(bot)} reset to 10 points"
        case Retire(bot=bot):
            what = f"{clean(bot)} retired"
        case Disqualify(bot=bot, reason=reason):
            what = f"{clean(bot)} disqualified"
    why = f": {clean(reason)}" if reason else ""
    return f"{what}{why}{' (taken back)' if given.undone else ''}"


def _first_indented(text: str, width: int) -> list[str]:
    first, *more = wrap(text, "    ", width)
    return [first[2:], *more]


# Orders


def effect(order: Order) -> str:
    """The effect of an order, as a clause."""
    match order:
        case Void(games=(_,) as games):
            return f"{games_of(games)} does not count any more"
        case Void(games=games):
            return f"{many(len(games), 'game')} do not count any more: {numbers(games)}"
        case Reset(bot=bot):
            return f"{clean(bot)} has 10 points again"
        case Retire(bot=bot):
            return f"{clean(bot)} is retired: its games count, and it is in no table"
        case Disqualify(bot=bot):
            return f"{clean(bot)} is disqualified: no game of it counts"


def taken_back(number: int, order: Order) -> str:
    """The clause on an order that is taken back."""
    whose = games_of(order.games) if isinstance(order, Void) else clean(order.bot)
    return f"order {number}, {type(order).__name__.lower()} {whose}, is taken back"

"""The plan of a contest, made from the options, from the plan in the ledger, and from the rules."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from msgspec.structs import replace

from judge.contest.formats.format import Format
from judge.contest.formats.registry import FORMATS, USUAL, are_one_contest, format_of, too_long
from judge.contest.ledger.tally import Tally
from judge.contest.seeds import derive, hashed, parsed, spelled
from judge.documents.ledger import Contest, Plan
from judge.documents.rules import Rules
from judge.errors import UsageError
from judge.likeness import did_you_mean

MOST = {"rounds": 100_000, "games": 100_000, "lives": 1000}  # the largest number of each option
OPTIONS = (*MOST, "bot")  # the options that formats may have


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """The options of `judge rank` that decide a contest's plan; None for an option without a
    value."""

    format: str | None = None
    rounds: int | None = None
    games: int | None = None
    lives: int | None = None
    bot: str | None = None
    seats: int | None = None
    budget_ms: int | None = None
    seed: int | None = None
    drawn: int
    """The seed of a contest whose ledger has none: the one asked for, or a drawn one."""
    final: bool = False
    """Whether voided games are not played again."""
    typed: frozenset[str] = frozenset()
    """The options that were typed, and not taken from a variable or a file."""

    def number(self, option: str) -> int | None:
        found: int | None = getattr(self, option)
        return found


class Where(NamedTuple):
    """The names of a contest's ledger and of its bots' folder, for sentences."""

    ledger: str
    folder: str


def options_of(name: str, rules: Rules) -> dict[str, int | None]:
    """The options of a format that are numbers, with their defaults (None if not fixed). If the
    rules have matches, ``games`` is the number of games in a match, and ``rounds`` the number of
    matches of two bots."""
    options = FORMATS[name].options
    known = {option: spec.default for option, spec in options.items() if option != "bot"}
    if rules.match == 1:
        return known
    return {**known, "rounds": known.get("rounds", 1), "games": rules.match}


def format_asked(asked: Asked, tally: Tally, where: str) -> str:
    """The name of the format: the one asked for, else the ledger's, else the gauntlet if a ``bot``
    is asked for, else the usual one. Raises `UsageError` if the ledger may not hold its games."""
    plan = _held(tally)
    held = plan.format if plan else None
    if asked.format is None:
        of_one = (name for name, row in FORMATS.items() if "bot" in row.options)
        return held or (USUAL if asked.bot is None else next(of_one))
    if held is not None and not are_one_contest(held, asked.format):
        raise UsageError(
            f"{where} holds a contest of the format {held}, and this would be one of the format "
            f"{asked.format}; without --format {asked.format} that contest goes on, and --ledger "
            "OTHER.json begins another"
        )
    return asked.format


def _held(tally: Tally) -> Plan | None:
    """The plan of the ledger's contest, the usual plan if none is stored; None without a
    contest."""
    if tally.contest is not None:
        return tally.contest.plan
    return Plan(format=USUAL) if tally.seed is not None and tally.recorded else None


def seats_of(asked: Asked, tally: Tally | None) -> int:
    """The number of seats of a game: as asked for, or as in the ledger's contest, or two."""
    held = None if tally is None else _held(tally)
    return asked.seats or (held.seats if held else 2)


def _seats(asked: Asked, tally: Tally, name: str, bots: int, *, rules: Rules, where: str) -> int:
    """The number of seats of a game. Raises `UsageError` if it does not fit the ledger's contest,
    the format, the rules, a time budget or the number of bots."""
    seats, held = seats_of(asked, tally), _held(tally)
    if held and held.seats != seats:
        raise _another(where, "seats", held.seats, seats)
    if seats == 2:
        return seats
    if name != USUAL:
        raise UsageError(
            f"games of {seats} are for contests in rounds, and this is one of the format {name}"
        )
    if asked.budget_ms is not None:
        raise UsageError(f"--for chooses pairs of bots, and with --seats {seats} more play a game")
    if rules.match > 1:
        raise UsageError(
            f"--seats {seats} is for games, and by these rules the unit is a match of several"
        )
    if bots < seats:
        raise UsageError(f"--seats {seats} needs as many bots, and {bots} take part")
    return seats


def planned(
    asked: Asked, tally: Tally, names: Sequence[str], rules: Rules, where: Where
) -> tuple[Plan, int]:
    """The plan of a contest of the bots of these ``names``, and its seed. Raises `UsageError` if
    the options do not fit the format, the rules, the bots, or the plan and the seed in the ledger,
    and if a bot of a fixed field is missing."""
    name = format_asked(asked, tally, where.ledger)
    seed = asked.drawn if tally.seed is None else parsed(tally.seed)
    kept = None if tally.contest is None else tally.contest.plan
    before = kept if kept is not None and kept.format == name else None
    if asked.budget_ms is not None and name != USUAL:
        raise UsageError(f"--for is for contests in rounds, and this is one of the format {name}")
    seats = _seats(asked, tally, name, len(names), rules=rules, where=where.ledger)
    known = options_of(name, rules)
    row = FORMATS[name]
    _refuse_what_is_not_for(row, known, asked)
    numbers = {option: asked.number(option) or default for option, default in known.items()}
    if before is not None:
        held = row.numbers(before, rules.match)
        numbers = {option: asked.number(option) or held[option] for option in known}
        _refuse_changes(before, numbers, held, where.ledger)
    bots = tuple(sorted(names))
    draw = derive(seed, "format")
    if row.is_closed:
        bots = before.bots if before is not None else _seeded(tally, bots, draw)
    units, rounds = row.sized(numbers, rules.match, len(bots))
    plan = Plan(
        format=name,
        bots=bots,
        draw=str(draw) if before is None else before.draw,
        units=units,
        rounds=rounds,
        match=(numbers["games"] or 1) if rules.match > 1 else 1,
        lives=numbers.get("lives") or 0,
        bot=_bot(asked, before, names, name) if "bot" in row.options else None,
        seats=seats,
    )
    if why := too_long(plan):
        raise UsageError(why)
    there = {*names, *tally.orders.out_of_table}
    if row.is_closed and (gone := [name for name in bots if name not in there]):
        raise UsageError(
            f"{gone[0]} takes part in this contest and does not lie in {where.folder}, or cannot play; "
            f"bring it back, or have it lose what it has not played: `judge ledger retire {gone[0]}`"
        )
    if asked.seed not in (None, seed):
        raise UsageError(
            f"the contest in {where.ledger} has another seed; without --seed that contest goes "
            "on, and --ledger OTHER.json begins another"
        )
    if asked.final and row.is_closed:
        raise UsageError(f"--final: the format {name} needs the result of every game")
    return plan, seed


def entry_for(plan: Plan, tally: Tally, contest_key: str, seed: int) -> Contest | None:
    """The entry that stores a contest's plan in the ledger. None if the ledger has the plan
    already, or if it has none and the contest is a usual one: single games of two, in rounds."""
    kept = tally.contest
    stored = plan if format_of(plan).is_closed else replace(plan, bots=())
    is_usual = (plan.format, plan.match, plan.seats) == (USUAL, 1, 2)
    if kept is None and is_usual:
        return None
    if kept is not None and (kept.plan, kept.contest_key) == (stored, contest_key):
        return None
    return Contest(seed=spelled(seed), contest_key=contest_key, plan=stored)


def _refuse_what_is_not_for(row: Format, known: Mapping[str, int | None], asked: Asked) -> None:
    """Raise `UsageError` for a number that is too large for a format, and for a typed option of
    another format. An option of another format is not refused if it comes from a variable or a
    file, since it is meant for all formats."""
    takes = list(dict.fromkeys((*known, *row.options)))
    for option in OPTIONS:
        if option not in takes and option in asked.typed:
            raise UsageError(
                f"--{option} is not for the format {row.name}, which takes "
                f"{' and '.join(f'--{one}' for one in takes)}"
            )
    for option, spec in row.options.items():
        if spec.most and (asked.number(option) or 0) > spec.most:
            raise UsageError(
                f"--{option}: a contest of the format {row.name} has at most {spec.most:,}"
            )


def _refuse_changes(
    before: Plan, numbers: Mapping[str, int | None], held: Mapping[str, int], where: str
) -> None:
    """Raise `UsageError` if a number that the played games rest on is not the one in the ledger.
    The option that the format's `grows` names may get a larger number."""
    for option, number in numbers.items():
        was = held[option]
        row = format_of(before)
        may_grow = option == row.grows and (number or 0) > was
        is_fixed = row.is_closed or (option == "games" and before.match > 1)
        if is_fixed and number != was and not may_grow:
            raise _another(where, option, was, number)


def _another(where: str, option: str, held: int | None, asked: int | None) -> UsageError:
    """The error that the ledger holds a contest with another number for an option."""
    return UsageError(
        f"{where} holds a contest with --{option} {held}, and this would be one with --{option} "
        f"{asked}; without it that contest goes on, and --ledger OTHER.json begins another"
    )


def _bot(asked: Asked, before: Plan | None, names: Sequence[str], name: str) -> str:
    bot = asked.bot or (before.bot if before is not None else None)
    if bot is None:
        raise UsageError(f"--format {name} plays the games of one bot: name it by --bot")
    require_bot(bot, names)
    return bot


def require_bot(bot: str, names: Sequence[str]) -> None:
    """Raise `UsageError` if the bot of a gauntlet is not among these names."""
    if bot not in names:
        raise UsageError(
            f"--bot {bot}: there is no bot of that name in this contest.{did_you_mean(bot, names)}"
        )


def _seeded(tally: Tally, bots: Sequence[str], draw: int) -> tuple[str, ...]:
    """The bots by their points in the ledger, the most first; bots of equal points in a drawn
    order."""
    points = {name: tally.table.points_of(name) for name in bots}
    return tuple(sorted(bots, key=lambda name: (-points[name], hashed(draw, "seeded", name), name)))

"""How a contest is to be held: by what is asked for, by what its ledger holds, and by the rules."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

import click
from click.core import ParameterSource

from judge.cli.did_you_mean import did_you_mean
from judge.contest.formats.table import FORMATS, swiss_rounds, too_long
from judge.contest.ledger.contest_entry import ALIKE
from judge.contest.ledger.tally import Tally
from judge.contest.seeds import derive, hashed
from judge.documents.ledger import Plan
from judge.documents.rules import Rules
from judge.errors import UsageError

MOST_SWISS_ROUNDS = 1000


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """The options of `judge rank` that say how a contest is held; None for what is left open."""

    format: str | None
    rounds: int | None
    games: int | None
    lives: int | None
    bot: str | None
    table: int | None = None
    budget_ms: int | None = None

    def number(self, option: str) -> int | None:
        found: int | None = getattr(self, option)
        return found


def options_of(name: str, rules: Rules) -> dict[str, int | None]:
    """The options of a format that are numbers, with their defaults: where the unit is a match,
    the games of it and the matches of a pair."""
    known = FORMATS[name].options
    if rules.match == 1:
        return known
    return {**known, "rounds": known.get("rounds", 1), "games": rules.match}


def format_of(asked: Asked, tally: Tally, where: str) -> str:
    """The format that is meant. Raises `UsageError` if the ledger holds a contest by another."""
    held = None
    if tally.contest is not None:
        held = tally.contest.plan.format
    elif tally.seed is not None and tally.recorded:
        held = "rounds"
    if asked.format is None:
        return held or ("gauntlet" if asked.bot is not None else "rounds")
    if held is not None and asked.format != held and not {held, asked.format} <= ALIKE:
        raise UsageError(
            f"{where} holds a contest of the format {held}, and this would be one of the format "
            f"{asked.format}; without --format {asked.format} that contest goes on, and --ledger "
            "OTHER.json begins another"
        )
    return asked.format


def seats_of(asked: Asked, tally: Tally | None) -> int:
    """How many play a game: as asked for, or else as in the contest that the ledger holds."""
    held = None if tally is None else _held_table(tally)
    return asked.table or held or 2


def _held_table(tally: Tally) -> int | None:
    """How many play a game of the contest in a ledger; None if it holds none."""
    if tally.contest is not None:
        return tally.contest.plan.table
    return 2 if tally.seed is not None and tally.recorded else None


def _table(asked: Asked, tally: Tally, name: str, bots: int, rules: Rules, where: str) -> int:
    """How many play a game; raises `UsageError` if so many cannot, or not in such a contest."""
    table, held = seats_of(asked, tally), _held_table(tally)
    if held not in (None, table):
        raise UsageError(
            f"{where} holds a contest with --table {held}, and this would be one with --table "
            f"{table}; without it that contest goes on, and --ledger OTHER.json begins another"
        )
    if table == 2:
        return table
    if name != "rounds":
        raise UsageError(
            f"games of {table} are for contests in rounds, and this is one of the format {name}"
        )
    if asked.budget_ms is not None:
        raise UsageError(f"--for chooses pairs of bots, and with --table {table} more play a game")
    if rules.match > 1:
        raise UsageError(
            f"--table {table} is for games, and by these rules the unit is a match of several"
        )
    if bots < table:
        raise UsageError(f"--table {table} needs as many bots, and {bots} take part")
    return table


def planned(
    asked: Asked,
    tally: Tally,
    names: Sequence[str],
    rules: Rules,
    seed: int,
    where: str,
) -> Plan:
    """The plan of the contest of these bots, in the ledger ``where`` it is kept. Raises
    `UsageError` if what is asked for does not go with the format, or with what the ledger holds."""
    name = format_of(asked, tally, where)
    kept = None if tally.contest is None else tally.contest.plan
    before = kept if kept is not None and kept.format == name else None
    if asked.budget_ms is not None and name != "rounds":
        raise UsageError(f"--for is for contests in rounds, and this is one of the format {name}")
    table = _table(asked, tally, name, len(names), rules, where)
    known = options_of(name, rules)
    _refuse_others(name, known)
    if name == "swiss" and (asked.rounds or 0) > MOST_SWISS_ROUNDS:
        raise UsageError(f"--rounds: a Swiss contest has at most {MOST_SWISS_ROUNDS:,} rounds")
    numbers = {option: asked.number(option) or default for option, default in known.items()}
    if before is not None:
        held = _numbers(before, rules)
        numbers = {option: asked.number(option) or held[option] for option in known}
        _refuse_changes(before, numbers, held, where)
    bots = tuple(sorted(names))
    draw = derive(seed, "format")
    if FORMATS[name].is_closed:
        bots = before.bots if before is not None else _seeded(tally, bots, draw)
    is_match, rounds = rules.match > 1, numbers.get("rounds")
    if name == "swiss":
        units, rounds = (1 if is_match else numbers["games"]), rounds or swiss_rounds(len(bots))
    elif is_match:
        units, rounds = rounds, 1
    else:
        units, rounds = (2 * rounds if rounds else numbers["games"]), 1
    plan = Plan(
        format=name,
        bots=bots,
        draw=str(draw) if before is None else before.draw,
        units=units or 1,
        rounds=rounds,
        match=(numbers["games"] or 1) if is_match else 1,
        lives=numbers.get("lives") or 0,
        bot=_bot(asked, before, names) if name == "gauntlet" else None,
        table=table,
    )
    if why := too_long(plan):
        raise UsageError(why)
    return plan


def require_all(plan: Plan, there: Collection[str], tally: Tally, folder: object) -> None:
    """Raise `UsageError` if a bot of a contest whose field is fixed is not there any more."""
    gone = [name for name in plan.bots if name not in {*there, *tally.orders.out_of_table}]
    if FORMATS[plan.format].is_closed and gone:
        raise UsageError(
            f"{gone[0]} takes part in this contest and does not lie in {folder}, or cannot play; "
            f"bring it back, or have it lose what it has not played: `judge ledger retire {gone[0]}`"
        )


def _refuse_others(name: str, known: Mapping[str, int | None]) -> None:
    """Refuse options of other formats that were typed. Variables and files speak to all."""
    source = click.get_current_context().get_parameter_source
    for option in ("rounds", "games", "lives", "bot"):
        if option in known or (option == "bot" and name == "gauntlet"):
            continue
        if source(option) is ParameterSource.COMMANDLINE:
            takes = [f"--{one}" for one in known] + (["--bot"] if name == "gauntlet" else [])
            raise UsageError(
                f"--{option} is not for the format {name}, which takes {' and '.join(takes)}"
            )


def _numbers(plan: Plan, rules: Rules) -> dict[str, int]:
    """The options that would give this plan."""
    is_match = rules.match > 1
    if plan.format == "swiss":
        rounds = plan.rounds
    elif is_match:
        rounds = plan.units
    else:
        rounds = (plan.units + 1) // 2
    return {
        "rounds": rounds,
        "games": plan.match if is_match else plan.units,
        "lives": plan.lives,
    }


def _refuse_changes(
    before: Plan, numbers: Mapping[str, int | None], held: Mapping[str, int], where: str
) -> None:
    """What has been played rests on these numbers; only more rounds of a Swiss contest do not
    change it."""
    for option, number in numbers.items():
        was = held[option]
        may_grow = before.format == "swiss" and option == "rounds" and (number or 0) > was
        is_fixed = FORMATS[before.format].is_closed or (option == "games" and before.match > 1)
        if is_fixed and number != was and not may_grow:
            raise UsageError(
                f"{where} holds a contest with --{option} {was}, and this would be one with --{option} "
                f"{number}; without it that contest goes on, and --ledger OTHER.json begins another"
            )


def _bot(asked: Asked, before: Plan | None, names: Sequence[str]) -> str:
    bot = asked.bot or (before.bot if before is not None else None)
    if bot is None:
        raise UsageError("--format gauntlet plays the games of one bot: name it by --bot")
    require_bot(bot, names)
    return bot


def require_bot(bot: str, names: Sequence[str]) -> None:
    """Raise `UsageError` if the bot of a gauntlet is not among these."""
    if bot not in names:
        raise UsageError(
            f"--bot {bot}: there is no bot of that name in this contest.{did_you_mean(bot, names)}"
        )


def _seeded(tally: Tally, bots: Sequence[str], draw: int) -> tuple[str, ...]:
    """The bots by their points in the ledger, if they have played there, and otherwise drawn."""
    points = {name: tally.points_of(name) for name in bots}
    return tuple(sorted(bots, key=lambda name: (-points[name], hashed(draw, "seeded", name), name)))

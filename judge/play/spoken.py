"""The wire that a bot speaks by some rules, and the names that its wire can tell."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import NamedTuple

from msgspec import structs

from judge.documents.rules import Rules
from judge.errors import UsageError
from judge.game.variants import VARIANT_OF, name_of, undrawn
from judge.process.bots.bot import Bot
from judge.wire import WIRES
from judge.wire.interface import Transport, Wire


def expressing(rules: Rules, seats: int | None = None) -> dict[str, str | None]:
    """Every wire that there is, and why it cannot express a game by these rules, None if it can;
    ``seats`` is how many play, the least of the rules unless given."""
    seats = seats or rules.players[0]
    return {name: wire.unsupported(rules, seats) for name, wire in WIRES.items()}


def plays_games_in_a_row(wire: type[Wire], rules: Rules) -> bool:
    """Whether a program of this wire stays alive, and can be told of a new game by these rules."""
    of_a_match = structs.replace(rules, match=2)
    is_kept = wire.transport is not Transport.ONE_SHOT
    return is_kept and wire.unsupported(of_a_match, rules.players[0]) is None


def chosen(bot_wires: Sequence[str], rules: Rules, seats: int | None = None) -> str:
    """The first of a bot's wires that can express the rules, for the number of ``seats`` as
    `expressing` has it; the usual wire of the rules for a bot that names none. Raises `UsageError`
    with the reasons if none can."""
    table = expressing(rules, seats)
    reasons = []
    for name in bot_wires or (rules.wire,):
        if name not in table:
            import difflib  # only where it is needed

            near = difflib.get_close_matches(name, list(table), n=1)
            meant = f"; did you mean {near[0]}? There are: " if near else "; there are: "
            reasons.append(f"there is no wire {name!r}{meant}{', '.join(table)}")
        elif reason := table[name]:
            reasons.append(f"in the {name} protocol, which it speaks, {reason}")
        else:
            return name
    raise UsageError("; ".join(reasons))


def spoken(
    bot: Bot, rules: Rules, dialect: str | None = None, seats: int | None = None
) -> tuple[type[Wire], str]:
    """The wire and the dialect that a bot speaks by these rules; ``dialect`` is that of all bots
    which have none of their own, ``seats`` how many play, as `expressing` has it.

    Raises `UsageError` if it speaks none that is known, or none that can express the rules.
    """
    try:
        wire = WIRES[chosen(bot.wires, rules, seats)]
    except UsageError as error:
        able = [name for name, reason in expressing(rules, seats).items() if reason is None]
        instead = "no protocol can express them"
        if able:
            called = name_of(rules)
            is_variant = undrawn(rules) in VARIANT_OF
            listing = f"--rules {called}" if is_variant else "with the same --rules"
            instead = f"judge bots {listing} lists bots that can, over {', '.join(able)}"
        raise UsageError(
            f"{bot.name} cannot play the rules {name_of(rules)!r}: {error}; {instead}"
        ) from None
    said = bot.dialect or dialect or wire.dialects[0]
    if said not in wire.dialects:
        known = ", ".join(wire.dialects)
        raise UsageError(
            f"{bot.name} cannot speak the dialect {said!r}: those of {wire.name} are {known}"
        )
    return wire, said


class Called(NamedTuple):
    """A name in a game: whose it is, in words, and how that player gets another."""

    name: str
    who: str
    mend: str


def require_playable(
    rules: Rules, bots: Iterable[Bot], named: Iterable[Called] = (), seats: int | None = None
) -> None:
    """Raise `UsageError`, before the first move, if a bot's wires cannot express these rules, for
    the number of ``seats`` as `expressing` has it, or a name of its game."""
    speakers = {bot.name: spoken(bot, rules, seats=seats)[0] for bot in bots}
    by_name = {one.name: one for one in named}
    for name, reason in unsayable(by_name, speakers).items():
        one = by_name[name]
        raise UsageError(f"{one.who} cannot be called {name!r}: {reason}; {one.mend}")


def unsayable(names: Collection[str], speakers: Mapping[str, type[Wire]]) -> dict[str, str]:
    """The names that one of these wires cannot tell, each with the reason; ``speakers`` are the
    bots' names with what they speak. A bot that cannot say its own name does not play, so no other
    name has to fit its wire."""
    told = {name: _told_as(name, names) for name in names}
    reasons: dict[str, str] = {}
    first: dict[type[Wire], str] = {}  # the first of the bots that speak a wire
    for speaker, wire in speakers.items():
        if speaker in told and (reason := wire.unsayable(told[speaker])):
            reasons[speaker] = f"it speaks {wire.name}, where {reason}"
        else:
            first.setdefault(wire, speaker)
    for name in told.keys() - reasons.keys():
        for wire, speaker in first.items():
            if reason := wire.unsayable(told[name]):
                reasons[name] = f"{speaker} speaks {wire.name}, where {reason}"
                break
    return {name: reasons[name] for name in names if name in reasons}


def _told_as(name: str, names: Collection[str]) -> str:
    """The name as players are told it: without the number that the judge gives to a namesake."""
    first, _, number = name.rpartition("#")
    return first if number.isdecimal() and first in names else name

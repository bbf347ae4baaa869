"""Chooses the wire (protocol) in which a bot is asked, and finds names that a wire cannot tell."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import NamedTuple

from msgspec import structs

from judge.documents.rules import Rules
from judge.errors import UsageError
from judge.game.variants import VARIANT_OF, VARIANTS, name_of, undrawn
from judge.likeness import nearest
from judge.process.bots.bot import Bot
from judge.wire import WIRES
from judge.wire.interface import Transport, Wire


def expressing(rules: Rules, seats: int | None = None) -> dict[str, str | None]:
    """The name of every wire, with the reason why the wire cannot express a game by these rules, or
    None if it can. ``seats`` is the number of players, by default the least that the rules
    allow."""
    seats = seats or rules.players[0]
    return {name: wire.unsupported(rules, seats) for name, wire in WIRES.items()}


def plays_games_in_a_row(wire: type[Wire], rules: Rules) -> bool:
    """Whether a program of this wire stays alive and can play a match of several games by these
    rules."""
    of_a_match = structs.replace(rules, match=2)
    is_kept = wire.transport is not Transport.ONE_SHOT
    return is_kept and wire.unsupported(of_a_match, rules.players[0]) is None


def chosen(bot_wires: Sequence[str], rules: Rules, seats: int | None = None) -> str:
    """The name of the first of a bot's wires that can express the rules; for a bot without wires,
    only the usual wire of the rules is tried. ``seats`` is as in `expressing`. Raises `UsageError`,
    with the reasons, if none of these wires can express the rules."""
    table = expressing(rules, seats)
    reasons = []
    for name in bot_wires or (rules.wire,):
        if name not in table:
            near = nearest(name, table)
            meant = f"; did you mean {near}? There are: " if near else "; there are: "
            reasons.append(f"there is no wire {name!r}{meant}{', '.join(table)}")
        elif reason := table[name]:
            reasons.append(f"over the wire {name}, which it speaks, {reason}")
        else:
            return name
    raise UsageError("; ".join(reasons))


def spoken(
    bot: Bot, rules: Rules, dialect: str | None = None, seats: int | None = None
) -> tuple[type[Wire], str]:
    """The wire and the dialect that a bot speaks by these rules. ``dialect`` is for bots without a
    dialect of their own. ``seats`` is as in `expressing`.

    Raises `UsageError` if no wire of the bot can express the rules, or if the chosen wire does not
    have the dialect.
    """
    try:
        wire = WIRES[chosen(bot.wires, rules, seats)]
    except UsageError as error:
        able = [name for name, reason in expressing(rules, seats).items() if reason is None]
        instead = "no wire can express them"
        if able and undrawn(rules) in VARIANT_OF:
            instead = (
                f"judge bots --rules {name_of(rules)} lists bots that can, over {', '.join(able)}"
            )
        elif able:
            made = ": judge new open-python FOLDER makes one" if "open" in able else ""
            instead = f"bots that speak {' or '.join(able)} can play these{made}"
        own = [
            name
            for name, variant in VARIANTS.items()
            if (seats or variant.players[0]) <= variant.players[1]
            and any(expressing(variant, seats).get(wire, "") is None for wire in bot.wires)
        ]
        other = f"it can play --rules {' or '.join(own)}; " if own else ""
        raise UsageError(
            f"{bot.name} cannot play the rules {name_of(rules)!r}: {error}; {other}{instead}"
        ) from None
    said = bot.dialect or dialect or wire.dialects[0]
    if said not in wire.dialects:
        known = ", ".join(wire.dialects)
        raise UsageError(
            f"{bot.name} cannot speak the dialect {said!r}: those of {wire.name} are {known}"
        )
    return wire, said


class Called(NamedTuple):
    """A name in a game. ``who`` says in words whose name it is, and ``mend`` how that player gets
    another."""

    name: str
    who: str
    mend: str


def require_playable(
    rules: Rules, bots: Iterable[Bot], named: Iterable[Called] = (), seats: int | None = None
) -> None:
    """Raise `UsageError` if no wire of a bot can express these rules, or if the wire of a bot
    cannot tell one of the ``named``. ``seats`` is as in `expressing`."""
    speakers = {bot.name: spoken(bot, rules, seats=seats)[0] for bot in bots}
    by_name = {one.name: one for one in named}
    for name, reason in unsayable(by_name, speakers).items():
        one = by_name[name]
        raise UsageError(f"{one.who} cannot be called {name!r}: {reason}; {one.mend}")


def unsayable(names: Collection[str], speakers: Mapping[str, type[Wire]]) -> dict[str, str]:
    """The names that a wire of these bots cannot tell, each with the reason. ``speakers`` has the
    wire of each bot by its name. A bot whose own name does not fit its wire cannot play, so its
    wire does not count for other names."""
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
    """The name that players are told. It lacks the number, such as ``#2``, by which the judge tells
    two bots of one name apart."""
    first, _, number = name.rpartition("#")
    return first if number.isdecimal() and first in names else name

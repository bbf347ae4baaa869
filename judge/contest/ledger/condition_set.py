"""The conditions that all games of a ledger share, so that their results can be compared.

The conditions are the rules and the limits. A seat's wire, launch and isolation may differ from
game to game.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from judge.contest.amounts import duration, size
from judge.documents.codec import builtins
from judge.documents.game import GameRecord
from judge.documents.rules import Turn
from judge.documents.standings import Conditions
from judge.game.variants import VARIANT_OF, name_of, undrawn

if TYPE_CHECKING:
    from judge.play.conditions import Conditions as PlayedUnder


class ConditionSet(Conditions, frozen=True):
    """The rules and the limits of games. If the ship lengths of a game are drawn, these are the
    rules before the draw."""

    @classmethod
    def of(cls, played: GameRecord | PlayedUnder) -> ConditionSet:
        """The conditions under which a game was played, or is to be played."""
        return cls(undrawn(played.rules), played.limits)


def in_words(conditions: Conditions) -> str:
    """The conditions in words. Learning is left out if it is off; a single core is left out, unless
    both seats compute at once."""
    rules, limits = conditions.rules, conditions.limits
    named = name_of(rules)
    unit = "" if rules.match == 1 else ", which count matches"
    given = builtins(limits)
    if not limits.data_bytes:
        del given["data_bytes"]
    if (
        limits.cores == 1 and rules.turn is not Turn.BOTH
    ):  # one core is not named, unless both seats compute at once
        del given["cores"]
    told = ", ".join(tell(given[field]) for field, tell in _LIMITS.items() if field in given)
    return f"the rules {named}{unit}; {told}"


def refusal(held: ConditionSet, wanted: ConditionSet) -> str:
    """The reason why a ledger with the conditions ``held`` cannot take games under the conditions
    ``wanted``, and what to do about it. The text is the end of a sentence that begins with the
    ledger's path."""
    has, would_have = map(_listed, zip(*_differences(held, wanted), strict=True))
    way = " ".join(_flags(held, wanted))
    equal = f"`{way}` makes them equal" if way else "the file of those rules makes them equal"
    return (
        f"holds games with {has}, and these would have {would_have}; "
        f"{equal}, and `--ledger OTHER.json` keeps them in another ledger"
    )


def _differences(one: ConditionSet, other: ConditionSet) -> Iterator[tuple[str, str]]:
    """Each difference of two condition sets, in words: the value of ``one`` and the value of
    ``other``. Rules with the same name are described by the fields that differ."""
    called = name_of(one.rules), name_of(other.rules)
    if called[0] != called[1]:
        yield f"the rules {called[0]}", f"the rules {called[1]}"
    elif one.rules != other.rules:
        mine, theirs = builtins(one.rules), builtins(other.rules)
        fields = [field for field in mine if mine[field] != theirs[field]]
        yield _told(mine, fields), _told(theirs, fields)
    mine, theirs = builtins(one.limits), builtins(other.limits)
    for field, told in _LIMITS.items():
        if mine[field] != theirs[field]:
            yield told(mine[field]), told(theirs[field])


def _listed(values: Sequence[str]) -> str:
    *most, last = values
    return f"{', '.join(most)} and {last}" if most else last


def _told(rules: Mapping[str, Any], fields: Iterable[str]) -> str:
    values = (f"{field} {json.dumps(rules[field])}" for field in fields)
    return f"the rules {rules['name']} of {', '.join(values)}"


def _flags(held: ConditionSet, wanted: ConditionSet) -> list[str]:
    """The command-line options that give ``held`` in place of ``wanted``; empty if none does."""
    flags: list[str] = []
    timeout_ms = wanted.limits.timeout_ms
    if held.rules != wanted.rules:
        if held.rules not in VARIANT_OF:
            return []
        flags.append(f"--rules {VARIANT_OF[held.rules]}")
        if timeout_ms == wanted.rules.timeout_ms:  # --timeout was not typed: it follows the rules
            timeout_ms = held.rules.timeout_ms
    has, would_have = builtins(held.limits), builtins(wanted.limits) | {"timeout_ms": timeout_ms}
    typed = (_OPTIONS[field](has[field]) for field in _OPTIONS if has[field] != would_have[field])
    return [*flags, *typed]


def _amount(count: int) -> str:
    told = size(count)
    return f"{told} bytes" if told.isdecimal() else told


_LIMITS: dict[str, Callable[[int], str]] = {
    "timeout_ms": lambda ms: f"{duration(ms)} for a reply",
    "memory_bytes": lambda count: f"{_amount(count)} of memory",
    "output_bytes": lambda count: f"{_amount(count)} of output",
    "data_bytes": lambda count: f"learning {'on' if count else 'off'}",
    "cores": lambda count: f"{count} {'core' if count == 1 else 'cores'} a game",
}
_OPTIONS: dict[str, Callable[[int], str]] = {
    "timeout_ms": lambda ms: f"--timeout {duration(ms)}",
    "memory_bytes": lambda count: f"--memory {size(count)}",
    "output_bytes": lambda count: f"--output-limit {size(count)}",
    "data_bytes": lambda count: f"--learning {'on' if count else 'off'}",
    "cores": lambda count: f"--cores {count}",
}

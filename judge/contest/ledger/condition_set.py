"""The conditions that all games of a ledger share, so that their results can be compared.

The conditions are the rules and the limits. A seat's wire, launch and isolation may differ from
game to game.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING

from judge.contest.amounts import duration, size
from judge.documents.codec import builtins
from judge.documents.game import GameRecord, Limits
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


def refusal(held: ConditionSet, wanted: ConditionSet) -> str:
    """The reason why a ledger with the conditions ``held`` cannot take games under the conditions
    ``wanted``, and what to do about it. The text is the end of a sentence that begins with the
    ledger's path."""
    has, would_have = _differences(held, wanted), _differences(wanted, held)
    options = [option for _, option in has]
    way = "the file of those rules" if "" in options else f"`{' '.join(options)}`"
    return (
        f"holds games with {_listed(has)}, and these would have {_listed(would_have)}; "
        f"{way} makes them equal, and `--ledger OTHER.json` keeps them in another ledger"
    )


def _differences(one: ConditionSet, other: ConditionSet) -> list[tuple[str, str]]:
    """Each condition of ``one`` that ``other`` does not have, in words, and the command-line option
    that gives it. Rules without a name of their own have "" for it. Rules that are named as those
    of ``other`` are described by the fields that differ."""
    found = list[tuple[str, str]]()
    if one.rules != other.rules:
        words, typed = f"the rules {name_of(one.rules)}", VARIANT_OF.get(one.rules)
        if name_of(one.rules) == name_of(other.rules):
            mine, theirs = builtins(one.rules), builtins(other.rules)
            fields = (field for field in mine if mine[field] != theirs[field])
            words += f" of {', '.join(f'{field} {json.dumps(mine[field])}' for field in fields)}"
        found.append((words, f"--rules {typed}" if typed else ""))
    for field, limit in limits_in_words(one.limits).items():
        is_equal = getattr(one.limits, field) == getattr(other.limits, field)
        if field == "timeout_ms":  # it follows the rules, unless it is typed
            is_equal &= one.rules.timeout_ms == other.rules.timeout_ms
        if not is_equal:
            found.append(limit)
    return found


def limits_in_words(limits: Limits) -> dict[str, tuple[str, str]]:
    """Each limit by its field: in words, and the command-line option that gives it."""
    reply, cores = duration(limits.timeout_ms), limits.cores
    memory, output = size(limits.memory_bytes), size(limits.output_bytes)
    learning = "on" if limits.data_bytes else "off"
    return {
        "timeout_ms": (f"{reply} for a reply", f"--timeout {reply}"),
        "memory_bytes": (f"{_amount(memory)} of memory", f"--memory {memory}"),
        "output_bytes": (f"{_amount(output)} of output", f"--output-limit {output}"),
        "data_bytes": (f"learning {learning}", f"--learning {learning}"),
        "cores": (f"{cores} {'core' if cores == 1 else 'cores'} a game", f"--cores {cores}"),
    }


def _amount(size: str) -> str:
    return f"{size} bytes" if size.isdecimal() else size


def _listed(conditions: Sequence[tuple[str, str]]) -> str:
    *most, last = (words for words, _ in conditions)
    return f"{', '.join(most)} and {last}" if most else last

"""The variants of the game: named rules.

Variants differ only in the fields of `Rules`. No other code asks for a variant by its name to
decide how to play. Sources: the published descriptions and programs of each game.
"""

from __future__ import annotations

from msgspec import UNSET
from msgspec.structs import replace

from judge.documents.rules import (
    BadMove,
    Draw,
    Goal,
    Opening,
    Placing,
    Repeat,
    Rules,
    Sinking,
    Turn,
)

# The limit of rounds in games in which players could miss for ever. It is the judge's own; the
# original programs have no limit.
ROUND_LIMIT = 300

BRAINJAR = Rules(
    name="brainjar",
    columns=8,
    rows=8,
    fleet=(2, 3, 4, 5),
    turn=Turn.HIT_AGAIN,
    repeat=Repeat.ILLEGAL,
    placing=Placing.ALL,
    bad_move=BadMove.FORFEITS,
)

BROADSIDES = Rules(
    name="broadsides",
    columns=10,
    rows=10,
    fleet=(5, 4, 3, 3, 2),
    turn=Turn.SALVO,
    salvo_bonus=(5,),
    repeat=Repeat.OLD_ANSWER,
    placing=Placing.IN_TURN,
    bad_move=BadMove.FORFEITS,
    sinking=Sinking.NOTHING,
    opening=Opening.FIRST_NAMED,
    wire="broadsides",
    round_limit=ROUND_LIMIT,
    timeout_ms=60_000,
)

CONTEST = Rules(
    name="contest",
    columns=10,
    rows=10,
    fleet=Draw(ships=6, shortest=3, longest=5),
    turn=Turn.BOTH,
    round_limit=100,
    repeat=Repeat.SAID_SO,
    placing=Placing.SHIP_BY_SHIP,
    bad_move=BadMove.FORFEITS_MATCH,
    sinking=Sinking.SHIP,
    opening=Opening.FIRST_NAMED,
    wire="contest",
    timeout_ms=500,
    bot_bytes=16 * 2**20,
    match=500,
)

BSP = Rules(
    name="bsp",
    columns=10,
    rows=10,
    fleet=(5, 4, 3, 3, 2, 2, 1, 1, 1),
    turn=Turn.SINGLE,
    repeat=Repeat.MISS,
    placing=Placing.JUDGE,
    bad_move=BadMove.ASK_AGAIN,
    sinking=Sinking.SUNK,
    round_limit=ROUND_LIMIT,
    wire="open",
    timeout_ms=30_000,
)

XBS = Rules(
    name="xbs",
    columns=10,
    rows=10,
    fleet=(5, 4, 3, 3, 2),
    players=(2, 9),
    turn=Turn.SINGLE,
    goal=Goal.POINTS,
    repeat=Repeat.ILLEGAL,
    placing=Placing.ALL,
    bad_move=BadMove.ASK_AGAIN,
    may_skip=True,
    may_return=True,
    sinking=Sinking.NOTHING,
    round_limit=ROUND_LIMIT,
    wire="xbs",
    timeout_ms=60_000,
)

VARIANTS = {rules.name: rules for rules in (BRAINJAR, BROADSIDES, CONTEST, BSP, XBS)}

# The contest's fleets by the side of the board: number of ships, shortest ship, longest ship.
CONTEST_DRAWS = {
    10: Draw(6, 3, 5),
    9: Draw(5, 3, 5),
    8: Draw(5, 3, 4),
    7: Draw(5, 2, 4),
    6: Draw(5, 2, 3),
    5: Draw(4, 2, 3),
    4: Draw(4, 1, 3),
    3: Draw(3, 1, 2),
}


def contest(side: int) -> Rules:
    """The contest's rules on a board of ``side`` × ``side``. ``side`` is from 3 to 10, and the
    limit of rounds is ``side`` squared."""
    return replace(
        CONTEST, columns=side, rows=side, fleet=CONTEST_DRAWS[side], round_limit=side * side
    )


def variant(name: str) -> Rules | None:
    """The variant of this name, or None if there is no such variant. ``contest-3`` to
    ``contest-10`` are the sizes of the contest."""
    side = name.removeprefix("contest-")
    if side != name and side in map(str, CONTEST_DRAWS):
        return contest(int(side))
    return VARIANTS.get(name)


def undrawn(rules: Rules) -> Rules:
    """These rules with ship lengths still to be drawn, if the rules draw them for each game."""
    return replace(rules, fleet=rules.draw, draw=UNSET) if rules.draw else rules


VARIANT_OF = {
    **{contest(side): f"contest-{side}" for side in CONTEST_DRAWS},
    **{rules: name for name, rules in VARIANTS.items()},
}
"""The name of each variant, and of the contest's rules for each size of the board, by the rules."""


def name_of(rules: Rules) -> str:
    """The display name of rules: the name of their variant, or else the name in the rules. Rules
    with the drawn ship lengths of one game have the name of the variant that drew them."""
    rules = undrawn(rules)
    return VARIANT_OF.get(rules, rules.name)

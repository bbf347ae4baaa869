"""The schedule of a contest in which no result says who meets: all games from the start. Pure."""

from __future__ import annotations

from judge.contest.formats.table import format_of
from judge.contest.formats.units import Meeting, UnitResult
from judge.contest.schedule import Games, GroupGames
from judge.documents.ledger import Plan


def all_games(
    plan: Plan, names: tuple[str, ...], called: str, seed: int, *, both: bool
) -> Games | GroupGames:
    """Every game, in the order in which one machine plays them; the arguments are as `Games` has
    them."""
    if plan.table > 2:
        return GroupGames(names, called, seed, plan)
    (stage,) = format_of(plan).stages(plan, nothing)
    return Games(names, called, seed, plan, stage.meetings, both)


def nothing(_: Meeting) -> UnitResult | None:
    """Stands in for the results of a contest of which nothing is played."""
    return None

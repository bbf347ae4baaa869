"""The plan of a contest: its format, its numbers, and the order of its bots."""

from __future__ import annotations

from typing import Any

import pytest

from games import played
from judge.contest.formats.registry import FORMATS
from judge.contest.ledger.condition_set import ConditionSet
from judge.contest.ledger.entries import entry_of
from judge.contest.ledger.tally import Tally
from judge.contest.plan import Asked, Where, entry_for, planned
from judge.documents.game import Termination
from judge.documents.ledger import Contest, Plan
from judge.errors import UsageError
from judge.game.variants import BRAINJAR

NAMES = ("ann", "bob", "cyd", "dan", "eve", "fay", "gus")


def plan(
    tally: Tally | None = None, names: tuple[str, ...] = NAMES, seed: int = 7, **asked: Any
) -> Plan:
    """The plan of a contest of these bots, by the options that are asked for."""
    where = Where("ledger.json", "bots")
    return planned(Asked(**asked, drawn=seed), tally or Tally(), names, BRAINJAR, where)[0]


def seeded(tally: Tally, names: tuple[str, ...] = NAMES, seed: int = 7) -> tuple[str, ...]:
    """The bots of a knock-out, the highest seed first."""
    return plan(tally, names, seed, format="knockout").bots


def fought(*games: tuple[str, str]) -> Tally:
    """A ledger in which the first of each two has won."""
    tally = Tally()
    for number, names in enumerate(games):
        forfeit = (1, Termination.CRASH)
        record = played(seed=number, names=names, forfeit=forfeit, game_id=str(number))
        tally.enter(entry_of(record), ConditionSet.of(record))
    return tally


def test_bots_are_seeded_by_their_points_in_the_ledger() -> None:
    """A bot with more points is seeded higher, whatever its name and the contest's seed."""
    tally = fought(*[("gus", "fay")] * 6, *[("cyd", "ann")] * 4, *[("eve", "dan")] * 2)
    points = [tally.table.points_of(name) for name in ("gus", "cyd", "eve", "ann")]
    assert points == sorted(set(points), reverse=True)
    for seed in range(5):
        assert seeded(tally, seed=seed)[:3] == ("gus", "cyd", "eve")


@pytest.mark.parametrize("tally", [Tally(), fought(("joe", "kim"))], ids=["empty", "of others"])
def test_bots_without_points_are_drawn_by_the_seed(tally: Tally) -> None:
    """The same seed draws the same order, whatever order the bots lie in; other seeds draw others,
    and any bot may be the highest."""
    drawn = [seeded(tally, seed=seed) for seed in range(25)]
    assert drawn == [seeded(tally, NAMES[::-1], seed) for seed in range(25)]
    assert {one[0] for one in drawn} == {*NAMES}
    assert len(set(drawn)) > 20


def test_bots_of_equal_points_are_drawn_among_themselves() -> None:
    """Below those who have more."""
    tally = fought(("gus", "fay"))
    drawn = {seeded(tally, seed=seed) for seed in range(25)}
    assert {one[0] for one in drawn} == {"gus"}
    assert len({one[1] for one in drawn}) > 3


def test_a_contest_of_too_many_meetings_is_not_begun() -> None:
    """It is refused as what was typed, before its ledger is told of it."""
    with pytest.raises(UsageError, match="has 1,000,000 meetings at most"):
        plan(format="knockout", games=200_000)


@pytest.mark.parametrize("name", FORMATS)
def test_a_contest_goes_on_by_the_plan_in_its_ledger(name: str) -> None:
    """A plan is stored once. That of single games in rounds need not be."""
    tally = Tally()
    begun = plan(tally, format=name, bot="dan" if name == "gauntlet" else None)
    entry = entry_for(begun, tally, "rules:7", 7)
    assert (entry is None) == (name == "rounds")
    if entry is not None:
        tally.contest = entry
        assert plan(tally).format == name
        assert entry_for(plan(tally), tally, "rules:7", 7) is None


def test_numbers_that_are_asked_for_are_the_plans() -> None:
    """Up to the largest that the format allows."""
    swiss = plan(names=("ann", "bob"), format="swiss", rounds=1000, games=6)
    assert (swiss.rounds, swiss.units) == (1000, 6)
    assert plan(format="lives", lives=5).lives == 5


def held(name: str) -> Tally:
    """A ledger with a contest of this format."""
    tally = Tally()
    kept = plan(format=name, bot="dan" if name == "gauntlet" else None)
    tally.contest = Contest(seed="7", contest_key="rules:7", plan=kept)
    return tally


@pytest.mark.parametrize(
    ("name", "other"), [("swiss", "knockout"), ("swiss", "rounds"), ("rounds", "lives")]
)
def test_a_ledger_of_one_format_refuses_another(name: str, other: str) -> None:
    """The sentence names both formats and the two ways out."""
    says = f"holds a contest of the format {name}.* format {other}; without .* --ledger OTHER.json"
    with pytest.raises(UsageError, match=says):
        plan(held(name), format=other)


def test_rounds_and_gauntlets_may_share_a_ledger() -> None:
    """They rank nobody, so their games may stand together."""
    assert plan(held("rounds"), format="gauntlet", bot="dan").format == "gauntlet"
    assert plan(held("gauntlet"), format="rounds").format == "rounds"


@pytest.mark.parametrize(
    ("asked", "says"),
    [
        ({"format": "gauntlet"}, "plays the games of one bot: name it by --bot"),
        ({"format": "gauntlet", "bot": "bop"}, "there is no bot of that name.*Did you mean bob"),
        ({"format": "swiss", "seats": 3}, "games of 3 are for contests in rounds"),
        ({"format": "swiss", "rounds": 1001}, "--rounds: .* format swiss has at most 1,000"),
        ({"seats": 3, "budget_ms": 1000}, "--for chooses pairs of bots"),
        ({"seats": 8}, "--seats 8 needs as many bots, and 7 take part"),
        ({"format": "swiss", "budget_ms": 1000}, "--for is for contests in rounds"),
        ({"format": "swiss", "lives": 3, "typed": frozenset({"lives"})}, "--lives is not for"),
    ],
)
def test_options_that_do_not_fit_are_refused(asked: dict[str, Any], says: str) -> None:
    """The sentence names the option and what it is for."""
    with pytest.raises(UsageError, match=says):
        plan(**asked)

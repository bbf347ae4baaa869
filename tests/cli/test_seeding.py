"""Who is which seed of a contest whose bots are fixed when it begins."""

from __future__ import annotations

import click
import pytest

from games import played
from judge.contest.ledger.condition_set import ConditionSet
from judge.contest.ledger.entries import entry_of
from judge.contest.ledger.tally import Tally
from judge.contest.plan import Asked, Where, planned
from judge.documents.game import Termination
from judge.errors import UsageError
from judge.game.variants import BRAINJAR

NAMES = ("ann", "bob", "cyd", "dan", "eve", "fay", "gus")
WHERE = Where("ledger.json", "bots")


def seeded(tally: Tally, names: tuple[str, ...] = NAMES, seed: int = 7) -> tuple[str, ...]:
    """The bots of a knock-out, the highest seed first."""
    asked = Asked(format="knockout", drawn=seed)
    with click.Context(click.Command("rank")):
        return planned(asked, tally, names, BRAINJAR, WHERE)[0].bots


def fought(*games: tuple[str, str]) -> Tally:
    """A ledger in which the first of each two has won."""
    tally = Tally()
    for number, names in enumerate(games):
        forfeit = (1, Termination.CRASH)
        record = played(seed=number, names=names, forfeit=forfeit, game_id=str(number))
        tally.enter(entry_of(record), ConditionSet.of(record))
    return tally


def test_bots_are_seeded_by_their_points_in_the_ledger() -> None:
    """Who has more points is higher, whatever its name and the contest's seed."""
    tally = fought(*[("gus", "fay")] * 6, *[("cyd", "ann")] * 4, *[("eve", "dan")] * 2)
    points = [tally.points_of(name) for name in ("gus", "cyd", "eve", "ann")]
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
    asked = Asked(format="knockout", games=200_000, drawn=7)
    with (
        click.Context(click.Command("rank")),
        pytest.raises(UsageError, match="has 1,000,000 meetings at most"),
    ):
        planned(asked, Tally(), NAMES, BRAINJAR, WHERE)

"""Whom a newcomer of a contest without an end meets: all over the table first, then its neighbours."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from judge.contest.contest import Added, Contest
from judge.contest.course import Where
from judge.contest.formats.newcomers import NEIGHBOURS, SPREAD, next_opponent
from judge.contest.ledger.ledger import Ledger
from judge.contest.plan import Asked
from judge.contest.setup import Setup
from judge.library.games import settings
from judge.process.bots.bot import contestants
from small_contest import by_luck, set_up


def opponents(newcomer: int, elo: Sequence[float], games: int) -> Iterator[int]:
    met = [0] * len(elo)
    for _ in range(games):
        other = next_opponent(newcomer, elo, met)
        met[other] += 1
        yield other


def test_it_first_meets_bots_all_over_the_table() -> None:
    """The first is in the middle, the next two in the quarters, and no two are near each other."""
    elo = [1000.0 - 10 * bot for bot in range(100)] + [0.0]
    assert [*opponents(100, elo, 5)] == [50, 25, 75, 12, 62]


def test_then_it_meets_its_neighbours_equally_often() -> None:
    """Those nearest in strength, the one that it has met least each time."""
    elo = [1000.0 - 10 * bot for bot in range(100)] + [503.0]
    met = [*opponents(100, elo, SPREAD + 3 * NEIGHBOURS)][SPREAD:]
    assert set(met) <= {*range(43, 57)}
    assert max(map(met.count, met)) <= 4


@given(st.integers(2, 30), st.integers(0, 60), st.randoms(use_true_random=False))
def test_it_never_meets_itself(bots: int, games: int, luck) -> None:
    """Whatever the strengths are, there is an opponent, and it is another bot."""
    elo = [luck.gauss(0, 100) for _ in range(bots)]
    assert 0 not in set(opponents(0, elo, games))


@pytest.fixture
def small(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    set_up()


@pytest.mark.usefixtures("small")
def test_a_contest_without_an_end_plays_the_couples_that_it_is_given() -> None:
    """A pair of games for each couple, and other games each time that the same two meet."""
    how = settings("tiny.json", isolation="none")
    bots, _ = contestants(Path("bots"))
    setup = Setup.holding(bots, how, connect=by_luck)
    one, other, third = [bot.name for bot in bots][:3]
    couples = [(one, other), (one, other), (other, third)]
    with Ledger(Path("ladder.json")) as ledger:
        contest = Contest(
            setup,
            ledger,
            Asked(format=None, rounds=None, games=None, lives=None, bot=None),
            Where("ladder.json", "bots"),
            drawn=1,
            tell=print,
            couples=lambda _: iter(couples),
        )
        added = [event.rated.record for event in contest if isinstance(event, Added)]
    assert [tuple(seat.name for seat in game.seats) for game in added] == [
        couple for couple in couples for _ in range(2)
    ]
    assert len({game.id for game in added}) == 6
    assert [game.first for game in added] == [0, 1] * 3

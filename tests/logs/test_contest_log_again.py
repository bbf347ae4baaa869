"""Logs of the contest, written, read and written again."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from changes import replace
from games import strange_texts
from judge.cli.ledgers.game_source import LONGEST
from judge.documents.rules import Cell, Orientation, Ship
from judge.logs.contest.forms import FIRST, TEXT, Form, read, written
from judge.logs.contest.model import (
    BROKEN_OFF,
    HIT,
    LOST,
    MISS,
    REPEATED_HIT,
    REPEATED_KILL,
    REPEATED_MISS,
    TIED,
    WON,
    ContestLog,
    ContestMatch,
    ContestSide,
    LogBot,
    LoggedGame,
    LoggedSeat,
    LoggedShot,
    MatchLog,
    MatchPlayer,
    Score,
)
from strategies import examples

SIDES = st.integers(3, 10)
COUNTS = st.integers(0, 10_000)
SECONDS = st.floats(0, 10**6)
NAMES = strange_texts()
SCORES = st.builds(Score, COUNTS, COUNTS, COUNTS)
ERRORS = st.sampled_from([0, 0, *range(5, 14)])


def shots(side: int) -> st.SearchStrategy[LoggedShot]:
    return st.builds(
        LoggedShot,
        st.builds(Cell, st.integers(0, side - 1), st.integers(0, side - 1)),
        st.sampled_from([HIT, MISS, REPEATED_HIT, REPEATED_MISS, REPEATED_KILL]),
        st.none() | st.integers(0, 5),
    )


def ships(side: int) -> st.SearchStrategy[Ship]:
    place = st.integers(0, side - 1)
    return st.builds(Ship, st.integers(1, 5), place, place, st.sampled_from(list(Orientation)))


def games(side: int) -> st.SearchStrategy[LoggedGame]:
    seat = st.builds(
        LoggedSeat,
        st.lists(ships(side), max_size=6).map(tuple),
        st.lists(shots(side), max_size=6).map(tuple),
        st.sampled_from([WON, LOST, TIED, BROKEN_OFF]),
    )
    return st.tuples(seat, seat)


def match_logs(side: int) -> st.SearchStrategy[MatchLog]:
    player = st.builds(MatchPlayer, NAMES, NAMES, SCORES, ERRORS)
    return st.builds(
        MatchLog,
        st.just(side),
        SECONDS,
        st.tuples(player, player),
        st.lists(games(side), max_size=4).map(tuple),
    )


def contest_logs(side: int) -> st.SearchStrategy[ContestLog]:
    number = st.integers(0, 9)
    one = st.builds(ContestSide, number, SCORES, ERRORS, st.integers(-1, 1000))
    match = st.builds(ContestMatch, SECONDS, st.tuples(one, one), st.none() | games(side))
    return st.builds(
        ContestLog,
        st.just(side),
        st.lists(st.builds(LogBot, number, NAMES, NAMES, SCORES), max_size=4).map(tuple),
        st.lists(st.lists(match, max_size=3).map(tuple), max_size=3).map(tuple),
    )


def longest_game() -> LoggedGame:
    """As many rounds as there can be on the largest board, with the longest word for each shot."""
    shot = LoggedShot(Cell(9, 9), REPEATED_KILL, None)
    ship = Ship(5, 9, 9, Orientation.HORIZONTAL)
    seat = LoggedSeat((ship,) * 5, (replace(shot, sunk=4),) * 5 + (shot,) * 95, BROKEN_OFF)
    return seat, seat


def test_the_longest_logs_can_be_read_again() -> None:
    """The judge reads files of 64 MiB: what it writes of a contest of 4,000 matches of any length is
    below that, as each has its last game alone, and so is the log of a match of 5,000 games."""
    game, score = longest_game(), Score(10**4, 10**4, 10**4)
    side = ContestSide(99, score, 13, 1000)
    one = ContestMatch(10**6, (side, side), game)
    players = tuple(LogBot(number, "x" * 998, "y" * 998, score) for number in range(100))
    assert 40 * len(written(TEXT, ContestLog(10, players, ((one,),) * 100))) < LONGEST
    player = MatchPlayer("x" * 998, "y" * 998, score, 13)
    document = written(TEXT, MatchLog(10, 10**6, (player, player), (game,) * 50))
    assert 100 * len(document) < LONGEST


@pytest.mark.parametrize("form", [TEXT, FIRST], ids=["contest-text", "contest-1"])
@given(SIDES.flatmap(lambda side: match_logs(side) | contest_logs(side)))
@examples(50)
def test_a_log_read_and_written_again_has_the_same_bytes(
    form: Form, log: MatchLog | ContestLog
) -> None:
    """It holds for a match as for a contest, in both forms that are written, whatever it holds."""
    text = written(form, log)
    assert text.count("\n") == 1
    again = read(form, text)
    assert type(again) is type(log)
    assert written(form, again) == text

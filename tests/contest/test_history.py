"""A ledger told game by game, and the series of points and Elo over it."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from changes import replace
from games import played, void
from judge.contest.bot_games import history
from judge.contest.ledger import order_entries
from judge.contest.ledger.ledger import Ledger, read
from judge.contest.ledger.tally import Tally
from judge.contest.standings.fight_documents import totals_of
from judge.contest.standings.history import History
from judge.contest.standings.standings import standings
from judge.contest.standings.summary import FightSummary
from judge.contest.standings.time_series import ELO_MOMENTS, POINTS_MOMENTS, TimeSeries, moments
from judge.documents.game import Termination
from judge.errors import LedgerError, UsageError
from judge.game.variants import XBS
from strategies import examples
from tallies import BOTS, CONDITIONS, game, names_in

COUPLES = [("ada", "bob"), ("bob", "cyd"), ("cyd", "ada")]


@pytest.fixture
def ledger(tmp_path: Path) -> Path:
    """Thirteen games of three bots, one of them void by itself and one by a later entry."""
    path = tmp_path / "ledger.json"
    with Ledger(path) as opened:
        opened.contest_seed(7)
        for seed in range(12):
            forfeit = (seed % 2, Termination.TIMEOUT) if seed in (4, 5, 6) else None
            opened.add(played(seed=seed, names=COUPLES[seed % 3], forfeit=forfeit))
        opened.add(void(99, names=("ada", "bob")))
        opened.order(partial(order_entries.void, games=[4], reason="a dispute"))
    return path


def test_a_chronicle_ends_where_the_ledger_stands(ledger: Path) -> None:
    """Read to its end, it holds the very tally of the ledger."""
    history = History(ledger, curves=True)
    told = [past_game for past_game, _ in history]
    assert history.tally == read(ledger)
    assert {name: curve[-1] for name, curve in history.series.points.items()} == {
        bot.name: (13, bot.points) for bot in history.tally.table.bots.values()
    }
    assert [one.number for one in told] == list(range(1, 14))
    assert [one.voided for one in told if one.voided] == ["a dispute"]


@pytest.mark.parametrize("bot", ["ada", "bob", "cyd"])
def test_a_chronicle_tells_of_each_bot_what_its_history_does(bot: str, ledger: Path) -> None:
    """The same games, opponents and points as `history`, which reads the ledger for one bot."""
    told = [
        (one.game.id, one.game.names[1 - seat], one.before[seat], one.after[seat], one.voided)
        for one, _ in History(ledger)
        for seat in (0, 1)
        if one.game.names[seat] == bot
    ]
    assert told == [
        (one.id, one.opponent, one.points_before, one.points_after, one.voided)
        for one, _ in history(ledger, bot)
    ]


def test_a_game_that_nobody_won_counts_alike_everywhere(tmp_path: Path) -> None:
    """The table, the counts of a fight and the bots' histories say tied of the two players with the
    best score, and lost of the third."""
    names = ("ada", "bob", "cyd")
    record = played(XBS, 3, names=names)
    outcome = replace(record.outcome, winner=None, loser=None, scores=(1, 1, 0))
    record = replace(record, outcome=outcome)
    summary = FightSummary(names)
    summary.add(record)
    with Ledger(path := tmp_path / "ledger.json") as opened:
        opened.add(record)
    table = {row.name: row for row in standings(read(path)).rows}
    fought = {bot.name: bot for bot in totals_of(summary).bots}
    assert summary.ties == 1
    for name, (lost, tied) in zip(names, [(0, 1), (0, 1), (1, 0)], strict=True):
        assert (table[name].lost, table[name].tied) == (lost, tied)
        assert (fought[name].losses, fought[name].ties) == (lost, tied)
        assert fought[name].win_rate == pytest.approx(1 / 3)
        (told,) = history(path, name)
        assert told.game.result == ("tied" if tied else "lost")


def test_a_line_that_was_edited_is_named(ledger: Path) -> None:
    """As everywhere, though the cache has counted it."""
    journal = ledger.with_suffix(".games.jsonl")
    lines = journal.read_bytes().splitlines(keepends=True)
    journal.write_bytes(b"".join([*lines[:4], lines[4].replace(b"{", b"[", 1), *lines[5:]]))
    with pytest.raises(LedgerError, match="was edited at line 5"):
        list(History(ledger))


def test_there_must_be_a_ledger(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="there is no such ledger"):
        History(tmp_path / "ledger.json")


# The series


@given(st.integers(0, 2000), st.integers(1, 40))
@examples(200)
def test_moments_are_few_and_end_with_the_last_game(games: int, most: int) -> None:
    """As many as may be, each once and in order, evenly spread, the last game among them."""
    found = list(moments(games, most))
    assert len(found) == min(games, most)
    assert found[-1:] == [games][: len(found)]
    steps = {after - before for before, after in zip([0, *found], found, strict=False)}
    assert not steps or (min(steps) >= 1 and max(steps) - min(steps) <= 1)


def watched(ends: list[tuple[str, str, str]]) -> tuple[Tally, TimeSeries, dict[str, list[float]]]:
    """The tally of these games, the series seen on the way, and all points of each bot."""
    tally, series = Tally(), TimeSeries(len(ends))
    points: dict[str, list[float]] = {name: [] for name in BOTS}
    for number, (first, second, how) in enumerate(ends):
        tally.enter(game(number, first, second, how), CONDITIONS)
        series.look(tally)
        for name in BOTS:
            points[name].append(tally.table.points_of(name))
    return tally, series, points


@st.composite
def contests(draw: st.DrawFn) -> list[tuple[str, str, str]]:
    couple = st.permutations(BOTS).map(lambda order: tuple(order[:2]))
    how = st.sampled_from(["0", "1", "tie", "void", "0 crash"])
    games = draw(st.lists(st.tuples(couple, how), max_size=60))
    return [(*couple, how) for couple, how in games * draw(st.sampled_from([1, 4]))]


@given(contests())
@examples(60)
def test_the_course_ends_in_the_standings(ends: list[tuple[str, str, str]]) -> None:
    """The last of each bot's points and Elo are those of the table, to the last bit."""
    tally, series, _ = watched(ends)
    for row in standings(tally).rows:
        assert series.points[row.name][-1] == (len(ends), row.points)
        if row.games:
            assert series.elo[row.name][-1] == (len(ends), row.elo)
        else:
            assert row.name not in series.elo
    assert series.points.keys() == names_in(tally)


@given(contests())
@examples(60)
def test_the_course_is_what_was(ends: list[tuple[str, str, str]]) -> None:
    """Every moment of a curve holds what the bot then had; it begins with the ten points of the
    start, no later than its first game; and no curve has more moments than it may."""
    _, series, points = watched(ends)
    for name, curve in series.points.items():
        assert curve[0][1] == 10
        first = next(number for number, end in enumerate(ends) if name in end[:2])
        assert curve[0][0] <= first
        assert all(points[name][now - 1] == value for now, value in curve if now)
        assert len(curve) <= POINTS_MOMENTS + 1
        assert [now for now, _ in curve] == sorted({now for now, _ in curve})
    assert all(len(curve) <= ELO_MOMENTS for curve in series.elo.values())

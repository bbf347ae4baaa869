"""The contest of a ledger: its entry, its units as games come in, and how they are written down."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from changes import replace
from games import played, void
from judge.contest.formats.ledger_contest import LedgerContest
from judge.contest.formats.units import NOTHING, WON, Meeting, UnitResult, unit_result
from judge.contest.games import GameId, meeting_of, places_of
from judge.contest.ledger.condition_set import ConditionSet
from judge.contest.ledger.entries import decoded, encoded, entry_of
from judge.contest.ledger.tally import Tally, written
from judge.contest.standings.contest_table import contest_table
from judge.documents.ledger import Contest, Game, MeetingRow, Plan, Unit
from judge.errors import UsageError
from strategies import examples

NAMES = ("ann", "bob", "cyd")
CALLED = "brainjar:abcdefghijkl"
SWISS = Plan(format="swiss", bots=NAMES, draw="5", units=2, rounds=3)


def begun(plan: Plan = SWISS) -> Tally:
    tally = Tally()
    tally.enter(Contest(seed="7", contest_key=CALLED, plan=plan))
    return tally


CONDITIONS = ConditionSet.of(played())


def game(one: str, other: str, id_: str, seed: int = 0, **more: Any) -> Game:
    return entry_of(played(seed=seed, names=(one, other), game_id=id_, **more))


@given(
    st.sampled_from(["ann:bob", "a%3Ab:c"]),
    st.integers(1, 40),
    st.sampled_from(["tournament", "lives"]),
    st.sampled_from([1, 2, 5]),
    st.booleans(),
)
@examples(200)
def test_a_games_id_says_which_meeting_it_is_of(
    bots: str, number: int, format_: str, match: int, both: bool
) -> None:
    """By every format, and of matches too; no two meetings share a game."""
    plan = Plan(format=format_, bots=NAMES, match=match, units=40)
    seen = set()
    for meeting in (Meeting("ann", "bob", number), Meeting("ann", "bob", number + 1)):
        places = list(places_of(meeting, bots, CALLED, plan, both=both))
        assert len(places) == match
        for place in places:
            found = GameId.read(f"{bots}:{CALLED}:{place.round}.{place.first + 1}")
            assert found is not None
            assert meeting_of(found, ("bob", "ann"), plan) == meeting
            seen.add(place)
    assert len(seen) == 2 * match


@given(
    st.lists(
        st.tuples(st.sampled_from(NAMES), st.sampled_from(NAMES), st.integers(1, 6)), max_size=12
    ),
    st.integers(0, 12),
)
@examples(40)
def test_a_ledger_read_back_in_mid_contest_goes_on_to_the_same(
    meetings: list[tuple[str, str, int]], cut: int
) -> None:
    """Whatever has been played when it was written down: the rest comes to the same bytes, and what
    came of each unit is what its last game says."""
    games, last = [], {}
    for number, (one, other, round_) in enumerate(meetings):
        if one < other:
            id_ = f"{one}:{other}:{CALLED}:{round_}.{number % 2 + 1}"
            games.append(game(one, other, id_, number))
            last[one, other, round_, number % 2] = games[-1].result.winner
    whole = begun()
    for one_game in games:
        whole.enter(one_game, CONDITIONS)
    tally = begun()
    for at, one_game in enumerate(games):
        if at == cut:
            tally = msgspec.msgpack.decode(msgspec.msgpack.encode(tally), type=Tally)
        tally.enter(one_game, CONDITIONS)
    assert written(tally) == written(whole)
    assert tally.contest is not None
    assert len(tally.contest.units) == len(last)


def test_games_of_other_contests_and_rules_are_not_of_this_one() -> None:
    """Nor are fights in the same ledger."""
    tally = begun()
    for id_ in ("1", "ann:bob:brainjar:otherseedabc:1.1", "ann:bob:xbs:abcdefghijkl:1.1"):
        tally.enter(game("ann", "bob", id_), CONDITIONS)
    assert tally.contest is not None
    assert not tally.contest.units


def test_a_new_version_counts_from_its_first_game() -> None:
    """The results of its earlier version in the same unit are forgotten; seats are told apart."""
    tally = begun()
    first = game("bob", "ann", f"ann:bob:{CALLED}:1.1", 1)
    tally.enter(first, CONDITIONS)
    assert tally.contest is not None
    (unit,) = tally.contest.units.values()
    assert (unit.won, unit.lost) == ((0, 1) if first.result.winner == 0 else (1, 0))
    result = replace(first.result, digests=("sha256:new", "sha256:new"))
    tally.enter(replace(first, result=result))
    (unit,) = tally.contest.units.values()
    assert (unit.games, unit.versions) == (1, (2, 2))


def test_a_void_game_is_nobodys_point() -> None:
    """It is over all the same."""
    record = replace(void(3, names=("ann", "bob")), id=f"ann:bob:{CALLED}:1.1")
    tally = begun()
    tally.enter(entry_of(record), CONDITIONS)
    assert tally.contest is not None
    (meeting,) = tally.contest.units
    assert tally.results is not None
    assert tally.results(meeting) == NOTHING


@pytest.mark.parametrize(
    ("unit", "result"),
    [
        (Unit("ann", "bob", (1, 1), won=2), None),
        (Unit("ann", "bob", (1, 1), won=2, lost=1), UnitResult((2, 0), (4, 2), (2, 1))),
        (Unit("ann", "bob", (1, 1), won=1, lost=1, tied=1), UnitResult((1, 1), (3, 3), (1, 1))),
        (Unit("ann", "bob", (1, 1), won=1, lost=1, forfeits=2), UnitResult((2, 0), (2, 2), (1, 1))),
        (Unit("ann", "bob", (1, 1), won=1, lost=1, forfeits=1), UnitResult((0, 2), (2, 2), (1, 1))),
        (Unit("ann", "bob", (1, 1), won=1, tied=1, forfeits=3), UnitResult((1, 1), (3, 1), (1, 0))),
        (Unit("ann", "bob", (1, 1), void=3), NOTHING),
    ],
)
def test_a_match_is_over_with_its_last_game_or_a_forfeit(
    unit: Unit, result: UnitResult | None
) -> None:
    """A forfeit loses it, and one of both ties it, whatever the score is."""
    assert unit_result(unit, 3) == result


def test_who_is_disqualified_has_lost_all_and_who_is_retired_the_rest() -> None:
    """In a contest whose bots are fixed."""
    contest = begun().contest
    assert contest is not None
    meeting = Meeting("ann", "bob", 1)
    contest.units[meeting] = MeetingRow("ann", "bob", (1, 1), won=1, number=1)
    assert contest.results((), ("ann",))(meeting) == WON
    assert contest.results(("ann",), ())(meeting) == WON.swapped
    assert contest.results((), ("ann",))(Meeting("ann", "bob", 2)) == WON.swapped
    assert contest.results((), ("ann", "bob"))(Meeting("ann", "bob", 2)) == NOTHING
    assert contest.results((), ())(Meeting("ann", "bob", 2)) is None


def test_a_format_that_nobody_knows_is_refused() -> None:
    """An entry of a newer judge, or of a format from elsewhere; one that was tampered with is no
    entry."""
    with pytest.raises(UsageError, match=r"the format 'polo'.*run the program that registers it"):
        LedgerContest.after(
            None, Contest(seed="7", contest_key=CALLED, plan=replace(SWISS, format="polo"))
        )
    written_so = encoded(Contest(seed="7", contest_key=CALLED, plan=SWISS))
    for plan in (b"{}", b'"swiss"', b'{"name":""}'):
        text = written_so.replace(msgspec.json.encode(SWISS), plan)
        with pytest.raises(ValueError, match=r"\$\.plan"):
            decoded(text)


TOO_LARGE = {
    "knockout": replace(SWISS, format="knockout", units=10**9),
    "swiss": replace(SWISS, units=10**9),
    "lives": replace(SWISS, format="lives", units=10**9, lives=3),
}


@pytest.mark.parametrize("plan", TOO_LARGE.values(), ids=TOO_LARGE)
def test_a_strangers_plan_of_more_than_memory_holds_is_refused(plan: Plan) -> None:
    """Before a meeting is made of it, and the tally stays as it was."""
    tally = Tally()
    with pytest.raises(ValueError, match="1,000,000 meetings at most"):
        tally.enter(Contest(seed="7", contest_key=CALLED, plan=plan))
    assert tally == Tally()


def test_the_table_of_a_tournament_is_made_of_what_was_played() -> None:
    """However many games its plan has."""
    tally = begun(Plan(format="tournament", bots=(), units=10**4))
    tally.enter(game("ann", "bob", f"ann:bob:{CALLED}:1.1"), CONDITIONS)
    tally.enter(game("ann", "cyd", f"ann:cyd:{CALLED}:5000.2"))
    standings = contest_table(tally, NAMES)
    assert standings is not None
    (stage,) = standings.stages
    assert stage.meetings == [Meeting("ann", "bob", 1), Meeting("ann", "cyd", 10**4)]
    assert [*standings.crossed] == [("ann", "bob"), ("ann", "cyd")]
    assert not standings.is_over

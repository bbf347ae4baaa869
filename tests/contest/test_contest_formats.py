"""The formats of a contest: who meets whom, who stands where, and when it is over."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import partial
from itertools import combinations, islice, pairwise, product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from changes import replace
from judge.contest.formats.every_pair import EveryCouple, Meetings, circle, crossed
from judge.contest.formats.knockout import places_of_bracket
from judge.contest.formats.ledger_contest import LedgerContest
from judge.contest.formats.matching import Matcher
from judge.contest.formats.registry import FORMATS, Progress, format_of
from judge.contest.formats.swiss import swiss_rounds
from judge.contest.formats.units import NOTHING, TIED, WON, Meeting, UnitResult, shown_score
from judge.contest.ledger.tally import Tally
from judge.contest.ledger.tally_table import TallyTable
from judge.contest.people import Person
from judge.contest.plan import Asked, Where, planned
from judge.contest.standings.contest_table import ContestTable
from judge.documents.ledger import Plan
from judge.errors import UsageError
from judge.game.variants import BRAINJAR
from judge.show.contest import contest_lines, leaderboard
from strategies import examples
from tallies import game

RESULTS = (WON, WON.swapped, TIED, NOTHING)
ALONE = [name for name in FORMATS if name != "gauntlet"]


def names(count: int) -> tuple[str, ...]:
    return tuple(f"bot{number:03}" for number in range(count))


def plan(format_: str, bots: int, seed: int = 0, **more) -> Plan:
    """A contest with few units, so that much is decided by the rarer rules."""
    rounds = swiss_rounds(bots) if format_ == "swiss" else 1
    return Plan(
        **{
            "format": format_,
            "bots": names(bots),
            "draw": str(seed),
            "units": 2,
            "rounds": rounds,
            "lives": 3 if format_ == "lives" else 0,
            "bot": names(bots)[0] if format_ == "gauntlet" else None,
            **more,
        }
    )


class Luck:
    """Results that depend on nothing but the meeting, with ties and with units that count for
    nobody; ``weights`` are of `RESULTS`."""

    def __init__(self, seed: int, weights: tuple[int, ...] = (4, 4, 1, 1)) -> None:
        self._seed = seed
        self._weights = weights

    def of(self, meeting: Meeting) -> UnitResult:
        luck = random.Random(f"{self._seed}{meeting}")
        return luck.choices(RESULTS, self._weights)[0]


def played(plan: Plan, luck: Luck) -> Progress:
    """The contest, whole, played stage by stage."""
    results: dict[Meeting, UnitResult] = {}
    while not (progress := Progress(plan, results.get)).is_over:
        results.update({meeting: luck.of(meeting) for meeting in progress.missing})
    return progress


@given(
    st.sampled_from(sorted(FORMATS)),
    st.integers(2, 13),
    st.integers(0, 10**6),
    st.randoms(use_true_random=False),
)
@examples(150)
def test_a_contest_that_is_broken_off_goes_on_as_if_it_had_not_been(
    format_: str, bots: int, seed: int, luck
) -> None:
    """Told the results of a stage in any order, with any of them missing, it asks for just those
    that are missing, and it ends with the same stages and places."""
    contest, fate = plan(format_, bots, seed), Luck(seed)
    whole = played(contest, fate)
    results: dict[Meeting, UnitResult] = {}
    for stage in whole.stages:
        order = luck.sample(list(stage.meetings), len(stage.meetings))
        for at, meeting in enumerate(order):
            if luck.random() < 0.3:
                broken_off = Progress(contest, results.get)
                assert not broken_off.is_over
                assert broken_off.stages == whole.stages[: len(broken_off.stages)]
                assert [*broken_off.missing] == [m for m in stage.meetings if m in order[at:]]
            results[meeting] = fate.of(meeting)
    again = Progress(contest, results.get)
    assert again.is_over
    assert (again.stages, again.places) == (whole.stages, whole.places)


CLOSED = sorted(name for name, row in FORMATS.items() if row.is_closed)


@given(st.sampled_from(CLOSED), st.integers(2, 9), st.integers(0, 10**6), st.integers(1, 4))
@examples(60)
def test_the_games_of_two_that_meet_are_known_by_any_of_them(
    format_: str, bots: int, seed: int, units: int
) -> None:
    """Two bots that meet again in another round play another match, and deciders are part of the
    match that they decide."""
    contest = plan(format_, bots, seed, units=units)
    row = format_of(contest)
    matches: dict[tuple[str, str, range], int] = {}
    for stage in played(contest, Luck(seed, (1, 1, 4, 1))).stages:
        for pair in stage.pairs:
            numbers = {row.numbers_of_pair(contest, meeting.number) for meeting in pair.meetings}
            (of_match,) = numbers
            assert {meeting.number for meeting in pair.meetings} <= {*of_match}
            one, other = sorted(pair.bots)
            assert matches.setdefault((one, other, of_match), stage.round) == stage.round


@given(st.sampled_from(sorted(FORMATS)), st.integers(2, 13), st.integers(0, 10**6))
@examples(100)
def test_nobody_meets_itself_and_no_unit_is_played_twice(
    format_: str, bots: int, seed: int
) -> None:
    """In a stage nobody is in two pairs, and has either a pair or a bye or is out; the units of a
    pair are numbered from 1; and there are no more of them than the format says at most."""
    contest = plan(format_, bots, seed)
    progress = played(contest, Luck(seed))
    meetings = [meeting for stage in progress.stages for meeting in stage.meetings]
    assert len(set(meetings)) == len(meetings) <= FORMATS[format_].most(contest)
    numbers: dict[tuple[str, str], list[int]] = {}
    for one, other, number in meetings:
        assert one < other
        numbers.setdefault((one, other), []).append(number)
    assert all(found == [*range(1, len(found) + 1)] for found in numbers.values())
    for stage in progress.stages:
        concerned = [*stage.byes, *(name for pair in stage.pairs for name in pair.bots)]
        assert len(set(concerned)) == len(concerned)


@given(st.sampled_from(ALONE), st.integers(2, 13), st.integers(0, 10**6))
@examples(50)
def test_places_are_ranks_of_everyone(format_: str, bots: int, seed: int) -> None:
    """Everyone has one place, at any time; a rank is one more than how many stand before it."""
    contest, fate = plan(format_, bots, seed), Luck(seed)
    results: dict[Meeting, UnitResult] = {}
    if not FORMATS[format_].has_places:
        assert not played(contest, fate).places
        return
    while True:
        progress = Progress(contest, results.get)
        assert sorted(place.name for place in progress.places) == sorted(contest.bots)
        ranks = [place.rank for place in progress.places]
        assert ranks == [1 + sum(other < rank for other in ranks) for rank in ranks]
        assert (progress.winner is None) or progress.is_over
        if progress.is_over:
            return
        meeting = next(progress.missing)
        results[meeting] = fate.of(meeting)


@pytest.mark.parametrize("bots", range(2, 12))
@pytest.mark.parametrize("units", [1, 2, 5])
def test_in_a_tournament_every_pair_plays_exactly_so_often(bots: int, units: int) -> None:
    """Whatever comes of it, and in numbers that alternate who is first; points are a point a win
    and half a point a tie."""
    contest, fate = plan("tournament", bots, units=units), Luck(bots)
    progress = played(contest, fate)
    (stage,) = progress.stages
    meetings = list(stage.meetings)
    assert len(meetings) == len(stage.meetings)
    assert Counter((m.one, m.other) for m in meetings) == dict.fromkeys(
        combinations(names(bots), 2), units
    )
    points = dict.fromkeys(names(bots), 0.0)
    for meeting in meetings:
        assert meeting in stage.meetings
        result = fate.of(meeting)
        points[meeting.one] += result.points[0] / 2
        points[meeting.other] += result.points[1] / 2
    assert {place.name: place.points for place in progress.places} == points
    ordered = [place.points for place in progress.places]
    assert ordered == sorted(ordered, reverse=True)
    assert len(crossed(progress.stages, fate.of)) == len(meetings) / units


@given(bots=st.integers(0, 9), units=st.integers(1, 4), in_a_row=st.booleans())
def test_meetings_are_as_many_as_they_say_and_hold_what_they_list(
    bots: int, units: int, in_a_row: bool
) -> None:
    """Every two bots meet for all units; whoever is not of the field meets nobody."""
    couples = EveryCouple(names(bots), circle)
    meetings = Meetings(couples, units, in_a_row)
    listed = list(meetings)
    assert sorted(couples) == list(combinations(names(bots), 2))
    assert len(couples) == len([*couples])
    assert len(meetings) == len(set(listed)) == len(listed)
    for one, other, number in product(names(bots + 1), names(bots + 1), range(units + 2)):
        assert (Meeting(one, other, number) in meetings) == (
            Meeting(one, other, number) in set(listed)
        )


def test_couples_are_made_as_they_are_asked_for() -> None:
    """Thousands of bots have millions of couples."""

    def first_ten(of: Sequence[str]) -> Iterator[tuple[str, str]]:
        yield from islice(circle(of), 10)
        raise AssertionError("more than that were made")

    meetings = Meetings(EveryCouple(names(2000), first_ten), units=2)
    assert len(meetings) == 2 * 1000 * 1999
    assert len(list(islice(meetings, 20))) == 20


def test_in_a_tournament_of_games_two_bots_play_all_of_theirs_in_a_row() -> None:
    """Couple by couple in the order of names, as the original Broadsides tournament plays."""
    (stage,) = played(plan("tournament", 3, units=2), Luck(3)).stages
    assert list(stage.meetings) == [
        Meeting(one, other, number) for one, other in combinations(names(3), 2) for number in (1, 2)
    ]


@pytest.mark.parametrize("bots", range(2, 9))
def test_a_tournament_of_matches_is_held_round_by_round(bots: int) -> None:
    """In a round every bot plays one opponent, or nobody where the number is odd; the rounds have
    the meetings of the tournament in its order."""
    contest = plan("tournament", bots, units=2, match=3)
    rounds = format_of(contest).rounds(contest)
    assert len(rounds) == bots - 1 + bots % 2
    for one in rounds:
        busy = [name for couple in one.couples for name in couple]
        assert len(set(busy)) == len(busy) == bots - bots % 2
    (stage,) = played(contest, Luck(bots)).stages
    assert [meeting for one in rounds for meeting in one] == list(stage.meetings)


def test_matches_of_equal_points_are_parted_by_their_games() -> None:
    """Match wins rank first if units are matches, and games won part those who are equal."""
    contest = plan("tournament", 3, units=1, match=3)
    results = {
        Meeting("bot000", "bot001", 1): UnitResult((2, 0), (4, 2), (2, 1)),
        Meeting("bot000", "bot002", 1): UnitResult((0, 2), (2, 4), (1, 2)),
        Meeting("bot001", "bot002", 1): UnitResult((2, 0), (6, 0), (3, 0)),
    }
    places = Progress(contest, results.get).places
    assert [(place.name, place.rank, place.points) for place in places] == [
        ("bot001", 1, 1.0),
        ("bot000", 2, 1.0),
        ("bot002", 3, 1.0),
    ]


def test_a_tied_match_or_game_is_won_by_nobody() -> None:
    """In a tournament of matches who has won one stands above who has won none and tied two,
    whatever their games, and tied games are not won; the table and the leaderboard say so."""
    contest = plan("tournament", 4, units=1, match=500)
    results = {
        Meeting("bot000", "bot001", 1): UnitResult((2, 0), (501, 499), (250, 249)),
        Meeting("bot000", "bot002", 1): UnitResult((0, 2), (450, 550), (225, 275)),
        Meeting("bot000", "bot003", 1): UnitResult((0, 2), (450, 550), (225, 275)),
        Meeting("bot001", "bot002", 1): UnitResult((1, 1), (500, 500), (250, 250)),
        Meeting("bot001", "bot003", 1): UnitResult((1, 1), (500, 500), (250, 250)),
        Meeting("bot002", "bot003", 1): UnitResult((2, 0), (600, 400), (300, 200)),
    }
    progress = Progress(contest, results.get)
    standings = ContestTable(
        contest,
        tuple(progress.stages),
        tuple(progress.places),
        progress.is_over,
        crossed(progress.stages, results.get),
        results.get,
    )
    assert contest_lines(standings, 80, False)[:5] == [
        "#  bot     matches won  games won  1  2  3  4",
        "1  bot002            2        825     1  1  ½",
        "2  bot003            1        725  0     1  ½",
        "3  bot000            1        700  0  0     1",
        "4  bot001            0        749  ½  ½  0",
    ]
    assert leaderboard(standings).split("\n") == [
        "After all:",
        "  #  bot     won  lost  tied  games won",
        "  1  bot002    2     0     1        825",
        "  2  bot003    1     1     1        725",
        "  3  bot000    1     2     0        700",
        "  4  bot001    0     1     2        749",
    ]
    known = replace(standings, people={"bot002": Person("Salvo 2000", "Ada")})
    named = leaderboard(known).split("\n")
    assert named[1:4] == [
        "  #  bot                  authors  won  lost  tied  games won",
        "  1  bot002 (Salvo 2000)  Ada        2     0     1        825",
        "  2  bot003                          1     1     1        725",
    ]
    assert (
        standings.format.ranked_by
        == "Ranked by the tournament: the matches won, then the games won."
    )


def test_the_score_of_a_single_match_is_that_of_its_games_if_they_say_who_won() -> None:
    """A forfeit may give the match to the bot with fewer games; then its points are shown."""
    match, game = plan("swiss", 4, units=1, match=3), plan("swiss", 4, units=1)
    ahead, behind = UnitResult((2, 0), (4, 2), (2, 1)), UnitResult((2, 0), (2, 4), (1, 2))
    tied, forfeited = UnitResult((1, 1), (3, 3), (1, 1)), UnitResult((1, 1), (4, 2), (2, 1))
    assert [shown_score(match, one) for one in (ahead, behind, tied, forfeited)] == [
        (4, 2),
        (2, 0),
        (3, 3),
        (1, 1),
    ]
    assert shown_score(match, ahead.swapped) == (2, 4)
    assert shown_score(game, ahead) == (2, 0)
    assert shown_score(replace(match, units=2), ahead) == (2, 0)


def test_a_gauntlet_shows_its_bot_against_every_other() -> None:
    """The win rate counts a tie as half a win; an opponent that has not played has none."""
    contest, table = plan("gauntlet", 3), TallyTable()
    for number, how in enumerate(("0", "0", "1", "tie")):
        table.count(game(number, *contest.bots[:2], how).result, (1, 1))
    current = dict.fromkeys(contest.bots, 1)
    shown = format_of(contest).gauntlet(contest, table, current, contest.bots)
    assert shown
    assert [(one.name, one.won, one.lost, one.tied, one.win_rate) for one in shown.opponents] == [
        ("bot001", 2, 1, 1, 0.625),
        ("bot002", 0, 0, 0, None),
    ]


def test_a_bot_of_a_fixed_field_may_not_be_missing() -> None:
    """If the field is not fixed, a contest goes on without a bot that is gone."""
    for format_, row in sorted(FORMATS.items()):
        tally, bots = Tally(), names(3)
        bot = bots[0] if "bot" in row.options else None
        plan_of = partial(planned, Asked(format=format_, bot=bot, drawn=7), tally)
        first, _ = plan_of(bots, BRAINJAR, Where("x.json", "bots"))
        tally.contest = LedgerContest(first, "rules:7")
        fewer = partial(plan_of, bots[::2], BRAINJAR, Where("x.json", "bots"))
        if row.is_closed:
            with pytest.raises(UsageError, match="bot001 takes part in this contest"):
                fewer()
        else:
            assert fewer()[0].bots == bots[::2]


def test_a_ledger_counts_units_only_for_places_or_matches() -> None:
    """Rounds of single games are ranked by the counts of all games."""
    for format_, match, count in [("rounds", 1, 0), ("rounds", 2, 1), ("tournament", 1, 1)]:
        contest = LedgerContest(plan(format_, 2, match=match), "rules:7")
        result = game(1, *contest.plan.bots, "0").result
        contest.count(replace(result, id="bot000:bot001:rules:7:1.1"), (1, 1))
        assert len(contest.units) == count, format_


# Swiss


@pytest.mark.parametrize(("match", "games", "units"), [(3, 4, 1), (1, 4, 4), (1, None, 1)])
def test_two_bots_meet_for_one_match_or_for_the_games_of_the_option(
    match: int, games: int | None, units: int
) -> None:
    """The rounds are as many as leave one of eight bots without a loss."""
    swiss = FORMATS["swiss"]
    assert swiss.sized({"games": games, "rounds": None}, match, 8) == (units, 3)


@given(st.integers(2, 16), st.integers(1, 20), st.integers(0, 10**6))
@examples(100)
def test_in_a_swiss_contest_nobody_meets_again_while_it_can_be_avoided(
    bots: int, rounds: int, seed: int
) -> None:
    """In no round do more pairs meet again than must, by trying all ways to pair it; and byes are
    fair within one."""
    contest = plan("swiss", min(bots, 9), seed, rounds=rounds, units=1)
    progress = played(contest, Luck(seed))
    assert len(progress.stages) == rounds
    met: Counter[frozenset[str]] = Counter()
    byes = Counter(dict.fromkeys(contest.bots, 0))
    for stage in progress.stages:
        pairs = [frozenset(pair.bots) for pair in stage.pairs]
        playing = [name for pair in stage.pairs for name in pair.bots]
        fewest = min((met[frozenset(two)] for two in combinations(playing, 2)), default=0)
        again = sum(met[pair] > fewest for pair in pairs)
        assert again == fewest_again(tuple(sorted(playing)), met, fewest)
        met.update(pairs)
        byes.update(stage.byes)
        assert len(stage.byes) == len(contest.bots) % 2
        assert max(byes.values()) - min(byes.values()) <= 1


def fewest_again(playing: tuple[str, ...], met: Counter[frozenset[str]], fewest: int) -> int:
    """By trying every way to pair them."""
    if not playing:
        return 0
    one, *others = playing
    return min(
        (met[frozenset((one, other))] > fewest)
        + fewest_again(tuple(name for name in others if name != other), met, fewest)
        for other in others
    )


@given(st.integers(1, 5), st.data())
@examples(200)
def test_pairs_meet_again_as_seldom_as_can_be(half: int, data: st.DataObject) -> None:
    """The couples that have met before are as few as any way of pairing allows."""
    players = names(2 * half)
    drawn = {two: data.draw(st.integers(0, 2)) for two in combinations(players, 2)}
    met = Counter({frozenset(two): times for two, times in drawn.items()})
    couples = list(met)
    matcher = Matcher(players, drawn)
    least, fewest = matcher.again, min(met[couple] for couple in couples)
    pairs = matcher.pairs()
    assert sorted(name for pair in pairs for name in pair) == sorted(players)
    assert sum(met[frozenset(pair)] > fewest for pair in pairs) == least
    assert least == fewest_again(players, met, fewest)


def test_with_nobody_met_yet_neighbours_are_paired() -> None:
    """The highest plays the next."""
    assert Matcher("abcdef", {}).pairs() == [*zip("ace", "bdf", strict=True)]


def test_a_large_swiss_contest_is_quick_to_pair() -> None:
    """200 bots for 12 rounds: nobody meets anybody again."""
    progress = played(plan("swiss", 200, rounds=12, units=1), Luck(3))
    pairs = [frozenset(pair.bots) for stage in progress.stages for pair in stage.pairs]
    assert len(set(pairs)) == len(pairs) == 1200


# Knock-out


@pytest.mark.parametrize("bots", [*range(2, 40), 64, 65])
def test_a_knockout_always_ends_with_one_winner(bots: int) -> None:
    """It holds for any number of bots, 37 among them, and whatever is tied: everyone but one goes
    out, in as many rounds as the bracket has; byes are in the first round alone, one each, for the
    highest seeds."""
    for seed, weights in enumerate([(1, 1, 0, 0), (1, 1, 8, 0), (0, 0, 1, 0), (0, 0, 1, 1)]):
        contest = plan("knockout", bots, seed, units=1)
        progress = played(contest, Luck(seed, weights))
        assert progress.winner is not None
        outs = [place for place in progress.places if place.out is not None]
        assert len(outs) == bots - 1
        assert progress.stages[-1].round == swiss_rounds(bots)
        size = 2 ** swiss_rounds(bots)
        assert sorted(progress.stages[0].byes) == sorted(contest.bots[: size - bots])
        assert not any(stage.byes for stage in progress.stages[1:])
        if not sum(weights[:2]):  # all is tied
            assert progress.winner == contest.bots[0]


def test_the_highest_seeds_meet_last() -> None:
    """If the higher seed always wins, the rounds are 1 against 8, 4 against 5 and so on, and the
    final is 1 against 2."""
    contest = plan("knockout", 8, units=1)
    whole = played(contest, Luck(0, (1, 0, 0, 0)))  # of two the first by name wins: the higher seed
    met = [
        [tuple(int(name[3:]) + 1 for name in pair.bots) for pair in s.pairs] for s in whole.stages
    ]
    assert met == [[(1, 8), (4, 5), (2, 7), (3, 6)], [(1, 4), (2, 3)], [(1, 2)]]
    assert [stage.name for stage in whole.stages] == ["Quarter-finals", "Semi-finals", "Final"]
    assert [place.rank for place in whole.places] == [1, 2, 3, 3, 5, 5, 5, 5]
    assert sorted(filter(None, places_of_bracket(names(37)))) == sorted(names(37))


@pytest.mark.parametrize("ties", range(5))
def test_a_tie_is_decided_by_one_more_unit_three_times_at_most(ties: int) -> None:
    """Then the higher seed goes on, even if the other one is better by name."""
    contest = plan("knockout", 2, units=1)
    contest = Plan(format="knockout", bots=contest.bots[::-1], units=1)
    results = {
        Meeting("bot000", "bot001", number): TIED if number <= ties else WON
        for number in range(1, 5)
    }
    progress = Progress(contest, results.get)
    assert progress.is_over
    assert len(progress.stages) == min(ties, 3) + 1
    assert progress.winner == ("bot000" if ties < 4 else "bot001")


# Lives


@pytest.mark.parametrize("bots", [2, 3, 4, 5, 39, 40, 41])
def test_a_lives_contest_always_ends(bots: int) -> None:
    """Whatever comes of the games, ties without end among them: all but one at most are out; byes
    are fair within one among those who are left; a round takes every two at least one life."""
    for seed, weights in enumerate([(1, 1, 0, 0), (1, 1, 1, 0), (0, 0, 1, 0), (0, 0, 0, 1)]):
        contest = plan("lives", bots, seed, units=1)
        progress = played(contest, Luck(seed, weights))
        alive = [place for place in progress.places if place.lives]
        assert len(alive) <= 1
        assert progress.winner == (alive[0].name if alive else None) or not alive
        byes = Counter(dict.fromkeys(contest.bots, 0))
        for stage in progress.stages:
            byes.update(stage.byes)
            taking_part = {*stage.byes, *(name for pair in stage.pairs for name in pair.bots)}
            counts = [byes[name] for name in taking_part]
            assert max(counts) - min(counts) <= 1
            assert len(stage.byes) == len(taking_part) % 2


def test_two_who_tie_out_of_their_last_lives_leave_no_winner() -> None:
    """They share the first place."""
    progress = played(plan("lives", 2, units=1), Luck(0, (0, 0, 1, 0)))
    assert len(progress.stages) == 3
    assert progress.winner is None
    assert [(place.rank, place.lives, place.out) for place in progress.places] == [(1, 0, 3)] * 2


def test_a_loss_costs_one_life_and_a_tie_one_of_each() -> None:
    """By the units of a pair together: one each is a tie."""
    results = {Meeting("bot000", "bot001", 1): WON, Meeting("bot000", "bot001", 2): WON.swapped}
    tied = Progress(plan("lives", 2), results.get)
    assert [place.lives for place in tied.places] == [2, 2]
    results[Meeting("bot000", "bot001", 2)] = TIED
    assert {
        place.name: place.lives for place in Progress(plan("lives", 2), results.get).places
    } == {"bot000": 3, "bot001": 2}


def test_pairs_of_a_lives_contest_are_drawn_by_its_seed() -> None:
    """Another seed has other pairs; the order in which the bots are given has no say."""
    first = [
        [pair.bots for pair in next(FORMATS["lives"].stages(contest, Luck(0).of)).pairs]
        for contest in (plan("lives", 12, 1), plan("lives", 12, 2))
    ]
    assert all(one != other for one, other in pairwise(first))
    backwards = Plan(format="lives", bots=names(12)[::-1], draw="1", units=2, lives=3)
    pairs = next(FORMATS["lives"].stages(backwards, Luck(0).of)).pairs
    assert [pair.bots for pair in pairs] == first[0]

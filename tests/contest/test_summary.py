"""The summary of a fight of two bots: judge/contest/standings/summary.py, and its documents."""

from __future__ import annotations

import json
import math
import tracemalloc
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from games import match, played, void
from judge import schemas
from judge.contest.schedule import Fight, First
from judge.contest.seeds import parsed
from judge.contest.standings import fight_documents as documents
from judge.contest.standings.summary import (
    FightSummary,
    Times,
    forfeits,
    run_times,
)
from judge.contest.window import Fault
from judge.documents.codec import builtins, convert
from judge.documents.fight import FightEnd
from judge.documents.game import GameRecord, Result, Termination
from judge.documents.reports import MoveTimes
from judge.documents.rules import Turn
from judge.errors import LaunchFault
from judge.game.steps import steps
from judge.game.variants import BROADSIDES, VARIANTS, contest
from judge.play.conditions import Conditions
from judge.stats.intervals import elo_difference, wilson
from judge.stats.sprt import Sprt
from strategies import FORFEITS, examples

NAMES = ("hunter", "random")
PAIRING = next(iter(Fight(games=1, seed=7, first=First.ALTERNATE)))


def summary_of(records: list[GameRecord], names: tuple[str, str] = NAMES) -> FightSummary:
    summary = FightSummary(names)
    for record in records:
        summary.add(record)
    return summary


def fight_json(summary: FightSummary, records: list[GameRecord], **more: Any) -> dict[str, Any]:
    return builtins(documents.fight(documents.totals_of(summary, **more), records))


@st.composite
def fights(draw) -> list[GameRecord]:
    """A few games of NAMES, in pairs or not, some of them forfeited or void."""
    rng = Random(draw(st.integers(0, 2**32)))
    records = []
    for number in range(draw(st.integers(0, 6))):
        kind = draw(st.sampled_from(["played", "forfeit", "void", "ties"]))
        common = {"first": number % 2, "game_id": f"7-{number + 1}"}
        seeds = (number // 2, 100 + number // 2)
        if kind == "void":
            records.append(void(rng.randrange(999)))
        elif kind == "ties":  # everyone at once on three by three: ties are common
            records.append(played(contest(3), rng.randrange(999), bot_seeds=seeds, **common))
        else:
            how = (rng.randrange(2), rng.choice(FORFEITS)) if kind == "forfeit" else None
            records.append(played(seed=rng.randrange(999), forfeit=how, bot_seeds=seeds, **common))
    return records


# The helper's own games


# Counting


@given(fights())
@examples(60)
def test_every_game_is_won_lost_tied_or_void(records: list[GameRecord]) -> None:
    """Both bots' wins, losses and ties add up to the games that are not void."""
    summary = summary_of(records)
    a, b = summary.bots
    assert summary.games == len(records)
    assert a.counts.won == b.counts.lost
    assert b.counts.won == a.counts.lost
    assert a.counts.won + b.counts.won + summary.ties + summary.void == summary.games
    assert summary.first_mover_wins == sum(
        record.outcome.winner == record.first and record.rules.turn is not Turn.BOTH
        for record in records
    )
    if summary.counted:
        assert summary.win_rate(0) == pytest.approx(1 - summary.win_rate(1))


@given(fights(), st.randoms(use_true_random=False))
@examples(60)
def test_the_order_of_games_changes_no_total(records: list[GameRecord], rng: Random) -> None:
    """Added in any order the same games give the same document, but for what pairs tell."""
    shuffled = rng.sample(records, len(records))
    one, other = (fight_json(summary_of(some), []) for some in (records, shuffled))
    for document in (one, other):
        del document["pairs"], document["elo"]
    assert one == other


@given(fights())
@examples(60)
def test_the_document_fits_its_schema(records: list[GameRecord]) -> None:
    """Whatever the games, none at all included, the fight document is valid and finite."""
    summary = summary_of(records)
    document = fight_json(summary, records, seed=3, sprt=Sprt(0, 30))
    assert schemas.problem("fight", document) is None
    assert schemas.problem("fight", json.loads(json.dumps(document, allow_nan=False))) is None
    assert [record["id"] for record in document["records"]] == [record.id for record in records]
    end = builtins(FightEnd(fight=documents.totals_of(summary, seed=3, sprt=Sprt(0, 30))))
    assert schemas.problem("fight-event", end) is None
    assert {**end["fight"], "records": document["records"]} == document


def test_no_game_says_nothing() -> None:
    """Before the first game there is no rate, no difference and no mean, and nothing is nan."""
    document = fight_json(summary_of([]), [])
    assert document["elo"] is None
    for bot in document["bots"]:
        assert bot["win_rate"] is bot["shots_mean"] is bot["shots_to_win_mean"] is bot["ms"] is None
        assert bot["win_rate_95"] == [0, 1]


def test_a_void_game_counts_for_nobody_but_its_forfeits_are_told() -> None:
    """A void game moves no win, loss, tie or rate; both bots' causes are counted."""
    causes = (Termination.CRASH, Termination.ILLEGAL_FLEET)
    summary = summary_of([void(causes=causes), played(seed=1)])
    assert (summary.games, summary.void, summary.counted, summary.ties) == (2, 1, 1, 0)
    assert [dict(bot.counts.forfeits) for bot in summary.bots] == [{causes[0]: 1}, {causes[1]: 1}]


def test_a_tie_is_half_a_win_for_both() -> None:
    """In a variant with ties, a tied game counts half in both win rates."""
    records = (played(contest(3), seed) for seed in range(200))
    tie = next(record for record in records if record.outcome.winner is None)
    summary = summary_of([tie])
    assert summary.ties == 1
    assert summary.win_rate(0) == summary.win_rate(1) == 0.5
    assert summary.elo().los == 0.5


def test_win_rate_and_interval_are_wilsons_of_the_games_that_count() -> None:
    """The interval is Wilson's, of plain wins over games, so that anyone can check it."""
    summary = summary_of([*match(9), void()])
    bot = summary.bots[0]
    assert summary.win_rate(0) == bot.counts.won / 9
    assert summary.win_rate_95(0) == wilson(bot.counts.won, 9)


# Shots


def test_shots_and_misses_are_a_bots_own() -> None:
    """Mean shots and misses of a bot are those that it fired, over all games that count."""
    records = [*match(6), void()]
    document = fight_json(summary_of(records), [])
    for seat, bot in enumerate(document["bots"]):
        own = [one for record in records for one in record.shots if one.seat == seat]
        assert bot["shots_mean"] == len(own) / 6
        assert bot["misses_mean"] == sum(shot.result is Result.MISS for shot in own) / 6


def test_shots_to_win_leave_out_games_that_a_forfeit_ended() -> None:
    """A game won by the other's forfeit says nothing about shots to win."""
    games = [played(seed=seed) for seed in range(8)]
    won = [record for record in games if record.outcome.winner == 0]
    gift = played(seed=99, forfeit=(1, Termination.TIMEOUT), after=4)
    assert won
    assert gift.outcome.winner == 0
    bot = fight_json(summary_of([*games, gift]), [])["bots"][0]
    shots = [sum(one.seat == 0 for one in record.shots) for record in won]
    assert bot["shots_to_win_mean"] == sum(shots) / len(shots)
    assert bot["wins"] == len(won) + 1


# Pairs


def test_swapped_games_with_the_same_seeds_are_pairs() -> None:
    """Two games to a pair: the pairs hold every half-point of the first bot's."""
    records = match(20)
    summary = summary_of(records)
    assert sum(summary.pairs) == 10
    assert sum(k * count for k, count in enumerate(summary.pairs)) == 2 * summary.bots[0].counts.won


def test_games_are_pairs_by_what_they_are_not_by_their_number() -> None:
    """A void or a missing game breaks up its own pair and no other."""
    records = match(12)
    del records[4]
    records[8:9] = [void(8)]
    summary = summary_of(records)
    assert sum(summary.pairs) == 4


def test_games_that_only_follow_each_other_are_no_pairs() -> None:
    """Other seeds, or the same first mover, make no pair; then games count one by one."""
    other_seeds = [played(seed=number, first=number % 2) for number in range(6)]
    same_first = [played(seed=number, bot_seeds=(1, 2)) for number in range(6)]
    for records in (other_seeds, same_first):
        summary = summary_of(records)
        a, b = summary.bots
        assert sum(summary.pairs) == 0
        assert summary.elo() == elo_difference(a.counts.won, b.counts.won)


def test_a_game_of_other_bots_is_refused() -> None:
    """A record of other bots, or with seats the other way round, is not counted."""
    summary = FightSummary(NAMES)
    for names in (("hunter", "other"), NAMES[::-1]):
        with pytest.raises(ValueError, match="not of"):
            summary.add(played(names=names))
    assert summary.games == 0


# Forfeits


@pytest.mark.parametrize("seat", [0, 1])
@pytest.mark.parametrize("cause", FORFEITS)
def test_a_forfeit_counts_for_its_bot_by_its_cause(seat: int, cause: Termination) -> None:
    """Every cause of a forfeit is counted for the bot that forfeited, and kept once."""
    records = [
        played(seed=seed, forfeit=(seat, cause), detail=f"sentence {seed}", game_id=f"7-{seed}")
        for seed in (1, 2)
    ]
    summary = summary_of(records)
    bot, other = summary.bots[seat], summary.bots[1 - seat]
    assert bot.counts.forfeits == {cause: 2}
    assert not other.counts.forfeits
    assert bot.counts.lost == 2
    first = bot.first_forfeits[cause]
    assert (first.game, first.detail) == ("7-1", "sentence 1")
    assert first.evidence == records[0].evidence[0]


def test_both_who_forfeit_at_once_get_their_own_sentence() -> None:
    """The outcome's joined sentence is taken apart, seat by seat."""
    found = forfeits(void(causes=(Termination.CRASH, Termination.ILLEGAL_FLEET)))
    assert found[0].detail == "could not place a fleet: crash"
    assert found[1].detail == "could not place a fleet: illegal-fleet"
    assert found[0].evidence.seat == 0
    assert found[1].evidence.seat == 1


# Times

MILLISECONDS = st.floats(0.01, 1e7, allow_nan=False)


@given(st.lists(MILLISECONDS, min_size=1, max_size=300), st.sampled_from([0.01, 0.5, 0.9, 0.99, 1]))
@examples(200)
def test_a_quantile_is_right_to_half_a_percent(values: list[float], share: float) -> None:
    """A quantile is within half a percent of the value of its rank, and the worst is exact."""
    times = Times()
    for value in values:
        times.add(value)
    exact = sorted(values)[math.ceil(share * len(values)) - 1]
    assert times.quantile(share) == pytest.approx(exact, rel=0.00501)
    assert times.quantile(1) == times.worst == max(values)


def test_one_time_alone_is_exact() -> None:
    """One time is the median and the worst if there is no other."""
    times = Times()
    times.add(33.25)
    assert times.document() == MoveTimes(median=33.25, p99=33.25, max=33.25)


def test_a_histogram_takes_no_more_room_for_more_times() -> None:
    """Memory grows with how far times spread, not with their number."""
    rng = Random(7)
    spread = [10 ** rng.uniform(-2, 5) for _ in range(20_000)]
    times = Times()
    for value in spread:
        times.add(value)
    tracemalloc.start()
    try:
        for value in spread * 5:
            times.add(value)
        grown, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert times.count == 120_000
    assert grown < 100_000  # a list of them would take 800,000 bytes


def test_every_run_of_a_bot_is_a_move_and_counts_once() -> None:
    """Placing, each shot, and the run that failed are timed; a fleet that failed only once."""
    whole = played(seed=5)
    crashed = played(seed=5, forfeit=(1, Termination.CRASH), after=6)
    unplaced = played(seed=5, forfeit=(1, Termination.ILLEGAL_FLEET))
    assert len(list(run_times(whole))) == 2 + len(whole.shots)
    assert len(list(run_times(crashed))) == 2 + len(crashed.shots) + 1
    assert len(list(run_times(unplaced))) == 2
    assert (1, crashed.evidence[0].wall_ms) in list(run_times(crashed))


def test_a_volley_is_one_move() -> None:
    """The shots of a volley share one run, whose time stands at the first of them."""
    record = played(BROADSIDES, 3)
    volleys = sum(one.ms > 0 for one in record.shots)
    assert volleys < len(record.shots)
    assert len(list(run_times(record))) == 2 + volleys


def test_salvos_are_counted_as_volleys_and_as_shots() -> None:
    """They are counted over all games, and over those that were won by playing them out; elsewhere
    a shot is a volley."""
    record = played(BROADSIDES, 3)
    summary, winner = summary_of([record]), record.outcome.winner
    assert winner is not None
    volleys = [one.seat for step, _ in steps(record) for one in step.volleys]
    assert [bot.volleys for bot in summary.bots] == [volleys.count(0), volleys.count(1)]
    assert summary.bots[winner].counts.volleys_to_win == volleys.count(winner)
    assert summary.bots[winner].counts.shots_to_win == sum(
        one.seat == winner for one in record.shots
    )
    plain = summary_of([played(seed=3)])
    assert all(bot.volleys == bot.shots > 0 for bot in plain.bots)


def test_a_timeout_shows_in_the_worst_time() -> None:
    """The move that took too long is the worst one of its bot."""
    summary = summary_of([played(seed=2, forfeit=(0, Termination.TIMEOUT))])
    assert summary.bots[0].times.worst == 2001.5
    assert summary.bots[1].times.worst < 2000


# Documents and events


def test_the_fight_schemas_example_is_what_its_games_come_to() -> None:
    """The example's totals are those of its own records."""
    example = schemas.load("fight")["examples"][0]
    records = [convert(GameRecord, document, "it") for document in example["records"]]
    names = tuple(bot["name"] for bot in example["bots"])
    again = fight_json(summary_of(records, names), records, seed=parsed(example["seed"]))
    assert json.loads(json.dumps(again)) == example


def test_every_line_of_a_run_fits_the_schema_of_events() -> None:
    """Start, games, faults and the end are events, and the score is the running one."""
    summary = FightSummary(NAMES)
    start = documents.start_event(
        NAMES, games=4, seed=7, conditions=Conditions(rules=VARIANTS["contest"])
    )
    fault = Fault(PAIRING, LaunchFault("no process could be started"))
    told = [start]
    for record in [*match(2), void(), played(contest(3), 1)]:
        summary.add(record)
        told.append(documents.game_event(summary, record))
    told += [
        documents.fault_event(fault),
        FightEnd(fight=documents.totals_of(summary, faults=[fault])),
    ]
    lines = [builtins(event) for event in told]
    assert [schemas.problem("fight-event", line) for line in lines] == [None] * len(lines)
    assert [line["event"] for line in lines] == ["start", *["game"] * 4, "fault", "end"]
    assert [line["score"]["games"] for line in lines[1:5]] == [1, 2, 3, 4]
    assert lines[4]["score"]["void"] == 1
    assert lines[-1]["fight"]["faults"] == [{"id": PAIRING.id, "message": str(fault.error)}]


def test_a_bug_of_the_judge_is_named_by_its_kind() -> None:
    """A fault with a sentence of its own says that; any other error says what it is."""
    assert documents.fault_message(Fault(PAIRING, LaunchFault("no process"))) == "no process"
    full = OSError(28, "No space left on device", "/tmp/x")
    assert documents.fault_message(Fault(PAIRING, full)) == "/tmp/x: No space left on device"
    bug = documents.fault_message(Fault(PAIRING, KeyError("x")))
    assert bug == "a bug in the judge: KeyError: 'x'"


def test_the_sprt_of_a_fight_is_that_of_its_pairs() -> None:
    """The document tells the ratio, its limits and the verdict that the pairs give."""
    records = match(8)
    summary, sprt = summary_of(records), Sprt(0, 30)
    told = fight_json(summary, records, sprt=sprt)["sprt"]
    assert told["llr"] == sprt.llr(summary.pairs)
    assert told["verdict"] == "continue"
    assert told["bounds"] == list(sprt.bounds)

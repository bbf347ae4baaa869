"""The output of `judge fight`: judge/show/many_games.py."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from changes import replace
from games import SGR, match, played, strange_texts, void, with_evidence
from judge.contest.schedule import Fight, First
from judge.contest.standings.summary import FightSummary
from judge.contest.window import Fault
from judge.documents.game import Exchange, GameRecord, Outcome, Termination
from judge.errors import LaunchFault
from judge.game.steps import steps
from judge.game.variants import BROADSIDES, BSP, VARIANTS, XBS, contest
from judge.show.evidence import run_lines
from judge.show.many_games import many_games, match_result, score, sprt_state, verdict
from judge.show.one_game import WORDS, ending, headline, one_game
from judge.show.text import cells
from judge.stats.sprt import Sprt
from strategies import FORFEITS, examples

NAMES = ("hunter", "random")


def summary_of(records: list[GameRecord], names: tuple[str, str] = NAMES) -> FightSummary:
    summary = FightSummary(names)
    for record in records:
        summary.add(record)
    return summary


def won_by(seat: int, games: int, **more) -> list[GameRecord]:
    """So many games, each with seeds of its own, that this seat wins by playing them out."""
    found = (
        record for s in range(9999) if (record := played(seed=s, **more)).outcome.winner == seat
    )
    return [next(found) for _ in range(games)]


def with_names(record: GameRecord, names: tuple[str, ...]) -> GameRecord:
    seats = zip(record.seats, names, strict=True)
    return replace(record, seats=tuple(replace(seat, name=name) for seat, name in seats))


@st.composite
def strange_records(draw) -> GameRecord:
    """A game of any kind, with strange names, and strange sentences and output in its evidence."""
    names = (draw(strange_texts()), draw(strange_texts()))
    kind = draw(st.sampled_from(["played", "forfeit", "void", "variant"]))
    seed = draw(st.integers(0, 99))
    if kind == "void":
        record = void(seed)
    elif kind == "variant":
        record = played(VARIANTS[draw(st.sampled_from(sorted(VARIANTS)))], seed)
    else:
        how = (draw(st.integers(0, 1)), draw(st.sampled_from(FORFEITS)))
        record = played(
            seed=seed,
            forfeit=how if kind == "forfeit" else None,
            detail=draw(strange_texts()),
            stdout=draw(strange_texts()),
            stderr=draw(strange_texts()) * 20,
        )
    return with_names(record, names)


# One game


WIDTHS = st.sampled_from([60, 80, 100, 120])


@given(strange_records(), st.booleans(), WIDTHS)
@examples(150)
def test_the_text_of_a_game_fits_a_terminal(record: GameRecord, colour: bool, width: int) -> None:
    """Whatever a bot is called and printed, no line is wider than the terminal, and
    none can move the cursor."""
    text = one_game(record, colour=colour, width=width)
    plain = SGR.sub("", text)
    assert colour or plain == text
    for line in plain.split("\n"):
        assert cells(line) <= width
        assert line.isprintable() or not line.isascii()
        assert "\x1b" not in line


def test_a_narrow_table_says_what_it_has_no_room_for() -> None:
    """The least wanted columns are left out at 60 columns, by name; at 80 none is."""
    wide, narrow = (one_game(played(names=("a" * 30, "b")), width=width) for width in (80, 60))
    assert "worst" in wide
    assert "No room" not in wide
    assert "No room here for misses, worst: a wider terminal, or a file, has all." in (
        " ".join(narrow.split("\n"))
    )


def test_a_game_tells_who_won_why_and_in_how_many_shots() -> None:
    """The first line names both, the reason, and the winner's shots and misses."""
    record = won_by(0, 1)[0]
    own = [one for one in record.shots if one.seat == 0]
    misses = sum(not shot.is_hit for shot in own)
    text = one_game(record, seed=7, again="judge fight a b --seed 7")
    first, *_ = text.split("\n")
    assert first == (
        f"hunter beats random: it sank the whole fleet in {len(own)} shots, "
        f"{misses} of them misses."
    )
    assert "hunter moved first." in text
    assert f"{len(record.shots)} shots" in text
    assert "seed 7" in text
    assert text.endswith("Play it again:\n  judge fight a b --seed 7")


def test_a_salvo_game_tells_volleys_and_shots() -> None:
    """They are the winner's in the headline, both seats' below it, and means in a match."""
    record = played(BROADSIDES, 2)
    volleys = [one.seat for step, _ in steps(record) for one in step.volleys]
    winner = record.outcome.winner
    assert winner is not None
    shots = sum(one.seat == winner for one in record.shots)
    assert f" in {volleys.count(winner)} volleys with {shots} shots, " in headline(record)
    assert f"{len(volleys)} volleys, {len(record.shots)} shots, " in one_game(record)
    text = many_games(summary_of([record, played(BROADSIDES, 3)]))
    assert re.search(r"^volleys to win +\S+ +\S+$", text, re.MULTILINE)
    assert re.search(r"^volleys a game +[\d.]+ +[\d.]+$", text, re.MULTILINE)
    assert "volleys" not in many_games(summary_of(won_by(0, 2)))


def test_a_forked_game_says_so() -> None:
    """How the moves were started is told where it is not the usual way."""
    record = won_by(0, 1)[0]
    assert "seed 7." in one_game(record, seed=7, again="judge")
    seats = tuple(replace(seat, launch="fork") for seat in record.seats)
    forked = one_game(replace(record, seats=seats), seed=7, again="judge")
    assert "seed 7, moves forked." in " ".join(forked.split())


def test_a_game_tells_each_bots_shots_and_ships() -> None:
    """A row a bot: shots, hits, misses, and how many of its ships are left."""
    record = won_by(1, 1)[0]
    text = one_game(record)
    own = [one for one in record.shots if one.seat == 1]
    hits = sum(shot.is_hit for shot in own)
    rows = {line.split()[0]: line.split() for line in text.split("\n")[3:5]}
    assert rows["random"][1:4] == [str(len(own)), str(hits), str(len(own) - hits)]
    assert rows["hunter"][4:7] == ["0", "of", "4"]


def test_the_command_to_play_again_is_never_broken() -> None:
    """The command is there to be copied, so it stays on one line, however long."""
    again = "judge fight " + "x" * 200 + " --seed 7"
    assert one_game(played(), again=again).split("\n")[-1] == f"  {again}"


@pytest.mark.parametrize("cause", FORFEITS)
def test_a_forfeit_shows_its_evidence(cause: Termination) -> None:
    """Who forfeited, how, the sentence for its author, the end of the run, and its output."""
    record = played(
        forfeit=(1, cause),
        detail="what it did",
        stdout='{"move":"99"}\n',
        stderr="".join(f"line {number}\n" for number in range(1, 31)),
    )
    text = one_game(record)
    assert text.startswith("hunter wins: random ")
    assert f"random, {cause}: what it did" in text
    assert "SIGKILL after 2002 ms" in text if cause == "timeout" else "exit 0 after" in text
    assert '  stdout  {"move":"99"}' in text
    assert "  stderr  (first 6, last 6 of 30 lines; --verbose: all)\n    line 1\n" in text
    assert "    line 6\n    …\n    line 25\n" in text
    assert "    line 30\n" in text


@pytest.mark.parametrize("width", [60, 80, 120])
def test_a_line_of_an_error_is_shown_whole(width: int) -> None:
    """The words that say what is wrong may stand in the middle of it; a line that does not fit goes
    on in the next row, as far to the right as it began."""
    said = (
        "panic: json: cannot unmarshal string into Go struct field Snapshot.destroyed of type int, "
        "at the end of everything"
    )
    record = played(forfeit=(1, Termination.CRASH), stderr=f"{said}\n\n  {said}\nexit status 2\n")
    (run,) = record.evidence
    rows = run_lines(run, width=width)
    assert all(len(row) <= width for row in rows[1:])
    assert [row[:10] for row in rows if "panic: " in row] == ["    panic:", "      pani"]
    assert " ".join(" ".join(rows).split()).count(said) == 2
    assert "…" not in "".join(rows)


def test_an_endless_line_of_an_error_shows_both_its_ends() -> None:
    """An interpreter says first where it happened and last what."""
    where = f"<internal:{'/usr/lib' * 60}>:85:in `require'"
    printed = f"{where}: cannot load such file -- helper (LoadError)\n\tfrom ann.rb:1\n"
    text = one_game(played(forfeit=(1, Termination.CRASH), detail="", stderr=printed))
    assert "    <internal:/usr/lib" in text
    assert "cannot load such file -- helper (LoadError) from ann.rb:1" in " ".join(text.split())
    assert "…" in text


def test_evidence_can_be_had_whole() -> None:
    """With verbose, every line that was printed and every question and answer is there, uncut."""
    printed = [f"line {number} {'x' * 90}" for number in range(1, 31)]
    record = played(
        forfeit=(1, Termination.CRASH), stderr="\n".join(printed), stdout="a\nb\nc\nd\n"
    )
    (run,) = record.evidence
    exchanges = tuple(
        Exchange(f"ask {n} {'y' * 90}\n", f"say {n} {'z' * 90}\n", 1.0) for n in range(9)
    )
    text = one_game(with_evidence(record, replace(run, exchanges=exchanges)), verbose=True)
    for line in (*printed, "a", "d", f"ask 0 {'y' * 90}", f"say 0 {'z' * 90}, after 1.0 ms"):
        assert f" {line}\n" in text
    assert "…" not in text
    assert "--verbose" not in text


@pytest.mark.parametrize("cause", [Termination.BAD_OUTPUT, Termination.ILLEGAL_MOVE])
def test_a_line_that_was_written_before_the_question_is_called_so(cause: Termination) -> None:
    """An answer that cost the game and came before its question is called so; one that never came
    is not."""
    record = played(forfeit=(1, cause))
    (run,) = record.evidence
    exchanges = (
        Exchange("ACTION SHIPS\n", "SHIPS\nSHOTS A1\n", 1.0),
        Exchange("ACTION SHOTS 6\n", "", 0.0),
    )
    record = with_evidence(record, replace(run, exchanges=exchanges))
    said = "  asked   ACTION SHOTS 6\n  said    (the line was written before the question)\n"
    assert said in one_game(record)
    late = replace(
        record, outcome=replace(record.outcome, termination=Termination.TIMEOUT), asides=()
    )
    assert "(the line was" not in one_game(late)


def test_a_program_that_stays_alive_is_shown_with_its_last_exchanges() -> None:
    """Three of them at most, each with what it was asked last, the answer and the time: none of
    that is in its command, as it is for a program that runs once a question."""
    record = played(forfeit=(1, Termination.ILLEGAL_MOVE), detail="fired 2 shots where 6 are due")
    (run,) = record.evidence
    exchanges = (
        Exchange("ACTION SHIPS\n", "SHIPS\n", 1.0),
        Exchange("ACTION SHOTS 5\n", "SHOTS A1 B1\n", 20.0),
        Exchange("ACTION SHOTS 4\n", f"SHOTS {'C1 ' * 40}\n", 4.0),
        Exchange("INFO\nACTION SHOTS 6\n", "", 2000.0),
    )
    lines = run_lines(replace(run, exit=None, signal=None, exchanges=exchanges))
    assert lines[0].startswith("  ended   still running after ")
    assert lines[1:7] == [
        "  asked   ACTION SHOTS 5",
        "  said    SHOTS A1 B1, after 20.0 ms",
        "  asked   ACTION SHOTS 4",
        f"  said    SHOTS {('C1 ' * 40)[:49]}…, after 4.0 ms",
        "  asked   ACTION SHOTS 6",
        "  said    (nothing), after 2000 ms",
    ]
    assert not any(line.startswith("  asked") for line in run_lines(run))


def test_output_that_would_play_tricks_is_shown_harmless() -> None:
    """Colours vanish from stderr, other control characters are shown as escapes."""
    text = one_game(played(forfeit=(0, Termination.CRASH), stderr="\x1b[31mred\x1b[0m\a\u202e"))
    assert "  stderr  red\\x07\\u202e" in text


def test_a_void_game_tells_both_sides() -> None:
    """Nobody wins a void game, and both bots' faults are told with their own sentences."""
    text = one_game(void(causes=(Termination.CRASH, Termination.ILLEGAL_FLEET)))
    assert text.startswith("Void: both fleets were forfeited.")
    assert "hunter, crash: could not place a fleet: crash\n" in text
    assert "random, illegal-fleet: could not place a fleet: illegal-fleet\n" in text
    assert text.count("no fleet") == 2


def test_a_tie_is_told_as_one() -> None:
    """A game that nobody won names who tied, and says how it came to it."""
    records = (played(contest(3), seed) for seed in range(200))
    tie = next(record for record in records if record.outcome.winner is None)
    names = " and ".join(seat.name for seat in tie.seats)
    assert one_game(tie).startswith(f"{names} tie: both fleets were sunk at once")


AT_GOAL = "when the goal was reached)"
ENDS = {
    f"cy wins with 17 points; ann 11, bob 6 (it was ahead {AT_GOAL}": (
        Outcome(2, None, Termination.GOAL, scores=(11, 6, 17))
    ),
    f"ann and cy tie with 1 point; bob 0 (level {AT_GOAL}": (
        Outcome(None, None, Termination.GOAL, scores=(1, 0, 1))
    ),
    f"ann, bob and cy tie with 2 points (level {AT_GOAL}": (
        Outcome(None, None, Termination.GOAL, scores=(2, 2, 2))
    ),
    f"A tie: bob 9, ann 4, cy 4 (level {AT_GOAL}": (  # bob was gone
        Outcome(None, None, Termination.GOAL, scores=(4, 9, 4))
    ),
    "Unfinished: bob 2, ann 1, cy 0 (the game was not played to its end)": (
        Outcome(None, None, Termination.ABORTED, scores=(1, 2, 0))
    ),
    "Void: all fleets were forfeited": Outcome(None, None, Termination.VOID),
}


@pytest.mark.parametrize("said", ENDS)
def test_each_number_at_the_end_has_a_name(said: str) -> None:
    """Who won or tied comes first, then everyone else with their points, the most first."""
    assert ending(["ann", "bob", "cy"], ENDS[said], XBS) == said


def test_an_end_is_told_to_one_of_its_players() -> None:
    """A player reads of itself as "you", whether it won, lost or tied."""
    names = ["ann", "you"]
    won = Outcome(1, 0, Termination.GOAL, scores=(0, 2))
    assert ending(names, won, XBS) == (
        "you win with 2 points; ann 0 (you were ahead when the goal was reached)"
    )
    assert ending(names, Outcome(0, 1, Termination.TIMEOUT), BSP) == (
        "ann wins: you did not answer in time"
    )
    assert ending(names, Outcome(1, 0, Termination.FLEET_DESTROYED), BSP) == (
        "you beat ann: you sank the whole fleet"
    )


def test_points_are_told_where_they_decided() -> None:
    """A game for points ends with the score of all seats, whoever many they are."""
    record = played(XBS, 3, names=("a", "b", "c"))
    text = one_game(record)
    assert text.startswith(f"{ending('abc', record.outcome, XBS)}.")
    assert all(any(line.startswith(f"{name} ") for line in text.split("\n")) for name in "abc")


def test_there_are_words_for_every_way_a_game_can_end() -> None:
    """The table of words is complete, every decided end names who it was, and whatever is no
    forfeit can be a tie.
    """
    assert set(WORDS) == set(Termination)
    for termination, words in WORDS.items():
        assert bool(words.tied) is not termination.is_forfeit
        if termination.is_rated and termination is not Termination.BOTH_FAILED:
            assert ("{loser}" if termination.is_forfeit else "{winner}") in words.decided


# Many games


@given(st.lists(strange_records(), max_size=5), st.booleans(), WIDTHS, st.data())
@examples(100)
def test_the_text_of_a_match_fits_a_terminal(
    records: list[GameRecord], colour: bool, width: int, data: st.DataObject
) -> None:
    """Whatever the names and outputs, no line but a command is wider than the terminal, and no
    number is nan."""
    names = (data.draw(strange_texts()), data.draw(strange_texts()))
    summary = summary_of([with_names(record, names) for record in records], names)
    pairing = next(iter(Fight(games=1, seed=7, first=First.A)))
    faults = [Fault(pairing, LaunchFault(data.draw(strange_texts()))) for _ in range(len(records))]
    sprt = Sprt(0, 30)
    text = many_games(summary, seed=7, sprt=sprt, faults=faults, colour=colour, width=width)
    plain = SGR.sub("", text)
    assert colour or plain == text
    for line in plain.split("\n"):
        assert cells(line) <= width
        assert "\x1b" not in line
    numbers = SGR.sub("", many_games(summary_of([with_names(r, NAMES) for r in records])))
    assert " nan" not in numbers
    assert "inf" not in numbers.replace("information", "")


def test_a_match_tells_wins_rates_strength_and_times() -> None:
    """The table has a row for every measure, and the lines below it the difference and LOS."""
    text = many_games(summary_of(match(20)), seed=7, again="judge fight a b --games 20 --seed 7")
    rows = [line[:18].strip() for line in text.split("\n")]
    for label in (
        "wins",
        "win rate",
        "95% interval",
        "shots to win",
        "shots a game",
        "misses a game",
        "ms a move, median",
        "99 of 100 within",
        "worst",
        "forfeits",
        "Elo difference",
        "LOS",
        "first mover won",
    ):
        assert label in rows
    assert "counted in 10 swapped pairs" in text
    assert text.endswith("Seed 7.\nPlay it again:\n  judge fight a b --games 20 --seed 7")


def test_the_score_is_a_line() -> None:
    """The score names both bots and all games, and ties and void games where there are any."""
    records = [*won_by(0, 3), *won_by(1, 1)]
    assert score(summary_of(records)) == "hunter 3 : 1 random in 4 games"
    assert score(summary_of([*records, void()])) == "hunter 3 : 1 random in 5 games, 1 void"
    assert score(summary_of(records[:1])) == "hunter 1 : 0 random in 1 game"


def test_a_tied_match_names_who_tied() -> None:
    """So does a match that an error of both has ended."""
    summary = summary_of([*won_by(0, 1), *won_by(1, 1)])
    summary.match_games = 2
    assert match_result(summary) == "hunter and random tie the match."
    summary.match_games = 5
    summary.match_ended_by = Outcome(None, None, Termination.BOTH_FAILED)
    assert match_result(summary) == "hunter and random tie the match: both failed in game 2 of 5."


def test_a_clear_match_says_who_is_stronger() -> None:
    """Twelve wins to none are enough to say so, without claiming certainty."""
    assert verdict(summary_of(won_by(0, 12))) == (
        "hunter is stronger than random (LOS over 99.9%)."
    )
    assert verdict(summary_of(won_by(1, 12))).startswith("random is stronger than hunter")


def test_a_close_match_says_that_it_is_not_decided() -> None:
    """With two wins to one, or level, nobody is called stronger."""
    close = verdict(summary_of([*won_by(0, 2), *won_by(1, 1)]))
    assert close.startswith("Not yet decided: hunter leads (LOS ")
    level = verdict(summary_of([*won_by(0, 2), *won_by(1, 2)]))
    assert level.startswith("Not yet decided: hunter and random are level")


def test_only_void_games_say_nothing() -> None:
    """Without a game that counts, no strength is claimed and no rate shown."""
    text = many_games(summary_of([void(), void(1)]))
    assert "No game counts" in text
    assert "Elo" not in text
    assert "0.0% – 100.0%" in text


def test_a_match_won_by_forfeits_says_how_little_that_tells() -> None:
    """The verdict warns of it if most of the losses are forfeits."""
    forfeited = [played(seed=s, forfeit=(1, Termination.TIMEOUT)) for s in range(10)]
    said = verdict(summary_of([*forfeited, *won_by(0, 2)]))
    assert "hunter is stronger than random" in said
    assert "random lost 10 of 12 by forfeit" in said
    assert "by forfeit" not in verdict(summary_of([*forfeited[:2], *won_by(0, 10)]))


def test_forfeits_are_told_by_cause_with_the_first_of_each() -> None:
    """A row a cause in the table, and below it the first game of each with its evidence."""
    records = [
        played(seed=1, forfeit=(1, Termination.TIMEOUT), detail="too late", game_id="7-1"),
        played(seed=2, forfeit=(1, Termination.TIMEOUT), detail="later", game_id="7-2"),
        played(seed=3, forfeit=(0, Termination.CRASH), detail="fell over", game_id="7-3"),
    ]
    text = many_games(summary_of(records))
    rows = [line.split() for line in text.split("\n")]
    assert ["forfeits", "1", "2"] in rows
    assert ["timeout", "-", "2"] in rows
    assert ["crash", "1", "-"] in rows
    assert "random, timeout (2 games, first 7-1): too late" in text
    assert "hunter, crash (7-3): fell over" in text
    assert "later" not in text


def test_games_that_the_judge_could_not_play_are_listed() -> None:
    """Faults are told with their reason, as nobody's loss; a long list is cut short."""
    pairings = list(Fight(games=7, seed=7, first=First.ALTERNATE))
    faults = [Fault(pairing, LaunchFault("no process could be started")) for pairing in pairings]
    text = many_games(summary_of(match(2)), faults=faults)
    assert "7 games could not be played." in text
    assert "  7-1: no process could be started" in text
    assert "  and 2 more." in text
    assert "could not be played" not in many_games(summary_of(match(2)))


def test_the_sprt_says_how_far_it_has_come() -> None:
    """The line tells the ratio, its limits, and when decided which difference it accepts."""
    sprt = Sprt(0, 30)
    summary = summary_of(match(8))
    ratio = sprt.llr(summary.pairs)
    assert sprt_state(sprt, summary) == (
        f"SPRT [0, 30]: LLR {ratio:+.2f} (-2.94 to 2.94) after 4 pairs, not yet decided."
    )
    summary.pairs = [0, 0, 0, 0, 60]
    assert "H1 accepted: hunter against random is nearer to +30 Elo than to +0." in sprt_state(
        sprt, summary
    )
    summary.pairs = [60, 0, 0, 0, 0]
    assert "H0 accepted: hunter against random is nearer to +0 Elo than to +30." in sprt_state(
        sprt, summary
    )

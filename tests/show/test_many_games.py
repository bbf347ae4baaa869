"""The output of `judge fight`: judge/show/many_games.py."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from changes import replace
from games import SGR, match, played, strange_texts, void, with_evidence
from golden import hold
from judge.contest.schedule import Fight, First
from judge.contest.standings.summary import FightSummary
from judge.contest.window import Fault
from judge.documents.game import Exchange, GameRecord, Outcome, Termination
from judge.errors import LaunchFault
from judge.game.variants import BROADSIDES, BSP, VARIANTS, XBS, contest
from judge.show.evidence import WHOLE, naming_verbose, run_lines
from judge.show.many_games import many_games, match_result, score, sprt_state, verdict
from judge.show.one_game import WORDS, ending, one_game
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


@pytest.mark.parametrize("width", [40, 60, 80, 120])
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


def with_exchanges(record: GameRecord, *exchanges: Exchange, alive: bool = False) -> GameRecord:
    (run,) = record.evidence
    ended = {"exit": None, "signal": None} if alive else {}
    return with_evidence(record, replace(run, exchanges=exchanges, **ended))


def ended(*scores: int, winner: int | None = None, how: Termination = Termination.GOAL) -> str:
    """The end of a game by points for three."""
    return ending(["ann", "bob", "cy"], Outcome(winner, None, how, scores=scores or None), XBS)


def tied(games: int, how: Outcome | None = None) -> str:
    summary = summary_of([*won_by(0, 1), *won_by(1, 1)])
    summary.match_games, summary.match_ended_by = games, how
    return str(match_result(summary))


def decided(pairs: list[int] | None = None) -> str:
    """The line of a sequential test after these pairs."""
    summary = summary_of(match(8))
    summary.pairs = pairs or summary.pairs
    return sprt_state(Sprt(0, 30), summary)


def forked(record: GameRecord) -> GameRecord:
    return replace(record, seats=tuple(replace(seat, launch="fork") for seat in record.seats))


NUMBERED = "".join(f"line {number}\n" for number in range(1, 31))
NOWHERE = f"<internal:{'/usr/lib' * 60}>:85:in `require'"
ASKED = (
    Exchange("ACTION SHIPS\n", "SHIPS\n", 1.0),
    Exchange("ACTION SHOTS 5\n", "SHOTS A1 B1\n", 20.0),
    Exchange("ACTION SHOTS 4\n", f"SHOTS {'C1 ' * 40}\n", 4.0),
    Exchange("INFO\nACTION SHOTS 6\n", "", 2000.0),
)
EARLY = (
    Exchange("ACTION SHIPS\n", "SHIPS\nSHOTS A1\n", 1.0),
    Exchange("ACTION SHOTS 6\n", "", 0.0),
)
FAULTS = [
    Fault(pairing, LaunchFault("no process could be started"))
    for pairing in Fight(games=7, seed=7, first=First.ALTERNATE)
]
LOST = [
    played(seed=1, forfeit=(1, Termination.TIMEOUT), detail="too late", game_id="7-1"),
    played(seed=2, forfeit=(1, Termination.TIMEOUT), detail="later", game_id="7-2"),
    played(seed=3, forfeit=(0, Termination.CRASH), detail="fell over", game_id="7-3"),
]
LATE = [played(seed=seed, forfeit=(1, Termination.TIMEOUT)) for seed in range(10)]


def forfeited(termination: Termination) -> GameRecord:
    return played(
        forfeit=(1, termination), detail="what it did", stdout='{"move":"99"}\n', stderr=NUMBERED
    )


TEXTS: dict[str, Callable[[], str]] = {
    "a game": lambda: one_game(won_by(0, 1)[0], seed=7, again=f"judge fight {'x' * 99} --seed 7"),
    "a game that the other wins": lambda: one_game(won_by(1, 1)[0]),
    "a game in 60 columns": lambda: one_game(played(names=("a" * 30, "b")), width=60),
    "a game in 80 columns": lambda: one_game(played(names=("a" * 30, "b")), width=80),
    "a game of salvos": lambda: one_game(played(BROADSIDES, 2)),
    "a forked game": lambda: one_game(forked(played()), seed=7, again="judge"),
    **{
        f"a forfeit, {termination}": partial(lambda how: one_game(forfeited(how)), termination)
        for termination in FORFEITS
    },
    "an endless line of an error": lambda: one_game(
        played(
            forfeit=(1, Termination.CRASH),
            detail="",
            stderr=f"{NOWHERE}: cannot load such file -- helper (LoadError)\n\tfrom ann.rb:1\n",
        )
    ),
    "a line before its question": lambda: one_game(
        with_exchanges(played(forfeit=(1, Termination.BAD_OUTPUT)), *EARLY)
    ),
    "a move before its question": lambda: one_game(
        with_exchanges(played(forfeit=(1, Termination.ILLEGAL_MOVE)), *EARLY)
    ),
    "no line after a question": lambda: one_game(
        with_exchanges(played(forfeit=(1, Termination.TIMEOUT)), *EARLY)
    ),
    "a program that stays alive": lambda: one_game(
        with_exchanges(played(forfeit=(1, Termination.ILLEGAL_MOVE)), *ASKED, alive=True)
    ),
    "output that would play tricks": lambda: one_game(
        played(forfeit=(0, Termination.CRASH), stderr="\x1b[31mred\x1b[0m\a\u202e")
    ),
    "a void game": lambda: one_game(void(causes=(Termination.CRASH, Termination.ILLEGAL_FLEET))),
    "a tie": lambda: one_game(
        next(
            record
            for seed in range(200)
            if (record := played(contest(3), seed)).outcome.winner is None
        )
    ),
    "a game of three for points": lambda: one_game(played(XBS, 3, names=("a", "b", "c"))),
    "ends": lambda: "\n".join(
        [
            ended(11, 6, 17, winner=2),
            ended(1, 0, 1),
            ended(2, 2, 2),
            ended(4, 9, 4),  # bob was gone
            ended(1, 2, 0, how=Termination.ABORTED),
            ended(how=Termination.VOID),
            ending(["ann", "you"], Outcome(1, 0, Termination.GOAL, scores=(0, 2)), XBS),
            ending(["ann", "you"], Outcome(0, 1, Termination.TIMEOUT), BSP),
            ending(["ann", "you"], Outcome(1, 0, Termination.FLEET_DESTROYED), BSP),
        ]
    ),
    "a match": lambda: many_games(summary_of(match(20)), seed=7, again="judge fight a b --seed 7"),
    "a match of salvos": lambda: many_games(
        summary_of([played(BROADSIDES, 2), played(BROADSIDES, 3)])
    ),
    "a match of void games": lambda: many_games(summary_of([void(), void(1)])),
    "a match with forfeits": lambda: many_games(summary_of(LOST)),
    "a match with faults": lambda: many_games(summary_of(match(2)), faults=FAULTS),
    "scores": lambda: "\n".join(
        [
            score(summary_of([*won_by(0, 3), *won_by(1, 1)])),
            score(summary_of([*won_by(0, 3), *won_by(1, 1), void()])),
            score(summary_of(won_by(0, 1))),
            tied(2),
            tied(5, Outcome(None, None, Termination.BOTH_FAILED)),
        ]
    ),
    "verdicts": lambda: "\n".join(
        [
            verdict(summary_of(won_by(0, 12))),
            verdict(summary_of(won_by(1, 12))),
            verdict(summary_of(won_by(1, 11))),
            verdict(summary_of([*won_by(0, 2), *won_by(1, 1)])),
            verdict(summary_of([*won_by(0, 2), *won_by(1, 2)])),
            verdict(summary_of([*LATE, *won_by(0, 2)])),
            verdict(summary_of([*LATE[:2], *won_by(0, 10)])),
        ]
    ),
    "sequential tests": lambda: "\n".join(
        [decided(), decided([0, 0, 0, 0, 60]), decided([60, 0, 0, 0, 0])]
    ),
}


@pytest.mark.parametrize("name", TEXTS)
def test_a_text_is_as_it_was_read(name: str, pytestconfig: pytest.Config) -> None:
    """Games, forfeits with their evidence, ends, matches, scores, verdicts and sequential tests are
    told as many_games.txt has them."""
    hold(Path(__file__).with_name("many_games.txt"), name, TEXTS[name](), TEXTS, pytestconfig)


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


@pytest.mark.parametrize(
    ("line", "verbose", "is_usual", "named"),
    [
        ("  stderr  oh…", False, False, True),
        ("  stderr  oh…", True, False, False),
        ("  stderr  oh", False, False, False),
        ("  stderr  oh", False, True, True),
        ("  stderr  (first 3 of 9 lines; --verbose: all)…", False, True, False),
        ("bot…, crash", False, True, False),
    ],
)
def test_verbose_is_named_once_where_evidence_is_cut(
    line: str, verbose: bool, is_usual: bool, named: bool
) -> None:
    """A name that is cut is no evidence."""
    lines = naming_verbose([line], 80, verbose=verbose, is_usual=is_usual)
    assert lines == [line, *(["", f"{WHOLE}."] if named else [])]

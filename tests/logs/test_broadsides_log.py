"""The log of broadsides: written from records as the original writes it, and read back."""

from __future__ import annotations

import re
from collections.abc import Callable
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from broadsides_players import GOLDEN
from changes import replace
from games import is_sound, played, strange_texts, with_evidence
from judge.documents.game import Evidence, GameRecord, Result, Termination
from judge.documents.rules import Cell, Rules, Ship
from judge.errors import BadOutput, IllegalFleet, RecordError, TimedOut
from judge.game.events import Target
from judge.game.variants import BROADSIDES, BSP, ROUND_LIMIT
from judge.logs import broadsides as log
from judge.play.conditions import Conditions
from judge.play.player import ProgramPlayer
from judge.play.referee import play_game
from judge.wire.broadsides import Broadsides, fleet_answer
from judge.wire.messages import AskFleet, AskShots, Fired, FromPlayer, Placed, Question
from players import Scripted
from strategies import examples, some_fleet
from wire_players import Lines, Policy, connected

FLEET = "5:A1:H 4:A2:H 3:A3:H 3:A4:H 2:A5:H"
OVERLAP = "5:A1:H 4:A1:H 3:A3:H 3:A4:H 2:A5:H"
T = Termination


def lines(*told: str) -> str:
    """A log of two players, who have both placed unless it is told otherwise."""
    return "".join(f"{line}\n" for line in (GOLDEN.partition("\n")[0], *told))


def begun(*told: str) -> str:
    return lines(f"SHIPS aa_demo {FLEET}", f"SHIPS bb_demo {FLEET}", *told)


# Games of all kinds, repeats included


def answers(
    rules: Rules, luck: Random, slips: float, hits: float
) -> Callable[[Question], FromPlayer]:
    """Shots anywhere on a board, whether or not they were fired before; ``hits`` of them go where
    such a fleet mostly lies; now and then an answer that loses the game."""
    fleet = some_fleet(rules, luck)

    def answer(question: Question) -> FromPlayer:
        if luck.random() < slips:
            raise luck.choice([BadOutput, TimedOut, IllegalFleet])("a slip")
        if isinstance(question, AskFleet):
            return Placed(fleet)
        assert isinstance(question, AskShots)
        target, columns = 1 - question.view.seat, rules.columns
        cells = [
            Cell(luck.randrange(columns), luck.randrange(rules.rows))
            for _ in range(question.view.due)
        ]
        shot_at = {shot.cell for shot in question.view.shots if shot.target == target}
        fresh = [
            Cell(c, r)
            for c in range(columns)
            for r in range(rules.rows)
            if Cell(c, r) not in shot_at
        ]
        cells = [luck.choice(fresh) if fresh and luck.random() < hits else one for one in cells]
        return Fired(tuple(Target(target, cell) for cell in cells))

    return answer


@st.composite
def records(draw) -> GameRecord:
    """A whole game by rules that a log can hold."""
    size = draw(st.sampled_from([3, 4, 10]))
    rules = BROADSIDES
    if size < 10:
        fleet = draw(st.sampled_from([(1,), (2, 1), (3, 1, 1), (2, 2)]))
        rules = replace(rules, name="small", columns=size, rows=size + 1, fleet=fleet)
    luck = Random(draw(st.integers(0, 2**32)))
    slips = draw(st.sampled_from([0.0, 0.0, 0.05, 0.5]))
    names = draw(st.sampled_from([("ann", "bob"), ("a", "ab"), ("ann", "ann#2"), ("_7", "Z")]))
    ways = [answers(rules, luck, slips, hits) for hits in (0.9, 0.6)]
    evidence = [_evidence(seat, rules, luck) for seat in (0, 1)]
    return play_game(
        Conditions(rules=rules),
        [
            Scripted(way, name, seen, wire="broadsides", dialect="plain")
            for way, name, seen in zip(ways, names, evidence, strict=True)
        ],
        game_id="game",
        seed=1,
        first=draw(st.integers(0, 1)),
    )


def _evidence(seat: int, rules: Rules, luck: Random) -> Evidence:
    """A program's that placed all its ships on one cell."""
    cell = Cell(luck.randrange(rules.columns), luck.randrange(rules.rows))
    fleet = [replace(ship, column=cell.column, row=cell.row) for ship in some_fleet(rules, luck)]
    told = f"{fleet_answer(tuple(fleet))}\nSHOTS A1\n"
    return Evidence(seat, ("ruby",), told, "", 0, None, 1.0, None, None)


def in_order(record: GameRecord, seat: int | None) -> int | None:
    """A seat by its place in the order of moving."""
    return None if seat is None else (seat - record.first) % 2


def told(record: GameRecord) -> dict[str, object]:
    """The facts that a log holds of a game: players in the order of moving, and about the end
    whether a fleet was destroyed or rounds were over."""
    outcome = record.outcome
    seats = [record.seats[record.first], record.seats[1 - record.first]]
    one, other = (seat.name.partition("#")[0] for seat in seats)
    return {
        "names": (one, other),
        "rules": (record.rules.columns, record.rules.rows, record.rules.fleet),
        "fleets": [seat.fleet for seat in seats],
        "shots": [
            (in_order(record, s.seat), in_order(record, s.target), s.cell, s.result)
            for s in record.shots
        ],
        "winner": in_order(record, outcome.winner),
        "loser": in_order(record, outcome.loser),
        "end": "lost" if outcome.termination.is_forfeit else outcome.termination,
        "incidents": [(one.at, in_order(record, one.seat)) for one in record.incidents],
    }


@given(records())
@examples(150)
def test_a_log_read_back_gives_its_game(record: GameRecord) -> None:
    """The content of a log comes back as it was, repeats included, and is written in the same bytes
    again unless it has a fleet that was refused."""
    text = log.written(record)
    back = log.read(text, "game")
    assert told(back) == told(record)
    assert is_sound(back)
    assert not back.rated
    if record.outcome.termination is not T.ILLEGAL_FLEET:
        assert log.written(back) == text
        assert log.read(text.replace("\n", "\r\n"), "game") == back


@given(records(), st.data())
@examples(60)
def test_a_log_that_breaks_off_gives_what_there_is(record: GameRecord, data) -> None:
    """Cut anywhere after its first line, it gives the game up to there, broken off or decided by
    then."""
    text = log.written(record)
    cut = data.draw(st.integers(text.index("\n") + 1, len(text)))
    part = log.read(text[:cut], "game")
    assert is_sound(part)
    shots = log.read(text, "game").shots
    fired = part.shots
    assert fired == shots[: len(fired)]
    assert part.outcome.termination is T.ABORTED or told(part)["winner"] == told(record)["winner"]


@given(st.text(max_size=300) | strange_texts(), st.data())
@examples(200)
def test_nothing_in_a_log_does_harm(junk: str, data) -> None:
    """Whatever is put into a log, or in place of it, it gives a sound game, or one sentence."""
    begin = data.draw(st.integers(0, len(GOLDEN)))
    end = data.draw(st.integers(begin, len(GOLDEN)))
    try:
        record = log.read(GOLDEN[:begin] + junk + GOLDEN[end:], "game")
    except RecordError as error:
        said = str(error)
    else:
        said = ""
        assert is_sound(record)
    assert "\n" not in said


def test_the_published_game_is_read_and_written_in_its_bytes() -> None:
    """A game of the original's: its sixth shot of the second volley is the old answer again."""
    record = log.read(GOLDEN, "last_game")
    assert record.outcome.winner == 0
    assert record.outcome.termination is T.FLEET_DESTROYED
    assert [one.result for one in record.shots[6:10]] == [
        Result.HIT,
        Result.SUNK,
        Result.REPEAT,
        Result.MISS,
    ]
    assert record.rules == BROADSIDES
    assert log.written(record) == GOLDEN
    assert log.read(GOLDEN.replace("\n", "\r\n"), "last_game") == record


def test_a_log_is_what_players_were_told() -> None:
    """Its lines are the INFO lines of both players, and their fleets."""
    policies = [Policy(BROADSIDES, seat, 2, seed=5 + seat, slips=0.1) for seat in (0, 1)]
    sent: list[list[bytes]] = [[], []]

    class Heard(Lines):
        def __init__(self, seat: int) -> None:
            super().__init__(connected("broadsides", policies[seat])._answer)
            self.seat = seat

        def send(self, data: bytes) -> None:
            sent[self.seat] += data.splitlines()
            super().send(data)

    players = []
    for seat, name in enumerate(("ann", "bob")):
        entry = replace(Scripted(lambda _: Fired(())).entry, name=name, wire="broadsides")
        players.append(ProgramPlayer(entry, Broadsides(BROADSIDES, seat, "plain"), Heard(seat)))
    record = play_game(Conditions(rules=BROADSIDES), players, game_id="g", seed=1, first=1)
    heard = [[line[5:].decode() for line in one if line.startswith(b"INFO ")] for one in sent]
    assert heard[0] == heard[1]
    setup, *others = heard[0]
    fleets = [
        fleet_answer(record.seats[seat].fleet or ()).replace("SHIPS", f"SHIPS {name}")
        for seat, name in ((1, "bob"), (0, "ann"))
    ]
    assert len(others) > 4
    assert log.written(record).splitlines() == [setup, *fleets, *others]


# The fleets that a log has


def lost_by(ships: str, wire: str = "broadsides") -> GameRecord:
    """A game that the first player loses by these ships."""

    def refused(_: Question) -> FromPlayer:
        raise IllegalFleet("no")

    evidence = Evidence(0, ("ruby",), f"{ships}\nSHIPS\n", "", 0, None, 1.0, None, None)
    players = [
        Scripted(refused, "ann", evidence, wire=wire, dialect="plain"),
        Scripted(refused, "bob"),
    ]
    return play_game(Conditions(rules=BROADSIDES), players, game_id="g", seed=1)


@pytest.mark.parametrize(
    ("ships", "is_told"),
    [
        ("5:J1:H 4:A2:H 3:A3:H 3:A4:H 2:A5:H", True),
        ("5:A8:V 4:B2:H 3:B3:H 3:B4:H 2:B5:H", True),
        ("2:A1:H 5:A1:H 4:A1:H 3:A1:H 3:A1:H", True),
        ("5:A1:H 5:A2:H 3:A3:H 3:A4:H 2:A5:H", False),
        ("5:A1:H 4:A2:H 3:A3:H 3:A4:H 2:M5:H", False),
        ("5:A1:H 4:A2:H 3:A3:H 3:A4:H 2:A11:H", False),
    ],
)
def test_a_fleet_is_told_once_its_form_and_lengths_are_right(ships: str, is_told: bool) -> None:
    """A fleet that leaves the board or overlaps is in the log, and one of other ships, or of a ship
    that begins off the board, is not. The other player was never asked."""
    text = log.written(lost_by(f"SHIPS {ships}"))
    expected = lines(*[f"SHIPS ann {ships}"] * is_told, "WINNER bob")
    assert text == expected.replace("aa_demo", "ann").replace("bb_demo", "bob")
    back = log.read(text, "g")
    assert back.outcome.winner == 1
    assert back.outcome.termination is (T.ILLEGAL_FLEET if is_told else T.BAD_OUTPUT)
    assert is_sound(back)


def test_a_refused_fleet_is_told_of_other_protocols_too() -> None:
    """The protocol in which it was placed reads it from the evidence."""
    ships = '{"ships":[[5,0,0,"horizontal"],[4,0,0,"vertical"],[3,2,2,"horizontal"],'
    ships += '[3,2,3,"horizontal"],[2,2,4,"horizontal"]]}'
    evidence = replace(lost_by("").evidence[0], stdout=ships)
    record = with_evidence(lost_by("", wire="open"), evidence)
    assert "SHIPS ann 5:A1:H 4:A1:V 3:C3:H 3:C4:H 2:C5:H\n" in log.written(record)


@pytest.mark.parametrize("stdout", ["", "x" * 10_000, "SHIPS \x00\udcff", "{" * 10_000])
@pytest.mark.parametrize("wire", ["broadsides", "open", "brainjar", "no such wire"])
def test_a_refused_fleet_that_cannot_be_read_is_left_out(stdout: str, wire: str) -> None:
    """Whatever a record holds as its evidence."""
    record = lost_by("", wire=wire)
    record = with_evidence(record, replace(record.evidence[0], stdout=stdout))
    assert "SHIPS" not in log.written(record)


# What the lines of a log must be


BAD = {
    "no setup": (GOLDEN[7:], "line 1: "),
    "a setup that is cut": (GOLDEN[:50], "the log breaks off within its first line"),
    "a setup that is not a whole one": (f"{GOLDEN[:50]}\n", "is not a whole SETUP line"),
    "three players": (GOLDEN.replace("aa_demo,", "a,b,"), "is not a whole SETUP line"),
    "a board that is too large": (GOLDEN.replace("10x10", "10x999"), "larger than a record"),
    "too many columns": (GOLDEN.replace("10x10", "27x10"), "26 columns"),
    "a fleet that does not fit": (GOLDEN.replace("5,4,3,3,2", "50"), "does not fit"),
    "other words": (lines("HELLO"), "line 2: `HELLO` is not a line of a broadsides log"),
    "the other's ships first": (lines(f"SHIPS bb_demo {FLEET}"), "those of `aa_demo`"),
    "other ships": (lines("SHIPS aa_demo 5:A1:H"), "are not ships of 5, 4, 3, 3, 2"),
    "no ship": (lines("SHIPS aa_demo 5:A1:X"), "are not ships"),
    "a third fleet": (begun(f"SHIPS aa_demo {FLEET}"), "both fleets have been placed"),
    "shots before fleets": (lines("SHOTS aa_demo A1:hit"), "before both fleets are placed"),
    "too few shots": (begun("SHOTS aa_demo A1:hit"), "line 4: fired 1 shot where 6 are due"),
    "the other's shots": (begun("SHOTS bb_demo A1:hit"), "must be those of `aa_demo`"),
    "no answer": (begun("SHOTS aa_demo A1"), "is not a shot and its result"),
    "a false hit": (begun("SHOTS aa_demo" + " J10:hit" * 6), "J10:hit is told, but it is a miss"),
    "a false miss": (begun("SHOTS aa_demo" + " A1:miss" * 6), "A1:miss is told, but it is a hit"),
    "a shot off the board": (begun("SHOTS aa_demo" + " K1:miss" * 6), "line 4: shot at"),
    "an unknown winner": (begun("WINNER cc"), "`cc`, who has won, is not a player"),
    "the wrong winner": (lines(f"SHIPS aa_demo {OVERLAP}", "WINNER aa_demo"), "but has lost"),
    "two winners": (GOLDEN + "WINNER aa_demo\n", "line 12: the game goes on after its end"),
    "shots after the end": (GOLDEN + "SHOTS bb_demo A1:hit\n", "goes on after its end"),
    "anything after the end": (GOLDEN + "x", "line 12: the game goes on after its end"),
    "a blank line inside": (GOLDEN.replace("\nSHOTS", "\n\nSHOTS"), "is not a line of"),
}


@pytest.mark.parametrize(("text", "said"), BAD.values(), ids=BAD)
def test_what_is_wrong_in_a_log_is_said_with_its_line(text: str, said: str) -> None:
    """Nothing is taken from a log that breaks the rules."""
    with pytest.raises(RecordError, match=r"^line \d+: ") as caught:
        log.read(text, "g")
    assert said in str(caught.value)


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (begun("SHOTS aa_demo" + " A1:hit" * 10_000), "line 4: it has more than 8,192 characters"),
        (GOLDEN.replace("ships:5", "ships:5" + ",1" * 10_000), "is not a whole SETUP line"),
        (GOLDEN + "\n" * log.LONGEST, "it is longer than 8,388,608 characters"),
    ],
    ids=["line", "setup", "log"],
)
def test_what_is_too_long_is_refused(text: str, said: str) -> None:
    """Before it is taken apart."""
    with pytest.raises(RecordError, match=re.escape(said)):
        log.read(text, "g")


def test_a_long_name_is_refused() -> None:
    """A record could not hold it."""
    with pytest.raises(RecordError):
        log.read(GOLDEN.replace("aa_demo", "a" * 999), "g")
    assert is_sound(log.read(GOLDEN.replace("aa_demo", "a" * 998), "g"))


def test_blank_lines_at_the_end_are_nothing() -> None:
    """As an editor may leave them."""
    assert log.read(f"{GOLDEN}\n\r\n\n", "g") == log.read(GOLDEN, "g")


def test_names_that_the_original_allows_are_read() -> None:
    """It did not hold names to any form."""
    text = GOLDEN.replace("aa_demo", "kd_hunter.3.0").replace("bb_demo", "my player")
    assert [seat.name for seat in log.read(text, "g").seats] == ["kd_hunter.3.0", "my player"]


def test_a_winner_that_may_be_cut_is_none() -> None:
    """`WINNER a` at the end of a log may have been the beginning of `WINNER ab`."""
    text = begun("WINNER a").replace("aa_demo", "a").replace("bb_demo", "ab")
    assert log.read(text, "g").outcome.winner == 0
    assert log.read(text[:-1], "g").outcome.termination is T.ABORTED
    assert log.read(f"{text[:-1]}\r", "g").outcome.winner == 0
    assert log.read(f"{text[:-1]}b", "g").outcome.winner == 1


@pytest.mark.parametrize("end", ["\n", "\r\n", "", "\n\r\n"])
def test_the_loser_may_be_named_as_the_winner(end: str) -> None:
    """As the original did where the winner died right after its last volley. The game is judged by
    its shots, and what the log says otherwise is told."""
    text = GOLDEN.replace("WINNER aa_demo\n", f"WINNER bb_demo{end}")
    record = log.read(text, "g")
    assert record == log.read(GOLDEN, "g")
    assert is_sound(record)
    said = log.other_winner(text, record)
    assert said is not None
    assert said.startswith("it names `bb_demo` as the winner, though `aa_demo` has sunk the last")


@pytest.mark.parametrize(
    "text",
    [
        GOLDEN,
        GOLDEN[:-1],
        GOLDEN.replace("WINNER aa_demo\n", ""),
        GOLDEN.replace("aa_demo", "bb_demo"),
        GOLDEN.replace("bb_demo", "a").replace("aa_demo", "ab").replace("WINNER ab\n", "WINNER a"),
        begun("WINNER bb_demo"),
        begun(),
    ],
)
def test_a_log_that_names_the_winner_or_nobody_says_nothing_else(text: str) -> None:
    """Nor is a name that may be cut taken for the loser's."""
    assert log.other_winner(text, log.read(text, "g")) is None


def test_of_namesakes_who_is_up_has_lost() -> None:
    """Two players of one name get a number each, and a volley that is missing is who was up's."""
    text = GOLDEN.replace("bb_demo", "aa_demo")
    record = log.read(text, "g")
    assert [seat.name for seat in record.seats] == ["aa_demo", "aa_demo#2"]
    assert log.written(record) == text
    early = "".join(text.splitlines(keepends=True)[:4]) + "WINNER aa_demo\n"
    lost = log.read(early, "g")
    assert (lost.outcome.winner, lost.outcome.loser) == (0, 1)


def test_who_is_gone_before_its_question_loses_all_the_same() -> None:
    """The original may notice it as it tells the setup, and then asks nobody for ships."""
    record = log.read(lines("WINNER aa_demo"), "g")
    assert record.outcome.loser == 1
    assert is_sound(record)


# The end by rounds


def idle(rounds: int, *end: str) -> str:
    """A log of two players who shoot at water only."""
    volley = " ".join(["J10:miss"] * 6)
    return begun(*[f"SHOTS {name} {volley}" for name in ("aa_demo", "bb_demo")] * rounds, *end)


def test_a_tie_at_the_limit_of_rounds_has_no_winner() -> None:
    """As both players were told."""
    text = idle(ROUND_LIMIT)
    record = log.read(text, "g")
    assert record.outcome.termination is T.ROUND_LIMIT
    assert record.outcome.winner is None
    assert log.written(record) == text


def test_the_original_has_no_limit_of_rounds() -> None:
    """A log that goes on, or in which somebody loses after just that number of rounds, is judged
    without it."""
    longer = log.read(idle(ROUND_LIMIT + 1), "g")
    assert longer.rules.round_limit is None
    assert longer.outcome.termination is T.ABORTED
    lost = log.read(idle(ROUND_LIMIT, "WINNER bb_demo"), "g")
    assert (lost.outcome.winner, lost.outcome.termination) == (1, T.BAD_OUTPUT)
    assert is_sound(lost)
    assert log.written(lost) == idle(ROUND_LIMIT, "WINNER bb_demo")


def test_the_cells_of_a_fleet_are_worked_out_once_a_game(monkeypatch: pytest.MonkeyPatch) -> None:
    """However many volleys a log has, so that one of 100,000 takes seconds and not minutes."""
    asked = 0
    cells = Ship.cells.fget

    def counting(ship: Ship) -> tuple[Cell, ...]:
        nonlocal asked
        asked += 1
        return cells(ship)

    monkeypatch.setattr(Ship, "cells", property(counting))

    def asked_in(rounds: int) -> int:
        nonlocal asked
        asked = 0
        log.read(idle(rounds), "g")
        return asked

    assert asked_in(200) == asked_in(2) > 0


# What a log can hold


@pytest.mark.parametrize(
    ("rules", "said"),
    [
        (BSP, "a shot is told to have hit"),
        (replace(BROADSIDES, salvo_bonus=(4,)), "does not tell salvo_bonus"),
        (replace(BROADSIDES, round_limit=7), "does not tell round_limit"),
        (replace(BROADSIDES, columns=30), "26 columns"),
    ],
)
def test_rules_that_a_log_cannot_tell_are_refused(rules: Rules, said: str) -> None:
    """It would be judged by other rules when it is read."""
    assert said in (log.unsupported(rules, 2) or "")


@pytest.mark.parametrize(
    "rules",
    [
        BROADSIDES,
        replace(BROADSIDES, round_limit=None, timeout_ms=500, wire="open", name="mine"),
        replace(BROADSIDES, columns=8, rows=9, fleet=(5, 2)),
    ],
)
def test_rules_that_a_log_tells_are_taken(rules: Rules) -> None:
    """The board and the fleet are in its first line."""
    assert log.unsupported(rules, 2) is None
    record = played(rules, seed=4, names=("ann", "bob"))
    assert told(log.read(log.written(record), "g")) == told(record)


def test_a_log_is_named_as_the_original_names_it() -> None:
    """Who moves first, who moves second, and the number of the game between them."""
    assert log.file_name(["ann", "bob#2"], 3) == "ann_vs_bob_3.log"
    assert log.unsayable("bob#2") is None
    assert log.unsayable("my bot") is not None

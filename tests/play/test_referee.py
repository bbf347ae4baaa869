"""The referee: who is asked for what, whose loss it is, and what the record says of it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import fields
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import Struct, structs

from changes import replace
from games import fired
from judge import schemas
from judge.documents.codec import builtins, convert
from judge.documents.game import (
    Aside,
    Evidence,
    GameRecord,
    Limits,
    Outcome,
    RecordedSeat,
    Result,
    Termination,
)
from judge.documents.rules import (
    BadMove,
    Cell,
    Orientation,
    Placing,
    Repeat,
    Rules,
    Ship,
    Sinking,
    Turn,
)
from judge.errors import (
    BadOutput,
    BotError,
    Crashed,
    IllegalFleet,
    Interrupted,
    JudgeFault,
    LaunchFault,
    TimedOut,
)
from judge.game.events import Event, FleetPlaced, Gone, Shot, Target, TurnSkipped
from judge.game.fleets import random_fleet
from judge.game.game import Game
from judge.game.replay import replay
from judge.game.variants import BRAINJAR, BSP, VARIANTS
from judge.play.conditions import Conditions
from judge.play.match import MOST_REFUSALS, MOST_REFUSALS_A_GAME, Watch
from judge.play.player import Player
from judge.play.referee import play_game
from judge.process.sandbox.isolation import Unlimited
from judge.testing import board, numbers_of_players, squares
from judge.testing import rules as any_rules
from judge.wire import messages
from judge.wire.messages import (
    AskFleet,
    AskShots,
    Fired,
    FromPlayer,
    Left,
    Placed,
    PlacedShip,
    Question,
    Refused,
    Resigned,
)
from players import Scripted, bot, by_luck, telling
from strategies import examples, some_fleet

ACROSS, DOWN = Orientation.HORIZONTAL, Orientation.VERTICAL
FLEET = (Ship(2, 0, 0, DOWN), Ship(3, 2, 2, DOWN), Ship(4, 4, 2, DOWN), Ship(5, 3, 7, ACROSS))
OVERLAPS = (Ship(2, 2, 2, DOWN), *FLEET[1:])
CELLS = [cell for ship in FLEET for cell in ship.cells]
WATER = [cell for cell in board(BRAINJAR) if cell not in CELLS]
LATE = TimedOut("no reply within 2 s")

# A board of six cells, on which a game is over in a moment.
TINY = replace(BRAINJAR, name="tiny", columns=3, rows=2, fleet=(1, 2))
TINY_FLEET = (Ship(1, 0, 0, ACROSS), Ship(2, 1, 1, ACROSS))

Answer = FromPlayer | BotError


def giving(answers: Sequence[Answer]) -> Callable[[Question], FromPlayer]:
    """Give these answers one after another, or raise them."""
    rest = iter(answers)

    def answer(message: Question) -> FromPlayer:
        given = next(rest)
        if isinstance(given, BotError):
            raise given
        return given

    return answer


def in_turn(answers: Sequence[Answer]) -> Scripted:
    """A player who gives these answers one after another, or raises them."""
    return Scripted(giving(answers))


def at(cell: Cell, target: int = 1) -> Fired:
    return Fired((Target(target, cell),))


def shots(cells: Sequence[Cell], target: int) -> list[Answer]:
    return [at(cell, target) for cell in cells]


def play(
    players: Sequence[Player],
    rules: Rules = BRAINJAR,
    *,
    first: int = 0,
    seed: int = 7,
    watch: Watch | None = None,
    timeout_ms: int = 2000,
) -> GameRecord:
    """Play a game; its record meets the schema, reads as written, and replays to its outcome."""
    conditions = Conditions(rules=rules, limits=Limits(timeout_ms=timeout_ms))
    record = play_game(conditions, players, game_id="7-1", seed=seed, first=first, watch=watch)
    document = builtins(record)
    assert schemas.problem("game-record", document) is None
    assert convert(GameRecord, document, "it") == record
    final = list(replay(record))[-1].outcome
    assert final is not None
    assert replace(final, detail="") == replace(record.outcome, detail="")
    return record


def forfeit(record: GameRecord) -> tuple[int | None, str, str]:
    """Who lost, by what, and the sentence."""
    assert record.outcome.termination.is_forfeit
    assert record.outcome.winner == 1 - record.outcome.loser
    return record.outcome.loser, record.outcome.termination, record.outcome.detail


# A game from beginning to end


def test_a_game_played_out() -> None:
    """Seat 0 misses once, then seat 1 hits everything without stopping, and has won."""
    players = [
        in_turn([Placed(FLEET), at(WATER[0])]),
        in_turn([Placed(FLEET), *shots(CELLS, 0)]),
    ]
    record = play(players)
    assert record.outcome == Outcome(1, 0, Termination.FLEET_DESTROYED)
    results = [one.result for one in record.shots]
    assert results == [1, *(4 if cell in {s.cells[-1] for s in FLEET} else 3 for cell in CELLS)]
    assert record.asides == record.evidence == ()
    assert [seat.fleet for seat in record.seats] == [FLEET, FLEET]
    assert [type(message) for message in players[0].asked] == [AskFleet, AskShots]
    assert [type(message) for message in players[1].asked] == [AskFleet, *[AskShots] * 14]


def test_the_record_holds_the_conditions() -> None:
    """Rules, seed, first mover, isolation, limits, and of each seat its entry: all written."""
    rules = replace(TINY, name="tiny too")
    limits = Limits(timeout_ms=500, memory_bytes=2**20, output_bytes=2**10)
    conditions = Conditions(rules=rules, isolation=Unlimited(), limits=limits)
    spoken = {"wire": "brainjar", "dialect": "engine", "launch": "fork", "author": "Ann"}
    players = [
        Scripted(by_luck(rules, Random(seat)), name=f"bot {seat}", **spoken) for seat in (0, 1)
    ]
    record = play_game(conditions, players, game_id="x", seed=99, first=1)
    assert (record.id, record.rules) == ("x", rules)
    assert (record.seed, record.first) == (99, 1)
    assert (record.isolation, record.limits) == ("none", limits)
    assert (record.number, record.match, record.host, record.rated) == (None, None, None, True)
    for number, seat in enumerate(record.seats):
        assert replace(seat, fleet=None, ms=None) == players[number].entry
        assert (seat.name, seat.wire, seat.launch) == (f"bot {number}", "brainjar", "fork")
    assert record.started <= record.finished
    assert record.started.endswith("Z")


def test_times_are_those_of_the_players() -> None:
    """Placing has its time, each volley its own at its first shot, the rest of a salvo none."""
    rules = replace(TINY, turn=Turn.SALVO, repeat=Repeat.OLD_ANSWER)
    salvos = [
        Fired((Target(1, Cell(2, 0)), Target(1, Cell(1, 0)))),
        Fired((Target(1, Cell(0, 0)), Target(1, Cell(1, 1)))),
        Fired((Target(1, Cell(2, 1)), Target(1, Cell(0, 1)))),
    ]
    misses = Fired((Target(0, Cell(2, 0)), Target(0, Cell(2, 0))))
    # after the second salvo seat 1 has one ship left, and one shot
    players = [
        in_turn([Placed(TINY_FLEET), *salvos]),
        in_turn([Placed(TINY_FLEET), misses, at(Cell(2, 0), 0)]),
    ]
    record = play(players, rules)
    assert record.outcome.winner == 0
    assert [seat.ms for seat in record.seats] == [0.25, 0.25]
    assert [one.ms for one in record.shots] == [0.5, 0, 0.5, 0, 0.75, 0, 0.75, 1.0, 0]


# Fleets


@pytest.mark.parametrize("first", [0, 1])
def test_all_fleets_before_the_first_shot(first: int) -> None:
    """Nobody is asked to shoot before everybody was asked for a fleet, seat by seat."""
    asked: list[tuple[int, type]] = []

    def player(seat: int) -> Scripted:
        answer = by_luck(TINY, Random(seat))
        return Scripted(lambda message: (asked.append((seat, type(message))), answer(message))[1])

    play([player(0), player(1)], TINY, first=first)
    assert asked[:3] == [(0, AskFleet), (1, AskFleet), (first, AskShots)]
    assert {kind for _, kind in asked[3:]} <= {AskShots}


@pytest.mark.parametrize("first", [0, 1])
@pytest.mark.parametrize("bad", [Placed(OVERLAPS), LATE, BadOutput("printed nothing")], ids=repr)
def test_both_fleets_are_asked_for(first: int, bad: Answer) -> None:
    """Even after a bad fleet the other is asked for, is recorded, and wins without a shot."""
    players = [in_turn([bad]), in_turn([Placed(FLEET)])]
    record = play(players, first=first)
    assert [player.asked for player in players] == [[AskFleet()], [AskFleet()]]
    assert (record.outcome.winner, record.outcome.loser) == (1, 0)
    assert [seat.fleet for seat in record.seats] == [None, FLEET]
    assert record.shots == ()
    assert [seat.ms for seat in record.seats] == [0.25, 0.25]


def test_in_turn_nobody_is_asked_after_a_bad_fleet() -> None:
    """The first bad fleet ends the game if fleets are placed seat by seat; the other never
    spoke."""
    players = [in_turn([LATE]), in_turn([])]
    record = play(players, replace(BRAINJAR, placing=Placing.IN_TURN))
    assert forfeit(record) == (0, "timeout", "no reply within 2 s")
    assert players[1].asked == []
    assert record.seats[1] == RecordedSeat.of("scripted")


@pytest.mark.parametrize("first", [0, 1])
def test_two_bad_fleets_are_void(first: int) -> None:
    """Both fleets forfeited: nobody has won or lost, and the record has both reasons."""
    players = [in_turn([LATE]), in_turn([Placed(OVERLAPS)])]
    record = play(players, first=first)
    overlap = "the ships of 2 and 3 overlap at column 2, row 2"
    detail = f"no reply within 2 s; {overlap}"
    assert record.outcome == Outcome(None, None, Termination.VOID, detail)
    assert record.asides == (Aside(0, 0, "timeout"), Aside(0, 1, "illegal-fleet"))


BAD_FLEETS = {
    "the ship of 2 leaves the 8×8 grid at column 0, row 8": (Ship(2, 0, 7, DOWN), *FLEET[1:]),
    "the ship of 5 leaves the 8×8 grid at column 8, row 7": (*FLEET[:3], Ship(5, 4, 7, ACROSS)),
    "the ships of 2 and 3 overlap at column 2, row 2": OVERLAPS,
    "placed ships of 3, 4, 5 where the rules have 2, 3, 4, 5": FLEET[1:],
    "placed ships of none where the rules have 2, 3, 4, 5": (),
    "placed ships of 2, 2, 3, 4, 5 where the rules have 2, 3, 4, 5": (FLEET[0], *FLEET),
}


@pytest.mark.parametrize("sentence", BAD_FLEETS)
def test_illegal_fleets(sentence: str) -> None:
    """An illegal fleet loses as such, with a sentence that says where, and is not recorded."""
    record = play([in_turn([Placed(BAD_FLEETS[sentence])]), in_turn([Placed(FLEET)])])
    assert forfeit(record) == (0, "illegal-fleet", sentence)
    assert record.seats[0].fleet is None


# Faults while shooting

FAULTS: dict[str, tuple[Answer, str, str]] = {
    "off the grid": (
        at(Cell(8, 0), 0),
        "illegal-move",
        "shot at column 8, row 0, outside the 8×8 grid",
    ),
    "off the grid below": (
        at(Cell(0, 9), 0),
        "illegal-move",
        "shot at column 0, row 9, outside the 8×8 grid",
    ),
    "a repeat": (
        at(CELLS[0], 0),
        "illegal-move",
        "shot at column 0, row 0, which was shot at before",
    ),
    "at itself": (at(WATER[1], 1), "illegal-move", "seat 1 is no opponent"),
    "two shots": (
        Fired((Target(0, WATER[1]), Target(0, WATER[2]))),
        "illegal-move",
        "fired 2 shots where 1 is due",
    ),
    "no shot": (Fired(()), "illegal-move", "fired 0 shots where 1 is due"),
    "a skip": (
        messages.Skipped(),
        "illegal-move",
        "a turn cannot be skipped in brainjar",
    ),
    "bad output": (BadOutput("printed nothing"), "bad-output", "printed nothing"),
    "late": (LATE, "timeout", "no reply within 2 s"),
    "a crash": (Crashed("exited with status 1"), "crash", "exited with status 1"),
    "resigned": (Resigned(), "resigned", ""),
    "left": (Left(), "left", "left the game"),
}


@pytest.mark.parametrize("name", FAULTS)
def test_faults(name: str) -> None:
    """Each fault loses at once, by its own termination and sentence, whatever was hit before."""
    answer, termination, detail = FAULTS[name]
    players = [
        in_turn([Placed(FLEET), at(WATER[0])]),
        in_turn([Placed(FLEET), at(CELLS[0], 0), answer]),
    ]
    record = play(players)
    assert forfeit(record) == (1, termination, detail)
    assert len(record.shots) == 2
    assert record.asides == (Aside(2, 1, termination),)


def test_every_termination_is_reached() -> None:
    """This file shows each termination that there is."""
    shown = {termination for _, termination, _ in FAULTS.values()}
    shown |= {"fleet-destroyed", "illegal-fleet", "void", "both-failed", *ENDS}
    assert shown == set(Termination) - {"aborted"}, "which no player can bring about"


def small(name: str, **more: int) -> Rules:
    return replace(VARIANTS[name], columns=3, rows=2, fleet=(1, 2), **more)


def at_nothing(rules: Rules, target: int) -> list[Answer]:
    water = [cell for cell in board(rules) if not any(cell in s.cells for s in TINY_FLEET)]
    return shots(water, target)


def hits(target: int) -> list[Answer]:
    return shots([cell for ship in TINY_FLEET for cell in ship.cells], target)


PLACE = Placed(TINY_FLEET)
SHIPS = [PlacedShip(ship) for ship in TINY_FLEET]

# The rules, what each seat answers, and the outcome.
ENDS: dict[str, tuple[Rules, list[list[Answer]], Outcome]] = {
    "goal": (
        small("xbs"),
        [[PLACE, *hits(1)], [PLACE, *at_nothing(TINY, 0)]],
        Outcome(0, 1, Termination.GOAL, scores=(3, 0)),
    ),
    "round-limit": (
        small("contest", round_limit=2),
        [[*SHIPS, *hits(1)], [*SHIPS, *at_nothing(TINY, 0)]],
        Outcome(0, 1, Termination.ROUND_LIMIT, scores=(2, 1)),
    ),
    "all-dead": (
        small("xbs", points=9),
        [[PLACE, *hits(1)], [PLACE, *hits(0)]],
        Outcome(None, None, Termination.ALL_DEAD, scores=(3, 3)),
    ),
}


@pytest.mark.parametrize("name", ENDS)
def test_other_ends(name: str) -> None:
    """Points, rounds and dead boards end the games whose rules say so, ties included."""
    rules, answers, outcome = ENDS[name]
    assert play([in_turn(one) for one in answers], rules).outcome == outcome


def test_both_destroyed_in_one_round() -> None:
    """Both fleets can go down together if both shoot at once: a tie."""
    players = [in_turn([*SHIPS, *hits(1)]), in_turn([*SHIPS, *hits(0)])]
    assert play(players, small("contest")).outcome == Outcome(
        None, None, Termination.FLEET_DESTROYED
    )


def test_both_fail_in_one_round() -> None:
    """Two that fail in one round are tied, with both reasons."""
    players = [in_turn([*SHIPS, LATE]), in_turn([*SHIPS, Crashed("exited with status 1")])]
    record = play(players, small("contest"))
    detail = "no reply within 2 s; exited with status 1"
    assert record.outcome == Outcome(None, None, Termination.BOTH_FAILED, detail)
    assert record.rated
    assert record.asides == (Aside(0, 0, "timeout"), Aside(0, 1, "crash"))


def test_no_shot_of_a_forfeited_round_counts() -> None:
    """A forfeit ends the game before the other's shot is answered if both shoot at once."""
    players = [in_turn([*SHIPS, *hits(1)]), in_turn([*SHIPS, LATE])]
    record = play(players, small("contest"))
    assert forfeit(record) == (1, "timeout", "no reply within 2 s")
    assert record.shots == ()


# Programs behind a wire

BAD_REPLIES = {
    b"": "printed nothing",
    b"{": "replied `{`, which is not JSON: "
    "Expecting property name enclosed in double quotes at character 2",
    b'{"mov":"00"}': 'replied `{"mov":"00"}`: \'move\' is a required property',
    b'{"move":"00"}{}': 'replied `{"move":"00"}{}`: after the JSON value comes `{}`',
    b'{"move":0}': "replied `{\"move\":0}`: move: 0 is not of type 'string'",
    b"\xff": "the reply is not UTF-8: byte 0xff at offset 0",
}


@pytest.mark.parametrize("reply", BAD_REPLIES)
@pytest.mark.parametrize("seat", [0, 1])
def test_bad_replies(reply: bytes, seat: int) -> None:
    """A program whose reply is no reply loses by bad-output, in its own sentence."""

    def broken(data: bytes) -> bytes:
        return reply if b"moves" in data else telling(FLEET, [])(data)

    answers = [broken, telling(FLEET, [WATER[0]])]
    players = [bot(answers[number ^ seat], BRAINJAR, number) for number in (0, 1)]
    record = play(players, first=seat)
    assert forfeit(record) == (seat, "bad-output", BAD_REPLIES[reply])
    assert record.shots == ()


def test_programs_that_move_illegally() -> None:
    """Two digits off the grid, and a repeat, are read well and are illegal."""
    for cells, sentence in [
        ([Cell(9, 9)], "shot at column 9, row 9, outside the 8×8 grid"),
        ([CELLS[0], CELLS[0]], "shot at column 0, row 0, which was shot at before"),
    ]:
        players = [bot(telling(FLEET, cells), BRAINJAR, seat) for seat in (0, 1)]
        assert forfeit(play(players)) == (0, "illegal-move", sentence)


@pytest.mark.parametrize("dialect", ["readme", "engine"])
@pytest.mark.parametrize("first", [0, 1])
def test_programs_play_a_game(dialect: str, first: int) -> None:
    """Two programs play a game to its end, each shooting at the other; the first mover, who
    knows where to shoot, never gives the turn away."""
    players = [
        bot(telling(FLEET, CELLS), BRAINJAR, seat, dialect=dialect, name=f"bot {seat}")
        for seat in (0, 1)
    ]
    record = play(players, first=first)
    assert record.outcome == Outcome(first, 1 - first, Termination.FLEET_DESTROYED)
    assert {(one.seat, one.target) for one in record.shots} == {(first, 1 - first)}
    assert [seat.name for seat in record.seats] == ["bot 0", "bot 1"]
    assert [seat.seed for seat in record.seats] == [7, 8]


def test_errors_of_the_channel_are_the_bots() -> None:
    """A fault that the channel tells of the program, late or crashed, is the program's loss."""

    def dead(data: bytes) -> bytes:
        raise Crashed("was ended by SIGSEGV")

    players = [bot(telling(FLEET, CELLS), BRAINJAR, 0), bot(dead, BRAINJAR, 1)]
    assert forfeit(play(players)) == (1, "crash", "was ended by SIGSEGV")


# Evidence


def seen(seat: int) -> Evidence:
    return Evidence(seat, ("./run.sh", "{}"), "out", "err", 0, None, 12.5, 10.0, 9000)


def test_evidence_of_who_lost() -> None:
    """A forfeit has the evidence of who forfeited, and of nobody else."""
    lost = Scripted(giving([Placed(OVERLAPS)]), evidence=seen(0))
    won = Scripted(giving([Placed(FLEET)]), evidence=seen(1))
    assert play([lost, won]).evidence == (seen(0),)


def test_evidence_of_a_void_game() -> None:
    """A void game has both."""
    players = [Scripted(giving([Placed(OVERLAPS)]), evidence=seen(seat)) for seat in (0, 1)]
    assert play(players).evidence == (seen(0), seen(1))


def test_no_evidence_of_a_game_played_out() -> None:
    """Who has only lost his fleet did nothing that needs evidence."""
    answers = [[Placed(FLEET), *shots(CELLS, 1)], [Placed(FLEET)]]
    players = [Scripted(giving(answers[seat]), evidence=seen(seat)) for seat in (0, 1)]
    assert play(players).evidence == ()


# Asking again

AGAIN = replace(TINY, bad_move=BadMove.ASK_AGAIN)


def test_asked_again_until_it_is_right() -> None:
    """An unreadable or illegal answer is refused with its reason if rules are so kind, and never
    forfeits."""
    lost = shots([Cell(1, 0)], 1)
    trying: list[Answer] = [
        BadOutput("printed nothing"),
        Placed(()),
        IllegalFleet("no fleet"),
        PLACE,
        at(Cell(3, 0)),
        BadOutput("not JSON"),
        messages.Skipped(),
        *lost,
    ]
    players = [in_turn([*trying, *hits(1)]), in_turn([PLACE, at(Cell(1, 0), 0)])]
    record = play(players, AGAIN)
    assert record.outcome == Outcome(0, 1, Termination.FLEET_DESTROYED)
    assert record.asides == record.evidence == ()
    refusals = [one.why for one in players[0].asked if isinstance(one, Refused)]
    assert refusals == [
        "printed nothing",
        "placed ships of none where the rules have 1, 2",
        "no fleet",
        "shot at column 3, row 0, outside the 3×2 grid",
        "not JSON",
        "a turn cannot be skipped in tiny",
    ]
    assert [type(one) for one in players[0].asked] == [
        *[AskFleet, Refused, Refused, Refused],
        *[AskShots, Refused, Refused, Refused],
        *[AskShots, AskShots, AskShots],
    ]


def test_a_refusal_is_forgotten() -> None:
    """A refused answer leaves no trace in the game, though it was given many times."""
    often: list[Answer] = [at(Cell(9, 9))] * MOST_REFUSALS
    players = [in_turn([PLACE, *often, *hits(1)]), in_turn([PLACE])]
    record = play(players, AGAIN, timeout_ms=86_400_000)
    assert len(record.shots) == 3
    assert record.outcome.winner == 0


def test_who_is_refused_too_often_loses() -> None:
    """A seat has `MOST_REFUSALS` wrong answers a turn, and loses by one more."""
    wrong = at(Cell(9, 9))
    players = [in_turn([PLACE, *[wrong] * (MOST_REFUSALS + 1)]), in_turn([PLACE])]
    record = play(players, AGAIN, timeout_ms=86_400_000)
    assert record.outcome.loser == 0
    assert record.outcome.termination is Termination.ILLEGAL_MOVE
    assert record.outcome.detail == "shot at column 9, row 9, outside the 3×2 grid"


def test_refusals_are_counted_over_the_turns_of_a_game() -> None:
    """Who is refused now and then, but all through a long game, loses by it as well."""
    turns = MOST_REFUSALS_A_GAME // MOST_REFUSALS + 1
    answers: list[Answer] = []
    for _ in range(turns):
        answers += [*[at(Cell(99, 99))] * MOST_REFUSALS, at(Cell(0, 0))]
    quiet: list[Answer] = [at(Cell(0, 0), 0)] * turns
    record = play([in_turn(answers), in_turn(quiet)], BSP, timeout_ms=86_400_000)
    assert record.outcome.loser == 0
    assert record.outcome.termination is Termination.ILLEGAL_MOVE
    assert len(record.shots) == 2 * (turns - 1)


@pytest.mark.parametrize("error", [LATE, Crashed("exited with status 1")])
def test_silence_is_not_asked_again(error: BotError) -> None:
    """Who is late or gone cannot be asked again, and has lost."""
    record = play([in_turn([PLACE, error]), in_turn([PLACE])], AGAIN)
    assert forfeit(record) == (0, error.termination, str(error))


# Fleets that the judge places


def test_the_judge_draws_the_fleets() -> None:
    """Nobody is asked for a fleet if the judge places; the fleets come from the seed."""
    fleets = []
    for seed in (1, 1, 2):
        players = [Scripted(by_luck(BSP, Random(seat))) for seat in (0, 1)]
        record = play(players, BSP, seed=seed)
        assert not any(isinstance(m, AskFleet) for p in players for m in p.asked)
        fleets.append([seat.fleet for seat in record.seats])
        assert [seat.ms for seat in record.seats] == [None, None]
        for seat in record.seats:
            BSP.check_fleet(seat.fleet or ())
    same, again, other = fleets
    assert same == again
    luck = Random(1)
    assert same == [random_fleet(BSP, luck), random_fleet(BSP, luck)]
    assert same[0] != same[1]
    assert not {*same} & {*other}


# What a player is told


def all_in(value: Any) -> list[Any]:
    """Everything that can be reached from a value."""
    found = [value]
    if hasattr(value, "__dataclass_fields__"):
        parts = [getattr(value, field.name) for field in fields(value)]
    elif isinstance(value, Struct):
        parts = list(structs.astuple(value))
    elif isinstance(value, dict):
        parts = [*value, *value.values()]
    elif isinstance(value, tuple | list | set | frozenset):
        parts = list(value)
    else:
        parts = []
    return found + [inner for part in parts for inner in all_in(part)]


@given(st.data(), any_rules(), st.integers(0, 2**31))
@examples(40)
def test_a_view_holds_nothing_of_the_opponents(
    data: st.DataObject, rules: Rules, seed: int
) -> None:
    """All that is handed to a player are its own ships, and of the others' boards what shots
    found out."""
    luck = Random(seed)
    seats = data.draw(numbers_of_players(rules))
    players = [Scripted(by_luck(rules, luck)) for _ in range(seats)]
    record = play(players, rules, seed=seed)
    for seat, player in enumerate(players):
        own = record.seats[seat].fleet
        for message in player.asked:
            ships = [one for one in all_in(message) if isinstance(one, Ship)]
            if isinstance(message, AskShots):
                told = [shot.ship for shot in message.view.shots if shot.ship]
                assert ships == [*(own or ()), *told]
                assert rules.sinking is Sinking.SHIP or not told
                assert message.view.seat == seat
                assert len(message.view.shots) <= len(record.shots)
            else:
                assert ships == []


@given(st.integers(0, 2**31))
@examples(30)
def test_a_view_is_the_same_whatever_was_not_hit(seed: int) -> None:
    """A player is told the same of two opponents who differ only in cells not yet shot at."""
    luck = Random(seed)
    fleets = some_fleet(BRAINJAR, luck), some_fleet(BRAINJAR, luck)
    taken = {cell for fleet in fleets for ship in fleet for cell in squares(ship)}
    water = [cell for cell in board(BRAINJAR) if cell not in taken][:6]
    told = []
    for fleet in fleets:
        one = in_turn([Placed(FLEET), *shots(water, 1), LATE])
        other = in_turn([Placed(fleet), *shots(WATER[:6], 0)])
        play([one, other])
        told.append(one.asked)
    assert told[0] == told[1]


# The judge's own faults


class Broken(Exception):
    """Some bug of the judge, or of the machine."""


JUDGES = [Broken("no"), JudgeFault("no"), LaunchFault("no"), OSError(28, "full"), Interrupted()]


@pytest.mark.parametrize("error", JUDGES, ids=repr)
@pytest.mark.parametrize("when", [0, 1, 3])
@pytest.mark.parametrize("rules", [BRAINJAR, replace(BRAINJAR, bad_move=BadMove.ASK_AGAIN)])
def test_a_fault_of_the_judge_is_nobodys_loss(
    error: BaseException, when: int, rules: Rules
) -> None:
    """An error that is not a `BotError` passes through, whenever it comes: there is no record, and
    no loser."""
    asked: list[bytes] = []

    def failing(data: bytes) -> bytes:
        asked.append(data)
        if len(asked) == when + 1:
            raise error
        return telling(FLEET, [WATER[len(asked)]])(data)

    events: list[Event] = []
    players = [bot(failing, rules, 0), bot(telling(FLEET, WATER), rules, 1)]
    with pytest.raises(type(error)) as caught:
        play(players, rules, watch=lambda _, one: events.append(one))
    assert caught.value is error
    assert len(asked) == when + 1, "and is not asked again"
    assert not any(isinstance(one, Outcome | Gone) for one in events)


def test_an_answer_to_another_question_is_none() -> None:
    """A shot where a fleet was asked for, or the reverse, is as bad as no answer."""
    for wrong in ([at(WATER[0])], [Placed(FLEET), Placed(FLEET)]):
        record = play([in_turn(wrong), in_turn([Placed(FLEET)])])
        assert forfeit(record)[:2] == (0, "bad-output")


def test_a_fault_of_who_watches_passes_through() -> None:
    """A watcher that fails has stopped the run, and cost nobody a game."""

    def watch(game: Game, event: Event) -> None:
        raise Broken

    with pytest.raises(Broken):
        play([in_turn([Placed(FLEET)]), in_turn([Placed(FLEET)])], watch=watch)


# Watching


def test_watching() -> None:
    """Who watches is told of everything, in order, and sees the position after it."""
    events: list[Event] = []
    fired: list[int] = []

    def watch(game: Game, event: Event) -> None:
        events.append(event)
        fired.append(len(game.shots))
        assert (game.outcome is not None) == (len(events) >= 5)

    players = [
        in_turn([PLACE, at(Cell(1, 0))]),
        in_turn([PLACE, at(Cell(0, 0), 0), LATE]),
    ]
    play(players, TINY, watch=watch)
    assert events == [
        FleetPlaced(0),
        FleetPlaced(1),
        Shot(0, 1, Cell(1, 0), Result.MISS),
        Shot(1, 0, Cell(0, 0), Result.SUNK, 1, ship=TINY_FLEET[0]),
        Gone(1, Termination.TIMEOUT, "no reply within 2 s"),
        Outcome(0, 1, Termination.TIMEOUT, "no reply within 2 s"),
    ]
    assert fired == [0, 0, 1, 2, 2, 2]


@given(st.data(), any_rules(), st.integers(0, 2**31), st.sampled_from([0.0, 0.05, 0.3]))
@examples(60)
def test_any_game(data: st.DataObject, rules: Rules, seed: int, slips: float) -> None:
    """Whatever players do, a game ends with an outcome, its record meets the schema and replays,
    and who watched was told of exactly what the record says."""
    luck = Random(seed)
    seats = data.draw(numbers_of_players(rules))
    first = data.draw(st.integers(0, seats - 1))
    events: list[Event] = []
    players = [Scripted(by_luck(rules, luck, slips)) for _ in range(seats)]
    record = play(players, rules, first=first, seed=seed, watch=lambda _, one: events.append(one))
    assert fired(one for one in events if isinstance(one, Shot)) == fired(record.shots)
    assert events[-1] == record.outcome
    assert sum(isinstance(one, Outcome) for one in events) == 1
    asides = [one for one in events if isinstance(one, Gone | TurnSkipped)]
    assert sorted(one.seat for one in asides) == sorted(aside.seat for aside in record.asides)
    later = [one.seat for one in asides][len([one for one in record.asides if not one.at]) :]
    assert later == [aside.seat for aside in record.asides if aside.at]
    # (Ship by ship, a slip may leave no room for the rest.)
    if rules.bad_move is BadMove.ASK_AGAIN and rules.placing is not Placing.SHIP_BY_SHIP:
        never = {Termination.BAD_OUTPUT, Termination.ILLEGAL_MOVE, Termination.ILLEGAL_FLEET}
        assert not never & {aside.what for aside in record.asides}
    if slips == 0:
        assert not record.outcome.termination.is_forfeit

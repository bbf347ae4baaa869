"""The referee: who is asked for what, whose loss it is, and what the record says of it."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from changes import replace
from games import fired
from judge import schemas
from judge.documents.codec import builtins, convert
from judge.documents.game import GameRecord, Incident, Limits, Outcome, Result, Termination
from judge.documents.rules import BadMove, Cell, Orientation, Placing, Repeat, Rules, Ship, Turn
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
from judge.game.game import Game
from judge.game.replay import replay
from judge.game.variants import BRAINJAR
from judge.play.conditions import Conditions
from judge.play.match import Watch
from judge.play.player import Player
from judge.play.referee import play_game
from judge.process.sandbox.isolation import Unlimited
from judge.testing import board, numbers_of_players
from judge.testing import rules as any_rules
from judge.wire import messages
from judge.wire.messages import (
    AskFleet,
    AskShots,
    Fired,
    FromPlayer,
    Left,
    Placed,
    Question,
    Refused,
    Resigned,
)
from players import Scripted, bot, by_luck, telling
from strategies import examples

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


def in_turn(answers: Sequence[Answer]) -> Scripted:
    """A player who gives these answers one after another, or raises them."""
    rest = iter(answers)

    def answer(message: Question) -> FromPlayer:
        given = next(rest)
        if isinstance(given, BotError):
            raise given
        return given

    return Scripted(answer)


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
    assert record.incidents == record.evidence == ()
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
    "at itself": (at(WATER[1], 1), "illegal-move", "seat 1 is not an opponent"),
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
    assert record.incidents == (Incident(2, 1, termination),)


def hits(target: int) -> list[Answer]:
    return shots([cell for ship in TINY_FLEET for cell in ship.cells], target)


PLACE = Placed(TINY_FLEET)

# Programs behind a wire


@pytest.mark.parametrize("seat", [0, 1])
def test_bad_replies(seat: int) -> None:
    """A program whose reply is not a reply loses by bad-output, in the sentence of its wire."""

    def broken(data: bytes) -> bytes:
        return b"" if b"moves" in data else telling(FLEET, [])(data)

    answers = [broken, telling(FLEET, [WATER[0]])]
    players = [bot(answers[number ^ seat], BRAINJAR, number) for number in (0, 1)]
    record = play(players, first=seat)
    assert forfeit(record) == (seat, "bad-output", "printed nothing")
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
    assert record.incidents == record.evidence == ()
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
    incidents = [one for one in events if isinstance(one, Gone | TurnSkipped)]
    assert sorted(one.seat for one in incidents) == sorted(
        incident.seat for incident in record.incidents
    )
    later = [one.seat for one in incidents][len([one for one in record.incidents if not one.at]) :]
    assert later == [incident.seat for incident in record.incidents if incident.at]
    # (Ship by ship, a slip may leave no room for the rest.)
    if rules.bad_move is BadMove.ASK_AGAIN and rules.placing is not Placing.SHIP_BY_SHIP:
        never = {Termination.BAD_OUTPUT, Termination.ILLEGAL_MOVE, Termination.ILLEGAL_FLEET}
        assert not never & {incident.what for incident in record.incidents}
    if slips == 0:
        assert not record.outcome.termination.is_forfeit

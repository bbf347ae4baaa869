"""One player alone with a board, and what it took it: judge/play/solo.py, contest/shooting/shooting.py,
contest/fleets.py and show/shooting.py."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable
from functools import partial
from pathlib import Path
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from changes import replace
from games import SGR, strange_texts
from judge import schemas
from judge.contest.schedule import Pairing, Solo, one_by_one
from judge.contest.shooting.boards import drawn_fleet, given_fleets
from judge.contest.shooting.documents import Origin, ShootingTest, document
from judge.contest.shooting.shooting import Effort, ShootingSummary, effort, misses
from judge.contest.window import Fault
from judge.documents.codec import builtins, convert
from judge.documents.game import GameRecord, Incident, Result, Termination
from judge.documents.rules import (
    BadMove,
    Cell,
    Fleet,
    Orientation,
    Placing,
    Repeat,
    Rules,
    Ship,
    Sinking,
    Turn,
)
from judge.documents.shooting import FleetsFrom
from judge.errors import BadOutput, LaunchFault, UsageError
from judge.game.events import Target
from judge.game.fleets import random_fleet
from judge.game.replay import replay
from judge.game.variants import BRAINJAR, VARIANTS
from judge.play.conditions import Conditions
from judge.play.solo import OPPONENT, PLAYER, Board, clear_boards
from judge.process.bots.bot import Bot
from judge.show.shooting import CSV_HEADER, csv_row, report, standing
from judge.show.text import cells
from judge.testing import board, fleets, squares, variant
from judge.wire.brainjar import fleet_reply
from judge.wire.messages import (
    AskFleet,
    AskShots,
    Fired,
    FromPlayer,
    GameStart,
    MatchStart,
    Placed,
    Question,
    Refused,
    Skipped,
)
from players import Scripted, by_luck, volley
from strategies import examples

NAMES = ("hunter", "parity")
RANDOM = Origin(FleetsFrom.RANDOM)
SINGLE = {
    "hit again": BRAINJAR,
    "single": replace(BRAINJAR, name="single", turn=Turn.SINGLE),
    "both at once": replace(BRAINJAR, name="both", turn=Turn.BOTH),
    "salvo": VARIANTS["broadsides"],
    "points": VARIANTS["xbs"],
    "old answers": replace(BRAINJAR, name="old", repeat=Repeat.OLD_ANSWER),
    "in turn": replace(BRAINJAR, name="in turn", placing=Placing.IN_TURN),
    "placed by the judge": VARIANTS["bsp"],
}


def alone(
    player: Scripted | None = None,
    rules: Rules = BRAINJAR,
    fleet: Fleet | None = None,
    seed: int = 0,
) -> GameRecord:
    """A board by a seed, cleared by a player who shoots at random."""
    board = Board(f"{seed}-1.1", seed, fleet or random_fleet(rules, Random(seed + 1000)))
    player = player or Scripted(by_luck(rules, Random(seed)), name="hunter")
    (record,) = clear_boards(Conditions(rules=rules), player, [board])
    return record


def broken(error: Exception, *, after: int) -> Scripted:
    """A player who, after that number of shots, does what no bot should."""
    luck = Random(1)
    fleet = random_fleet(BRAINJAR, luck)

    def answer(message: Question) -> FromPlayer:
        if isinstance(message, AskFleet):
            return Placed(fleet)
        assert isinstance(message, AskShots)
        if len(message.view.shots) == after:
            raise error
        return volley(message.view, luck)

    return Scripted(answer, name="broken")


# Alone


@pytest.mark.parametrize("rules", SINGLE.values(), ids=SINGLE)
def test_a_player_alone_is_told_of_its_own_shots_only(rules: Rules) -> None:
    """Whatever the turns, it goes on until the given fleet is sunk, and hears of nobody else."""
    fleet = random_fleet(rules, Random(5))
    player = Scripted(by_luck(rules, Random(3)))
    record = alone(player, rules, fleet)
    views = [message.view for message in player.asked if isinstance(message, AskShots)]
    assert all(shot.seat == PLAYER for view in views for shot in view.shots)
    assert all(view.seat == PLAYER for view in views)
    assert record.seats[OPPONENT].fleet == fleet
    assert record.outcome.termination is Termination.FLEET_DESTROYED
    hits = {one.cell for one in record.shots if one.is_hit}
    assert hits == {cell for ship in fleet for cell in ship.cells}


@pytest.mark.parametrize("rules", SINGLE.values(), ids=SINGLE)
def test_the_record_of_a_board_can_be_judged_again(rules: Rules) -> None:
    """It is a game record like any other, and its moves give its outcome."""
    document = builtins(alone(rules=rules))
    *_, game = replay(convert(GameRecord, document, "it"))
    assert game.outcome is not None
    assert game.outcome.winner == PLAYER


def test_who_repeats_itself_for_ever_comes_to_an_end() -> None:
    """Two boards' worth of shots are enough if a wasted shot is legal; the board was not
    cleared."""
    rules = SINGLE["old answers"]
    fleet = random_fleet(rules, Random(1))

    def answer(message: Question) -> FromPlayer:
        at = Target(OPPONENT, Cell(0, 0))
        return Placed(fleet) if isinstance(message, AskFleet) else Fired((at,))

    water = next(f for seed in range(99) if not (f := random_fleet(rules, Random(seed)))[0].column)
    record = alone(Scripted(answer), rules, water)
    assert record.outcome.termination is Termination.ROUND_LIMIT
    assert len(record.shots) <= 2 * 64 + 1
    assert effort(record) is None


@pytest.mark.parametrize("name", VARIANTS)
def test_the_player_is_told_the_rules_of_its_game(name: str) -> None:
    """Nothing shows it that it is alone: its messages have the rules of the variant, and all
    shots are told as these have it."""
    rules = VARIANTS[name].drawn(Random(4))
    player = Scripted(by_luck(rules, Random(3)))
    record = alone(player, rules)
    told = [one.rules for one in player.told if isinstance(one, MatchStart | GameStart)]
    views = [one.view for one in player.asked if isinstance(one, AskShots)]
    assert len(told) == 2
    assert all(one == rules for one in (*told, *(view.rules for view in views)))
    sunk = {(shot.result is Result.SUNK, shot.sunk, shot.ship) for shot in views[-1].shots}
    is_told, has_size, has_ship = (any(one[part] for one in sunk) for part in range(3))
    assert is_told == (rules.sinking is not Sinking.NOTHING)
    assert has_size == (rules.sinking in (Sinking.SIZE, Sinking.SHIP))
    assert has_ship == (rules.sinking is Sinking.SHIP)
    assert record.outcome.termination is Termination.FLEET_DESTROYED


@pytest.mark.parametrize("name", VARIANTS)
def test_a_player_alone_skips_where_its_rules_have_that(name: str) -> None:
    """Elsewhere it is an illegal move, which costs the board, or is refused and asked again."""
    rules = VARIANTS[name].drawn(Random(4))
    answer = by_luck(rules, Random(3))
    skips = iter([Skipped()])

    def once(message: Question) -> FromPlayer:
        if isinstance(message, AskShots) and (skipped := next(skips, None)):
            return skipped
        return answer(message.again if isinstance(message, Refused) and message.again else message)

    player = Scripted(once)
    record = alone(player, rules)
    refused = [one for one in player.asked if isinstance(one, Refused)]
    if rules.may_skip:
        assert Incident(0, PLAYER, "skip") in record.incidents
        assert not refused
    elif rules.bad_move is BadMove.ASK_AGAIN:
        assert [one.why for one in refused] == [f"a turn cannot be skipped in {rules.name}"]
        again = refused[0].again
        assert isinstance(again, AskShots)
        assert again.view.rules == rules
    else:
        assert record.outcome.termination is Termination.ILLEGAL_MOVE


# Effort


@given(st.data())
@examples(100)
def test_a_miss_is_made_in_destroying_while_a_ship_is_wounded(data: st.DataObject) -> None:
    """Search and destroy are the misses without and with an open hit, as the definition says:
    a hit on a ship afloat; and then one of them has a neighbour not yet shot at."""
    rules = data.draw(variant("brainjar"))
    fleet = data.draw(fleets(rules))
    shots = data.draw(st.permutations(board(rules)))
    ships = [squares(ship) for ship in fleet]
    search = destroy = 0
    fired: set[Cell] = set()
    for cell in shots:
        wounded = [ship for ship in ships if ship & fired and ship - fired]
        if not any(cell in ship for ship in ships):
            destroy += bool(wounded)
            search += not wounded
        for ship in wounded:
            assert any(near in ship - fired for hit in ship & fired for near in neighbours(hit))
        fired.add(cell)
    taken = [(cell, any(cell in ship for ship in ships)) for cell in shots]
    assert misses(fleet, [[shot] for shot in taken]) == (search, destroy)


def test_all_shots_of_a_volley_are_made_in_what_was_so_before_it() -> None:
    """A miss beside the first hit of its own volley is one in search, and beside the last hit on
    a ship one in destroying."""
    fleet = (Ship(2, 0, 0, Orientation.HORIZONTAL), Ship(1, 5, 5, Orientation.HORIZONTAL))
    begin = [(Cell(0, 0), True), (Cell(0, 1), False)]
    sinks = [(Cell(1, 0), True), (Cell(7, 7), False), (Cell(7, 6), False)]
    after = [(Cell(3, 3), False), (Cell(5, 5), True)]
    assert misses(fleet, [begin, sinks, after]) == (2, 2)
    assert misses(fleet, [[shot] for shot in begin + sinks + after]) == (3, 1)


@pytest.mark.parametrize("rules", SINGLE.values(), ids=SINGLE)
def test_turns_are_those_that_the_player_had(rules: Rules) -> None:
    """A turn a question, whole volleys included; where a hit shoots again, one a miss, and the
    last."""
    player = Scripted(by_luck(rules, Random(3)))
    taken = effort(alone(player, rules))
    assert taken is not None
    questions = sum(isinstance(one, AskShots) for one in player.asked)
    hit_again = rules.turn is Turn.HIT_AGAIN
    assert taken.turns == (taken.misses + 1 if hit_again else questions)
    assert (taken.turns < taken.shots) == (hit_again or rules.turn is Turn.SALVO)


def neighbours(cell: Cell) -> list[Cell]:
    column, row = cell
    return [
        Cell(column - 1, row),
        Cell(column + 1, row),
        Cell(column, row - 1),
        Cell(column, row + 1),
    ]


def test_a_perfect_board_has_no_miss() -> None:
    """Who hits with every shot has cleared a perfect board."""
    fleet = random_fleet(BRAINJAR, Random(2))
    at = iter([cell for ship in fleet for cell in ship.cells])

    def answer(message: Question) -> FromPlayer:
        asked_for_fleet = isinstance(message, AskFleet)
        return Placed(fleet) if asked_for_fleet else Fired((Target(OPPONENT, next(at)),))

    summary = ShootingSummary(["seer"], BRAINJAR)
    assert summary.add(0, 1, alone(Scripted(answer), fleet=fleet)) == Effort(14, 1, 0, 0)
    assert summary.bots[0].perfect == 1


# The sum


def summary_of(boards: int, *players: Callable[[], Scripted]) -> ShootingSummary:
    summary = ShootingSummary(NAMES[: 1 + len(players)], BRAINJAR)
    for number in range(1, boards + 1):
        summary.add(0, number, alone(seed=number))
        for bot, player in enumerate(players, 1):
            summary.add(bot, number, alone(player(), seed=number))
    return summary


def document_of(summary: ShootingSummary, boards: int, faults: list[Fault] = []) -> dict:  # noqa: B006 - read only
    return builtins(document(a_trial(boards), summary, faults))


def a_trial(boards: int, origin: Origin = RANDOM, rules: Rules = BRAINJAR) -> ShootingTest:
    conditions = Conditions(rules=rules, dialect="readme")
    return ShootingTest(bots=[], boards=boards, seed=7, origin=origin, conditions=conditions)


@pytest.mark.parametrize("boards", [0, 1, 2, 5])
@pytest.mark.parametrize("after", [0, 10])
def test_the_document_fits_its_schema(boards: int, after: int) -> None:
    """However few boards were played or cleared, the test document is valid and finite."""
    summary = summary_of(boards, partial(broken, BadOutput("said nothing"), after=after))
    fault = Fault(next(iter(Solo(1, 1, 7))), LaunchFault("no process could be started"))
    told = json.loads(json.dumps(document_of(summary, boards or 1, [fault]), allow_nan=False))
    assert schemas.problem("test", told) is None
    if boards:
        assert told["bots"][1]["forfeits"] == {"bad-output": boards}
    assert told["pairs"] == [
        {"a": "hunter", "b": "parity", "boards": 0, "difference": None, "interval_95": None}
    ]


def test_a_board_that_was_not_cleared_is_in_no_mean() -> None:
    """A forfeit is counted by its cause and told with the first one's evidence; means and
    differences are of the boards that were cleared."""
    summary = ShootingSummary(NAMES, BRAINJAR)
    for number in range(1, 6):
        summary.add(0, number, alone(seed=number))
        lost = number % 2 == 0
        player = broken(BadOutput(f"said nothing on {number}"), after=number) if lost else None
        summary.add(1, number, alone(player, seed=number))
    told = document_of(summary, 5)
    assert [bot["cleared"] for bot in told["bots"]] == [5, 3]
    assert told["bots"][1]["forfeits"] == {"bad-output": 2}
    odd = [effort(alone(seed=number)).shots for number in (1, 3, 5)]
    assert told["bots"][1]["shots"]["mean"] == pytest.approx(sum(odd) / 3)
    assert told["pairs"][0] | {"a": "", "b": ""} == {
        "a": "",
        "b": "",
        "boards": 3,
        "difference": 0,
        "interval_95": None,
    }
    ((board_number, forfeit),) = summary.bots[1].first_forfeits.values()
    assert (board_number, forfeit.detail) == (2, "said nothing on 2")


# Boards and fleets


def test_on_one_board_all_bots_have_one_seed_and_one_fleet() -> None:
    """The seed and the fleet of a bot depend on the seed and the board alone, not on who else is
    there."""
    alone_there, among_others = list(Solo(1, 4, 9)), list(Solo(3, 6, 9))
    for pairing in among_others[:12]:
        same = alone_there[pairing.round - 1]
        assert (pairing.seed, pairing.bot_seeds) == (same.seed, same.bot_seeds)
        assert drawn_fleet(BRAINJAR, pairing) == drawn_fleet(BRAINJAR, same)
    assert [pairing.seats[0] for pairing in among_others] == [0, 1, 2] * 6
    assert len({pairing.id for pairing in among_others}) == len(Solo(3, 6, 9)) == 18
    assert len({pairing.bot_seeds for pairing in among_others}) == 6
    assert len({drawn_fleet(BRAINJAR, pairing) for pairing in among_others}) == 6


def test_boards_in_a_row_are_the_same_boards() -> None:
    """Each bot has its next boards before another has them, and none is left out."""
    rows = list(Solo(2, 7, 9, in_a_row=3))
    assert [(row.seats[0], row.round, len(row.rest)) for row in rows] == [
        *((0, 1, 2), (1, 1, 2)),
        *((0, 4, 2), (1, 4, 2)),
        *((0, 7, 0), (1, 7, 0)),
    ]
    boards = [replace(board, rest=()) for board in one_by_one(rows)]
    assert sorted(boards, key=lambda one: (one.round, one.seats)) == list(Solo(2, 7, 9))


def fleet_documents(fleet: Fleet) -> list[object]:
    return [json.loads(json.dumps(form)) for form in (fleet_reply(fleet), [*map(builtins, fleet)])]


@given(fleets(BRAINJAR))
@examples(30)
def test_fleets_are_read_in_both_forms(fleet: Fleet) -> None:
    """A reply to init and the fleet of a record are the same fleet."""
    documents = fleet_documents(fleet)
    assert schemas.problem("placements", documents) is None
    assert given_fleets(documents, BRAINJAR) == [fleet, fleet]


def test_drawn_fleets_may_be_given() -> None:
    """A board of rules that draw the ships of a game has those of its fleet, which must be some
    that can be drawn; fleets of the judge's own differ from board to board."""
    rules = VARIANTS["contest"]
    own = [drawn_fleet(rules, pairing) for pairing in Solo(1, 8, 9)]
    lengths = {tuple(ship.length for ship in fleet) for fleet in own}
    assert len(lengths) > 1
    assert given_fleets([[*map(builtins, fleet)] for fleet in own], rules) == own
    assert {rules.drawn_as(fleet).lengths for fleet in own} == lengths
    cannot_be = random_fleet(VARIANTS["broadsides"], Random(1))
    with pytest.raises(UsageError, match=r"5, 4, 3, 3, 2 where the rules draw 6 of 3 or 4 or 5"):
        given_fleets([[*map(builtins, cannot_be)]], rules)


@pytest.mark.parametrize("form", [0, 1])
def test_an_illegal_fleet_is_told_by_its_number(form: int) -> None:
    """The first fleet that the rules do not allow is named, with what is wrong about it."""
    good = random_fleet(BRAINJAR, Random(1))
    off = (replace(good[0], column=7, row=7), *good[1:])
    documents = [fleet_documents(good)[form], fleet_documents(off)[form]]
    with pytest.raises(UsageError, match=r"fleet 2 breaks the rules 'brainjar': the ship of 2"):
        given_fleets(documents, BRAINJAR)


# Words


@given(st.lists(strange_texts(), min_size=1, max_size=5), st.integers(0, 6), st.data())
@examples(40)
def test_a_report_fits_a_terminal(names: list[str], boards: int, data: st.DataObject) -> None:
    """Whatever bots are called and did, no line takes more columns than there are or moves the cursor,
    and colour adds nothing but colour."""
    summary = ShootingSummary(names, BRAINJAR)
    for number in range(1, boards + 1):
        for bot in range(len(names)):
            lost = data.draw(st.booleans())
            player = broken(BadOutput(data.draw(strange_texts())), after=3) if lost else None
            summary.add(bot, number, alone(player, seed=number))
    fault = Fault(Pairing("7-1.1", 1, (0,), 0, 7, (8,)), LaunchFault(data.draw(strange_texts())))
    width = data.draw(st.sampled_from([40, 60, 80, 120]))
    trial = a_trial(
        max(1, boards),
        Origin(FleetsFrom.AGAINST, names[0]),
        data.draw(st.sampled_from([BRAINJAR, VARIANTS["broadsides"]])),
    )
    told = partial(
        report,
        replace(trial, bots=[Bot("x", ("x",), Path("x"), (), "", 0, "")] * len(names)),
        summary,
        again="judge test x",
        checks=["judge check x"] * len(names),
        played=data.draw(st.sampled_from([None, 2])),
        width=width,
        faults=[fault] * data.draw(st.integers(0, 7)),
    )
    plain, coloured = told(), told(colour=True)
    assert SGR.sub("", coloured) == plain
    for line in plain.split("\n"):
        assert cells(line) <= width
        assert line.isprintable() or not line.isascii()
    assert standing(summary)


@pytest.mark.parametrize("width", [40, 60, 80])
def test_a_comparison_names_both_bots_and_the_better(width: int) -> None:
    """Whole, however narrow the terminal is; and times of minutes fit it."""
    names = ["heatmap-forgets-1", "heatmap-forgets-2"]
    summary = ShootingSummary(names, BRAINJAR)
    for number in range(1, 4):
        for bot in range(2):
            summary.add(bot, number, alone(seed=number + bot * 9))
    summary.bots[0].times.add(123_456.0)
    trial = replace(a_trial(3), bots=[Bot("x", ("x",), Path("x"), (), "", 0, "")] * 2)
    text = report(trial, summary, again="judge test x", checks=["", ""], width=width)
    assert " - ".join(names) in text
    assert "\nbetter " in text or " better\n" in text
    assert "wider terminal, or a file" not in text.partition(" - ")[2]
    assert max(map(cells, text.split("\n"))) <= width


def test_a_row_for_a_spreadsheet() -> None:
    """A bot's name may hold what it likes; a board that was not cleared has no numbers."""
    rows = CSV_HEADER
    rows += csv_row(1, 'a "b", c', Effort(30, 20, 10, 6), Termination.FLEET_DESTROYED)
    rows += csv_row(2, "d", None, Termination.TIMEOUT)
    first, second = csv.DictReader(io.StringIO(rows))
    assert first["bot"] == 'a "b", c'
    assert (first["shots"], first["turns"], first["misses"]) == ("30", "20", "16")
    assert first["destroy"] == "6"
    assert (second["shots"], second["termination"]) == ("", "timeout")

"""The general bots `random`, `hunt`, `parity` and `hunter`, `captain`, and what
`judge new open-python` makes: one program each for every game."""

from __future__ import annotations

import json
import random
import subprocess
import sys
from collections.abc import Sequence
from itertools import product
from pathlib import Path

import pytest

import ladder
from bundled import BOTS, GRID, Game, run_here, uniform_fleet
from changes import replace
from games import fired
from judge import schemas
from judge.contest.schedule import Solo
from judge.contest.shooting.boards import drawn_fleet
from judge.contest.shooting.shooting import effort
from judge.documents.codec import builtins
from judge.documents.game import GameRecord, RecordedSeat, Termination
from judge.documents.rules import Goal, Repeat, Rules, Sinking, Turn
from judge.game.variants import BRAINJAR, VARIANTS, contest
from judge.play.conditions import Conditions
from judge.play.player import ProgramPlayer
from judge.play.referee import play_game
from judge.play.solo import Board, clear_boards
from judge.process.bots.bot import find
from judge.process.bots.scaffolds import TEMPLATES
from judge.process.run.connection import Script
from judge.wire import WIRES
from players import bot as brainjar_player

GENERAL = ("random", "hunt", "parity", "hunter")
FILES = {name: BOTS / name / "bot.py" for name in GENERAL}
FILES["open-python"] = TEMPLATES / "open-python" / "bot.py"
FILES["captain"] = BOTS / "captain" / "bot.py"
COMMON = "# From here on `random`, `hunt`, `parity` and `hunter` are the same"
EARLIER = json.loads((Path(__file__).parent / "earlier_answers.json").read_text())


class Earlier:
    """A bot as it is, asked as `earlier_answers.json` was made: by the programs that spoke nothing
    but brainjar."""

    def __init__(self, name: str) -> None:
        self.name = name

    def ask(self, request: dict, seed: int) -> dict:
        data = json.dumps(request, separators=(",", ":")).encode()
        reply: dict = json.loads(ladder.ask(self.name, data, seed))
        return reply

    def fleet(self, seed: int) -> str:
        ships = self.ask({"cmd": "init"}, seed)
        return " ".join(f"{ship['point']}{ship['orientation'][0]}" for ship in ships.values())

    def game(self, seed: int) -> str:
        """The cells of all its shots in a silent game, from either seat, in either dialect."""
        dialect = ("readme", "engine")[seed // 2 % 2]
        game = Game(uniform_fleet(random.Random(seed)), seat=seed % 2, dialect=dialect)
        while not game.over:
            game.shoot(self.ask(game.request(), seed)["move"])
        return "".join(move[1:3] for move in game.moves)

    def position(self, seed: int) -> str:
        """The cell of its shot in a position to which it would not have come by itself."""
        luck = random.Random(seed)
        game = Game(uniform_fleet(luck), dialect=("readme", "engine")[seed % 2])
        ships = [cell for ship in game.fleet.values() for cell in ship]
        water = [cell for cell in GRID if cell not in ships]
        for cell in luck.sample(ships, luck.randrange(14)) + luck.sample(water, luck.randrange(51)):
            game.shoot(cell)
        move: str = self.ask(game.request(), seed)["move"]
        return move


@pytest.mark.parametrize("name", GENERAL)
def test_brainjar_is_played_as_ever(name: str) -> None:
    """100 fleets, all shots of 40 games and the shot in each of 400 other positions are those of
    the programs that spoke nothing but brainjar."""
    bot, earlier = Earlier(name), EARLIER[name]
    assert [bot.fleet(seed) for seed in range(100)] == earlier["fleets"]
    assert [bot.game(seed) for seed in range(40)] == earlier["games"]
    assert "".join(bot.position(seed) for seed in range(400)) == earlier["positions"]


def test_the_bots_differ_in_how_they_shoot_alone() -> None:
    """All that is below the mark in their files is the same, byte for byte."""
    parts = [(BOTS / name / "bot.py").read_text().split(COMMON) for name in GENERAL]
    assert [len(part) for part in parts] == [2] * len(GENERAL)
    assert len({part[1] for part in parts}) == 1


class Asked:
    """A program that is run in this process for every question, and keeps all that it was asked."""

    def __init__(self, name: str) -> None:
        self.code = compile(FILES[name].read_text(), FILES[name], "exec")
        self.questions: list[dict] = []
        self.replies: list[str] = []

    def ask(self, question: dict, seed: int = 1) -> dict:
        said = run_here(self.code, json.dumps(question, separators=(",", ":")), BOT_SEED=str(seed))
        reply: dict = json.loads(said)
        self.questions.append(question)
        self.replies.append(said)
        return reply

    def player(self, rules: Rules, seat: int, seed: int) -> ProgramPlayer:
        """Itself in a seat, asked over the wire open."""

        def answer(data: bytes) -> bytes:
            return json.dumps(self.ask(json.loads(data), seed)).encode()

        wire = WIRES["open"]
        entry = RecordedSeat.of("bot", seed=seed, wire="open")
        return ProgramPlayer(entry, wire(rules, seat, wire.dialects[0]), Script(answer))


def played(rules: Rules, bots: Sequence[Asked], seed: int) -> GameRecord:
    """A game with so long for an answer that no clock ends a search."""
    rules = replace(rules.drawn(random.Random(seed)), timeout_ms=86_400_000)
    players = [bot.player(rules, seat, seed + seat) for seat, bot in enumerate(bots)]
    conditions = Conditions(rules=rules)
    return play_game(conditions, players, game_id="1", seed=seed, first=seed % len(bots))


_many = replace(BRAINJAR, players=(2, 9))
_salvo = replace(VARIANTS["broadsides"], columns=4, rows=4, fleet=(2, 1, 1), players=(2, 9))
ODD = {
    "one column": replace(_many, columns=1, rows=9, fleet=(3, 1, 1, 2)),
    "one row": replace(_many, columns=30, rows=1, fleet=(5, 5, 1)),
    "full": replace(_many, columns=1, rows=10, fleet=(1,) * 10),
    "one cell": replace(_many, columns=1, rows=1, fleet=(1,)),
    "contest of 3": contest(3),
    "contest of 4": contest(4),
    "single cells": replace(VARIANTS["xbs"], columns=5, rows=5, fleet=(1,) * 6),
    "salvos without repeats": replace(_salvo, fleet=(3, 2, 2, 1), repeat=Repeat.ILLEGAL),
    "salvos of more than the board": replace(_salvo, rows=1, salvo_bonus=(2, 1)),
    "salvos that may be skipped": replace(
        VARIANTS["xbs"], goal=Goal.FLEET, turn=Turn.SALVO, sinking=Sinking.SUNK
    ),
    "all at once": replace(contest(5), players=(2, 9), round_limit=None),
    "sizes of equal ships": replace(VARIANTS["bsp"], sinking=Sinking.SIZE),
    "many sizes of equal ships": replace(
        VARIANTS["bsp"], columns=8, rows=5, fleet=(1,) * 16, sinking=Sinking.SIZE
    ),
    "many equal ships": replace(VARIANTS["bsp"], columns=8, rows=5, fleet=(2,) * 9),
}


PLAYED_OUT = (Termination.FLEET_DESTROYED, Termination.GOAL, Termination.ALL_DEAD)


@pytest.mark.parametrize("rules", [*VARIANTS.values(), *ODD.values()], ids=[*VARIANTS, *ODD])
def test_every_game_is_played_to_its_end(rules: Rules, monkeypatch: pytest.MonkeyPatch) -> None:
    """By any rules, with as many seats as these have, games of all the bots are over by their fleets
    or points; no fleet or shot is refused, and no turn skipped that could count."""
    monkeypatch.syspath_prepend(BOTS / "captain")
    for steps in ("STEPS", "STEPS_OF_VOLLEY"):  # captain need not play well here
        monkeypatch.setattr(f"strategy.{steps}", 20)
    names = [*FILES]
    for seats in {2, rules.players[1]}:
        for first in range(0, len(names), seats):
            bots = [Asked(names[(first + seat) % len(names)]) for seat in range(seats)]
            record = played(rules, bots, seed=seats)
            assert record.outcome.termination in PLAYED_OUT
            assert not record.incidents
            asked = [question["cmd"] for bot in bots for question in bot.questions]
            assert set(asked) <= {"place", "shoot"}


@pytest.mark.parametrize(
    ("name", "variant"),
    [*product([name for name in FILES if name != "captain"], VARIANTS), ("captain", "contest")],
)
def test_lines_are_answered_as_arguments_are(name: str, variant: str) -> None:
    """A process that is told everything by lines gives the same replies to the same questions, a
    line each, and none to what is not to be answered. Captain, which thinks long, does so once."""
    bot, other = Asked(name), Asked("random")
    played(VARIANTS[variant], [bot, other], seed=1)
    skipped = {"cmd": "told", "events": [{"skipped": 1}]}
    over = {"cmd": "over", "winner": 0, "why": "fleet-destroyed", "scores": None}
    assert [schemas.problem("open-told", skipped), schemas.problem("open-over", over)] == [None] * 2
    lines = [one for question in bot.questions for one in (question, skipped)] + [over]
    done = subprocess.run(
        [sys.executable, "-S", FILES[name]],
        input="".join(f"{json.dumps(line, separators=(',', ':'))}\n" for line in lines),
        env={"BOT_SEED": "1"},
        capture_output=True,
        text=True,
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == "".join(bot.replies)


@pytest.mark.parametrize("name", GENERAL)
def test_brainjar_is_played_alike_over_both_wires(name: str) -> None:
    """The same fleets and the same shots over the wires brainjar and open."""
    records = []
    for speaks in ("brainjar", "open"):
        players = [
            Asked(name).player(BRAINJAR, seat, 7 + seat)
            if speaks == "open"
            else brainjar_player(
                lambda data, seat=seat: ladder.ask(name, data, 7 + seat), BRAINJAR, seat
            )
            for seat in range(2)
        ]
        records.append(play_game(Conditions(rules=BRAINJAR), players, game_id="1", seed=1))
    over_brainjar, over_open = records
    assert fired(over_brainjar.shots) == fired(over_open.shots)
    assert [one.fleet for one in over_brainjar.seats] == [one.fleet for one in over_open.seats]


# What is asked


def shoot(rules: Rules, players: int, shots: Sequence[list] = (), **more: object) -> dict:
    """A question to player 0 as the wire puts it."""
    question = {
        "cmd": "shoot",
        "rules": builtins(rules),
        "seat": 0,
        "players": [f"p{number}" for number in range(players)],
        "present": [True] * players,
        "first": 0,
        "due": 1,
        "fleet": [[1, 0, 0, "horizontal"]],
        "shots": list(shots),
        **more,
    }
    assert schemas.problem("open-shoot", question) is None
    return question


SMALL = replace(VARIANTS["xbs"], columns=3, rows=2, fleet=(2, 1), may_skip=False)
SHIPS = [[2, 0, 0, "horizontal"], [1, 2, 1, "horizontal"]]
ALL_HIT = [[1, 2, 0, 0, 3, None], [3, 2, 1, 0, 3, None], [3, 2, 2, 1, 3, None]]  # at player 2


@pytest.mark.parametrize("name", FILES)
def test_no_shot_is_wasted_on_the_lost_and_the_gone(name: str) -> None:
    """One of four players has left and one has lost all ships: only the board of the last is shot
    at, and once shots at it are used up the turn is skipped, if the rules allow it."""
    bot = Asked(name)
    gone = [True, True, True, False]
    for seed in range(20):
        asked = shoot(SMALL, 4, ALL_HIT, present=gone)
        ((board, column, row),) = bot.ask(asked, seed)["shots"]
        assert (board, column in range(3), row in range(2)) == (1, True, True)
    sides = [(column, row) for column in range(3) for row in range(2)]
    used_up = ALL_HIT + [[2, 1, *cell, 3 if cell == (0, 0) else 1, None] for cell in sides]
    may = replace(SMALL, may_skip=True)
    assert bot.ask(shoot(may, 4, used_up, present=gone)) == {"skip": True}
    must = bot.ask(shoot(SMALL, 4, used_up, present=gone))["shots"]
    assert [shot in ([2, 0, 1], [2, 1, 1], [2, 2, 0]) for shot in must] == [True]


@pytest.mark.parametrize("name", FILES)
@pytest.mark.parametrize("first", [3, 1], ids=["hit", "missed"])
def test_of_repeats_the_first_answer_is_believed(name: str, first: int) -> None:
    """The finding of the first shot stands if a repeat is told as a miss, or as a repeat."""
    rules = replace(SMALL, repeat=Repeat.MISS, columns=10, rows=1)
    bot = Asked(name)
    for repeated in (1, 0):
        shots = [[0, 1, 5, 0, first, None], [0, 1, 5, 0, repeated, None]]
        found = {tuple(bot.ask(shoot(rules, 2, shots), seed)["shots"][0]) for seed in range(12)}
        assert (1, 5, 0) not in found
        if name != "random":
            assert (found <= {(1, 4, 0), (1, 6, 0)}) == (first == 3)


@pytest.mark.parametrize("name", FILES)
def test_a_refusal_is_answered_as_what_is_asked_again(name: str) -> None:
    """A fleet or a shot is asked for again inside of the refusal."""
    bot = Asked(name)
    again = shoot(SMALL, 2)
    refused = {"cmd": "refused", "why": "no", "again": again}
    assert schemas.problem("open-refused", refused) is None
    assert len(bot.ask(refused)["shots"]) == 1
    place = {"cmd": "place", "rules": builtins(SMALL), "seat": 0, "players": ["a", "b"]}
    assert schemas.problem("open-place", place) is None
    ships = bot.ask({"cmd": "refused", "why": "no", "again": place})["ships"]
    assert sorted(ship[0] for ship in ships) == [1, 2]


def test_hunter_closes_the_hits_on_sunk_ships() -> None:
    """It shoots beside no hit of a ship that is known to have sunk: told whole, by its length, or
    by nothing but that it has sunk where it can be one only; elsewhere beside any."""
    hits = [[0, 1, 4, 0, 3, None], [0, 1, 5, 0]]  # the second sinks the ship of two
    told = {
        Sinking.SHIP: [4, [2, 4, 0, "horizontal"]],
        Sinking.SIZE: [4, 2],
        Sinking.SUNK: [4, None],
        Sinking.NOTHING: [3, None],
    }
    bot = Asked("hunter")
    for sinking, end in told.items():
        rules = replace(SMALL, columns=10, rows=1, fleet=(2, 3), sinking=sinking)
        shots = [hits[0], hits[1] + end]
        found = {bot.ask(shoot(rules, 2, shots), seed)["shots"][0][1] for seed in range(30)}
        open_ends = sinking is Sinking.NOTHING
        assert (found <= {3, 6}) == open_ends
        # Three cells are afloat: every third diagonal is searched.
        assert (found == {0, 3, 6, 9}) == (not open_ends)


@pytest.mark.parametrize("variant", VARIANTS)
def test_who_hunts_is_stronger_than_who_does_not(variant: str) -> None:
    """In every variant `hunt` and `hunter` clear the same boards in fewer shots than `random`, alone
    and told as the rules have it."""
    mean = {}
    for name in ("random", "hunt", "hunter"):
        taken = []
        for board in Solo(1, 4, 1):
            fleet = drawn_fleet(VARIANTS[variant], board)
            rules = VARIANTS[variant].drawn_as(fleet)
            player = Asked(name).player(rules, 0, board.bot_seeds[0])
            (record,) = clear_boards(Conditions(rules=rules), player, [Board("1", 1, fleet)])
            found = effort(record)
            assert found is not None, record.outcome
            taken.append(found.shots)
        mean[name] = sum(taken) / len(taken)
    assert mean["hunt"] < 0.95 * mean["random"]
    assert mean["hunter"] < 0.95 * mean["random"]


@pytest.mark.parametrize("name", GENERAL)
def test_their_wires_are_named(name: str) -> None:
    """The judge takes the first of them that can express the rules: brainjar by its own rules."""
    assert find(str(BOTS / name)).wires == ("brainjar", "open-lines", "open")

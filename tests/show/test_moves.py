"""The effect of a move, in lines: judge/show/moves.py."""

from __future__ import annotations

import sys
from pathlib import Path
from random import Random
from types import FrameType

import pytest
from hypothesis import given
from hypothesis import strategies as st

from changes import replace
from games import SGR, strange_texts
from golden import hold
from judge.documents.game import Result
from judge.documents.rules import Cell, Rules
from judge.game.events import Event, Shot
from judge.game.game import Game
from judge.game.steps import steps
from judge.game.variants import BRAINJAR, BROADSIDES, BSP, VARIANTS, XBS
from judge.play.conditions import Conditions
from judge.play.referee import play_game
from judge.show.moves import MoveLog, incident_line, move_lines
from judge.show.text import cells, clean
from judge.testing import games
from judge.testing import rules as any_rules
from players import Scripted, by_luck
from strategies import examples

NAMES = ("hunter", "random")


def shot(seat: int, column: int, row: int, result: Result, sunk: int | None = None) -> Shot:
    """A shot at the other of two."""
    return Shot(seat, 1 - seat, Cell(column, row), result, sunk, repeat=result is Result.REPEAT)


VOLLEY = [shot(0, place, 0, Result.MISS) for place in range(6)]
VOLLEY[2] = shot(0, 2, 0, Result.SUNK, 2)
VOLLEY[4] = shot(0, 0, 0, Result.REPEAT)
LINES = {
    "a shot that sinks a known ship": (12, [shot(0, 4, 3, Result.SUNK, 3)], NAMES, BRAINJAR),
    "a shot that sinks a ship": (12, [shot(0, 4, 3, Result.SUNK)], NAMES, BRAINJAR),
    "a hit": (12, [shot(0, 4, 3, Result.HIT)], NAMES, BRAINJAR),
    "a miss": (12, [shot(1, 0, 7, Result.MISS)], NAMES, BRAINJAR),
    "a repeat": (12, [shot(1, 0, 7, Result.REPEAT)], NAMES, BRAINJAR),
    "among three": (3, [Shot(2, 0, Cell(1, 2), Result.MISS)], ("a", "b", "c"), XBS),
    "a volley": (7, VOLLEY, NAMES, BROADSIDES),
    "a round": (
        9,
        [shot(0, 3, 4, Result.MISS), shot(1, 5, 6, Result.HIT)],
        NAMES,
        VARIANTS["contest"],
    ),
}


@pytest.mark.parametrize("name", LINES)
def test_a_move_is_as_it_was_read(name: str, pytestconfig: pytest.Config) -> None:
    """A move's number, who fired, where, and what it did; a volley's shots behind one number, and a round
    in a line for each seat."""
    text = "\n".join(move_lines(*LINES[name]))
    hold(Path(__file__).with_name("moves.txt"), name, text, LINES, pytestconfig)


@given(st.data(), any_rules(), st.booleans())
@examples(100)
def test_lines_fit_a_terminal(data: st.DataObject, rules: Rules, colour: bool) -> None:
    """Whatever the rules, the players and their names, no line is wider than 80 columns, and
    colour changes nothing else."""
    game = data.draw(games(st.just(rules)))
    names = [data.draw(strange_texts()) for _ in range(game.players)]
    lines = move_lines(7, game.shots, names, rules, colour=colour)
    assert all(cells(SGR.sub("", line)) <= 80 for line in lines)
    assert [SGR.sub("", line) for line in lines] == move_lines(7, game.shots, names, rules)
    for seat in range(game.players):
        assert cells(incident_line(3, seat, "leave", names)) <= 80


@given(any_rules(), st.integers(0, 2**31))
@examples(60)
def test_what_is_heard_live_is_what_a_replay_tells(rules: Rules, seed: int) -> None:
    """Event by event the lines of a game come out move by move, each with the number of its step
    and its own shots."""
    luck = Random(seed)
    log = MoveLog(NAMES)
    heard: list[str] = []
    begins: list[int] = []

    def watch(game: Game, event: Event) -> None:
        if lines := log.lines(game, event):
            heard.extend(lines)
            begins.append(log.begin)

    record = play_game(
        Conditions(rules=rules),
        [Scripted(by_luck(rules, luck), name) for name in NAMES],
        game_id="1",
        seed=seed,
        watch=watch,
    )
    *_, (_, game) = steps(record)
    shots = game.shots
    told = [step for step, _ in steps(record) if step.volleys]
    assert begins == [step.begin for step in told]
    assert heard == [
        line
        for number, step in enumerate(told, 1)
        for line in move_lines(number, shots[step.begin : step.fired], NAMES, rules)
    ]


def test_a_player_hears_what_players_are_told() -> None:
    """In bsp a sinking does not say which ship, and a repeat is a miss."""
    luck = Random(3)
    own, truth = MoveLog(NAMES, seat=0), MoveLog(NAMES)
    heard: list[tuple[str, str]] = []

    def watch(game: Game, event: Event) -> None:
        heard.append(("\n".join(own.lines(game, event)), "\n".join(truth.lines(game, event))))

    players = [Scripted(by_luck(BSP, luck), name) for name in NAMES]
    play_game(Conditions(rules=BSP), players, game_id="1", seed=3, watch=watch)
    sinkings = [(mine, true) for mine, true in heard if "sinks the " in true]
    assert len(sinkings) >= 9
    assert all(mine.endswith("hit, sinks a ship") for mine, _ in sinkings)


def test_long_names_are_read_once_a_game() -> None:
    """A stranger's record has names of 1,000 characters, and up to 100,000 shots."""
    names = [f"{number}{1000 * 'é'}" for number in range(9)]
    rules = replace(BRAINJAR, players=(2, 9))
    read = 0

    def count(frame: FrameType, event: str, _: object) -> None:
        nonlocal read
        read += event == "call" and frame.f_code is clean.__code__

    sys.setprofile(count)
    try:
        for number in range(100):
            move_lines(number, [Shot(0, 1, Cell(0, 0), Result.MISS)], names, rules)
            incident_line(number, 2, "skip", names)
    finally:
        sys.setprofile(None)
    assert len(names) <= read <= 3 * len(names)

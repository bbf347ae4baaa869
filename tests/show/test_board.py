"""Boards in a terminal, and the text that they are made of: judge/show/board.py and text.py."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import structs
from rich.color import EIGHT_BIT_PALETTE

from changes import replace
from games import SGR, played, strange_texts
from golden import hold
from judge.documents.game import Result
from judge.documents.rules import Cell, Orientation, Rules, Ship
from judge.game.events import Shot
from judge.game.game import Game
from judge.game.replay import replay
from judge.game.variants import BRAINJAR, BROADSIDES, BSP, XBS
from judge.show import board as boards
from judge.show.text import (
    Style,
    cells,
    clean,
    clean_lines,
    cut,
    cut_inside,
    left,
    paint,
    phrases,
    right,
    wrap,
)
from judge.testing import board, games
from judge.testing import rules as any_rules
from strategies import examples


def game_after(shots: int, rules: Rules = BRAINJAR, seed: int = 4) -> Game:
    """A random game with at least that number of shots fired."""
    for game in replay(played(rules, seed)):
        if len(game.shots) >= shots:
            return game
    raise AssertionError("the game was over before")


# Text


@given(strange_texts())
@examples(300)
def test_clean_text_cannot_move_the_cursor(text: str) -> None:
    """Whatever a stranger wrote, what is left of it has no control, format or half character."""
    for character in clean(text):
        assert unicodedata.category(character) not in {"Cc", "Cf", "Cs", "Zl", "Zp", "Cn"}
    assert clean(clean(text)) == clean(text)
    clean(text).encode()


@given(strange_texts(), st.integers(0, 40))
@examples(300)
def test_a_padded_text_takes_the_cells_that_it_was_given(text: str, width: int) -> None:
    """Padding fills exactly the width, also where a wide character had to be cut off."""
    for padded in (left(clean(text), width), right(clean(text), width)):
        assert cells(padded) == width
    assert cells(cut(clean(text), width)) <= width
    assert cells(cut_inside(clean(text), width)) <= width


@given(strange_texts(), st.integers(10, 80), st.sampled_from(["", "  ", "      "]))
@examples(300)
def test_wrapped_lines_fit_and_lose_nothing(text: str, width: int, indent: str) -> None:
    """No line is wider than asked for, all are indented, and no letter is lost."""
    lines = wrap(clean(text), indent, width)
    assert all(cells(line) <= width and line.startswith(indent) for line in lines)
    assert "".join("".join(lines).split()) == "".join(clean(text).split())


@pytest.mark.parametrize(
    ("text", "width"),
    [
        ("hunter", 6),
        ("漢字", 4),
        ("ｈｕ", 4),
        ("e\u0301", 1),
        ("한글", 4),
        ("\U0001f600", 2),
        ("é", 1),
    ],
)
def test_cells_are_those_of_a_terminal(text: str, width: int) -> None:
    """A wide character takes two cells, a combining one none."""
    assert cells(text) == width


@pytest.mark.parametrize(
    ("text", "cleaned"),
    [
        ("\x1b[1;31mred\x1b[0m", "red"),
        ("\x1b]0;owned\x07title", "title"),
        ("\x1b]8;;http://x\x1b\\link", "link"),
        ("bell\x07", "bell\\x07"),
        ("\x1b", "\\x1b"),
        ("right\u202eleft", "right\\u202eleft"),
        ("half\ud800", "half\\ud800"),
        ("two\nlines", "two\\nlines"),
        ("a\tb", "a    b"),
        ("plain é 漢", "plain é 漢"),
    ],
)
def test_what_is_not_to_be_printed_is_seen_or_gone(text: str, cleaned: str) -> None:
    """Terminal sequences vanish; other characters without a shape stand as their escape."""
    assert clean(text) == cleaned


def test_lines_of_output_are_told_apart() -> None:
    """Line ends of both kinds end a line; empty lines at the end are dropped, others kept."""
    assert clean_lines("one\r\n\ntwo\n\n\n") == ["one", "", "two"]
    assert clean_lines(" \n ") == []


def test_colour_is_only_where_it_is_asked_for() -> None:
    """Without colour a text is left as it is, and an empty one stays empty."""
    assert paint("x", Style.RED, colour=False) == "x"
    assert paint("x", Style.RED, colour=True) == "\x1b[38;5;196mx\x1b[0m"
    assert not paint("", Style.RED, colour=True)


# The grounds of some terminals, dark and light.
GROUNDS = ["000000", "1e1e1e", "171421", "002b36", "fdf6e3", "eeeeec", "fafafa", "ffffff"]


@pytest.mark.parametrize("style", [Style.RED, Style.GREEN, Style.ORANGE, Style.BLUE, Style.SUNK])
@pytest.mark.parametrize("ground", GROUNDS)
def test_colours_stand_out_on_light_and_on_dark(style: Style, ground: str) -> None:
    """Their contrast is that of 3 to 1 at least which WCAG asks of signs, whatever the ground."""
    number = int(style.rpartition(";")[2])
    colour = EIGHT_BIT_PALETTE[number]
    light, dark = sorted(map(luminance, (colour, tuple(bytes.fromhex(ground)))), reverse=True)
    assert (light + 0.05) / (dark + 0.05) >= 3


def luminance(colour: Sequence[int]) -> float:
    """The relative luminance of a colour of sRGB, as WCAG 2 defines it."""
    parts = [part / 255 for part in colour]
    red, green, blue = (
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


@given(strange_texts(), st.integers(1, 40))
@examples(200)
def test_phrases_fit_their_width(text: str, width: int) -> None:
    """No line is wider than it may be, and nothing but spaces is lost."""
    lines = phrases(clean(text), width)
    assert all(cells(line) <= max(width, 2) for line in lines)
    assert "".join("".join(lines).split()) == "".join(clean(text).split())


def test_a_line_of_help_is_broken_between_its_phrases() -> None:
    """A key and what it does stay together, unless they are longer than a line."""
    help_ = "arrows aim, Enter fires, R resigns: f fog; q quits"
    assert phrases(help_, 26) == ["arrows aim, Enter fires,", "R resigns: f fog; q quits"]
    assert phrases(help_, 11) == [
        "arrows aim,",
        "Enter",
        "fires,",
        "R resigns:",
        "f fog;",
        "q quits",
    ]
    assert phrases(help_, 80) == [help_]


# Boards


@given(st.data(), st.booleans())
@examples(150)
def test_every_line_of_a_board_has_the_same_width(data: st.DataObject, colour: bool) -> None:
    """Rulers and rows are of one width, and fit a terminal, up to a hundred columns and rows."""
    rules = replace(
        BRAINJAR,
        columns=data.draw(st.integers(1, 100)),
        rows=data.draw(st.integers(1, 100)),
        fleet=(1,),
    )
    every = st.builds(Cell, st.integers(0, rules.columns - 1), st.integers(0, rules.rows - 1))
    marks = data.draw(st.dictionaries(every, st.sampled_from("○×#5A+"), max_size=20))
    before = data.draw(st.dictionaries(every, st.sampled_from("[¹⁹⁺"), max_size=9))
    lines = boards.board(rules, marks, before=before, colour=colour)
    plain = [SGR.sub("", line) for line in lines]
    assert len({cells(line) for line in plain}) == 1
    assert cells(plain[0]) <= 80
    assert colour or plain == lines
    drawn = "".join(plain)
    for mark in "○×#A+":
        assert drawn.count(mark) == list(marks.values()).count(mark)
    assert drawn.count("]") <= list(before.values()).count("[")  # one that is next takes its place
    assert all(drawn.count(front) == list(before.values()).count(front) for front in "[¹⁹⁺")


@given(st.data(), st.integers(1, 4), st.booleans())
@examples(50)
def test_a_board_is_drawn_larger(data: st.DataObject, scale: int, colour: bool) -> None:
    """Its marks, their signs and the names of its columns and rows are as far apart as the scale
    says; all between them is empty."""
    columns, rows = data.draw(st.integers(1, 37)), data.draw(st.integers(1, 20))
    rules = replace(BRAINJAR, columns=columns, rows=rows, fleet=(1,))
    every = st.builds(Cell, st.integers(0, columns - 1), st.integers(0, rows - 1))
    marks = data.draw(st.dictionaries(every, st.sampled_from("○×#5A+"), max_size=20))
    before = data.draw(st.dictionaries(every, st.sampled_from("[¹⁹⁺"), max_size=9))
    small = boards.board(rules, marks, before=before)
    large = boards.board(rules, marks, before=before, colour=colour, scale=scale)
    large = [SGR.sub("", line) for line in large]
    assert {cells(line) for line in large} == {boards.board_width(rules, scale=scale)}
    heads, first = len(small) - rows, len(str(rows - 1)) + 1
    assert len(large) == heads + scale * (rows - 1) + 1
    for y, line in enumerate(small):
        drawn = large[y if y < heads else heads + scale * (y - heads)]
        assert drawn[:first].rstrip("[¹⁹⁺") == line[:first].rstrip("[¹⁹⁺")
        for column in range(columns):
            at, there = first + 2 * column, first + 2 * scale * column
            assert drawn[there] == line[at]
            if line[at - 1] != "]":
                assert drawn[there - 1] == line[at - 1]
            assert line[at + 1] != "]" or drawn[there + 1] == "]"
    assert sum(len(line.split()) > 0 for line in large) == len(small)


@given(games())
@examples(150)
def test_fog_shows_nothing_that_was_not_told(game: Game) -> None:
    """The marks that a seat sees on another's board follow from the answers alone, and a mark that
    claims more than a hit is the truth."""
    for seat in range(game.players):
        shots = game.view(seat).shots
        for other in set(range(game.players)) - {seat}:
            at_it = [shot for shot in shots if shot.target == other]
            seen = boards.fog(at_it)
            real = boards.truth(
                game.fleet(other) or (), [shot for shot in game.shots if shot.target == other]
            )
            assert set(seen) == {shot.cell for shot in at_it}
            for cell, mark in seen.items():
                assert mark == real[cell] or (mark, real[cell]) == (boards.HIT, boards.SUNK)


@given(games())
@examples(100)
def test_a_position_seen_by_a_seat_does_not_depend_on_hidden_ships(game: Game) -> None:
    """A seat's picture of a game of two players stays the same with the other's fleet taken
    away."""
    if game.players != 2:
        return
    picture = boards.position(game, ("a", "b"), seat=0)
    game._seats[1].fleet = None
    assert boards.position(game, ("a", "b"), seat=0) == picture


SMALL = replace(BRAINJAR, columns=4, rows=3, fleet=(2, 3))
SMALL_FLEET = (Ship(2, 0, 0, Orientation.HORIZONTAL), Ship(3, 3, 0, Orientation.VERTICAL))
SHOTS = [
    Shot(0, 1, Cell(0, 0), Result.HIT),
    Shot(0, 1, Cell(1, 0), Result.SUNK, 2),
    Shot(0, 1, Cell(3, 1), Result.HIT),
    Shot(0, 1, Cell(1, 2), Result.MISS),
]


def hits(*cells: tuple[int, int], sunk: int, at: tuple[int, int]) -> list[Shot]:
    """Hits, and the shot that sinks a ship of this length."""
    return [
        *(Shot(0, 1, Cell(*cell), Result.HIT) for cell in cells),
        Shot(0, 1, Cell(*at), Result.SUNK, sunk),
    ]


def drawn(rules: Rules, marks: dict[Cell, str], **more: Any) -> str:
    return "\n".join(boards.board(rules, marks, **more))


def lengths(*ships: int) -> str:
    """The marks of ships of these lengths."""
    fleet = [Ship(length, 0, length, Orientation.HORIZONTAL) for length in ships]
    return " ".join(boards.truth([ship], [])[Cell(0, ship.row)] for ship in fleet)


def position(game: Game, seat: int | None = None) -> str:
    return boards.position(game, ("alpha", "beta"), seat=seat)


BOARDS: dict[str, Callable[[], str]] = {
    "the truth, and the last shot": lambda: drawn(
        SMALL, boards.truth(SMALL_FLEET, SHOTS), before={Cell(1, 2): boards.BRACKET}
    ),
    "in the fog": lambda: drawn(SMALL, boards.fog(SHOTS)),
    "more than ten columns": lambda: drawn(replace(XBS, columns=12, rows=11), {}),
    "lengths 1, 9, 10, 35, 36": lambda: lengths(1, 9, 10, 35, 36),
    "a ship that is known to be sunk": lambda: drawn(
        BRAINJAR, boards.fog(hits((2, 3), (3, 3), sunk=3, at=(4, 3)))
    ),
    "a ship that may lie two ways": lambda: drawn(
        BRAINJAR, boards.fog(hits((3, 4), (4, 3), sunk=2, at=(4, 4)))
    ),
    "a repeat that is told as a miss": lambda: drawn(
        SMALL, boards.fog([SHOTS[0], structs.replace(SHOTS[0], result=Result.MISS)])
    ),
    "two boards": lambda: position(game_after(30)),
    "two boards of ten by ten": lambda: position(game_after(20, BROADSIDES)),
    "boards of 26 columns": lambda: position(game_after(20, replace(BSP, columns=26, rows=5))),
    "where no sinking is told": lambda: position(game_after(30, BSP), seat=0),
    "the end": lambda: position([*replay(played(seed=4))][-1]),
    "cells": lambda: " and ".join(
        boards.cell_name(Cell(1, row), replace(XBS, rows=rows)) for row, rows in ((12, 13), (2, 10))
    ),
}


@pytest.mark.parametrize("name", BOARDS)
def test_a_board_is_as_it_was_read(name: str, pytestconfig: pytest.Config) -> None:
    """Marks, rulers, panels, positions and the names of cells are as boards.txt has them: every mark has
    a shape of its own, and no more is claimed than is known."""
    text = "\n".join(line.rstrip() for line in BOARDS[name]().split("\n"))
    hold(Path(__file__).with_name("boards.txt"), name, text, BOARDS, pytestconfig)


# Positions


@given(st.data(), any_rules(), st.booleans())
@examples(100)
def test_a_position_fits_a_terminal(data: st.DataObject, rules: Rules, colour: bool) -> None:
    """Whatever the rules, the players and their names, no line is wider than 80 columns."""
    game = data.draw(games(st.just(rules)))
    names = [data.draw(strange_texts()) for _ in range(game.players)]
    seat = data.draw(st.none() | st.integers(0, game.players - 1))
    text = boards.position(game, names, seat=seat, colour=colour)
    lines = SGR.sub("", text).split("\n")
    assert all(cells(line) <= 80 for line in lines)
    assert colour or SGR.search(text) is None


def test_every_cell_is_drawn() -> None:
    """A board that needs panels shows every cell of it once."""
    rules = replace(BRAINJAR, columns=100, rows=2)
    lines = boards.board(rules, dict.fromkeys(board(rules), boards.MISS))
    assert "".join(lines).count(boards.MISS) == 200

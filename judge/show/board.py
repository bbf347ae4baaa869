"""Draws boards for a terminal, with ships, shots and rulers, in colour or without.

Does no I/O. A board shows either the truth with all ships, or the fog: only the announced results.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from string import ascii_uppercase, digits
from typing import NamedTuple, Self

from msgspec.structs import replace

from judge.documents.game import Result
from judge.documents.rules import Cell, Fleet, Rules, Sinking, Turn
from judge.game.events import AnyShot, Shot
from judge.game.game import Game
from judge.game.variants import BSP
from judge.show.text import WIDTH, Style, clean, left, many, paint
from judge.wire import WIRES
from judge.wire.interface import CellNames

UNKNOWN, MISS, HIT, SUNK = "·○×#"
LONG_SHIP = "+"
_SHIPS = digits + ascii_uppercase  # the mark of a ship by its length: 2, 3, … 9, A for 10, …
_STYLES = {UNKNOWN: Style.DIM, MISS: Style.BLUE, HIT: Style.RED, SUNK: Style.SUNK}
_WIDEST_PANEL = 37  # columns of a board: 2 cells each, beside a ruler of up to five digits
_GAP = 4

Marks = Mapping[Cell, str]
"""The marks of a board by cell. A cell without a mark is unknown."""

BRACKET = "["
_NUMBERS = "¹²³⁴⁵⁶⁷⁸⁹"
_BEYOND = "⁺"


# Marks


def truth(fleet: Fleet, shots: Iterable[Shot]) -> dict[Cell, str]:
    """The marks of a board whose fleet is known, after these shots at it."""
    fired = {shot.cell for shot in shots}
    marks = dict.fromkeys(fired, MISS)
    for ship in fleet:
        sunk = fired.issuperset(ship.cells)
        for cell in ship.cells:
            if cell in fired:
                marks[cell] = SUNK if sunk else HIT
            else:
                marks[cell] = _ship_mark(ship.length)
    return marks


def fog(shots: Iterable[Shot]) -> dict[Cell, str]:
    """The marks of a board that is known only from the results of these shots, in their order.

    All cells of a sunk ship are marked as sunk if the shot has the ship, or if it has the ship's
    length and the hits leave only one place for the ship. Otherwise only the cell of the last hit
    is marked as sunk.
    """
    marks: dict[Cell, str] = {}
    for shot in shots:
        see(shot, marks)
    return marks


def see(shot: Shot, marks: dict[Cell, str]) -> tuple[Cell, ...]:
    """Mark the result of one more shot on a board in the fog. Returns the cells whose marks have
    changed."""
    if shot.cell in marks:  # a repeat, whose result is not true in some variants
        return ()
    marks[shot.cell] = HIT if shot.is_hit else MISS
    if shot.result is not Result.SUNK:
        return (shot.cell,)
    sunk = _sunk_cells(shot, marks)
    marks.update(dict.fromkeys(sunk, SUNK))
    return sunk


def afloat(fleet: Fleet, shots: Iterable[AnyShot]) -> list[int]:
    """The lengths of the ships that are not sunk after these shots at them."""
    fired = {shot.cell for shot in shots}
    return [ship.length for ship in fleet if not fired.issuperset(ship.cells)]


def _sunk_cells(last: Shot, marks: Marks) -> tuple[Cell, ...]:
    """The cells of the ship that this shot sank, or only the shot's own cell if the rest is
    unsure."""
    if last.ship is not None:
        return last.ship.cells
    if last.sunk is None:
        return (last.cell,)
    places = {
        tuple(
            Cell(last.cell.column + across * (i - back), last.cell.row + (1 - across) * (i - back))
            for i in range(last.sunk)
        )
        for across in (1, 0)
        for back in range(last.sunk)
    }
    possible = [place for place in places if all(marks.get(cell) == HIT for cell in place)]
    return possible[0] if len(possible) == 1 else (last.cell,)


def _ship_mark(length: int) -> str:
    return _SHIPS[length] if length < len(_SHIPS) else LONG_SHIP


# Drawing


class Rulers(NamedTuple):
    """The names of a board's columns and rows in order, and the format string of a cell's name."""

    columns: Sequence[str]
    rows: Sequence[str]
    form: str = "{column}{row}"

    @classmethod
    def of(cls, rules: Rules) -> Self:
        """The rulers for a person who types cells: letters and numbers if the game's protocol has
        typed cells and a letter for each column; else numbers, with a comma on a board longer than
        10."""
        return cls.named(_typed_names(rules), rules)

    @classmethod
    def of_players(cls, rules: Rules) -> Self:
        """The rulers for a display, with the cell names of the game's protocol. A person who types
        a cell needs the rulers of `of`."""
        as_bsp = replace(
            BSP, name=rules.name, round_limit=rules.round_limit, timeout_ms=rules.timeout_ms
        )
        if rules == as_bsp:
            return cls.of_bsp(rules)
        names = _names(rules)
        return cls.of(rules) if names.are_typed else cls.named(names, rules)

    @classmethod
    def named(cls, names: CellNames, rules: Rules) -> Self:
        """The rulers for this form of cell names. Columns have numbers if ``names`` has too few
        letters."""
        rows = _numbers(rules.rows, names.first)
        if rules.columns <= len(names.letters):
            return cls(names.letters[: rules.columns], rows, names.form)
        is_wide = max(rules.columns, rules.rows) > 10 and names.form == cls.form
        form = "{column},{row}" if is_wide else names.form
        return cls(_numbers(rules.columns, names.first), rows, form)

    @classmethod
    def of_bsp(cls, rules: Rules) -> Self:
        """The rulers for the BSP rules: a row has a letter and a column a number, as in ``C5``."""
        return cls(_numbers(rules.columns), ascii_uppercase[: rules.rows], "{row}{column}")

    @property
    def width(self) -> int:
        """The length of the longest name of a cell, which is the name of the last cell."""
        return len(self.cell(Cell(len(self.columns) - 1, len(self.rows) - 1)))

    def cell(self, cell: Cell) -> str:
        """The name of a cell of the board."""
        return self.form.format(column=self.columns[cell.column], row=self.rows[cell.row])


def _numbers(count: int, first: int = 1) -> list[str]:
    return [str(number) for number in range(first, count + first)]


def number_in_volley(place: int) -> str:
    """The sign for a shot by its ``place`` in its volley, from 1. All places above 9 have the same
    sign."""
    return _NUMBERS[place - 1] if place <= len(_NUMBERS) else _BEYOND


def fronts(shots: Iterable[Shot]) -> dict[tuple[int, Cell], str]:
    """The sign to draw before the mark of each shot of a move, by the target's seat and the cell: a
    bracket or, if a seat fired several shots, the shot's number in its volley."""
    fired = list(shots)
    several = max(Counter(shot.seat for shot in fired).values(), default=0) > 1
    places: Counter[int] = Counter()
    found: dict[tuple[int, Cell], str] = {}
    for shot in fired:
        places[shot.seat] += 1
        front = number_in_volley(places[shot.seat]) if several else BRACKET
        found.setdefault((shot.target, shot.cell), front)
    return found


def board(
    rules: Rules,
    marks: Marks,
    *,
    before: Mapping[Cell, str] | None = None,
    colour: bool = False,
    rulers: Rulers | None = None,
    scale: int = 1,
) -> list[str]:
    """A board as lines of equal width: rulers, and a mark for each cell. ``before`` has a sign of
    `fronts` for some of the cells. ``rulers`` are by default those of `Rulers.of`. Marks are
    twice ``scale`` columns and ``scale`` lines apart.

    A board too wide for a terminal is drawn in panels, one below the other.
    """
    step = min(rules.columns, _WIDEST_PANEL)
    named = rulers or Rulers.of(rules)
    lines = []
    for begin in range(0, rules.columns, step):
        columns = range(begin, min(begin + step, rules.columns))
        lines += _panel(
            rules, marks, columns, before or {}, colour=colour, rulers=named, scale=scale
        )
    width = board_width(rules, named, scale)
    return [line + " " * (width - bare) for line, bare in lines]


def _panel(
    rules: Rules,
    marks: Marks,
    columns: range,
    fronts: Mapping[Cell, str],
    *,
    colour: bool,
    rulers: Rulers,
    scale: int,
) -> list[tuple[str, int]]:
    """The lines of some columns of a board, each line with its width in cells."""
    ruler = len(rulers.rows[-1])
    width = ruler + 2 * scale * (len(columns) - 1) + 3
    across = len(rulers.columns[-1])
    apart = " " * (2 * scale - 1)
    lines = []
    for place in range(across):
        numbers = apart.join(rulers.columns[column].rjust(across)[place] for column in columns)
        lines.append((paint(f"{'':{ruler}} {numbers} ", Style.DIM, colour), width))
    for row in range(rules.rows):
        lines += [("", 0)] * (scale - 1 if row else 0)
        line = paint(rulers.rows[row].rjust(ruler), Style.DIM, colour)
        behind = " "
        for column in columns:
            cell = Cell(column, row)
            if scale > 1 and column > columns[0]:
                line += behind + apart[2:]
                behind = " "
            mark = marks.get(cell, UNKNOWN)
            front = fronts.get(cell)
            line += paint(front, Style.BOLD, colour) if front else behind
            line += paint(mark, _STYLES.get(mark, Style.GREEN), colour)
            behind = paint("]", Style.BOLD, colour) if front == BRACKET else " "
        lines.append((line + behind, width))
    return lines


def board_width(rules: Rules, rulers: Rulers | None = None, scale: int = 1) -> int:
    """The width of a drawn board in the cells of a terminal."""
    names = (rulers or Rulers.of(rules)).rows
    return len(names[-1]) + 2 * scale * (min(rules.columns, _WIDEST_PANEL) - 1) + 3


def beside(blocks: Sequence[Sequence[str]], width: int, columns: int = WIDTH) -> str:
    """Blocks of lines as text, as many side by side as fit into ``columns``. Each line is ``width``
    cells wide."""
    in_a_row = max(1, (columns + _GAP) // (width + _GAP))
    bands = []
    for begin in range(0, len(blocks), in_a_row):
        band = blocks[begin : begin + in_a_row]
        bands.append("\n".join((" " * _GAP).join(row).rstrip() for row in zip(*band, strict=True)))
    return "\n\n".join(bands)


@dataclass(frozen=True, slots=True)
class TitledBoard:
    """One board to be drawn, with a title above it and a line ``below`` it. ``before`` has a sign
    of `fronts` for some of its cells."""

    title: str
    marks: Marks
    before: Mapping[Cell, str]
    below: str = ""


@dataclass(frozen=True, slots=True)
class Picture:
    """All boards of a game, with a title above and the lines ``said`` below, which may have
    colours. ``moves`` are the lines of the last moves, for a screen with room beside the boards.
    ``about`` are lines on the players. ``rulers`` are by default those of `Rulers.of`."""

    title: str
    rules: Rules
    boards: tuple[TitledBoard, ...]
    said: tuple[str, ...] = ()
    moves: tuple[str, ...] = ()
    about: tuple[str, ...] = ()
    rulers: Rulers | None = None


def titled_boards(
    game: Game,
    names: Sequence[str],
    *,
    seat: int | None = None,
    move: int | None = None,
    aimed: Mapping[tuple[int, Cell], str] | None = None,
    shows_ships: bool = True,
) -> list[TitledBoard]:
    """All boards of a game in its present state, each with its player's name as the title.

    With a ``seat`` the boards show what that seat knows; without a ``seat``, the truth. Without
    ``shows_ships`` they show only announced results. ``>`` marks a seat whose turn it is. The shots
    after the first ``move`` shots, by default only the last shot, have the signs of `fronts` before
    their marks. On a board for which ``aimed`` has signs, only these signs are drawn.
    """
    rules = game.rules
    shots: Sequence[Shot] = game.announced_shots
    if seat is not None:
        shots = game.view(seat).shots
    elif shows_ships:
        shots = game.shots
    before = fronts(shots[-1:] if move is None else shots[move:])
    if aimed:
        boards_aimed_at = {target for target, _ in aimed}
        before = {at: front for at, front in before.items() if at[0] not in boards_aimed_at}
        before |= aimed
    found = []
    for owner, name in enumerate(names):
        at_it = [shot for shot in shots if shot.target == owner]
        fleet = game.fleet(owner)
        ships: list[int] | None
        if fleet is not None and shows_ships and seat in (None, owner):
            marks, ships = truth(fleet, at_it), afloat(fleet, at_it)
        else:
            marks, ships = fog(at_it), _afloat_as_told(rules, at_it)
        here = {cell: front for (target, cell), front in before.items() if target == owner}
        up = "> " if owner in game.to_move else "  "
        below = f"  afloat: {' '.join(map(str, ships)) or 'none'}" if ships is not None else ""
        if rules.turn is Turn.SALVO and owner in game.to_move and seat in (None, owner):
            below += f"  due: {many(game.shots_due(owner), 'shot')}" * (not game.is_placing)
        found.append(TitledBoard(up + clean(name), marks, here, below))
    return found


def placing(names: Sequence[str], fleets: Sequence[Fleet | None]) -> list[TitledBoard]:
    """All boards while fleets are placed. ``fleets`` has the ships placed so far, or None for a
    hidden fleet. Brackets mark the first cell of each board's last ship."""
    return [
        TitledBoard(
            f"  {clean(name)}",
            truth(fleet, ()) if fleet else {},
            {fleet[-1].cells[0]: BRACKET} if fleet else {},
        )
        for name, fleet in zip(names, fleets, strict=True)
    ]


def position(
    game: Game,
    names: Sequence[str],
    *,
    seat: int | None = None,
    move: int | None = None,
    columns: int = WIDTH,
    explained: bool = True,
    rulers: Rulers | None = None,
    colour: bool = False,
) -> str:
    """The text of a game's `titled_boards`. If ``explained``, the `legend` of the marks stands
    below the boards. ``rulers`` are by default those of `Rulers.of`."""
    rules = game.rules
    shown = titled_boards(game, names, seat=seat, move=move)
    boards = drawn(rules, shown, columns=columns, rulers=rulers, colour=colour)
    return f"{boards}\n\n{legend(rules, columns=columns, colour=colour)}" if explained else boards


def drawn(
    rules: Rules,
    boards: Iterable[TitledBoard],
    *,
    columns: int = WIDTH,
    rulers: Rulers | None = None,
    colour: bool = False,
) -> str:
    """The text of boards, as many side by side as fit into ``columns``."""
    needed = board_width(rules, rulers)
    width = _block_width(needed, columns)
    filler, blocks = " " * max(0, width - needed), []
    for face in boards:
        title = paint(left(face.title, width), Style.BOLD, colour)
        lines = board(rules, face.marks, before=face.before, colour=colour, rulers=rulers)
        blocks.append(_block(title, lines, left(face.below, width), filler))
    return beside(blocks, width, columns)


def _block_width(needed: int, columns: int) -> int:
    """The width of a board with its title: half of the screen if the board fits there, else all of
    it."""
    half = (min(columns, WIDTH) - _GAP) // 2
    return max(needed, half) if needed <= half else min(columns, WIDTH)


def _block(titled: str, drawn: Sequence[str], below: str, filler: str) -> list[str]:
    """The lines of a board under its title and over the line ``below``. ``filler`` makes the
    board's lines as long as the title."""
    return [titled, *(line + filler for line in drawn), below]


def _afloat_as_told(rules: Rules, shots: Iterable[Shot]) -> list[int] | None:
    """The lengths of the ships not announced as sunk; None if the rules announce no lengths."""
    if rules.sinking in (Sinking.SUNK, Sinking.NOTHING):
        return None
    sunk: Counter[int] = Counter()
    seen: set[Cell] = set()
    for shot in shots:
        if shot.cell not in seen and shot.sunk is not None:
            sunk[shot.sunk] += 1
        seen.add(shot.cell)
    return list((Counter(rules.lengths) - sunk).elements())


def legend(rules: Rules, *, columns: int = WIDTH, colour: bool = False) -> str:
    """The meaning of the marks, in one line or, if ``columns`` are few, in several."""
    lengths = sorted(set(rules.lengths))
    ships = [_ship_mark(length) for length in lengths]
    of_length = ships[0] if len(ships) == 1 else f"{ships[0]}–{ships[-1]}"
    words = {UNKNOWN: "not shot at", MISS: "miss", HIT: "hit", SUNK: "sunk"}
    entries = [(mark, _STYLES[mark], word) for mark, word in words.items()]
    entries.append((of_length, Style.GREEN, "ship, by its length"))
    if rules.turn is Turn.SALVO:
        entries.append((f"{number_in_volley(1)}{number_in_volley(2)}", Style.BOLD, "volley"))
    text, room = "", 0
    for mark, style, word in entries:
        taken = len(mark) + 1 + len(word)
        if text:
            fits = room >= 3 + taken
            text, room = (f"{text}   ", room - 3) if fits else (f"{text}\n", columns)
        else:
            room = columns
        text += f"{paint(mark, style, colour)} {word}"
        room -= taken
    return text


def _names(rules: Rules) -> CellNames:
    """The form in which the game's protocol writes cells, or a default form."""
    usual = WIRES.get(rules.wire)
    return usual.cells if usual else CellNames()


def _typed_names(rules: Rules) -> CellNames:
    """The form of cell names for a person who types them."""
    names = _names(rules)
    return names if names.are_typed and rules.columns <= len(names.letters) else CellNames()


def is_lettered(rules: Rules) -> bool:
    """Whether a typed cell is a letter and a number, as in the game's protocol."""
    return _typed_names(rules) != CellNames()


def cell_name(cell: Cell, rules: Rules) -> str:
    """The name of a cell as in `Rulers.of`. The cell may be off the board."""
    names = _typed_names(rules)
    if names.letters and 0 <= cell.column < rules.columns:
        return f"{names.letters[cell.column]}{cell.row + names.first}"
    wide = max(rules.columns, rules.rows) > 10
    return f"{cell.column},{cell.row}" if wide else f"{cell.column}{cell.row}"

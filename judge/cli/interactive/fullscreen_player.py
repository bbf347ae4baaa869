"""A person who plays on a screen: ships are laid and shots aimed with the arrow keys."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from string import digits

from judge.cli.interactive import fleet_input, keys
from judge.cli.interactive.line_player import BOT, ME, PlayerLeft, why_not
from judge.cli.interactive.terminal import RESIZED, Screen, fits
from judge.errors import IllegalFleet
from judge.game.events import Event, Shot, Target, View
from judge.game.fleets import random_fleet
from judge.game.game import Game
from judge.game.outcome import Outcome
from judge.game.rules import Cell, Fleet, Orientation, Rules, Ship
from judge.show.board import (
    BRACKET,
    board,
    column_name,
    is_lettered,
    number_in_volley,
    position,
    truth,
)
from judge.show.moves import MoveLog
from judge.show.text import Style, clean, cut, paint, wrap
from judge.wire.messages import (
    AskFleet,
    AskShip,
    AskShots,
    Fired,
    FromPlayer,
    Placed,
    PlacedShip,
    Question,
    Resigned,
    Skipped,
)

_LAST = 6  # lines of what was done, below the boards
_ARROWS = {keys.UP: (0, -1), keys.DOWN: (0, 1), keys.LEFT: (-1, 0), keys.RIGHT: (1, 0)}
_ENDS = {True: "resigns, and you lose the game", False: "leaves, and the game is not kept"}
_TURNED = {
    Orientation.HORIZONTAL: Orientation.VERTICAL,
    Orientation.VERTICAL: Orientation.HORIZONTAL,
}


class FullscreenPlayer:
    """One person's side of one game, drawn on a screen; ``delay`` is how many milliseconds each
    shot of the bot is looked at."""

    def __init__(
        self,
        screen: Screen,
        names: Sequence[str],
        rules: Rules,
        *,
        seed: int,
        delay: int,
        colour: bool,
    ) -> None:
        self._screen = screen
        self._names = [clean(name) for name in names]
        self._rules = rules
        self._seed = seed
        self._delay = delay
        self._colour = colour
        self._cursor = Cell(rules.columns // 2, rules.rows // 2)
        self._said: list[str] = []
        self._game: Game | None = None
        self._ships: list[Ship] = []  # that are laid, and are still to be asked for
        self._moves = MoveLog(self._names, seat=ME, colour=colour)

    def ask(self, message: Question) -> FromPlayer:
        match message:
            case AskFleet():
                return Placed(self._fleet())
            case AskShip(length):
                self._ships = self._ships or list(self._fleet())
                return PlacedShip(fleet_input.taken(self._ships, length))
            case AskShots(view):
                return self._aim(view)
            case refused:
                raise AssertionError(f"{refused}: a person says nothing that is not legal")

    def _fleet(self) -> Fleet:
        return _Laying(self._screen, self._rules, self._seed, self._colour).fleet()

    def watch(self, game: Game, event: Event) -> None:
        self._game = game
        if lines := self._moves.lines(game, event):
            self._said += lines
            self._draw("")
            if not (isinstance(event, Shot) and event.seat == ME):
                self._screen.key(self._delay / 1000)
                self._draw("")
        elif isinstance(event, Outcome):
            self._show_end(event)

    def _aim(self, view: View) -> FromPlayer:
        """Move the cursor about until as many legal shots are aimed as are due."""
        typed, said, asked = "", "", ""
        aimed: list[Cell] = []
        while True:
            self._draw(f"cell {typed}_" if typed else said or _help(view, aimed), aimed, aims=True)
            key = self._screen.key()
            again = asked == key
            said = asked = ""
            match key:
                case _ if key in _ARROWS:
                    self._cursor = _moved(self._cursor, key, self._rules)
                    typed = ""
                case keys.ENTER | " ":
                    if problem := why_not(view, self._cursor, aimed):
                        said = f"{problem}; choose another cell"
                        continue
                    typed = ""
                    aimed.append(self._cursor)
                    if len(aimed) == view.due:
                        return Fired(tuple(Target(BOT, cell) for cell in aimed))
                case keys.BACKSPACE if aimed and not typed:
                    self._cursor = aimed.pop()
                case str(one) if one.upper() in self._of_cells or one == keys.BACKSPACE:
                    typed, said = self._type(typed, one)
                case "S" | "s" if self._rules.may_skip:
                    return Skipped()
                case "R" | "r" if again:
                    return Resigned()
                case "Q" | "q" | keys.ESCAPE if again:
                    raise PlayerLeft
                case keys.END_OF_INPUT:
                    raise PlayerLeft
                case "R" | "r" | "Q" | "q" | keys.ESCAPE:
                    asked, said = key, f"{key} again {_ENDS[key in ('R', 'r')]}"

    def _type(self, typed: str, key: str) -> tuple[str, str]:
        """What has been typed of a cell, and what is wrong with it; the second character aims, and
        a third one where a row has two digits."""
        if key == keys.BACKSPACE:
            return typed[:-1], ""
        typed = key.upper() if key.isalpha() else typed + key
        if len(typed) < 2 and (key.isalpha() or not is_lettered(self._rules)):
            return typed, ""
        cell = fleet_input.cell(typed, self._rules)
        if cell is None or not self._rules.on_grid(cell):
            return "", f"there is no cell {typed} on this board"
        self._cursor = cell
        return (typed if typed[1:] == "1" and is_lettered(self._rules) else ""), ""

    @property
    def _of_cells(self) -> Sequence[str]:
        """The keys that a cell is typed with."""
        columns = range(self._rules.columns) if is_lettered(self._rules) else ()
        return (*digits, *(column_name(column, self._rules) for column in columns))

    def _draw(
        self,
        foot: str,
        aimed: Sequence[Cell] = (),
        *,
        aims: bool = False,
        seat: int | None = ME,
    ) -> None:
        game = self._game
        assert game is not None, "there is a game as soon as the fleets are placed"
        columns, rows = self._screen.size
        at = {(BOT, cell): number_in_volley(place) for place, cell in enumerate(aimed, 1)}
        if aims:
            at[BOT, self._cursor] = BRACKET
        for explained in (True, False):
            boards = position(
                game,
                self._names,
                seat=seat,
                move=self._moves.begin,
                aimed=at,
                columns=columns,
                explained=explained,
                colour=self._colour,
            )
            lines = [*boards.split("\n"), "", *self._said[-_LAST:], "", *wrap(foot, width=columns)]
            if fits(lines, columns, rows):
                break
        else:  # what is said goes first, then what the boards do not show
            lines = [*boards.split("\n")[: max(0, rows - 1)], cut(foot, columns)]
        self._screen.draw(lines)

    def _show_end(self, outcome: Outcome) -> None:
        won = {ME: "You have won.", BOT: f"{self._names[BOT]} has won."}
        said = won[outcome.winner] if outcome.winner is not None else "Nobody has won."
        while True:
            self._draw(f"{said} These are both fleets; press a key.", seat=None)
            if self._screen.key() != RESIZED:
                return


class _Laying:
    """A fleet that is being laid, ship by ship."""

    def __init__(self, screen: Screen, rules: Rules, seed: int, colour: bool) -> None:
        self._screen = screen
        self._rules = rules
        self._luck = Random(seed)
        self._colour = colour
        self._ships: Fleet = ()
        self._cursor = Cell(0, 0)
        self._way = Orientation.HORIZONTAL

    def fleet(self) -> Fleet:
        """The whole fleet, once all of it lies well and has been agreed to."""
        said, asked = "", ""
        while True:
            self._draw(said)
            key = self._screen.key()
            again = asked == key
            said = asked = ""
            match key:
                case _ if key in _ARROWS:
                    self._cursor = _moved(self._cursor, key, self._rules)
                case keys.ENTER if self._next is None:
                    return self._ships
                case keys.ENTER:
                    said = self._lay()
                case " " | "r" | "R":
                    self._way = _TURNED[self._way]
                case keys.BACKSPACE:
                    self._ships = self._ships[:-1]
                case "x" | "X":
                    self._ships = random_fleet(self._rules, self._luck)
                case "q" | "Q" | keys.ESCAPE if not again:
                    asked, said = key, f"{key} again leaves"
                case "q" | "Q" | keys.ESCAPE | keys.END_OF_INPUT:
                    raise PlayerLeft

    @property
    def _next(self) -> Ship | None:
        """The ship that is to be laid, under the cursor and inside the board; None after the
        last."""
        if len(self._ships) == len(self._rules.lengths):
            return None
        length = self._rules.lengths[len(self._ships)]
        across = self._way is Orientation.HORIZONTAL
        most_right = self._rules.columns - (length if across else 1)
        most_down = self._rules.rows - (1 if across else length)
        column = max(0, min(self._cursor.column, most_right))
        row = max(0, min(self._cursor.row, most_down))
        return Ship(length, column, row, self._way)

    def _lay(self) -> str:
        ship = self._next
        assert ship is not None, "there is one to lay"
        try:
            fleet_input.require_room(self._rules, (*self._ships, ship))
        except IllegalFleet as error:
            return str(error)
        self._ships = (*self._ships, ship)
        return ""

    def _draw(self, said: str) -> None:
        ship = self._next
        marks = truth(self._ships, ())
        if ship is not None:
            for cell in ship.cells:
                marks[cell] = "!" if cell in marks else truth((ship,), ())[cell]
            what = f"your ship of {ship.length}: arrows move it, space turns it, Enter lays it"
        else:
            what = "your fleet lies: Enter begins"
        columns, rows = self._screen.size
        before = {Cell(ship.column, ship.row): BRACKET} if ship else None
        lines = [
            paint("Your fleet", Style.BOLD, self._colour),
            *board(self._rules, marks, before=before, colour=self._colour),
            "",
            *wrap(what, width=columns),
            *wrap(
                "X draws a fleet by luck, Backspace takes the last ship back, Q leaves",
                width=columns,
            ),
            *wrap(said, width=columns),
        ]
        if not fits(lines, columns, rows):
            lines = [*lines[: max(0, rows - 1)], cut(said or what, columns)]
        self._screen.draw(lines)


def _help(view: View, aimed: Sequence[Cell]) -> str:
    """What the keys do while a shot is aimed."""
    place = len(aimed) + 1
    is_last = place == view.due
    words = [
        "arrows or a cell's letter and number aim"
        if is_lettered(view.rules)
        else "arrows or two digits aim",
        "Enter fires" if is_last else "Enter takes the cell",
        *["Backspace takes the last one back"][: len(aimed)],
        *["S skips"][: view.rules.may_skip],
        "R resigns",
        "Q leaves",
    ]
    which = f"shot {place} of {view.due}: " if view.due > 1 else ""
    return which + ", ".join(words)


def _moved(cell: Cell, key: str, rules: Rules) -> Cell:
    """One step in the direction of an arrow, and round the edge."""
    across, down = _ARROWS[key]
    return Cell((cell.column + across) % rules.columns, (cell.row + down) % rules.rows)

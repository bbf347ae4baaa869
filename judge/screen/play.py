"""The screen of a person who plays: lays ships, aims shots, skips, resigns or leaves.

`judge.screen.boards` handles the arrows and the mouse.

The game is played in another thread, which asks its questions here and waits for the answers.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from functools import partial
from random import Random
from string import digits
from typing import Any, ClassVar

from textual.binding import Binding, BindingType
from textual.events import Key

from judge.documents.rules import Cell, Fleet, Orientation, Rules, Ship
from judge.errors import IllegalFleet
from judge.game.events import Target, View
from judge.game.fleets import random_fleet
from judge.game.game import Game
from judge.screen.boards import ENTER, BoardView, ShownBoard
from judge.screen.pictures import AskedApp
from judge.show.board import (
    BRACKET,
    Picture,
    Rulers,
    TitledBoard,
    is_lettered,
    number_in_volley,
    titled_boards,
    truth,
)
from judge.wire.messages import Fired, FromPlayer, Resigned, Skipped

_ENDS = {True: "resigns, and you lose the game", False: "leaves, and the game is not kept"}
_TURNED = {
    Orientation.HORIZONTAL: Orientation.VERTICAL,
    Orientation.VERTICAL: Orientation.HORIZONTAL,
}
_MOST_EARLY = 100  # keys
_HELP_OF_LAYING = "X draws a fleet by luck, Backspace takes the last ship back, Q leaves"


@dataclass(frozen=True, slots=True)
class AnswerChecks:
    """Checks of a person's answers; the line mode has the same. ``cell`` returns the cell that a
    text names, or None. ``why_not`` returns why a shot is illegal after the earlier shots of its
    volley, or None. ``require_room`` raises `IllegalFleet` for ships that do not fit."""

    cell: Callable[[str], Cell | None]
    why_not: Callable[[View, Cell, Sequence[Cell]], str | None]
    require_room: Callable[[Sequence[Ship]], None]


@dataclass(slots=True)
class _Laying:
    """A fleet that is being laid, ship by ship."""

    rules: Rules
    ships: Fleet = ()
    way: Orientation = Orientation.HORIZONTAL

    def next(self, cursor: Cell) -> Ship | None:
        """The next ship, as near the cursor as the board has room; None once all ships are laid."""
        if len(self.ships) == len(self.rules.lengths):
            return None
        length = self.rules.lengths[len(self.ships)]
        across = self.way is Orientation.HORIZONTAL
        most_right = self.rules.columns - (length if across else 1)
        most_down = self.rules.rows - (1 if across else length)
        column = max(0, min(cursor.column, most_right))
        row = max(0, min(cursor.row, most_down))
        return Ship(length, column, row, self.way)

    def face(self, cursor: Cell) -> TitledBoard:
        """The board with the laid ships and the next ship."""
        marks = truth(self.ships, ())
        ship = self.next(cursor)
        if ship is None:
            return TitledBoard("Your fleet", marks, {})
        for cell in ship.cells:
            marks[cell] = "!" if cell in marks else truth((ship,), ())[cell]
        return TitledBoard("Your fleet", marks, {ship.cells[0]: BRACKET})


@dataclass(slots=True)
class _Aiming:
    """A volley that is being aimed. ``move`` is the number of shots before the game's last move."""

    view: View
    game: Game
    move: int
    moves: tuple[str, ...]
    aimed: list[Cell]


class PlayApp(AskedApp):
    """The screen of one person in a game of two players with these ``names``. The person has the
    seat ``me``. ``seed`` seeds the random fleets that the person may take."""

    FOLLOWS_SHOTS = False  # for they follow the aim
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+d", "left", "leave", priority=True),
    ]

    def __init__(
        self,
        names: Sequence[str],
        rules: Rules,
        checks: AnswerChecks,
        *,
        me: int,
        seed: int,
        colour: bool,
    ) -> None:
        super().__init__(colour=colour)
        self._names = names
        self._rules = rules
        self._checks = checks
        self._me, self._other = me, 1 - me
        self._luck = Random(seed)
        self._cursor = Cell(rules.columns // 2, rules.rows // 2)  # the aimed cell
        self._state: _Laying | _Aiming | None = None
        self._any_key = False  # whether any key answers
        self._early: deque[Key] = deque(maxlen=_MOST_EARLY)  # typed while nothing was asked
        self._typed = self._said = self._asked = ""
        self._wrong = ""  # why the last keys named no cell

    # Calls of the thread that plays; they return None if the person has left

    def lay(self) -> Fleet | None:
        """Ask for a fleet, and wait until the person confirms a legal one."""
        fleet: Fleet | None = self.answered(self._lay)
        return fleet

    def aim(self, view: View, game: Game, move: int, moves: Sequence[str]) -> FromPlayer | None:
        """Ask for a move, and wait for the shots that are due, a skip or a resignation."""
        aiming = _Aiming(view, game, move, tuple(moves), [])
        answer: FromPlayer | None = self.answered(self._aim, aiming)
        return answer

    def look(self, picture: Picture, seconds: float | None, foot: str = "") -> None:
        """Show a picture, and wait ``seconds`` or until a key is pressed. If ``seconds`` is None,
        only a key ends the wait."""
        self.answered(self._look, picture, seconds, foot)

    # Calls of the main thread

    def leave(self) -> None:
        self._state = None
        super().leave()

    def action_left(self) -> None:
        self.leave()

    def shown_boards(self, picture: Picture) -> list[ShownBoard]:
        match self._state:
            case _Laying():
                return [
                    ShownBoard(board, self._rules, aims=True, lies=True) for board in picture.boards
                ]
            case _Aiming():
                return [
                    ShownBoard(board, self._rules, aims=seat == self._other)
                    for seat, board in enumerate(picture.boards)
                ]
        return super().shown_boards(picture)

    async def on_board_view_aimed(self, event: BoardView.Aimed) -> None:
        self._typed = self._said = self._asked = self._wrong = ""
        self._cursor = event.cell
        await self._draw()

    async def on_board_view_chosen(self, event: BoardView.Chosen) -> None:
        if self._wrong:  # the Enter behind a wrong cell is not to fire at another cell
            self._said, self._wrong = self._wrong, ""
            return
        self._typed = self._said = self._asked = ""
        self._cursor = event.cell
        match self._state:
            case _Laying() as laying:
                self._choose_ship(laying)
            case _Aiming() as aiming:
                self._choose_shot(aiming)
        await self._draw()

    async def on_key(self, event: Key) -> None:
        again = self._asked == event.key
        self._said = self._asked = self._wrong = ""
        match self._state:
            case _Laying() as laying:
                self._key_of_laying(laying, event, again)
            case _Aiming() as aiming:
                self._key_of_aiming(aiming, event, again)
            case _ if self._any_key:
                self._reply(None)
                if event.key not in (*ENTER, "space"):  # Enter and space would fire
                    self._early.append(event)
            case _:
                self._early.append(event)
        await self._draw()

    # Helpers

    def _reply(self, answer: object) -> None:
        self._state, self._any_key = None, False
        self.set_focus(None)
        self.reply(answer)

    async def _lay(self) -> None:
        self._cursor = Cell(0, 0)
        self._state = _Laying(self._rules)
        await self._draw()
        self._begin(self._view(0))

    async def _aim(self, aiming: _Aiming) -> None:
        self._state = aiming
        await self._draw()
        view = self._view(self._other)
        view.take_aim(self._cursor)
        self._begin(view)

    def _begin(self, view: BoardView) -> None:
        """Give a board the focus, and the keys that were typed before the question came."""
        self.set_focus(view)
        while self._early:
            early = self._early.popleft()
            self.post_message(Key(early.key, early.character))

    async def _look(self, picture: Picture, seconds: float | None, foot: str) -> None:
        self._any_key = True
        self.say(foot)
        await self.show(picture)
        if seconds == 0:
            self._reply(None)
        elif seconds is not None:
            self.set_timer(seconds, partial(self._looked, self._answer))

    def _looked(self, answer: Future[Any]) -> None:
        """End a look after its time, unless a key has ended it."""
        if self._answer is answer:
            self._reply(None)

    def _view(self, seat: int) -> BoardView:
        return list(self.query(BoardView))[seat]

    async def _draw(self) -> None:
        """Show the fleet that is being laid, or the volley that is being aimed, if there is one."""
        match self._state:
            case _Laying() as laying:
                ship = laying.next(self._cursor)
                what = "your fleet lies: Enter begins"
                if ship is not None:
                    what = (
                        f"your ship of {ship.length}: arrows move it, space turns it, Enter lays it"
                    )
                board = laying.face(self._cursor)
                self.say(f"{what}\n{_HELP_OF_LAYING}", is_help=True)
                said = (self._said,) if self._said else ()
                await self.show(Picture(self._title, self._rules, (board,), said))
            case _Aiming() as aiming:
                at = {
                    (self._other, cell): number_in_volley(place)
                    for place, cell in enumerate(aiming.aimed, 1)
                }
                at[self._other, self._cursor] = BRACKET
                boards = titled_boards(
                    aiming.game, self._names, seat=self._me, move=aiming.move, aimed=at
                )
                help_ = _help(aiming.view, aiming.aimed)
                foot = f"cell {self._typed}_" if self._typed else self._said or self._wrong
                self.say(foot or help_, is_help=not foot)
                await self.show(
                    Picture(self._title, self._rules, tuple(boards), moves=aiming.moves)
                )

    @property
    def _title(self) -> str:
        return " against ".join(self._names)

    def _aim_at(self, cell: Cell) -> None:
        self._cursor = cell
        self._view(self._other).take_aim(cell)

    def _choose_ship(self, laying: _Laying) -> None:
        ship = laying.next(self._cursor)
        if ship is None:
            self._reply(laying.ships)
            return
        try:
            self._checks.require_room((*laying.ships, ship))
        except IllegalFleet as error:
            self._said = str(error)
        else:
            laying.ships = (*laying.ships, ship)

    def _key_of_laying(self, laying: _Laying, event: Key, again: bool) -> None:
        match event.key:
            case "space" | "r" | "R":
                laying.way = _TURNED[laying.way]
            case "backspace":
                laying.ships = laying.ships[:-1]
            case "x" | "X":
                laying.ships = random_fleet(self._rules, self._luck)
            case "q" | "Q" | "escape" if again:
                self.leave()
            case "q" | "Q" | "escape" as key:
                self._asked, self._said = key, f"{key} again leaves"

    def _choose_shot(self, aiming: _Aiming) -> None:
        if problem := self._checks.why_not(aiming.view, self._cursor, aiming.aimed):
            self._said = f"{problem}; choose another cell"
            return
        aiming.aimed.append(self._cursor)
        if len(aiming.aimed) == aiming.view.due:
            self._reply(Fired(tuple(Target(self._other, cell) for cell in aiming.aimed)))

    def _key_of_aiming(self, aiming: _Aiming, event: Key, again: bool) -> None:
        typed = event.character or ""
        match event.key:
            case "backspace" if aiming.aimed and not self._typed:
                self._aim_at(aiming.aimed.pop())
            case "backspace":
                self._typed = self._typed[:-1]
            case _ if typed and typed.upper() in self._of_cells:
                self._type(typed)
            case "s" | "S" if self._rules.may_skip:
                self._reply(Skipped())
            case "r" | "R" if again:
                self._reply(Resigned())
            case "q" | "Q" | "escape" if again:
                self.leave()
            case "r" | "R" | "q" | "Q" | "escape" as key:
                self._asked, self._said = key, f"{key} again {_ENDS[key in ('R', 'r')]}"
            case _ if typed and typed.isprintable():
                self._refuse(f"{typed!r} is not a cell: {_help(aiming.view, aiming.aimed)}")

    def _type(self, character: str) -> None:
        """Take a character of a cell's name. The second character aims, and a third one aims again
        if the row has two digits."""
        typed = character.upper() if character.isalpha() else self._typed + character
        self._typed = typed
        if len(typed) < 2 and (character.isalpha() or not is_lettered(self._rules)):
            return
        cell = self._checks.cell(typed)
        if cell is None or not self._rules.on_grid(cell):
            self._refuse(f"there is no cell {typed} on this board")
            return
        self._aim_at(cell)
        self._typed = typed if typed[1:] == "1" and is_lettered(self._rules) else ""

    def _refuse(self, why: str) -> None:
        self._typed, self._wrong = "", why

    @property
    def _of_cells(self) -> Sequence[str]:
        """The characters in the names of cells."""
        return (*digits, *(Rulers.of(self._rules).columns if is_lettered(self._rules) else ()))


def _help(view: View, aimed: Sequence[Cell]) -> str:
    """A line on the keys that a person may press while a shot is aimed."""
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

"""A person who plays a game, by typing lines or on a full screen."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, TypeVar

from judge.cli.interactive import fleet_input
from judge.cli.interactive.line_input import Dialogue, PlayerLeft
from judge.cli.output import width
from judge.documents.game import Outcome
from judge.documents.rules import Cell, Fleet, Repeat, Rules, Ship
from judge.game.events import Event, Shot, Target, View
from judge.game.game import Game
from judge.show.board import cell_name, position
from judge.show.moves import MoveLog
from judge.show.text import clean, wrap
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

if TYPE_CHECKING:
    from concurrent.futures import Executor

    from judge.screen.play import PlayApp

_T = TypeVar("_T")

ME, BOT = 0, 1  # a person sits in seat 0, as the first one named


def why_not(view: View, cell: Cell, aimed: Sequence[Cell] = ()) -> str | None:
    """Return the reason why a shot at the cell would not be legal, or None. ``aimed`` are the
    earlier cells of the same volley."""
    rules = view.rules
    name = cell_name(cell, rules)
    if not rules.on_grid(cell):
        return f"there is no cell {name} on a board of {rules.columns}×{rules.rows}"
    if rules.repeat is Repeat.ILLEGAL:
        if any(shot.target != view.seat and shot.cell == cell for shot in view.shots):
            return f"you have shot at {name} before"
        if cell in aimed:
            return f"{name} stands in this volley already"
    return None


class Person(ABC):
    """One person's seat in one game."""

    def __init__(self, names: Sequence[str], *, colour: bool) -> None:
        self._names = [clean(name) for name in names]
        self._moves = MoveLog(self._names, seat=ME, colour=colour)
        self._game: Game | None = None
        self._ships: list[Ship] = []  # ships that are laid and not yet asked for

    def ask(self, message: Question) -> FromPlayer:
        """Return the person's legal answer to a question. Raises `PlayerLeft` if the person
        leaves."""
        match message:
            case AskFleet():
                return Placed(self._fleet())
            case AskShip(length):
                self._ships = self._ships or list(self._fleet())
                return PlacedShip(fleet_input.taken(self._ships, length))
            case AskShots(view):
                assert self._game is not None, "the fleets have been placed"
                return self._shot(view, self._game)
            case refused:
                raise AssertionError(f"{refused}: a person says nothing that is not legal")

    def watch(self, game: Game, event: Event) -> None:
        """Show what has happened."""
        self._game = game
        self._see(game, event, self._moves.lines(game, event))

    @abstractmethod
    def _fleet(self) -> Fleet: ...

    @abstractmethod
    def _shot(self, view: View, game: Game) -> FromPlayer: ...

    @abstractmethod
    def _see(self, game: Game, event: Event, lines: Sequence[str]) -> None:
        """Show what has happened. If the event ended a move, ``lines`` describe the move."""


# Line by line, for a dumb terminal or a pipe


HELP = """\
skip          let this turn pass, where the rules allow it
resign        give the game up
help          say this
quit          leave; so does the end of input. The game is not kept"""


class LinePlayer(Person):
    """Asks a person for lines on stdout, and prints each move."""

    def __init__(
        self, names: Sequence[str], rules: Rules, *, wire: str, seed: int, colour: bool
    ) -> None:
        super().__init__(names, colour=colour)
        self._rules = rules
        self._seed = seed
        self._colour = colour
        words = ("help", "resign", "skip", "quit", fleet_input.RANDOM)
        self._person = Dialogue(words, rules, wire, colour=colour)

    def _fleet(self) -> Fleet:
        self._person.say(*wrap(fleet_input.in_brief(self._rules), width=width()))
        return self._person.fleet(self._seed)

    def _shot(self, view: View, game: Game) -> FromPlayer:
        self._show(game, seat=ME)
        what = "shot" if view.due == 1 else f"{view.due} shots"
        help_ = f"{fleet_input.help_of_shots(self._rules)}\n{HELP}"
        while True:
            line = self._person.ask(f"{self._names[ME]}, your {what}> ", help_)
            if line == "resign":
                return Resigned()
            if line == "skip" and self._rules.may_skip:
                return Skipped()
            try:
                cells = fleet_input.volley(line, view.due, self._rules)
            except ValueError as error:
                self._person.wrong(str(error))
                continue
            problems = (why_not(view, cell, cells[:place]) for place, cell in enumerate(cells))
            if problem := next(filter(None, problems), None):
                self._person.wrong(problem)
            else:
                return Fired(tuple(Target(BOT, cell) for cell in cells))

    def _see(self, game: Game, event: Event, lines: Sequence[str]) -> None:
        if lines:
            self._person.say(*lines)
        elif isinstance(event, Outcome):
            self._show(game, seat=None)

    def _show(self, game: Game, seat: int | None) -> None:
        boards = position(
            game,
            self._names,
            seat=seat,
            move=self._moves.begin,
            columns=width(),
            explained=False,
            colour=self._colour,
        )
        self._person.say("", boards, "")


# On a full screen, whose app gets the game's questions and events


def on_screen(
    game: Callable[[Person], _T],
    pool: Executor,
    names: Sequence[str],
    rules: Rules,
    *,
    seed: int,
    delay: int,
    colour: bool,
) -> _T:
    """Play a game with a person at a full screen, in a thread of the pool, and return the game's
    result. Each shot of the bot is shown for ``delay`` milliseconds."""
    # Here, so that a game on lines does not load the terminal.
    from judge.screen.hosting import Hosting
    from judge.screen.play import AnswerChecks, PlayApp

    names = [clean(name) for name in names]
    checks = AnswerChecks(
        partial(fleet_input.cell, rules=rules), why_not, partial(fleet_input.require_room, rules)
    )
    app = PlayApp(names, rules, checks, me=ME, seed=seed, colour=colour)
    person = _ScreenPlayer(app, names, delay=delay, colour=colour)
    with Hosting(app) as hosting:
        try:
            return hosting.result(pool.submit(game, person))
        finally:
            app.leave()


class _ScreenPlayer(Person):
    def __init__(self, app: PlayApp, names: Sequence[str], *, delay: int, colour: bool) -> None:
        super().__init__(names, colour=colour)
        self._app = app
        self._delay = delay

    def _shot(self, view: View, game: Game) -> FromPlayer:
        answer = self._app.aim(view, game, self._moves.begin, self._moves.last)
        if answer is None:
            raise PlayerLeft
        return answer

    def _fleet(self) -> Fleet:
        fleet = self._app.lay()
        if fleet is None:
            raise PlayerLeft
        return fleet

    def _see(self, game: Game, event: Event, lines: Sequence[str]) -> None:
        title = " against ".join(self._names)
        if lines:
            is_own = isinstance(event, Shot) and event.seat == ME
            self._app.look(
                self._moves.picture(game, title, seat=ME), 0 if is_own else self._delay / 1000
            )
        elif isinstance(event, Outcome):
            won = {ME: "You have won.", BOT: f"{self._names[BOT]} has won."}
            said = won[event.winner] if event.winner is not None else "Nobody has won."
            foot = f"{said} These are both fleets; press a key."
            self._app.look(self._moves.picture(game, title), None, foot)

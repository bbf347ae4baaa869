"""The bots that the library takes: programs, named as for a command, and objects of this process.

An object of this process has no isolation and no time limit, so `play` and `fight` do not rate its
games.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from os import PathLike
from pathlib import Path
from traceback import walk_tb
from typing import Any, Protocol, TypeGuard, runtime_checkable

from judge.documents.codec import DocumentError, builtins, convert
from judge.documents.game import RecordedSeat
from judge.documents.rules import Cell, Fleet, Rules, Ship
from judge.errors import BadOutput, BotError, Crashed, UsageError
from judge.game.events import Target, View
from judge.play.player import WithoutProgram
from judge.wire import brainjar
from judge.wire.messages import (
    AskFleet,
    AskShip,
    AskShots,
    Fired,
    FromPlayer,
    GameStart,
    Placed,
    PlacedShip,
    Question,
    Refused,
    ToPlayer,
)
from judge.wire.strict_json import quoted

Function = Callable[[dict[str, Any]], Mapping[str, Any]]
"""A bot as a function: it takes a request of the protocol brainjar and returns the reply."""


@runtime_checkable
class PlayerObject(Protocol):
    """A bot as an object of any class with the methods ``place`` and ``shoot``."""

    def place(self, rules: Rules, seed: int) -> Fleet:
        """Return a fleet for a game. ``seed`` is for the player's own luck."""

    def shoot(self, view: View) -> Cell | Target | Sequence[Cell | Target]:
        """Return the next shot, or a volley of ``view.due`` shots. A `Cell` is on the board of the
        next seat: with two seats, the opponent's."""


LocalBot = Function | PlayerObject
AnyBot = str | PathLike[str] | LocalBot


def is_local(bot: AnyBot) -> TypeGuard[LocalBot]:
    """Whether a bot is an object of this process. Raises `UsageError` for a value that is not a
    bot."""
    if isinstance(bot, str | PathLike):
        return False
    if isinstance(bot, type):
        raise UsageError(f"{bot.__name__} is a class: give an object, {bot.__name__}()")
    if isinstance(bot, PlayerObject) or callable(bot):
        return True
    raise UsageError(
        f"{bot!r} is not a bot: give a name, a path or a command line, a function from a question to its "
        "reply, or an object with place(rules, seed) and shoot(view)"
    )


def name_of(bot: AnyBot) -> str:
    """The name in records of a bot that is an object of this process."""
    return str(getattr(bot, "__name__", type(bot).__name__))


class LocalPlayer(WithoutProgram):
    """A bot of this process as a player in a seat."""

    def __init__(self, bot: LocalBot, name: str, seed: int) -> None:
        self.entry = RecordedSeat.of(name, seed=seed)
        self._bot = bot if isinstance(bot, PlayerObject) else _Asked(bot)
        self._seed = seed
        self._rules: Rules | None = None
        self._question: Question | None = None
        self._ships: list[Ship] = []  # ships still to be placed one by one

    def tell(self, message: ToPlayer) -> None:
        if isinstance(message, GameStart):
            self._rules, self._ships = message.rules, []

    def ask(self, question: Question, timeout_ms: float | None) -> None:
        self._question = question.again if isinstance(question, Refused) else question

    def answer(self) -> FromPlayer:
        match self._question:
            case AskShots(view):
                return Fired(_targets(self._called(self._bot.shoot, view), view))
            case AskFleet():
                return Placed(self._placed())
            case AskShip(length):
                self._ships = self._ships or list(self._placed())
                return PlacedShip(_next_ship(self._ships, length))
            case question:
                raise AssertionError(f"{question} is for programs that connect")

    def _placed(self) -> Fleet:
        assert self._rules, "a game has begun"
        fleet = self._called(self._bot.place, self._rules, self._seed)
        if not isinstance(fleet, Sequence) or not all(isinstance(one, Ship) for one in fleet):
            raise BadOutput(
                f"returned {quoted(repr(fleet))} for a fleet, which is not a sequence of Ship"
            )
        try:
            return tuple([convert(Ship, builtins(ship), "it") for ship in fleet])
        except DocumentError as error:
            raise BadOutput(f"returned {quoted(repr(fleet))} for a fleet: {error}") from None

    def _called(self, function: Callable[..., Any], *arguments: Any) -> Any:
        """Call one of the bot's functions. Raises `Crashed` for an exception that is not a
        `BotError`."""
        try:
            return function(*arguments)
        except BotError:
            raise
        except Exception as error:
            raise Crashed(f"raised {type(error).__name__}{_place_of(error)}: {error}") from error


def _place_of(error: Exception) -> str:
    """The innermost line of the bot's own file that the error passed, such as `` at bot.py:12``. The
    text is empty for an error of the call itself."""
    calls = [(frame.f_code.co_filename, line) for frame, line in walk_tb(error.__traceback__)]
    outside = [(file, line) for file, line in calls if file != __file__]
    own = [line for file, line in outside if file == outside[0][0]]
    return f" at {Path(outside[0][0]).name}:{own[-1]}" if own else ""


class _Asked:
    """A `PlayerObject` made of a `Function`."""

    def __init__(self, function: Function) -> None:
        self._function = function
        self._snapshots = brainjar.Snapshots()

    def place(self, rules: Rules, seed: int) -> Fleet:
        return brainjar.fleet_replied(self._function({"cmd": "init"}), rules)

    def shoot(self, view: View) -> Cell:
        return brainjar.shot_replied(self._function(self._snapshots.of(view)))


def _targets(shots: object, view: View) -> tuple[Target, ...]:
    """The shots that a bot returned, as targets. Raises `BadOutput` if they are not shots."""
    if isinstance(shots, _ONE_SHOT):
        return (_target(shots, view),)
    if not shots or not isinstance(shots, Sequence):
        raise BadOutput(
            f"returned {quoted(repr(shots))}, which is not a shot: return a Cell, or a list of them"
        )
    return tuple([_target(shot, view) for shot in shots])


_ONE_SHOT = (Cell, Target)


def _target(shot: object, view: View) -> Target:
    if isinstance(shot, Cell):
        shot = Target((view.seat + 1) % view.players, shot)
    if isinstance(shot, Target) and isinstance(shot.cell, Cell):
        column, row = shot.cell
        if type(shot.seat) is type(column) is type(row) is int:
            return shot
    raise BadOutput(
        f"returned {quoted(repr(shot))} for a shot, which is neither a Cell nor a Target"
    )


def _next_ship(ships: list[Ship], length: int) -> Ship:
    """Take the first ship of that length out of the list. Raises `BadOutput` if none is left."""
    for ship in ships:
        if ship.length == length:
            ships.remove(ship)
            return ship
    raise BadOutput(f"placed a fleet that has no ship of {length} cells left")

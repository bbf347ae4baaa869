"""Placing a fleet before a person joins a table: ship by ship, at random, or from a file."""

from __future__ import annotations

import contextlib
from random import Random

from judge.documents.rules import Fleet, Orientation, Ship
from judge.errors import IllegalFleet, UsageError
from judge.game.fleets import random_fleet
from judge.join.address import Game
from judge.join.cells import cell, named, ship
from judge.wire.messages import Lobby
from judge.wire.xbs.notation import UNKNOWN, fleet_of

OFFERED = 9  # fleets to choose from


def board_at(game: Game, lobby: Lobby, board: str, luck: Random) -> Fleet:
    """The fleet that the text of a board shows, or a random fleet for the text "random". Raises
    `UsageError` if the text does not show a fleet that fits the table."""
    placing = FleetPlacing(game, lobby, luck)
    try:
        placing.draw() if board == "random" else placing.load(board)
    except ValueError as error:
        raise UsageError(f"--fleet does not fit this table: {error}") from None
    return placing.fleet


class FleetPlacing:
    """A fleet that a person places in steps. ``offered`` are fleets to choose from; empty once a
    fleet was chosen or changed. If a step is not possible, `choose`, `put` and `load` raise
    `ValueError` with a sentence, and change nothing."""

    def __init__(self, game: Game, lobby: Lobby, luck: Random) -> None:
        self._game = game
        self._lobby = lobby
        self._luck = luck
        self._fleet: Fleet = ()
        self.offered: list[Fleet] = []

    @property
    def fleet(self) -> Fleet:
        return self._fleet

    @fleet.setter
    def fleet(self, fleet: Fleet) -> None:
        self._fleet, self.offered = fleet, []

    @property
    def length(self) -> int | None:
        """The length of the next ship; None once all ships are placed."""
        lengths = self._lobby.rules.lengths
        return lengths[len(self.fleet)] if len(self.fleet) < len(lengths) else None

    def draw(self) -> None:
        self.fleet = random_fleet(self._lobby.rules, self._luck)

    def offer(self) -> None:
        """Draw fleets to choose from."""
        self.offered = [random_fleet(self._lobby.rules, self._luck) for _ in range(OFFERED)]

    def choose(self, number: int) -> None:
        """Take the offered fleet with this number, from 1."""
        if not 0 < number <= len(self.offered):
            raise ValueError(f"the fleets to choose from are 1 to {len(self.offered)}")
        self.fleet = self.offered[number - 1]

    def put(self, text: str) -> bool:
        """Place the next ship where the text says, such as ``a1h``. Returns False if the text names
        neither a ship's place nor a cell."""
        if self.length is None:
            raise ValueError("all ships lie; undo takes the last one away")
        new = ship(text, self.length, self._game, self._lobby.rules)
        if new is None and cell(text, self._game, self._lobby.rules):
            raise ValueError(self._ways(text))
        if new is None:
            return False
        self._require_room((*self.fleet, new), text)
        self.fleet = (*self.fleet, new)
        return True

    def undo(self) -> None:
        self.fleet = self.fleet[:-1]

    def load(self, text: str) -> None:
        """Place the fleet that a text shows: a board row after row, of dots and the letters of
        ships. White space is ignored."""
        self.fleet = fleet_of(
            "".join(text.split()).replace("0", UNKNOWN), self._lobby.rules, self._lobby.letters
        )

    def _ways(self, where: str) -> str:
        """A sentence that says in which directions the next ship fits from a cell."""
        ways = []
        for way, said in (("h", "to the right"), ("v", "down")):
            new = ship(f"{where}{way}", self.length or 0, self._game, self._lobby.rules)
            assert new, "the cell and the way are there"
            with contextlib.suppress(ValueError):
                self._require_room((*self.fleet, new), where)
                ways.append(f"{where}{way} {said}")
        if not ways:
            return f"the ship of {self.length} does not fit at {where}"
        return f"which way? The ship of {self.length} fits {' or '.join(ways)}"

    def _require_room(self, ships: tuple[Ship, ...], text: str) -> None:
        """Raise `ValueError` unless the last of these ships fits on the board with the others."""
        *placed, new = ships
        rules = self._lobby.rules
        if not rules.on_grid(new.cells[0]):
            raise ValueError(f"{text!r} is not a place on this board")
        if not rules.on_grid(new.cells[-1]):
            begin = named(new.cells[0], self._game, rules)
            way = "to the right" if new.orientation is Orientation.HORIZONTAL else "down"
            raise ValueError(
                f"the ship of {new.length} does not fit on the board from {begin} {way}"
            )
        try:
            rules.check_ship(new, placed)
        except IllegalFleet as error:
            raise ValueError(
                str(error.worded(lambda cell: named(cell, self._game, rules)))
            ) from None

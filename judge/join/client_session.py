"""The session of a person who plays at a server's table. `ClientSession` takes typed lines and the
server's messages, and makes texts for the person and messages for the server.

Pure: it opens nothing and knows no clock. A driver handles the connection as ``want`` says.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from enum import Enum
from random import Random

from judge.documents.rules import Cell, Fleet, Repeat
from judge.errors import IllegalFleet
from judge.game.events import Target
from judge.join.address import Address
from judge.join.boards import boards, fleet_boards, turn_line
from judge.join.cells import cell, named
from judge.join.help import HELP_OF_PLACING, help_of_game
from judge.join.names import name_at
from judge.join.placing import FleetPlacing, board_at
from judge.join.table_state import ClientStage, TableState
from judge.join.talking import Talking
from judge.show.text import clean
from judge.wire.messages import (
    Denied,
    Dismissed,
    Fired,
    GameOver,
    Joined,
    Left,
    Lobby,
    Rejoined,
    Resigned,
    Skipped,
    TauntAdded,
    ToClient,
    Told,
    Welcome,
)


class Want(Enum):
    """A session's wish for its connection. The session's driver fulfils the wish."""

    STAY = "stay"
    CONNECT = "connect"  # open a connection for a new game
    RETURN = "return"  # open a connection for the game that was cut
    END = "end"


class ClientSession(Talking):
    """One person who plays at one server. ``usual_name`` is the person's name if there is no
    ``given_name``. ``read`` takes a path and returns the file's text, or raises `ValueError`.
    ``board`` is the text of a board, or "random": the person joins with it at once."""

    def __init__(
        self,
        address: Address,
        *,
        given_name: str | None,
        usual_name: str,
        luck: Random,
        read: Callable[[str], str],
        board: str | None = None,
        taunts: Sequence[TauntAdded] = (),
        colour: bool = False,
        boards_stand: bool = False,
    ) -> None:
        super().__init__(address.game, taunts=taunts, boards_stand=boards_stand)
        self.address = address
        self.want = Want.CONNECT
        self.given_name = given_name
        self._usual_name = usual_name
        self._luck = luck
        self._read = read
        self._board = board
        self._colour = colour
        self._placing: FleetPlacing | None = None
        self._fleet: Fleet | None = None  # the fleet to join with
        self._lost: Fleet | None = None  # the fleet of a game that the person left before its end
        self._target: int | None = None
        self._shots_shown = -1  # shots when boards were last printed; -1: never
        self._is_connected = False
        self._has_asked = False  # it has asked for a place, and was not denied
        self._has_left = False  # it has left a game that goes on
        self.refusal = ""  # why the table refused the last name; empty once the client has a place

    @property
    def placed(self) -> Sequence[Fleet]:
        if self._placing and self._placing.offered and self.state.stage is ClientStage.OUTSIDE:
            return self._placing.offered
        return [self._fleet or (self._placing.fleet if self._placing else ())]

    @property
    def awaits_answer(self) -> bool:
        """Whether commands should wait: for a new connection, for the server's table, or for the
        answer to a request for a place."""
        if self.want is not Want.STAY:
            return self.want is Want.CONNECT
        is_outside = self._is_connected and self.state.stage is ClientStage.OUTSIDE
        return is_outside and (self._has_asked or self.state.lobby is None)

    # Calls of the driver

    def connected(self) -> None:
        """Take note that the driver has connected."""
        self._is_connected, self._has_asked = True, False
        if self.want is Want.CONNECT:
            self.state = TableState(self.game)
            self._target, self._has_left, self._shots_shown = None, False, -1
            if not self.game.announces:
                self.sent.append(Joined(name_at(self.game, None, self.given_name, "")))
        self.want = Want.STAY

    def hear(self, message: ToClient, now: float) -> None:
        was_cut = self.state.stage is ClientStage.CUT
        self.print(*self.state.take(message, now))
        match message:
            case Lobby():
                self._at_the_door(message, was_cut=was_cut)
            case Denied(why) if not was_cut:
                if self._has_asked:
                    self.refusal = (
                        f"the server at {self.address} does not take the name {self._name()!r}: "
                        f"{clean(why)}; --name gives another"
                    )
                self._has_asked = False
                self.print("type name NAME for another name, then join")
            case Welcome():
                self.refusal = ""
                # A table whose game has begun has the taunts already.
                if self.state.lobby and not self.state.lobby.is_started:
                    self.sent += self.taunts
            case Dismissed() | GameOver():
                self._is_connected = False
            case Rejoined():
                self._print_boards(now)
            case Told(_, up) if up and self.state.is_own_turn:
                if self.state.shots != self._shots_shown:
                    self._print_boards(now)
        if isinstance(message, Dismissed | Denied) and self.state.stage is ClientStage.CUT:
            self.want = Want.RETURN
        elif isinstance(message, Dismissed | GameOver) and not self._has_left:
            self.print("again plays another game, quit ends")

    def given_up(self, why: str) -> None:
        """Note that there is no game or connection to be had, and print why."""
        self.print(clean(why))
        self._is_connected = False
        self.state.stage, self.want = ClientStage.OVER, Want.STAY
        self.print("again tries once more, quit ends")

    def leave(self) -> None:
        """Leave the game or the lobby, if the person has a place, and end the session."""
        if self.state.stage in (ClientStage.PLAYING, ClientStage.WAITING):
            self._get_up("")
        self.want = Want.END

    # Commands

    def do(self, line: str, word: str, rest: str, now: float) -> None:
        match word:
            case "boards" | "":
                self._show(now)
            case "again":
                self._play_again()
            case _ if self._placing and self.state.stage is ClientStage.OUTSIDE:
                self._place(line, word, rest)
            case _:
                self._play(line, word, rest)

    def _play_again(self) -> None:
        if self.state.stage not in (ClientStage.OVER, ClientStage.OUTSIDE):
            raise ValueError("this game is not over; leave leaves it")
        if self.state.fleet:
            self._lost = None if self.state.outcome else self.state.fleet
        self._fleet, self._placing, self.want = None, None, Want.CONNECT

    def _place(self, line: str, word: str, rest: str) -> None:
        """Do a command of a person who is placing a fleet."""
        placing = self._placing
        assert placing, "it was told of a table"
        match word:
            case "random":
                placing.draw()
            case "choose":
                placing.offer()
            case _ if placing.offered and word.isdecimal():
                placing.choose(int(word[:2]))
            case "undo":
                placing.undo()
            case "load":
                placing.load(self._read(rest))
            case "name":
                self.given_name = name_at(self.game, self.state.lobby, rest, "")
                self.print(f"you join as {clean(rest)}")
                return
            case "join":
                self._join()
                return
            case _:
                if not placing.put(line):
                    raise ValueError(
                        f"{line!r} is nothing that can be done here; help says what is"
                    )
        self._print_fleet(placing)

    def _play(self, line: str, word: str, rest: str) -> None:
        """Do a command of a person who is not placing a fleet."""
        match word:
            case "leave":
                if self.state.stage not in (ClientStage.PLAYING, ClientStage.WAITING):
                    raise ValueError("there is no game to leave")
                self._get_up(rest)
            case "skip" if self.game.announces:
                self._require_turn()
                self.sent.append(Skipped())
                self.state.may_shoot = False
            case "at":
                self._target = self.seat(rest)
                self.print(f"you shoot at {self.state.name_of(self._target)}")
            case _:
                self._shoot(line)

    def _get_up(self, why: str) -> None:
        """Leave the game or the lobby. At BSP this resigns, and the server sends the outcome."""
        if self.game.announces:
            self.sent.append(Left(why))
            was = self.state.stage
            self.state.left()
            self._has_left = was is ClientStage.PLAYING
            came = "comes back into it" if was is ClientStage.PLAYING else "joins once more"
            self.print(f"you left; again {came}, quit ends")
        else:
            self.sent.append(Resigned())

    def _shoot(self, line: str) -> None:
        where, _, who = line.partition(" ")
        state = self.state
        at = cell(where, self.game, state.rules)
        if at is None:
            raise ValueError(f"{line!r} is nothing that can be done here; help says what is")
        self._require_turn()
        if not state.rules.on_grid(at):
            last = named(
                Cell(state.rules.columns - 1, state.rules.rows - 1), self.game, state.rules
            )
            raise ValueError(f"there is no cell {where} on this board; the last one is {last}")
        seat = self.seat(who.strip()) if who.strip() else self._usual_target()
        self._require_fresh(seat, at)
        self.sent.append(Fired((Target(seat, at),)))
        state.may_shoot = False

    def _usual_target(self) -> int:
        """The seat of the opponent if there is only one, else the seat chosen with the command
        ``at``. Raises `ValueError` if there is neither."""
        others = self.state.opponents
        if len(others) == 1:
            return others[0]
        if self._target is None:
            example = named(Cell(0, 0), self.game, self.state.rules)
            raise ValueError(f"at whom? Type {example} NAME, or at NAME for this and later shots")
        return self._target

    def _require_fresh(self, seat: int, at: Cell) -> None:
        shot_at = any(shot.cell == at for shot in self.state.players[seat].shots)
        if shot_at and self.state.rules.repeat is Repeat.ILLEGAL:
            where = named(at, self.game, self.state.rules)
            raise ValueError(f"{where} of {self.state.name_of(seat)} was shot at before")

    def _require_turn(self) -> None:
        if self.state.stage is not ClientStage.PLAYING:
            raise ValueError("there is no game now")
        if not self.state.is_own_turn or not self.state.may_shoot:
            raise ValueError("it is not your turn")

    # Joining and printing

    def _at_the_door(self, lobby: Lobby, *, was_cut: bool) -> None:
        """Ask the table for a place, or first ask the person for a fleet. Gives up if the game that
        was cut is over, and does nothing if the server only sends its table again."""
        if was_cut and not lobby.is_started:
            self.given_up("the table has begun another game meanwhile")
            return
        if self._has_asked or (not was_cut and self.state.stage is not ClientStage.OUTSIDE):
            return  # the server sends its table again
        self._placing = FleetPlacing(self.game, lobby, self._luck)
        if lobby.is_started:
            self._ask_for_place(self._shown(self._placing))
            return
        self._lost = None
        self._fleet = _fitting(self._fleet, lobby)
        if self._fleet is not None:
            self._ask_for_place(self._fleet)
        elif self._board is not None:
            self._placing.fleet = board_at(self.game, lobby, self._board, self._luck)
            self._join()
        else:
            self.print(
                "place your ships: choose shows nine fleets, random takes one, or type where each "
                "lies, such as a1h; then join. help says what else can be typed"
            )

    def _shown(self, placing: FleetPlacing) -> Fleet | None:
        """The fleet by which a table recognises a person who comes back: that of the game that was
        cut or left, or of ``--fleet FILE``. None if there is no such fleet, or if it does not fit
        the table."""
        try:
            if fleet := self.state.fleet or self._lost:
                self.state.rules.check_fleet(fleet)
                return fleet
            if self._board and self._board != "random":
                placing.load(self._board)
                return placing.fleet
        except (IllegalFleet, ValueError):  # the fleet is from another table
            return None
        return None

    def _join(self) -> None:
        lobby, placing = self.state.lobby, self._placing
        assert lobby, "it was told of a table"
        assert placing, "and asked for ships"
        if lobby.is_started:
            self._fleet = None
        elif placing.length is not None:
            raise ValueError(f"the ship of {placing.length} is not placed yet")
        else:
            self._fleet = placing.fleet
        if self._is_connected:
            self._ask_for_place(self._fleet)
        else:  # a table closes the connection when it refuses a name
            self.want = Want.CONNECT

    def _ask_for_place(self, fleet: Fleet | None) -> None:
        """Ask for a place with a fleet. If the game has begun, the fleet shows the table which
        player comes back; without a fleet, only the name does. Raises `ValueError` if an earlier
        request was not denied."""
        if self._has_asked:
            raise ValueError("you have asked for a place already")
        self.sent.append(Joined(self._name(), fleet=fleet))
        self._has_asked = True

    def _name(self) -> str:
        lobby = self.state.lobby
        assert lobby, "it was told of a table"
        return name_at(self.game, lobby, self.given_name, self._usual_name)

    def _show(self, now: float) -> None:
        if self.state.stage is ClientStage.OUTSIDE or not any(
            (self.state.fleet, self.state.outcome, self.state.up is not None)
        ):
            if self._placing and self.state.stage is ClientStage.OUTSIDE:
                self._print_fleet(self._placing)
            elif self.state.players:
                names = map(self.state.name_of, range(len(self.state.players)))
                self.print(f"at the table: {', '.join(names)}")
            else:
                self.print(turn_line(self.state, now))
            return
        self._print_boards(now)

    def _print_fleet(self, placing: FleetPlacing) -> None:
        if not self.boards_stand:
            self.print(fleet_boards(self.state, self.placed, colour=self._colour))
        length = placing.length
        if placing.offered:
            self.print(f"type 1 to {len(placing.offered)} to take one, choose for others")
        elif length is None:
            self.print("all ships lie; join takes a place with them")
        else:
            self.print(f"the next ship has {length} cells")

    def _print_boards(self, now: float) -> None:
        self._shots_shown = self.state.shots
        if not self.boards_stand:
            self.print(boards(self.state, now, colour=self._colour))

    def help(self) -> str:
        if self._placing and self.state.stage is ClientStage.OUTSIDE:
            return HELP_OF_PLACING
        return help_of_game(self.game, self.state.rules)


def _fitting(fleet: Fleet | None, lobby: Lobby) -> Fleet | None:
    """The fleet if the table's rules allow it, else None. The rules may have changed since the
    fleet was placed."""
    try:
        if fleet is not None:
            lobby.rules.check_fleet(fleet)
    except IllegalFleet:
        return None
    return fleet

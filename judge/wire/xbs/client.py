"""The client's end of a connection to somebody's XBS table."""

from __future__ import annotations

from collections.abc import Sequence

from judge.documents.game import Outcome, Termination
from judge.documents.rules import Fleet, Rules
from judge.errors import ServerFault
from judge.game.events import Target, View
from judge.wire.line_client import LineClient
from judge.wire.lines import LineBuffer
from judge.wire.messages import (
    Arrived,
    AskShots,
    Chat,
    Denied,
    Departed,
    Dismissed,
    Fired,
    FromClient,
    GameOver,
    GameStart,
    Inquired,
    Joined,
    Left,
    Lobby,
    Refused,
    Rejoined,
    Said,
    Skipped,
    TauntAdded,
    Told,
    Welcome,
)
from judge.wire.strict_json import quoted
from judge.wire.xbs.client_view import ClientView
from judge.wire.xbs.notation import (
    LONGEST,
    MISS,
    REFUSALS,
    UNKNOWN,
    board_text,
    encoded,
    fields,
    fleet_of,
    lobby_of,
    number,
    padded,
    words,
)

MOST_PLAYERS = 1000  # players at a table, at most; published servers have no bound


class XbsClient(LineClient):
    """The client's end of a connection to somebody's XBS table.

    `say` takes the player's messages, and `next_message` returns the table's. `next_message` raises
    `ServerFault` for a line that cannot be read or does not fit the game, such as new rules after
    the player has asked for a place. Two faults of published servers are ignored: lines after the
    end of a game, and boards that are told twice.

    Shots are read from the boards: a new hit or miss is a shot of the player that was up. A player
    that comes back learns where shots were, but not their order and, with more than two players,
    not who fired them.
    """

    def __init__(self) -> None:
        super().__init__(LONGEST)
        self._lobby: Lobby | None = None
        self._lobby_before: Lobby | None = None  # the lobby of the connection before this one
        self._asked_for = ""  # the name that the player has asked for
        self._name = ""  # the player's name, once it has a place
        self._fleet: Fleet | None = None
        self._game = ClientView()
        self._is_back = False
        self._is_coming_back = False  # whether it comes back to a game that it has followed
        self._misses_own_board = False  # the table tells it after the player's return
        self._results: dict[str, int] = {}  # points by player's name
        self._awaited = 0  # the number of results that are still to come
        self._ending = ""  # how the game ended

    def say(self, message: FromClient) -> None:
        """Take a message of the player. The protocol must have words for the message."""
        match message:
            case Joined(name, fleet=fleet):
                self._asked_for, self._fleet = name, fleet or self._fleet
                self._join(name, fleet)
            case Inquired():
                self._put("G")
            case Fired((Target(seat, cell),)):
                self._put(f"S|{self._game.places[seat]}|{cell.column + 1}|{cell.row + 1}")
            case Skipped():
                self._put("K")
            case Said(text, to):
                self._put(f"M|{'' if to is None else self._game.places[to]}|{words(text)}")
            case TauntAdded(on_hit, text):
                self._put(f"T|{'hit' if on_hit else 'miss'}|{words(text or '')}")
            case Left(why):
                self._put(f"L|{words(why)}")
            case _:
                raise AssertionError(f"{message} is not for this protocol")

    @property
    def standing(self) -> list[tuple[int, int]]:
        """The points and the skipped turns of each seat, as told by the table."""
        return [self._game.standing.get(name, (0, 0)) for name in self._game.places]

    def come_back(self) -> None:
        """Prepare for a new connection after the last one broke in the middle of a game. When the
        `Lobby` has come, the caller must `say` `Joined` with the same name. Then `Told` brings the
        events missed meanwhile, and `Rejoined` follows."""
        assert self._game.has_begun, "there is a game to come back to"
        self._lines = LineBuffer(LONGEST)
        self._messages.clear()
        self._out = b""
        self._lobby_before, self._lobby = self._lobby, None
        self._is_over, self._is_coming_back = False, True

    def _read_line(self, line: bytes) -> None:
        try:
            self._read(fields(line))
        except (ValueError, KeyError):
            shown = quoted(line.decode("utf-8", "backslashreplace"))
            raise ServerFault(f"the server said {shown}, which no client can read") from None

    def _read_rest(self, line: bytes) -> None:
        """Read the last line of the stream only if it may be the reason for a refusal before the
        game. Other unfinished lines could be misread."""
        if not self._game.has_begun and b"|" not in line:
            self._read_line(line)

    # What goes out

    def _put(self, line: str) -> None:
        self._out += encoded(line)

    def _join(self, name: str, shown: Fleet | None) -> None:
        """Ask for a place with the fleet as a board. In a game that has begun, the board is that of
        ``shown``, which proves who the player is; without ``shown`` no board is sent."""
        lobby = self._lobby
        assert lobby, "whoever joins has been told of the table"
        fleet = shown if lobby.is_started else self._fleet
        if fleet is None:
            assert lobby.is_started, "whoever joins brings a fleet"
            self._put(f"J|{name}")
        else:
            self._put(f"J|{name}|{board_text(fleet, lobby.rules, lobby.letters)}")

    # What comes in

    def _read(self, line: Sequence[str]) -> None:
        kind, *values = line
        if not kind and not values:
            return
        if self._awaited and kind != "R":
            return  # published servers tell of who closes early
        match kind:
            case "B":
                self._board(*padded(values, 3))
                name, *counts = [values[0], *padded(values, 5)[3:]]
                points, skips = (number(one or "0") for one in counts)
                self._game.standing[name] = points, skips
            case "S":
                self._start(values)
            case "N":
                self._turn(*padded(values, 1))
            case "K":
                name, why = padded(values, 2)
                self._game.skip(name, why or "no reason")
            case "F":
                self._end(*padded(values, 3))
            case "R":
                self._result(*padded(values, 2))
            case "H" | "P":
                return  # boards show hits already, and an echo was not asked for
            case _:
                self._read_of_people(kind, values)

    def _read_of_people(self, kind: str, values: Sequence[str]) -> None:
        """Read a line about the table or its players."""
        match kind:
            case "G":
                self._describe(lobby_of(values))
            case "J":
                self._joined(*padded(values, 1))
            case "E":
                self._messages.append(Denied(*padded(values, 1)))
            case "L":
                self._departed(*padded(values, 2))
            case "Y":
                self._own_board(*padded(values, 1))
            case "M":
                self._heard(*padded(values, 3))
            case _:
                self._messages.append(Dismissed("|".join([kind, *values])))

    def _describe(self, lobby: Lobby) -> None:
        before = self._lobby or self._lobby_before
        if before and self._asked_for and _played(before) != _played(lobby):
            raise ValueError("the rules of a table stay as they are")
        if lobby.rules.players[0] > MOST_PLAYERS:
            raise ValueError("there are more players than any table has")
        self._lobby = lobby
        self._messages.append(lobby)

    def _joined(self, name: str) -> None:
        if self._is_coming_back and name in self._game.places:
            if name == self._name:
                self._messages.append(Welcome(name, ()))
            return
        if not name or name in self._game.places or self._game.has_begun:
            raise ValueError("a player joins by a name of its own, before the game")
        if len(self._game.places) == MOST_PLAYERS:
            raise ValueError("there are more players than any table has")
        if name == self._asked_for and not self._name:
            self._name = name
            self._messages.append(Welcome(name, ()))
        else:
            self._messages.append(Arrived(name))
        self._game.places.append(name)

    def _departed(self, name: str, why: str) -> None:
        if not self._game.has_begun and name in self._game.places:
            self._game.left(name)
            self._messages.append(Departed(name, why))

    def _own_board(self, board: str) -> None:
        """Read the player's own board, which comes after a return to a game. The board shows ships
        and misses; hits come later."""
        lobby = self._told_lobby()
        if not self._name:
            raise ValueError("a place comes before its board")
        if self._is_coming_back:
            return  # this client knows its ships, and the shots come later
        self._fleet = fleet_of(board.replace(MISS, UNKNOWN), lobby.rules, lobby.letters)
        self._game.misses(self._name, board)
        self._is_back = True

    def _board(self, name: str, status: str, board: str) -> None:
        game = self._game
        game.board(name, status, board, self._told_lobby().rules)
        if game.up is None:
            return
        is_missed = self._misses_own_board and name == self._name
        if is_missed or (game.has_pending and not game.has_passed):
            self._misses_own_board &= not is_missed
            self._tell((game.seat(game.up),))

    def _start(self, names: Sequence[str]) -> None:
        lobby, game = self._told_lobby(), self._game
        if self._is_coming_back:
            self._start_again(names)
            return
        if sorted(names) != sorted(game.places) or self._name not in names or len(names) < 2:
            raise ValueError("a game is of those who have joined")
        if game.has_begun or self._fleet is None:
            raise ValueError("no game can begin")
        game.begin(names, lobby.rules)
        seat = game.seat(self._name)
        start = GameStart(seat, tuple(names), lobby.rules, None, self._fleet, 0)
        self._messages.append(start)
        if self._is_back:
            game.taken()  # the view holds these events
            self._messages.append(Rejoined(self._view()))

    def _start_again(self, names: Sequence[str]) -> None:
        """Tell the player the events missed while it was away, and that it is back."""
        if list(names) != self._game.places:
            raise ValueError("a game is of those who began it")
        self._is_coming_back, self._misses_own_board, self._game.up = False, True, None
        self._tell(())
        self._messages.append(Rejoined(self._view()))

    def _turn(self, name: str) -> None:
        if not self._game.has_begun:
            raise ValueError("no game has begun")
        self._game.turn(name)
        self._tell((self._game.seat(name),))
        if name == self._name:
            self._messages.append(AskShots(self._view()))

    def _tell(self, up: tuple[int, ...]) -> None:
        events = self._game.taken()
        if events or up:
            self._messages.append(Told(events, up))

    def _heard(self, sender: str, text: str, group: str) -> None:
        if sender and sender not in self._game.places:
            # A published server passes on the chat of clients without a place, under the name
            # "new".
            self._messages.append(Chat(None, f"{sender}: {text}", is_private=group != "All"))
            return
        seat = self._game.seat(sender) if sender else None
        if seat is None and text in REFUSALS:
            again = AskShots(self._view()) if self._game.up == self._name and self._name else None
            self._messages.append(Refused(text, again))
        else:
            self._messages.append(Chat(seat, text, is_private=bool(sender) and group != "All"))

    def _end(self, ending: str, _rounds: str, count: str) -> None:
        self._ending, self._awaited = ending, number(count)
        if self._awaited > len(self._game.places):
            raise ValueError("there are more results than players")
        self._end_if_told()

    def _result(self, name: str, score: str) -> None:
        if not self._awaited:
            raise ValueError("results follow the end")
        self._results[name] = number(score)
        self._awaited -= 1
        self._end_if_told()

    def _end_if_told(self) -> None:
        """End the game if all results have come."""
        if self._awaited:
            return
        self._is_over = True
        if not self._game.has_begun:
            self._messages.append(Dismissed(self._ending))
            return
        self._tell(())
        in_order = tuple(self._results[name] for name in self._game.places)
        best = [seat for seat, score in enumerate(in_order) if score == max(in_order)]
        winner, why = best[0] if len(best) == 1 else None, Termination.ALL_DEAD
        if self._ending == "aborted":
            winner, why = None, Termination.ABORTED
        elif max(in_order) >= self._told_lobby().rules.points_goal:
            why = Termination.GOAL
        loser = 1 - winner if winner is not None and len(in_order) == 2 else None
        self._messages.append(GameOver(Outcome(winner, loser, why, scores=in_order)))

    def _told_lobby(self) -> Lobby:
        if self._lobby is None:
            raise ValueError("a table is told of first")
        return self._lobby

    def _view(self) -> View:
        assert self._lobby, "it is at a table"
        seats = len(self._game.places)
        present = tuple(name not in self._game.away for name in self._game.places)
        return View(
            seat=self._game.seat(self._name),
            players=seats,
            first=0,
            rules=self._lobby.rules,
            fleet=self._fleet,
            shots=tuple(self._game.shots),
            due=1,
            rounds=self._game.turns // seats,
            present=present,
        )


def _played(lobby: Lobby) -> tuple[Rules, str]:
    """The rules of a table and the letters of its ships, which must not change."""
    return lobby.rules, lobby.letters

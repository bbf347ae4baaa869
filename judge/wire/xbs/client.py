"""A player's end of the connection to somebody's XBS table."""

from __future__ import annotations

from collections.abc import Sequence

from judge.errors import ServerFault
from judge.game.events import Back, Event, Gone, Result, Shot, Target, TurnSkipped, View
from judge.game.outcome import Outcome, Termination
from judge.game.rules import Fleet, Rules
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
from judge.wire.xbs.notation import (
    HIT,
    LONGEST,
    MISS,
    REFUSALS,
    UNKNOWN,
    board_text,
    cell_at,
    encoded,
    fields,
    fleet_of,
    lobby_of,
    number,
    padded,
    words,
)

MOST_PLAYERS = 1000  # at a table: published servers have no bound
MOST_AT_ONCE = 10_000  # events from one turn to the next
MOST_SHOTS = 100_000  # of a game: nine of the largest boards have some 37,000 squares


class XbsClient(LineClient):
    """What one player is told by a table, and what it says there.

    What the player says goes in by `say`, what it is told comes out of `next_message`, which raises
    `ServerFault` for a line that no client can read. Published servers differ, and have faults that
    are passed over here: what comes after the end, boards told twice.

    The boards are what counts: who shot is who was up, and a player that comes back learns from the
    boards where shots were, but not in which order, nor, among more than two, by whom.

    A server that breaks the protocol is not followed: a table has rules that stay as they are once
    somebody has asked for a place, and a square that was shot at stays so.
    """

    def __init__(self) -> None:
        super().__init__(LONGEST)
        self._lobby: Lobby | None = None
        self._lobby_before: Lobby | None = None  # that of the last connection
        self._asked_for = ""  # a name
        self._name = ""  # once the table has given it a place
        self._fleet: Fleet | None = None
        self._places: list[str] = []  # the names by which seats are called in messages
        self._boards: dict[str, str] = {}
        self._standing: dict[str, tuple[int, int]] = {}  # points and skips, by name
        self._away: dict[str, str] = {}  # why somebody is away
        self._is_back = False
        self._is_coming_back = False  # to a game of which this client knows
        self._misses_own_board = False  # which tables tell after the turn, when it is back
        self._has_started = False
        self._up: str | None = None
        self._turns = 0
        self._pending: list[Event] = []  # not told yet
        self._shots: list[Shot] = []
        self._results: dict[str, int] = {}  # points by name
        self._awaited = 0  # results
        self._how = ""  # the game ended

    def say(self, message: FromClient) -> None:
        """Take what the player says, which must be something that the protocol knows."""
        match message:
            case Joined(name, fleet=fleet):
                self._asked_for, self._fleet = name, fleet or self._fleet
                self._join(name)
            case Inquired():
                self._put("G")
            case Fired((Target(seat, cell),)):
                self._put(f"S|{self._places[seat]}|{cell.column + 1}|{cell.row + 1}")
            case Skipped():
                self._put("K")
            case Said(text, to):
                self._put(f"M|{'' if to is None else self._places[to]}|{words(text)}")
            case TauntAdded(on_hit, text):
                self._put(f"T|{'hit' if on_hit else 'miss'}|{words(text or '')}")
            case Left(why):
                self._put(f"L|{words(why)}")
            case _:
                raise AssertionError(f"{message} is not for this protocol")

    @property
    def standing(self) -> list[tuple[int, int]]:
        """The points and the skipped turns of each seat, as the table has told them."""
        return [self._standing.get(name, (0, 0)) for name in self._places]

    def come_back(self) -> None:
        """Go on over a new connection after the last one was cut in the middle of a game: ``say``
        `Joined` with the same name once the table is told of. Then come `Told` with what happened
        meanwhile, and `Rejoined`."""
        assert self._has_started, "there is a game to come back to"
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
        """A part of a message may look like another one; why it was turned away is no message."""
        if not self._has_started and b"|" not in line:
            self._read_line(line)

    # What goes out

    def _put(self, line: str) -> None:
        self._out += encoded(line)

    def _join(self, name: str) -> None:
        lobby, fleet = self._lobby, self._fleet
        assert lobby, "whoever joins has been told of the table"
        if lobby.is_started:
            self._put(f"J|{name}")
        else:
            assert fleet is not None, "whoever joins brings a fleet"
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
                self._standing[name] = points, skips
            case "S":
                self._start(values)
            case "N":
                self._turn(*padded(values, 1))
            case "K":
                name, why = padded(values, 2)
                self._add(self._skipped(name, why or "no reason"))
            case "F":
                self._end(*padded(values, 3))
            case "R":
                self._result(*padded(values, 2))
            case "H" | "P":
                return  # the boards tell hits; and nobody asked for an echo
            case _:
                self._read_of_people(kind, values)

    def _read_of_people(self, kind: str, values: Sequence[str]) -> None:
        """Read what tells of the table and of who sits there."""
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

    def _seat(self, name: str) -> int:
        return self._places.index(name)

    def _describe(self, lobby: Lobby) -> None:
        before = self._lobby or self._lobby_before
        if before and self._asked_for and _played(before) != _played(lobby):
            raise ValueError("the rules of a table stay as they are")
        self._lobby = lobby
        self._messages.append(lobby)

    def _joined(self, name: str) -> None:
        if self._is_coming_back and name in self._places:
            if name == self._name:
                self._messages.append(Welcome(name, ()))
            return
        if not name or name in self._places or self._has_started:
            raise ValueError("a player joins by a name of its own, before the game")
        if len(self._places) == MOST_PLAYERS:
            raise ValueError("there are more players than any table has")
        if name == self._asked_for and not self._name:
            self._name = name
            self._messages.append(Welcome(name, ()))
        else:
            self._messages.append(Arrived(name))
        self._places.append(name)

    def _departed(self, name: str, why: str) -> None:
        if not self._has_started and name in self._places:
            self._places.remove(name)
            self._boards.pop(name, None)
            self._messages.append(Departed(name, why))

    def _own_board(self, board: str) -> None:
        """Its own board, where it comes back to a game: with ships, and misses. Hits follow."""
        lobby = self._told_lobby()
        if not self._name:
            raise ValueError("a place comes before its board")
        if self._is_coming_back:
            return  # its ships are known, and shots follow
        self._fleet = fleet_of(board.replace(MISS, UNKNOWN), lobby.rules, lobby.letters)
        misses = "".join(one if one == MISS else UNKNOWN for one in board)
        self._boards[self._name] = misses
        self._is_back = True

    def _board(self, name: str, status: str, board: str) -> None:
        seat, rules = self._seat(name), self._told_lobby().rules
        squares = rules.columns * rules.rows
        if len(board) != squares or set(board) - {UNKNOWN, HIT, MISS}:
            raise ValueError("a board has a dot, X or 0 for each square")
        before = self._boards.get(name, UNKNOWN * squares)
        self._boards[name] = board
        for place, (old, new) in enumerate(zip(before, board, strict=True)):
            if old != new:
                if old != UNKNOWN:
                    raise ValueError("a square that was shot at stays as it is")
                result = Result.HIT if new == HIT else Result.MISS
                self._add(Shot(self._shooter(seat), seat, cell_at(place, rules), result))
        if status and name not in self._away:
            self._add(Gone(seat, None, status))
            self._away[name] = status
        elif not status and name in self._away:
            del self._away[name]
            self._add(Back(seat))
        if self._misses_own_board and name == self._name and self._up is not None:
            self._misses_own_board = False
            self._tell((self._seat(self._up),))

    def _add(self, event: Event) -> None:
        """Keep what has happened; before the game, what it is about cannot be told."""
        if len(self._pending) == MOST_AT_ONCE:
            raise ValueError("no turn has so many events")
        self._pending.append(event)
        if isinstance(event, Shot) and self._has_started:
            if len(self._shots) == MOST_SHOTS:
                raise ValueError("no game has so many shots")
            self._shots.append(event)

    def _skipped(self, name: str, why: str = "") -> TurnSkipped:
        """A turn that was skipped; the next line of that player's board counts it too."""
        skipped = TurnSkipped(self._seat(name), why)
        points, skips = self._standing.get(name, (0, 0))
        self._standing[name] = points, skips + 1
        return skipped

    def _shooter(self, target: int) -> int:
        up = target if self._up is None else self._seat(self._up)
        return up if up != target else (target + 1) % max(2, len(self._places))

    def _start(self, names: Sequence[str]) -> None:
        lobby, boards = self._told_lobby(), dict(self._boards)
        if self._is_coming_back:
            self._start_again(names)
            return
        if sorted(names) != sorted(self._places) or self._name not in names or len(names) < 2:
            raise ValueError("a game is of those who have joined")
        if self._has_started or self._fleet is None:
            raise ValueError("no game can begin")
        self._places, self._has_started = list(names), True
        seat = self._seat(self._name)
        start = GameStart(seat, tuple(names), lobby.rules, None, self._fleet, 0)
        self._messages.append(start)
        self._pending.clear()
        # Seats are known now, and so what boards have told before.
        self._boards.clear()
        away, self._away = self._away, {}
        for name in names:
            if name in boards:
                self._board(name, away.get(name, ""), boards[name])
        if self._is_back:
            self._pending.clear()
            self._messages.append(Rejoined(self._view()))

    def _start_again(self, names: Sequence[str]) -> None:
        """Tell what has happened while it was away, and that it is back."""
        if list(names) != self._places:
            raise ValueError("a game is of those who began it")
        self._is_coming_back, self._misses_own_board, self._up = False, True, None
        self._tell(())
        self._messages.append(Rejoined(self._view()))

    def _turn(self, name: str) -> None:
        up = self._seat(name)
        if not self._has_started:
            raise ValueError("no game has begun")
        if self._up is not None and self._up not in self._away:
            passed = [one for one in self._pending if isinstance(one, Shot | TurnSkipped)]
            if not passed and self._turns:
                self._pending.append(self._skipped(self._up))
        if self._up is not None or not self._turns:  # else a turn that it knew is told again
            self._turns += 1
        self._up = name
        self._tell((up,))
        if name == self._name:
            self._messages.append(AskShots(self._view()))

    def _tell(self, up: tuple[int, ...]) -> None:
        if self._pending or up:
            self._messages.append(Told(tuple(self._pending), up))
            self._pending.clear()

    def _heard(self, sender: str, text: str, group: str) -> None:
        if sender and sender not in self._places:
            # A published server passes on what somebody says who has no place, as of "new".
            self._messages.append(Chat(None, f"{sender}: {text}", is_private=group != "All"))
            return
        seat = self._seat(sender) if sender else None
        if seat is None and text in REFUSALS:
            again = AskShots(self._view()) if self._up == self._name and self._name else None
            self._messages.append(Refused(text, again))
        else:
            self._messages.append(Chat(seat, text, is_private=bool(sender) and group != "All"))

    def _end(self, how: str, _rounds: str, count: str) -> None:
        self._how, self._awaited = how, number(count)
        if self._awaited > len(self._places):
            raise ValueError("there are more results than players")
        self._end_if_told()

    def _result(self, name: str, score: str) -> None:
        if not self._awaited:
            raise ValueError("results follow the end")
        self._results[name] = number(score)
        self._awaited -= 1
        self._end_if_told()

    def _end_if_told(self) -> None:
        """End the game, once all results have come."""
        if self._awaited:
            return
        self._is_over = True
        if not self._has_started:
            self._messages.append(Dismissed(self._how))
            return
        self._tell(())
        in_order = tuple(self._results[name] for name in self._places)
        best = [seat for seat, score in enumerate(in_order) if score == max(in_order)]
        winner, why = best[0] if len(best) == 1 else None, Termination.ALL_DEAD
        if self._how == "aborted":
            winner, why = None, Termination.ABORTED
        elif max(in_order) >= self._told_lobby().rules.points_goal:
            why = Termination.GOAL
        loser = 1 - winner if winner is not None and len(in_order) == 2 else None
        self._messages.append(GameOver(Outcome(winner, loser, why, "", in_order)))

    def _told_lobby(self) -> Lobby:
        if self._lobby is None:
            raise ValueError("a table is told of first")
        return self._lobby

    def _view(self) -> View:
        assert self._lobby, "it is at a table"
        seats = len(self._places)
        present = tuple(name not in self._away for name in self._places)
        return View(
            seat=self._seat(self._name),
            players=seats,
            first=0,
            rules=self._lobby.rules,
            fleet=self._fleet,
            shots=tuple(self._shots),
            due=1,
            rounds=self._turns // seats,
            present=present,
        )


def _played(lobby: Lobby) -> tuple[Rules, str]:
    """The rules of a table and the letters of its ships, which stay what they are."""
    return lobby.rules, lobby.letters

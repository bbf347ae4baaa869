"""A naive table of XBS, written from what the protocol says alone."""

from __future__ import annotations

from naive_server import NaiveServer


class Seat:
    def __init__(self, name, client, board):
        self.name, self.client, self.board = name, client, board
        self.marks = ["."] * len(board)
        self.score = self.skips = self.turns = 0
        self.status = ""
        self.taunts = {"hit": [], "miss": []}


class NaiveXbs(NaiveServer):
    """A table of 8×8 with the ships A3 and B2, which starts when ``most`` have joined; in this
    order of turns."""

    longest = 4095

    def __init__(self, most, goal, order, dialect="2.0"):
        super().__init__()
        self.most, self.goal, self.order = most, goal, order
        self.old = dialect == "1.2"
        self.version = "1.2.1" if self.old else "2.0.1"
        self.seats: list[Seat] = []
        self.up = None
        self.strangers: set[int] = set()

    # What is told

    def _to(self, client, *lines):
        if client is not None:
            self.sent[client] += lines

    def _to_all(self, *lines):
        for seat in self.seats:
            self._to(seat.client, *lines)

    def _table(self, client):
        started = "N" if self.up is None else "Y"
        numbers = f"2|{self.most}|{len(self.seats)}|{self.goal}|8|8|2|A3|B2"
        self._to(client, f"G|{self.version}|Pond|{started}|{numbers}")

    def _board(self, seat):
        board = "".join(seat.marks)
        return f"B|{seat.name}|{seat.status}|{board}|{seat.score}|{seat.skips}"

    def _names(self):
        return "|".join(["S", *(seat.name for seat in self.seats)])

    def _turn(self):
        return f"N|{self.seats[self.up].name}"

    def _close(self, client, *lines):
        self._to(client, *lines)
        self.closed.add(client)
        self.strangers.discard(client)

    def _seat_of(self, client):
        return next((seat for seat in self.seats if seat.client == client), None)

    def _called(self, name):
        return next((seat for seat in self.seats if seat.name == name), None)

    # Coming and going

    def connect(self, client):
        self.strangers.add(client)
        self._table(client)
        if self.up is not None and all(seat.client is not None for seat in self.seats):
            self._close(client)

    def _join(self, client, name, board):
        if not name:
            self._close(client, "protocol error")
        elif self.up is not None:
            self._rejoin(client, self._called(name))
        elif (
            len(name) < 2
            or not (name[0].isascii() and name[0].isalpha())
            or set(name) & set("<>[]{}()")
            or name.lower() in ("server", "all", "you", "me", "new")
        ):
            self._to(client, "E|invalid name")
        elif len(name) > 8:
            self._to(client, "E|name too long")
        elif self._called(name):
            self._to(client, "E|name in use")
        elif not _is_board(board):
            self._close(client, "invalid board")
        else:
            self.strangers.discard(client)
            self._to(client, f"J|{name}", *(f"J|{seat.name}" for seat in self.seats))
            self._to_all(f"J|{name}")
            self.seats.append(Seat(name, client, board))
            if len(self.seats) == self.most:
                self._start()

    def _start(self):
        self.counts["begun"] += 1
        self.seats.sort(key=lambda seat: self.order.index(seat.name))
        self.up = 0
        self._to_all(*map(self._board, self.seats), self._names(), self._turn())

    def _rejoin(self, client, seat):
        if seat is None:
            self._close(client, "game is already started")
        elif seat.client is not None:
            self._to(client, "E|name in use")
        else:
            self.counts["rejoined"] += 1
            self.strangers.discard(client)
            seat.client, seat.status = client, ""
            own = "".join(
                m if s == "." and m == "0" else s
                for s, m in zip(seat.board, seat.marks, strict=True)
            )
            self._to(client, f"J|{seat.name}", f"Y|{own}")
            for other in self.seats:
                if other is not seat:
                    self._to(client, f"J|{other.name}", self._board(other))
            self._to(client, self._names(), self._turn())
            self._to_all(self._board(seat), f"M||{seat.name} reconnected")

    def gone(self, client, why):
        seat = self._seat_of(client)
        self._close(client, *[why] * bool(why))
        if seat is None:
            return
        self.counts["left"] += 1
        seat.client = None
        if self.up is None:
            self.seats.remove(seat)
            self._to_all(f"L|{seat.name}|{why}")
        else:
            seat.status = why or "disconnected"
            self._to_all(self._board(seat))

    # The host

    def boot(self, number):
        if number < len(self.seats) and self.seats[number].client is not None:
            self.gone(self.seats[number].client, "booted")

    def skip(self, why):
        if self.up is not None:
            self._to_all(f"K|{self.seats[self.up].name}|{why}")
            self._skipped(self.seats[self.up])

    def host_says(self, text):
        self._to_all(f"M||{text}")

    def stop(self):
        if self.up is None:
            for client in [*self.strangers, *(seat.client for seat in self.seats)]:
                self._close(client, "game aborted")
        else:
            self._over("aborted")

    # What clients say

    def unreadable(self, client):
        self._to(client, "protocol error")
        if self.old and self._seat_of(client) is None:
            self._close(client)

    def line(self, client, line):
        kind, *values = [value.strip(" \t\r") for value in line.partition("\0")[0].split("|")]
        seat = self._seat_of(client)
        first, second, third = (*values, "", "", "")[:3]
        if not kind and not values:
            return
        match kind:
            case "G":
                self._table(client)
            case "P":
                self._to(client, "|".join([kind, *values]))
            case "L":
                self.gone(client, first)
            case "J":
                if seat is None:
                    self._join(client, first, second)
            case "S" | "K":
                self._take_turn(seat, client, kind, first, second, third)
            case "M" | "T":
                if seat:
                    self._take_words(seat, kind, first, second)
            case _:
                self.unreadable(client)

    def _take_turn(self, seat, client, kind, *values):
        if flaw := self._flaw(seat, kind, *values):
            self.counts[flaw] += 1
            self._to(client, f"M||{flaw}")
        elif kind == "K":
            self._skipped(seat)
        else:
            self._shot(seat, self._target(values[0]), _square(*values[1:]))

    def _take_words(self, seat, kind, name, text):
        if kind == "T" and name.lower() in seat.taunts:
            kept = seat.taunts[name.lower()]
            seat.taunts[name.lower()] = [*kept, text] if text else []
        elif kind == "M" and text and name != seat.name:
            group = "" if name else "|All"
            for other in self.seats:
                if other is not seat and name in ("", other.name):
                    self._to(other.client, f"M|{seat.name}|{text}{group}")

    def _target(self, name):
        if (found := self._called(name)) or not self.old or not name:
            return found
        if name.isdigit():
            number = int(name)
            return self.seats[number - 1] if 1 <= number <= len(self.seats) else None
        alike = [seat for seat in self.seats if seat.name.lower().startswith(name.lower())]
        return alike[0] if len(alike) == 1 else None

    def _flaw(self, seat, kind, name, column, row):
        if self.up is None or seat is None:
            return "game hasn't started"
        if self.seats[self.up] is not seat:
            return "it is not your turn!"
        if kind == "K":
            return ""
        target = self._target(name)
        if target is None:
            return "invalid target player name"
        if target is seat:
            return "don't shoot at yourself stupid!"
        square = _square(column, row)
        if square is None:
            return "illegal coordinates"
        return "" if target.marks[square] == "." else "that spot has already been shot"

    def _shot(self, seat, target, square):
        is_hit = target.board[square] != "."
        target.marks[square] = "X" if is_hit else "0"
        seat.turns += 1
        seat.score += is_hit
        if is_hit:
            row, column = divmod(square, 8)
            self._to_all(f"H|{seat.name}|{target.name}|{'abcdefgh'[column]}{row + 1}")
        for taunt in target.taunts["hit" if is_hit else "miss"][:1]:
            self._to(seat.client, f"M|{target.name}|{taunt}")
        if is_hit:
            self._to_all(self._board(seat))
        self._to_all(self._board(target))
        self._passed()

    def _skipped(self, seat):
        seat.turns += 1
        seat.skips += 1
        self._passed()

    def _passed(self):
        turns = {seat.turns for seat in self.seats}
        best = max(seat.score for seat in self.seats)
        if (best >= self.goal and len(turns) == 1) or all(map(_is_dead, self.seats)):
            self._over("finished")
        else:
            self.up = (self.up + 1) % len(self.seats)
            self._to_all(self._turn())

    def _over(self, how):
        self.counts[how] += 1
        self._to_all(f"F|{how}|{self.seats[0].turns}|{len(self.seats)}")
        for seat in sorted(self.seats, key=lambda seat: -seat.score):
            numbers = f"{seat.score}|{seat.skips}|{seat.turns}"
            self._to_all(f"R|{seat.name}|{numbers}|{seat.status}")
        self.closed |= self.strangers | {seat.client for seat in self.seats}
        self.strangers.clear()
        self.seats, self.up = [], None


def _square(column, row):
    numbers = []
    for text in (column, row):
        digits = text.removeprefix("+")
        if not digits.isdigit() or not 1 <= int(digits) <= 8:
            return None
        numbers.append(int(digits) - 1)
    return numbers[1] * 8 + numbers[0]


def _is_board(board):
    lies = {letter: [i for i in range(len(board)) if board[i] == letter] for letter in "AB"}
    return (
        len(board) == 64
        and set(board) <= set(".AB")
        and [len(lies["A"]), len(lies["B"])] == [3, 2]
        and all(
            [i - lie[0] for i in lie] in ([0, 1, 2][: len(lie)], [0, 8, 16][: len(lie)])
            and (lie[1] - lie[0] == 8 or lie[0] // 8 == lie[-1] // 8)
            for lie in lies.values()
        )
    )


def _is_dead(seat):
    return all(m == "X" for s, m in zip(seat.board, seat.marks, strict=True) if s != ".")

"""captain's words in XBS, as a shell-bot: a line is a type and its values, with `|` between them."""

import sys

NAME = "captain"


def say(*values):
    print(*values, sep="|", flush=True)


class Player:
    """One game; `reply_to` answers questions of the wire `open`."""

    def __init__(self, reply_to):
        self.reply_to = reply_to
        self.boards = {}  # of the other players, by name
        self.gone = set()  # names of those who have left
        self.hitters = {}  # by the board's owner and the cell, the name of the player who hit it

    def answer(self, kind, values):
        """Say what a line asks for; most lines ask for nothing."""
        match kind, values:
            case "G", _:
                self.begin(values)
            case "J", [name] if name != NAME:
                self.boards[name] = "." * (self.width * self.height)
            case "L", [name, *_]:  # the player has left before the game
                self.boards.pop(name, None)
            case "B", [name, status, board, *_] if name != NAME:
                self.boards[name] = board
                if status:
                    self.gone.add(name)
                else:
                    self.gone.discard(name)
            case "H", [hitter, target, cell, *_]:
                self.hitters[target, cell] = hitter
            case "N", [name, *_] if name == NAME:
                self.shoot()

    def begin(self, values):
        """Join a game, with a fleet unless the player comes back to it."""
        self.width, self.height, count = map(int, values[7:10])
        ships = [(ship[0], int(ship[1:])) for ship in values[10 : 10 + count]]
        fleet = [size for _, size in ships]
        self.rules = {"columns": self.width, "rows": self.height, "fleet": fleet}
        self.rules |= {"sinking": "nothing", "repeat": "illegal", "may_skip": True}
        self.rules |= {"timeout_ms": 60_000}
        self.boards.clear()
        has_begun = values[2] == "Y"
        if has_begun:
            say("J", NAME)
            return
        board = ["."] * (self.width * self.height)
        lying = self.reply_to({"cmd": "place", "rules": self.rules})["ships"]
        for (letter, _), (size, column, row, orientation) in zip(ships, lying, strict=True):
            step = 1 if orientation == "horizontal" else self.width
            first = row * self.width + column
            board[first : first + size * step : step] = letter * size
        say("J", NAME, "".join(board))

    def shoot(self):
        """Shoot at what the boards show; seat 0 is the own one."""
        names = [NAME, *self.boards]
        shots = []
        for seat, (name, board) in enumerate(self.boards.items(), 1):
            for i, mark in enumerate(board):
                if mark == ".":
                    continue
                row, column = divmod(i, self.width)
                hitter = self.hitters.get((name, f"{chr(97 + column)}{row + 1}"))
                by = names.index(hitter) if hitter in names else 0
                shots.append([by, seat, column, row, 3 if mark == "X" else 1, None])
        present = [name not in self.gone for name in names]
        asked = {"cmd": "shoot", "rules": self.rules, "seat": 0, "present": present}
        reply = self.reply_to(asked | {"due": 1, "shots": shots})
        if "skip" in reply:
            say("K", NAME)
            return
        [[seat, column, row]] = reply["shots"]
        say("S", names[seat], column + 1, row + 1)


def play(reply_to):
    say("I", NAME, "1.0.0")
    player = Player(reply_to)
    for line in sys.stdin:
        kind, *values = line.rstrip("\n").split("|")
        if kind in ("E", "Q"):  # an error, or the end
            break
        player.answer(kind, values)

"""captain's words in the contest: messages of 256 bytes over a socket, in either dialect."""

import json
import socket

FRAME = 256
HELLO, PLACED, SHOT = 1, 5, 7  # kinds of messages that a player sends
ORIENTATIONS = {72: "horizontal", 86: "vertical"}
DIRECTIONS = {orientation: number for number, orientation in ORIENTATIONS.items()}
RESULTS = {88: 3, 42: 1}  # hit, missed; the others are repeats


class Player:
    """One match; `reply_to` answers questions of the wire `open`."""

    def __init__(self, reply_to):
        self.reply_to = reply_to
        self.size = self.number = 0  # of the board; of the player, 1 or 2
        self.ships = []  # own ones
        self.shots = []  # own ones

    def answer(self, message):
        """The answer to a message, or None, as most messages want none."""
        match message:
            case {"mt": 2, "bs": size, "pn": number}:  # a match begins
                self.size, self.number = size, number
            case {"mt": 3}:  # a game begins
                if self.ships:
                    self.reply_to({"cmd": "over"})
                self.ships, self.shots = [], []
            case {"mt": 4, "l": length}:
                return self.place(length)
            case {"mt": 6}:
                return self.shoot()
            case {"mt": 8, "v": value}:  # dialect 1: a shot of either player
                if message["pn"] == self.number:
                    self.note_shot(message, value)
            case {"mt": 8}:  # dialect 2: both shots, and whether the next ones are asked for
                own, other = message[f"p{self.number}"], message[f"p{3 - self.number}"]
                self.note_shot(own["st"], own["st"]["v"])
                if "sp" in other:
                    self.note_sinking(other["sp"])
                if message["ns"]:
                    return self.shoot()
            case {"mt": 9, "pn": owner, "l": _} if owner != self.number:  # dialect 1: a dead ship
                self.note_sinking(message)
        return None

    def ask(self, command, sizes, **more):
        """The reply to a question in a game of ships of these sizes."""
        rules = {"columns": self.size, "rows": self.size, "fleet": sizes, "sinking": "ship"}
        rules |= {"repeat": "said-so", "may_skip": False, "timeout_ms": 500}
        known = {"rules": rules, "seat": 0, "present": [True, True], "shots": self.shots}
        return self.reply_to(known | {"cmd": command} | more)

    def sizes(self):
        """The sizes of the ships, which are the same for both players."""
        return [size for size, *_ in self.ships]

    def place(self, length):
        """A ship beside those that lie already."""
        ship = self.ask("place", [*self.sizes(), length], fleet=self.ships)["ships"][-1]
        self.ships.append(ship)
        _, column, row, orientation = ship
        return {"mt": PLACED, "r": row, "c": column, "l": length, "d": DIRECTIONS[orientation]}

    def shoot(self):
        _, column, row = self.ask("shoot", self.sizes(), due=1)["shots"][0]
        return {"mt": SHOT, "r": row, "c": column}

    def note_shot(self, shot, value):
        self.shots.append([0, 1, shot["c"], shot["r"], RESULTS.get(value, 0), None])

    def note_sinking(self, ship):
        """Note that the last own shot has sunk that ship."""
        self.shots[-1][4:] = [4, [ship["l"], ship["c"], ship["r"], ORIENTATIONS[ship["d"]]]]


def play(path, reply_to):
    judge = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    judge.connect(path)
    judge.sendall(json.dumps({"mt": HELLO, "ai": "captain", "au": "the judge"}).encode())
    player = Player(reply_to)
    while frame := judge.recv(FRAME):  # nothing more comes when the match is over
        if reply := player.answer(json.loads(frame.rstrip(b"\0"))):
            judge.sendall(json.dumps(reply).encode())

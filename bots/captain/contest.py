"""captain's words in the contest: messages of 256 bytes over a socket, in either dialect."""

import json
import socket

FRAME = 256
HELLO, PLACED, SHOT = 1, 5, 7  # kinds of messages that a player sends
RIGHT, DOWN = 72, 86
RESULTS = {88: 3, 42: 1}  # hit, missed; the others are repeats
WAYS = {RIGHT: "horizontal", DOWN: "vertical"}
NUMBERS = {way: number for number, way in WAYS.items()}


class Player:
    """One match; `reply_to` answers questions of the protocol `open`."""

    def __init__(self, reply_to):
        self.reply_to = reply_to
        self.size = self.number = 0
        self.own, self.shots = [], []  # ships, and what came of the own shots

    def answer(self, message):
        """The answer to a message; most messages want none."""
        match message:
            case {"mt": 2, "bs": size, "pn": number}:
                self.size, self.number = size, number
            case {"mt": 3}:
                if self.own:
                    self.reply_to({"cmd": "over"})
                self.own, self.shots = [], []
            case {"mt": 4, "l": length}:
                return self.place(length)
            case {"mt": 6}:
                return self.shoot()
            case {"mt": 8, "v": value}:  # dialect 1: one shot, of either player
                if message["pn"] == self.number:
                    self.tell(message, value)
            case {"mt": 8}:  # dialect 2: both shots, and whether the next ones are asked for
                own, other = message[f"p{self.number}"], message[f"p{3 - self.number}"]
                self.tell(own["st"], own["st"]["v"])
                if "sp" in other:
                    self.sunk(other["sp"])
                if message["ns"]:
                    return self.shoot()
            case {"mt": 9, "pn": owner, "l": _} if owner != self.number:
                self.sunk(message)
        return None

    def asked(self, **more):
        fleet = [size for size, *_ in self.own]
        rules = {"columns": self.size, "rows": self.size, "fleet": fleet, "sinking": "ship"}
        rules |= {"repeat": "said-so", "may_skip": False, "timeout_ms": 500}
        known = {"rules": rules, "seat": 0, "present": [True, True], "shots": self.shots}
        return known | more

    def place(self, length):
        """A ship beside those that lie already."""
        self.own.append([length])
        ship = self.reply_to(self.asked(cmd="place", fleet=self.own[:-1]))["ships"][-1]
        self.own[-1] = ship
        _, column, row, way = ship
        return {"mt": PLACED, "r": row, "c": column, "l": length, "d": NUMBERS[way]}

    def shoot(self):
        _, column, row = self.reply_to(self.asked(cmd="shoot", due=1))["shots"][0]
        return {"mt": SHOT, "r": row, "c": column}

    def tell(self, shot, value):
        self.shots.append([0, 1, shot["c"], shot["r"], RESULTS.get(value, 0), None])

    def sunk(self, ship):
        """The last own shot has sunk that ship."""
        told = [ship["l"], ship["c"], ship["r"], WAYS[ship["d"]]]
        self.shots[-1][4:] = [4, told]


def play(path, reply_to):
    judge = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    judge.connect(path)
    judge.sendall(json.dumps({"mt": HELLO, "ai": "captain", "au": "the judge"}).encode())
    player = Player(reply_to)
    while frame := judge.recv(FRAME):  # nothing more comes when the match is over
        if reply := player.answer(json.loads(frame.rstrip(b"\0"))):
            judge.sendall(json.dumps(reply).encode())
